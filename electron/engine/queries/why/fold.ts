/**
 * Leaves out the steps that only moved bytes: each byte that a step used is connected with the step that made it, or with the copy whose
 * source has no definition. Such last copies of adjacent bytes by one loop are joined afterwards (join-copies.ts).
 */
import type { RecordNumber } from '../../../../shared/base/units.ts';
import type { Machine } from './definitions.ts';
import { overlap, type Location } from './locations.ts';
import { moves, sourceOf, type Part, type Slice, type Step, type Use } from './slice.ts';
import type { Content } from './values.ts';

export interface FoldedStep extends Step {
  /** The copies that are left out between this step and those that use it, youngest first. */
  readonly copies: readonly RecordNumber[];
  /** Bytes that the step and its copies moved, if they are copies of adjacent bytes that became one step. */
  readonly moved?: number;
}

export interface Folded extends Omit<Slice, 'steps'> {
  readonly steps: readonly FoldedStep[];
}

/** How bytes came to a user: through copies, youngest first, from the step that `use.definer` names. */
export interface Way {
  readonly use: Use;
  readonly copies: readonly FoldedStep[];
  /** If the definer is a copy whose source has no definition: the bytes of this source. */
  readonly end: Use | undefined;
}

/** The steps that are left, and of each user the ways to them. */
export interface Connected {
  readonly steps: readonly { readonly step: FoldedStep; readonly ways: readonly Way[] }[];
  readonly origin: readonly Way[];
}

export function withoutCopies({ steps, origin, open }: Slice): Folded {
  return { steps: steps.map((step) => ({ ...step, copies: [] })), origin, open };
}

/** Connects the users of bytes with the steps that made them. */
export function connect({ steps, origin }: Omit<Folded, 'open'>, machine: Machine): Connected {
  const byRecord = new Map(steps.map((step) => [step.unit.record.n, step]));
  const movers = new Map(
    steps.filter(moves).flatMap((step) => {
      const mover = moverOf(step, byRecord, machine);
      return mover === undefined ? [] : [[step.unit.record.n, mover] as const];
    }),
  );
  const waysOf = (use: Use): readonly Way[] => waysThrough(use, movers);
  const left = steps.flatMap((step) => {
    const mover = movers.get(step.unit.record.n);
    if (mover === undefined) return [{ step, ways: step.uses.flatMap(waysOf) }];
    return mover.last === undefined ? [] : [{ step: mover.last, ways: mover.last.uses.map(direct) }];
  });
  return { steps: left, origin: origin.flatMap(waysOf) };
}

/** Returns the steps with the copies that lead from them to their users. */
export function foldedSteps({ steps, origin }: Connected): readonly FoldedStep[] {
  const passed = new Map<RecordNumber, Set<RecordNumber>>();
  for (const { use, copies } of [...origin, ...steps.flatMap(({ ways }) => ways)]) {
    if (use.definer === undefined || copies.length === 0) continue;
    const known = passed.get(use.definer) ?? new Set();
    passed.set(use.definer, known);
    for (const copy of copies) for (const n of [copy.unit.record.n, ...copy.copies]) known.add(n);
  }
  return steps.map(({ step, ways }) => {
    const more = passed.get(step.unit.record.n);
    const copies = more === undefined ? step.copies : [...new Set([...step.copies, ...more])].sort((a, b) => b - a);
    return { ...step, uses: ways.map(({ use }) => use), copies };
  });
}

function direct(use: Use): Way {
  return { use, copies: [], end: undefined };
}

/** A step that only moved bytes. */
interface Mover {
  readonly step: FoldedStep;
  readonly pieces: readonly Piece[];
  /** The step with only those of its bytes whose sources have no definition; undefined if there are none. */
  readonly last: FoldedStep | undefined;
}

/** Bytes of a copy that have one source. */
interface Piece {
  readonly part: Part;
  readonly use: Use & { readonly location: Location };
  /** True if the lowest byte of the source is the highest byte of the part. */
  readonly isTurned: boolean;
  /** True if the source has no definition, or one that was not taken. */
  readonly isLast: boolean;
}

