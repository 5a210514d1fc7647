/** Compares the engine's answers about a case with the truth: branches by kind and ends, frames by function. */
import type { Engine } from '../../../electron/engine/engine.ts';
import type { BranchEvent, StackFrame } from '../../../shared/requests/flow.ts';
import { ask } from '../../engine/ask.ts';
import { namesOf } from '../../engine/compiled/truth.ts';
import { MOST_STACKS, type Case, type TrueBranch } from './corpus.ts';

/** `false`: wrong ones that are not marked as inferred. */
export interface Share {
  right: number;
  wrong: number;
  unknown: number;
  false: number;
}

export interface Score {
  readonly branches: Share;
  readonly frames: Share;
}

const PAGE = 10_000;
const MOST_EVENTS = 30_000;

export function createScore(): Score {
  return { branches: createShare(), frames: createShare() };
}

function createShare(): Share {
  return { right: 0, wrong: 0, unknown: 0, false: 0 };
}

/** Adds one case to a score. */
export async function measure(engine: Engine, each: Case, { branches, frames }: Score): Promise<void> {
  const { trace } = await ask(engine, 'open', each.open);
  await ask(engine, 'index', { trace });
  const events = await eventsOf(engine, trace);
  const truth = truthsOf(each, events);
  const said = Map.groupBy(
    events.map((event, i) => ({ event, key: each.branches.by === 'record' ? event.n : i })),
    ({ key }) => key,
  );
  const last = each.branches.by === 'record' && events.length >= MOST_EVENTS ? events.at(-1)!.n : Infinity;
  for (const [key, wanted] of truth) {
    if (key >= last) continue;
    compareBranches(
      wanted,
      (said.get(key) ?? []).map(({ event }) => event),
      branches,
    );
  }
  for (const [key, list] of said)
    if (!truth.has(key))
      compareBranches(
        [],
        list.map(({ event }) => event),
        branches,
      );

  const nameOf = namingOf(each);
  for (const [position, wanted] of each.stacks ?? simulate(truth)) {
    const event: Pick<BranchEvent, 'n' | 'cpu'> = each.branches.by === 'record' ? { n: position } : events[position]!;
    const where = event.cpu === undefined ? {} : { cpu: event.cpu };
    const answer = await ask(engine, 'stack', { trace, at: event.n, ...where });
    compareStacks(wanted, answer.frames, nameOf, frames);
  }
  await ask(engine, 'close', { trace });
}

async function eventsOf(engine: Engine, trace: string): Promise<readonly BranchEvent[]> {
  const all: BranchEvent[] = [];
  for (let from: number | null = 0; from !== null && all.length < MOST_EVENTS;) {
    const page: Awaited<ReturnType<typeof pageOf>> = await pageOf(engine, trace, from);
    all.push(...page.events);
    from = page.next;
  }
  return all;
}

const pageOf = (engine: Engine, trace: string, from: number) =>
  ask(engine, 'branchEvents', { trace, from, count: PAGE });

function truthsOf({ branches }: Case, events: readonly BranchEvent[]): ReadonlyMap<number, readonly TrueBranch[]> {
  if (branches.by !== 'source') return branches.all;
  return new Map(
    events.flatMap(({ source, target }, i) => {
      if (source === undefined || target === undefined) return [];
      const ends = { source: Number(source), target: Number(target) };
      const kind = ends.target === branches.handler ? 'interrupt' : (branches.kinds.get(ends.source) ?? 'jump');
      return [[i, [{ ...ends, kind }]] as const];
    }),
  );
}

function compareBranches(wanted: readonly TrueBranch[], said: readonly BranchEvent[], share: Share): void {
  for (let i = 0; i < Math.max(wanted.length, said.length); i++) {
    const [truth, event] = [wanted[i], said[i]];
    if (event === undefined || event.kind === 'unknown') share.unknown++;
    else if (truth === undefined || event.kind !== truth.kind || differs(event.source, truth.source)) isWrong(event);
    else if (differs(event.target, truth.target)) isWrong(event);
    else if (event.source === undefined || event.target === undefined) share.unknown++;
    else share.right++;
  }

  function isWrong({ inferred }: BranchEvent): void {
    share.wrong++;
    if (!inferred) share.false++;
  }
}

function differs(said: string | undefined, truth: number): boolean {
  return said !== undefined && Number(said) !== truth;
}

type Naming = (frame: StackFrame) => string | undefined;

/** The name of a frame's function as the stacks of the case have it; undefined if it is not known. */
function namingOf({ functions, hasImage }: Case): Naming {
  const names = functions && namesOf(functions);
  return ({ function: name, address }) => {
    if (hasImage) return name === '(unknown)' ? undefined : (names?.canonical(name) ?? name);
    return address === undefined ? undefined : (names?.at(Number(address)) ?? address.replace(/^0x/, ''));
  };
}

/** Right are the frames of the longest series that both stacks have in common; the others that have a name are wrong. */
function compareStacks(wanted: readonly string[], frames: readonly StackFrame[], nameOf: Naming, share: Share): void {
  const isMarked = frames.some(({ inferred, function: name }) => inferred === true || name === '(unknown)');
  const named = frames.map(nameOf).filter((name) => name !== undefined);
  const right = longestCommon(wanted.toReversed(), named);
  share.right += right;
  share.wrong += named.length - right;
  share.unknown += Math.max(0, wanted.length - named.length);
  if (!isMarked) share.false += named.length - right;
}

function longestCommon(a: readonly string[], b: readonly string[]): number {
  let before = new Uint32Array(b.length + 1);
  for (const name of a) {
    const now = new Uint32Array(b.length + 1);
    b.forEach((other, i) => (now[i + 1] = name === other ? before[i]! + 1 : Math.max(before[i + 1]!, now[i]!)));
    before = now;
  }
  return before[b.length]!;
}

/** Stacks of a program that only calls, returns and is interrupted, by the entry points of its functions. */
function simulate(truth: ReadonlyMap<number, readonly TrueBranch[]>): ReadonlyMap<number, readonly string[]> {
  const stacks = new Map<number, readonly string[]>();
  const step = Math.ceil(truth.size / MOST_STACKS);
  let open: readonly string[] = ['main'];
  for (const [event, [branch]] of truth) {
    if (branch!.kind === 'return') open = open.slice(0, -1);
    else if (branch!.kind !== 'jump') open = [...open, branch!.target.toString(16)];
    if (event % step === 3) stacks.set(event, open);
  }
  return stacks;
}
