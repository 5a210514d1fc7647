/**
 * The matches of whole blocks that are known without a search: their number from the index, for a question about kinds alone, or their
 * number and positions from an earlier search. The same question in another range or with other columns then searches few blocks.
 */
import { createLru } from '../../../../shared/base/lru.ts';
import { toHex, type BlockNumber, type RecordNumber } from '../../../../shared/base/units.ts';
import { cachePer } from '../../collections/cache-per.ts';
import type { Trace } from '../../trace.ts';
import type { Question } from './question.ts';

export interface BlockMatches {
  readonly count: number;
  /** Ascending positions in the block, unless only the number is known. */
  readonly positions?: Positions;
}

/** As narrow as the largest position allows. */
export type Positions = Uint16Array | Uint32Array;

export interface KnownMatches {
  get(block: BlockNumber): BlockMatches | undefined;
  /** Notes the number of matches in a block, and their positions if `matches` holds all of them. `first`: the block's first record. */
  set(block: BlockNumber, count: number, matches: Float64Array, first: RecordNumber): void;
}

const COUNT_BYTES = 8 * 1024 * 1024;
const POSITION_BYTES = 64 * 1024 * 1024;
/** Bytes that an array takes beside its elements, about. */
const ARRAY_BYTES = 128;
const UNKNOWN = -1;

const caches = cachePer(() => ({
  counts: createLru<string, Int32Array>(COUNT_BYTES, costOf),
  positions: createLru<string, Positions>(POSITION_BYTES, costOf),
}));

export function knownMatches(trace: Trace, question: Question): KnownMatches {
  const { blocks } = trace;
  const { positions } = caches(trace);
  const key = JSON.stringify(question, (_, value: unknown) => (typeof value === 'bigint' ? toHex(value) : value));
  const keyOf = (block: BlockNumber): string => `${String(block)} ${key}`;
  const counts = hasKindsAlone(question) ? undefined : countsOf(trace, key);
  return {
    get(block) {
      const count = counts === undefined ? countOf(blocks.row(block).kinds, question.kinds) : counts[block]!;
      if (count === UNKNOWN) return undefined;
      const found = positions.get(keyOf(block));
      return { count, ...(found !== undefined && { positions: found }) };
    },
    set(block, count, matches, first) {
      if (counts !== undefined) counts[block] = count;
      if (count === 0 || matches.length < count) return;
      const found = matches[count - 1]! - first > 0xffff ? new Uint32Array(count) : new Uint16Array(count);
      for (let i = 0; i < count; i++) found[i] = matches[i]! - first;
      positions.set(keyOf(block), found);
    },
  };
}

function hasKindsAlone({ span, value, register, text }: Question): boolean {
  return span === undefined && value === undefined && register === undefined && text === undefined;
}

function countOf(counts: readonly number[], kinds: number): number {
  return counts.reduce((sum, count, kind) => (((kinds >>> kind) & 1) === 1 ? sum + count : sum), 0);
}

/** Returns the counts of earlier searches by block: UNKNOWN for blocks that none has searched. */
function countsOf(trace: Trace, key: string): Int32Array {
  const { counts } = caches(trace);
  const known = counts.get(key) ?? new Int32Array(0);
  if (known.length >= trace.blocks.length) return known;
  const longer = new Int32Array(trace.blocks.length).fill(UNKNOWN);
  longer.set(known);
  counts.set(key, longer);
  return longer;
}

function costOf({ byteLength }: Int32Array | Positions): number {
  return byteLength + ARRAY_BYTES;
}