/** Returns undefined if it is not known of every byte where it came from, or bytes of a register or access came from several places. */
function moverOf(step: FoldedStep, byRecord: ReadonlyMap<RecordNumber, Step>, machine: Machine): Mover | undefined {
  const pieces = step.defined.flatMap((part) => {
    const source = sourceOf(part.definition, part.location, machine);
    if (source === undefined) return [];
    return step.uses.flatMap((use): Piece[] => {
      const shared = use.location && overlap(use.location, source.location);
      if (shared === undefined) return [];
      const from = Number(shared.low - source.location.low);
      const isLast = use.definer === undefined || !byRecord.has(use.definer);
      const own = cut(part, source.isTurned ? source.location.bytes - from - shared.bytes : from, shared.bytes);
      return [{ part: own, use: cutUse(use, shared), isTurned: source.isTurned, isLast }];
    });
  });
  const isWhole = step.defined.every(
    (part, k) =>
      pieces[k]?.part.location.low === part.location.low && pieces[k].part.location.bytes === part.location.bytes,
  );
  if (pieces.length !== step.defined.length || !isWhole) return undefined;
  const ended = pieces.filter(({ isLast }) => isLast);
  const last = {
    ...step,
    defined: ended.map(({ part }) => part),
    uses: step.uses.filter((use) => ended.some((piece) => use.location && overlap(use.location, piece.use.location))),
  };
  return { step, pieces, last: ended.length === 0 ? undefined : last };
}

function cut<T extends { readonly location: Location; readonly bytes: Content }>(
  whole: T,
  from: number,
  bytes: number,
): T {
  const { location } = whole;
  return {
    ...whole,
    location: { ...location, low: location.low + BigInt(from), bytes },
    bytes: whole.bytes.slice(from, from + bytes),
  };
}

function cutUse(use: Use, to: Location): Piece['use'] {
  const whole = { ...use, location: use.location! };
  return cut(whole, Number(to.low - whole.location.low), to.bytes);
}

/** Follows the bytes of a use through copies. */
function waysThrough(use: Use, movers: ReadonlyMap<RecordNumber, Mover>): readonly Way[] {
  if (use.location === undefined) return [direct(use)];
  const found: (Way & { readonly use: Piece['use'] })[] = [];
  /** `at`: the bytes on their way, which are those of the use, or these in reverse. */
  const whole = { ...use, location: use.location };
  const open = [{ use: whole, at: use.location, isTurned: false, chain: undefined as Chain | undefined }];
  for (let way = open.pop(); way !== undefined; way = open.pop()) {
    const { at, isTurned, chain } = way;
    const mover = way.use.definer === undefined ? undefined : movers.get(way.use.definer);
    if (mover === undefined) {
      found.push({ use: way.use, copies: copiesOf(chain), end: undefined });
      continue;
    }
    for (const piece of mover.pieces) {
      const shared = overlap(at, piece.part.location);
      if (shared === undefined) continue;
      const offset = Number(shared.low - at.low);
      const own = cut(way.use, isTurned ? at.bytes - offset - shared.bytes : offset, shared.bytes);
      const inPiece = Number(shared.low - piece.part.location.low);
      const from = piece.isTurned ? piece.part.location.bytes - inPiece - shared.bytes : inPiece;
      const source = cut(piece.use, from, shared.bytes);
      if (piece.isLast) found.push({ use: own, copies: copiesOf(chain), end: source });
      else
        open.push({
          use: { ...own, definer: source.definer, inferred: own.inferred || source.inferred },
          at: source.location,
          isTurned: isTurned !== piece.isTurned,
          chain: { step: mover.step, younger: chain },
        });
    }
  }
  return found.sort((a, b) => (a.use.location.low < b.use.location.low ? -1 : 1));
}

/** Copies that bytes went through, the oldest first. */
interface Chain {
  readonly step: FoldedStep;
  readonly younger: Chain | undefined;
}

function copiesOf(chain: Chain | undefined): readonly FoldedStep[] {
  const copies: FoldedStep[] = [];
  for (let at = chain; at !== undefined; at = at.younger) copies.push(at.step);
  return copies.reverse();
}
