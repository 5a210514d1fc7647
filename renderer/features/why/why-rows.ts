/**
 * The steps of an answer as the rows of a tree. Each step is shown once, below its youngest user; other users refer to it. Of the steps that
 * one step used, the one with the most steps below it continues in the same column, and the others are branches in front of it. So a row is
 * indented at most once for each doubling of the number of steps, however long a loop made the value.
 */
import type { RecordNumber } from '../../../shared/base/units.ts';
import { endsTogether, turned, type UseOrEnd } from '../../../shared/requests/answers/where-it-went.ts';
import type { Why, WhyKind, WhyStep, WhyUse } from '../../../shared/requests/why.ts';

interface Row {
  /** Lines in front of the row, one character for each level: `│` passes by, `├` and `└` lead to the row, a space is nothing. */
  readonly lines: string;
}

export type WhyRow = Row &
  /** `end`: how the values that the step made ended, if nothing used them and all ended in the same way. */
  (
    | { readonly kind: 'step'; readonly step: number; readonly use: WhyUse | undefined; readonly end?: string }
    /** The step has a row elsewhere. */
    | { readonly kind: 'see'; readonly step: number; readonly use: WhyUse }
    /**
     * No step defined the bytes that a step used; `user` is -1 for those of the question. `others`: values of a forward answer that ended in
     * the same way.
     */
    | { readonly kind: 'end'; readonly use: UseOrEnd; readonly others: readonly UseOrEnd[]; readonly user: number }
    /** Stands for the copies between a step and its users. `moved`: the step and they moved so many bytes together. */
    | {
        readonly kind: 'copies';
        readonly step: number;
        readonly count: number;
        readonly moved?: number;
        readonly isOpen: boolean;
      }
    | { readonly kind: 'copy'; readonly step: number; readonly n: RecordNumber }
  );

/** The question itself, as the user of the origin. */
const ROOT = -1;

/** @param opened steps whose copies are shown */
export function whyRows(
  why: Pick<Why, 'steps' | 'origin' | 'forward' | 'ends' | 'copies'>,
  opened: ReadonlySet<number>,
): readonly WhyRow[] {
  const isForward = why.forward === true;
  const { steps, origin } = isForward ? turned(why) : why;
  const users = youngestUsers(steps, origin);
  const sizes = sizesOf(users);
  const rows: WhyRow[] = [];

  /** Adds the row of a step, after that of its copies, and returns the lines of the rows below it. */
  function add(use: WhyUse, step: number, lines: string): string {
    const below = lines.replace(/├$/, '│').replace(/└$/, ' ');
    const { copies = [], moved } = steps[step] ?? {};
    const end = isForward ? onlyEnd(steps[step]) : undefined;
    const own = { kind: 'step', step, use, ...(end !== undefined && { end }) } as const;
    if (isForward) rows.push({ ...own, lines });
    addCopies(step, copies, isForward ? below : lines, below, moved);
    if (!isForward) rows.push({ ...own, lines: copies.length > 0 ? below : lines });
    return below;
  }

  function addCopies(
    step: number,
    copies: readonly RecordNumber[],
    lines: string,
    below: string,
    moved?: number,
  ): void {
    const isOpen = opened.has(step);
    if (copies.length > 0)
      rows.push({ kind: 'copies', step, count: copies.length, ...(moved !== undefined && { moved }), isOpen, lines });
    if (isOpen) for (const n of copies) rows.push({ kind: 'copy', step, n, lines: below });
  }

  /** Adds the rows of all that a step used. */
  function follow(from: number, lines: string): void {
    for (let user: number | undefined = from; user !== undefined;) {
      const { own, others } = usesOf(user);
      const trunk = own.pop();
      addLeaves(user, others, lines, trunk === undefined);
      for (const use of own) follow(use.step, add(use, use.step, `${lines}├`));
      if (trunk) add(trunk, trunk.step, lines);
      user = trunk?.step;
    }
  }

  /** Returns the uses whose steps are below this user, the one with the fewest steps first, and the other ones. */
  function usesOf(user: number): { own: FollowedUse[]; others: readonly WhyUse[] } {
    const uses = user === ROOT ? origin : (steps[user]?.uses ?? []);
    const own = uniqueSteps(uses.filter(isFollowed).filter(({ step }) => users[step] === user));
    const others =
      onlyEnd(steps[user]) !== undefined && isForward
        ? []
        : uses.filter((use) => !own.some(({ step }) => step === use.step));
    own.sort((a, b) => sizes[a.step]! - sizes[b.step]! || a.step - b.step);
    return { own, others: uniqueSteps(others).filter((use) => use.step !== null || !isInRowOf(steps[user], use)) };
  }

  function addLeaves(user: number, uses: readonly WhyUse[], lines: string, areLast: boolean): void {
    const used = uses.filter(({ step }) => step !== null);
    const ended = uses.filter(({ step }) => step === null);
    const leaves = isForward
      ? [...used.map((use) => [use] as const), ...endsTogether(ended)]
      : uses.map((use) => [use] as const);
    for (const [at, [use, ...others]] of leaves.entries()) {
      const own = { lines: `${lines}${areLast && at === leaves.length - 1 ? '└' : '├'}`, use };
      rows.push(use.step === null ? { kind: 'end', user, others, ...own } : { kind: 'see', step: use.step, ...own });
    }
  }

  if (isForward) addCopies(ROOT, why.copies ?? [], '', '');
  const { own, others } = usesOf(ROOT);
  if (own.length + others.length === 1) follow(ROOT, '');
  else {
    // Parts of the value have histories of their own, the youngest first.
    own.sort((a, b) => a.step - b.step);
    addLeaves(ROOT, others, '', own.length === 0);
    for (const use of own) follow(use.step, add(use, use.step, use === own.at(-1) ? '└' : '├'));
  }
  return rows;
}

