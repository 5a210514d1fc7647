/** What ran between two branches, by the program's image: everything from where the one went to where the next one came from. */
import { BRANCH } from '../../../shared/flow.ts';
import { joinAddress } from '../../../shared/units.ts';
import type { Images } from '../image/images.ts';
import type { Isa } from '../image/machine.ts';
import type { ImageCode, ImageInstruction } from './image-code.ts';

export interface StraightRuns {
  /** Whether instructions lead from `from` to just `to` without one that always branches. Both lie in the same 4 GiB. */
  reach(from: number, to: number, high: number, isa: Isa | undefined): boolean;
  /**
   * Where a straight run that ends at `to` can begin at the earliest: at the start of the symbol, or behind the last instruction
   * before `to` that always branches. Undefined where no symbol tells where instructions begin.
   */
  earliest(to: number, high: number, isa: Isa | undefined): Earliest | undefined;
  /** Whether a call ends right before an address. */
  isBehindCall(low: number, high: number, isa: Isa | undefined): boolean;
}

export interface Earliest {
  readonly low: number;
  /** What it is behind; undefined where it is the start of a function. */
  readonly behind: ImageInstruction | undefined;
}

/** Longer runs are not followed. */
const MOST_BYTES = 1 << 16;
const MOST_KEPT = 1 << 18;
const SHORTEST_CALL = 2;
const LONGEST_CALL = 7;

export function createStraightRuns(images: Images, code: ImageCode): StraightRuns {
  const reached = new Map<string, boolean>();
  const earliestOf = new Map<string, Earliest | undefined>();
  return {
    reach(from, to, high, isa) {
      return kept(reached, `${from} ${to} ${high} ${isa ?? ''}`, () => leads(from, to, high, isa));
    },
    earliest(to, high, isa) {
      return kept(earliestOf, `${to} ${high} ${isa ?? ''}`, () => findEarliest(to, high, isa));
    },
    isBehindCall(low, high, isa) {
      for (let length = SHORTEST_CALL; length <= LONGEST_CALL && length <= low; length++) {
        const before = code.at(low - length, high, isa);
        if (before?.size === length && before.branch === BRANCH.call) return true;
      }
      return false;
    },
  };

  function leads(from: number, to: number, high: number, isa: Isa | undefined): boolean {
    if (to - from > MOST_BYTES) return false;
    let at = from;
    while (at < to) {
      const instruction = code.at(at, high, isa);
      if (instruction === undefined || instruction.always) return false;
      at += instruction.size;
    }
    return at === to;
  }

  function findEarliest(to: number, high: number, isa: Isa | undefined): Earliest | undefined {
    const hit = images.symbolAt(joinAddress(to, high));
    if (hit === undefined || hit.offset > BigInt(Math.min(to, MOST_BYTES))) return undefined;
    const start = to - Number(hit.offset);
    let earliest: Earliest | undefined = hit.symbol.kind === 'function' ? { low: start, behind: undefined } : undefined;
    let at = start;
    while (at < to) {
      const instruction = code.at(at, high, isa);
      if (instruction === undefined) return undefined;
      at += instruction.size;
      if (instruction.always) earliest = { low: at, behind: instruction };
    }
    return at === to ? earliest : undefined;
  }
}

function kept<T>(known: Map<string, T>, key: string, find: () => T): T {
  const found = known.get(key);
  if (found !== undefined || known.has(key)) return found as T;
  if (known.size >= MOST_KEPT) known.clear();
  const made = find();
  known.set(key, made);
  return made;
}
