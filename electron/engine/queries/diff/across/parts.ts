/** The parts of two aligned sequences of branches: what is the same, what differs, and what only one of the traces covers. */
import type { RegionKind } from '../../../../../shared/requests/diff.ts';
import type { Match, Part } from '../paths/match.ts';
import type { CutAlignment } from './align-cuts.ts';
import { handlersOf, isExplained } from './explained.ts';
import { MARK } from './proved-branches.ts';
import type { BranchSide } from './symbols.ts';

/** Entries [a, aEnd) of A and [b, bEnd) of B. */
export interface BranchPart extends Part {
  readonly kind: RegionKind;
}

/** Returns the parts in order. They tile both sequences. */
export function partsOf(
  sides: readonly [BranchSide, BranchSide],
  { matches, tooLong }: CutAlignment,
  agrees: (i: number, j: number) => boolean,
  onlySources: boolean,
): readonly BranchPart[] {
  const [one, other] = sides;
  const parts: BranchPart[] = [];
  const handlers = handlersOf(sides);
  const unknown = new Set(tooLong.map(({ a, b }) => `${String(a)} ${String(b)}`));
  let [nextA, nextB] = [0, 0];
  for (const match of [...matches, { a: one.branches.count, b: other.branches.count, length: 0 }]) {
    const gap = { a: nextA, aEnd: match.a, b: nextB, bEnd: match.b };
    if (unknown.has(`${String(gap.a)} ${String(gap.b)}`)) add(parts, 'not-compared', gap);
    else addGap(gap);
    addMatch(match);
    [nextA, nextB] = [match.a + match.length, match.b + match.length];
  }
  return parts;

  function addMatch({ a, b, length }: Match): void {
    let from = 0;
    for (let k = 0; k <= length; k++) {
      if (k < length && (agrees(a + k, b + k) || isCutOff(a + k, b + k))) continue;
      add(parts, 'same', { a: a + from, aEnd: a + k, b: b + from, bEnd: b + k });
      if (k < length) addApart({ a: a + k, aEnd: a + k + 1, b: b + k, bEnd: b + k + 1 });
      from = k + 1;
    }
  }

  /** True for an interrupt directly after a cut: the branch before it may have been the one from the other source. */
  function isCutOff(i: number, j: number): boolean {
    if ((one.branches.marks[i]! & other.branches.marks[j]! & MARK.placed) !== 0) return false;
    const isAfterCut = isCut(one.branches.marks[i - 1]!) || isCut(other.branches.marks[j - 1]!);
    return isAfterCut && isNearHandler(i, j);
  }

  /** True if an interrupt is next to these entries. */
  function isNearHandler(i: number, j: number): boolean {
    return [-1, 0, 1].some((by) => handlers.isReachedBy(one, i + by) || handlers.isReachedBy(other, j + by));
  }

  function addApart({ a, aEnd, b, bEnd }: Part): void {
    add(parts, 'a-only', { a, aEnd, b, bEnd: b });
    add(parts, 'b-only', { a: aEnd, aEnd, b, bEnd });
  }

  function addUnexplained(part: Part): void {
    if (isExplained(sides, part, handlers, onlySources)) add(parts, 'not-compared', part);
    else addApart(part);
  }

  /** Adds what is between two matches. The branches directly after the one and directly before the other are known to differ. */
  function addGap({ a, aEnd, b, bEnd }: Part): void {
    const [its, others] = [cutsIn(one, a, aEnd), cutsIn(other, b, bEnd)];
    if (its === undefined && others === undefined) {
      addUnexplained({ a, aEnd, b, bEnd });
      return;
    }
    // A trace without a cut here contradicts the other one as a whole.
    const before = { a: (its?.first ?? aEnd) - a, b: (others?.first ?? bEnd) - b };
    const after = { a: aEnd - (its?.end ?? a), b: bEnd - (others?.end ?? b) };
    const isWhole = [its === undefined, others === undefined] as const;
    // An interrupt there hides what the other trace shows.
    const head = isNearHandler(a, b) ? NONE : headOf(before, ...isWhole);
    const tail = isNearHandler(aEnd, bEnd)
      ? NONE
      : headOf({ a: Math.min(after.a, aEnd - a - head.a), b: Math.min(after.b, bEnd - b - head.b) }, ...isWhole);
    addUnexplained({ a, aEnd: a + head.a, b, bEnd: b + head.b });
    const middle = { a: a + head.a, aEnd: aEnd - tail.a, b: b + head.b, bEnd: bEnd - tail.b };
    // A capture between two cuts that the other trace, which has none, does not show.
    if (head === NONE || tail === NONE) {
      add(parts, 'not-compared', middle);
      addUnexplained({ a: aEnd - tail.a, aEnd, b: bEnd - tail.b, bEnd });
      return;
    }
    if (its === undefined && hasBranch(other, middle.b, middle.bEnd))
      add(parts, 'b-only', { ...middle, aEnd: middle.a });
    else if (others === undefined && hasBranch(one, middle.a, middle.aEnd))
      add(parts, 'a-only', { ...middle, bEnd: middle.b });
    const last = parts.at(-1);
    const [fromA, fromB] =
      last === undefined ? [middle.a, middle.b] : [Math.max(middle.a, last.aEnd), Math.max(middle.b, last.bEnd)];
    add(parts, 'not-compared', { a: fromA, aEnd: middle.aEnd, b: fromB, bEnd: middle.bEnd });
    addUnexplained({ a: aEnd - tail.a, aEnd, b: bEnd - tail.b, bEnd });
  }
}

const NONE = { a: 0, b: 0 } as const;

/** Returns how many branches at a match differ for sure: as many as both show without a cut. All of a trace, if the other has no cut. */
function headOf(
  { a, b }: { readonly a: number; readonly b: number },
  isWholeA: boolean,
  isWholeB: boolean,
): { readonly a: number; readonly b: number } {
  const both = Math.min(a, b);
  return { a: isWholeB ? a : both, b: isWholeA ? b : both };
}

/** Returns the first cut and the entry after the last one; undefined if there are none. */
function cutsIn(
  { branches: { marks } }: BranchSide,
  from: number,
  to: number,
): { readonly first: number; readonly end: number } | undefined {
  let first = from;
  while (first < to && !isCut(marks[first]!)) first++;
  if (first === to) return undefined;
  let end = to;
  while (!isCut(marks[end - 1]!)) end--;
  return { first, end };
}

function hasBranch({ branches: { marks } }: BranchSide, from: number, to: number): boolean {
  for (let at = from; at < to; at++) if (!isCut(marks[at]!)) return true;
  return false;
}

function isCut(marks: number): boolean {
  return (marks & MARK.cut) !== 0;
}

/** Adds a part, or makes the last one longer. */
function add(parts: BranchPart[], kind: RegionKind, part: Part): void {
  if (part.a === part.aEnd && part.b === part.bEnd) return;
  const last = parts.at(-1);
  if (last?.kind === kind) parts[parts.length - 1] = { ...last, aEnd: part.aEnd, bEnd: part.bEnd };
  else parts.push({ kind, ...part });
}