type FollowedUse = WhyUse & { readonly step: number };

function isFollowed(use: WhyUse): use is FollowedUse {
  return use.step !== null;
}

/** Returns the youngest user of each step. Steps come in descending order of records, so a user has a lower index. */
function youngestUsers(steps: readonly WhyStep[], origin: readonly WhyUse[]): readonly number[] {
  const users = Array.from({ length: steps.length }, () => Number.NaN);
  for (const [user, uses] of [[ROOT, origin] as const, ...steps.map(({ uses }, at) => [at, uses] as const)])
    for (const { step } of uses) if (step !== null && step > user && Number.isNaN(users[step])) users[step] = user;
  return users;
}

/** Returns the number of steps of each step's subtree. */
function sizesOf(users: readonly number[]): readonly number[] {
  const sizes = users.map(() => 1);
  for (let step = users.length - 1; step >= 0; step -= 1) {
    const user = users[step]!;
    if (user >= 0) sizes[user]! += sizes[step]!;
  }
  return sizes;
}

/** Returns the uses without those of a step that an earlier one uses too. */
function uniqueSteps<Use extends WhyUse>(uses: readonly Use[]): Use[] {
  const seen = new Set<number>();
  return uses.filter(({ step }) => {
    if (step === null) return true;
    if (seen.has(step)) return false;
    seen.add(step);
    return true;
  });
}

/** Returns true if the row of a step says the reason why its only source has no step. */
function isInRowOf(step: WhyStep | undefined, use: WhyUse): boolean {
  return step !== undefined && soleEnd(step) === use;
}

/** Returns how the values of a turned step ended, if that is the whole of what became of them. */
function onlyEnd(step: WhyStep | undefined): string | undefined {
  const { uses = [], defines = [] } = step ?? {};
  const [end] = uses;
  const areAlike = uses.every((each) => each.step === null && each.reason === end?.reason);
  return areAlike && uses.length === defines.length ? end?.reason : undefined;
}

const ENDS: readonly WhyKind[] = ['input', 'image', 'unknown'];

/** Returns the only data that a step used, if its value comes from there and no step defined it. */
export function soleEnd({ kind, uses }: WhyStep): WhyUse | undefined {
  if (!ENDS.includes(kind)) return undefined;
  const data = uses.filter(({ edge }) => edge === 'data');
  return data.length === 1 && data[0]?.step === null ? data[0] : undefined;
}

/** Returns the record that a row leads to; undefined if it has none. */
export function recordOfRow(row: WhyRow, steps: readonly WhyStep[]): RecordNumber | undefined {
  if (row.kind === 'copy') return row.n;
  return row.kind === 'end' ? row.use.n : steps[row.step]?.n;
}
