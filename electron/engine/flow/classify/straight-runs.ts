/**
 * Straight runs in the program's image: the instructions between the target of one branch and the source of the next one.
 */
import { u32LittleEndian } from '../../../../shared/base/bytes.ts';
import { BRANCH } from '../../../../shared/flow/events.ts';
import { joinAddress } from '../../../../shared/base/units.ts';
import type { Images } from '../../image/images.ts';
import type { Isa } from '../../image/machine.ts';
import type { ImageCode, ImageInstruction } from './image-code.ts';

export interface StraightRuns {
  /** Returns true if the instructions that begin at `from` reach `to` exactly, and none before it always causes a message. Same 4 GiB. */
  reach(from: number, to: number, high: number, isa: Isa | undefined): boolean;
  /**
   * Returns the earliest address at which a straight run that ends at `to` can begin: the start of the symbol, or the address after
   * the last instruction before `to` that always causes a message. Undefined if no symbol shows where instructions begin.
   */
  earliest(to: number, high: number, isa: Isa | undefined): Earliest | undefined;
  /** Returns the only address of a jump table from which a straight run ends at `to`; undefined if there are none or several. */
  fromTable(table: bigint, to: number, high: number, isa: Isa | undefined): number | undefined;
  /** Returns the addresses of a jump table, and possibly words after it that look like addresses. */
  table(table: bigint): readonly number[];
  /** Returns the start of the symbol that contains an address; undefined if there is none. */
  startOf(low: number, high: number): number | undefined;
  /** Returns true if a call ends right before an address. */
  followsCall(low: number, high: number, isa: Isa | undefined): boolean;
}

export interface Earliest {
  readonly low: number;
  /** Instruction right before it; undefined at a function's entry point. */
  readonly after: ImageInstruction | undefined;
  /** Start of the symbol. */
  readonly start: number;
}

/** Longer runs are not followed. */
const MOST_BYTES = 1 << 16;
const MOST_KEPT = 1 << 18;
const MOST_ENTRIES = 4096;
const SHORTEST_CALL = 2;
const LONGEST_CALL = 7;

export function createStraightRuns(images: Images, code: ImageCode): StraightRuns {
  const reached = new Map<string, boolean>();
  const earliestOf = new Map<string, Earliest | undefined>();
  const tables = new Map<string, readonly number[]>();
  return {
    reach(from, to, high, isa) {
      return kept(reached, `${from} ${to} ${high} ${isa ?? ''}`, () => leads(from, to, high, isa));
    },
    earliest(to, high, isa) {
      return kept(earliestOf, `${to} ${high} ${isa ?? ''}`, () => findEarliest(to, high, isa));
    },
    fromTable(table, to, high, isa) {
      const entries = addressesOf(table);
      const leading = entries.filter((from) => from <= to && leads(from, to, high, isa));
      return leading.length === 1 ? leading[0] : undefined;
    },
    table: addressesOf,
    startOf(low, high) {
      const hit = images.symbolAt(joinAddress(low, high));
      return hit === undefined ? undefined : low - Number(hit.offset);
    },
    followsCall(low, high, isa) {
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
      if (instruction === undefined || instruction.ends) return false;
      at += instruction.size;
    }
    return at === to;
  }

  function addressesOf(table: bigint): readonly number[] {
    return kept(tables, String(table), () => readTable(table));
  }

  /** Reads words that are addresses in the image, each once: at least all of the table. */
  function readTable(table: bigint): readonly number[] {
    const found = new Set<number>();
    for (let entry = 0; entry < MOST_ENTRIES; entry++) {
      const bytes = images.bytesAt(table + BigInt(4 * entry), 4);
      if (bytes?.length !== 4) break;
      const address = u32LittleEndian(bytes, 0);
      if (images.bytesAt(BigInt(address), 1) === undefined) break;
      found.add(address);
    }
    return [...found];
  }

  function findEarliest(to: number, high: number, isa: Isa | undefined): Earliest | undefined {
    const hit = images.symbolAt(joinAddress(to, high));
    if (hit === undefined || hit.offset > BigInt(Math.min(to, MOST_BYTES))) return undefined;
    const start = to - Number(hit.offset);
    let earliest: Earliest | undefined =
      hit.symbol.kind === 'function' ? { low: start, after: undefined, start } : undefined;
    let at = start;
    while (at < to) {
      const instruction = code.at(at, high, isa);
      if (instruction === undefined) return undefined;
      at += instruction.size;
      if (instruction.ends) earliest = { low: at, after: instruction, start };
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
