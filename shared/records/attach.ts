/**
 * Assigns records to the instruction that they belong to: what it read, wrote and set, and the fetch of its opcode. Formats write effects
 * after the instruction, or one instruction late if the record is flagged so, and the fetch just before it. Records of other CPUs may be
 * in between.
 */
import { isEffect, isInstruction, type Kind, type RecordView } from './record.ts';

/** Facts of a record by which it is attached. */
export type AttachedRecord = Pick<RecordView, 'n' | 'kind' | 'cpu' | 'address' | 'size' | 'flags'>;

export type RecordAt<R extends AttachedRecord = AttachedRecord> = (n: number) => R | undefined;

/** Largest distance of an effect: an instruction that loads every register has some thirty effects. */
export const LONGEST = 40;

/** Returns the instruction that record `n` belongs to; undefined if it belongs to none, or that is unknown. */
export function ownerOf(n: number, at: RecordAt): number | undefined {
  const own = at(n);
  if (own === undefined) return undefined;
  if (own.kind === 'fetch') return fetchedFor(own, at);
  if (!follows(own.kind)) return undefined;
  const late = isLate(own);
  let ahead = late ? 1 : 0;
  for (let other = n - 1; other >= Math.max(0, n - LONGEST); other -= 1) {
    const record = at(other);
    if (record === undefined) return undefined;
    if (record.cpu !== own.cpu || follows(record.kind)) continue;
    if (late && ahead === 0 && isFetch(record.kind)) continue;
    if (!isInstruction(record.kind)) return undefined;
    if (ahead === 0) return other;
    ahead -= 1;
  }
  return undefined;
}

/** Returns the records that follow instruction `n` and belong to it, in their order; empty if it is not an instruction. */
export function effectsOf<R extends AttachedRecord>(n: number, at: RecordAt<R>): readonly R[] {
  const own = at(n);
  const effects: R[] = [];
  if (own === undefined || !isInstruction(own.kind)) return effects;
  let isNext = false;
  let isFetched = false;
  for (let other = n + 1; other <= n + LONGEST; other += 1) {
    const record = at(other);
    if (record === undefined) break;
    if (record.cpu !== own.cpu) continue;
    if (follows(record.kind)) {
      if (isLate(record) === isNext && (isNext || !isFetched)) effects.push(record);
    } else if (isNext) break;
    else if (isFetch(record.kind)) isFetched = true;
    else if (isInstruction(record.kind)) isNext = true;
    else break;
  }
  return effects;
}

/** Returns the fetch of the opcode of instruction `n`. */
export function fetchOf(n: number, at: RecordAt): number | undefined {
  const own = at(n);
  if (own === undefined || !isInstruction(own.kind)) return undefined;
  for (let other = n - 1; other >= Math.max(0, n - NEAREST); other -= 1) {
    const record = at(other);
    if (record === undefined) return undefined;
    if (record.kind === 'fetch' && record.cpu === own.cpu && fetchedFor(record, at) === n) return other;
  }
  return undefined;
}

/** Returns true for a record with the state before the instruction above it: an effect of the previous instruction. */
export function isLate(record: Pick<AttachedRecord, 'flags'>): boolean {
  return record.flags?.includes('before-instruction') ?? false;
}

/** Returns true for kinds that belong to the instruction before them. The bus carries what an instruction moves. */
function follows(kind: Kind): boolean {
  return isEffect(kind) || kind === 'bus-read' || kind === 'bus-write';
}

export function isFetch(kind: Kind): boolean {
  return kind === 'fetch' || kind === 'bus-fetch';
}

/** Largest distance of the fetch of an opcode. */
const NEAREST = 8;

/** Returns the next instruction of the CPU if a fetch read its opcode and no later fetch did. */
function fetchedFor(fetch: AttachedRecord, at: RecordAt): number | undefined {
  for (let other = fetch.n + 1; other <= fetch.n + NEAREST; other += 1) {
    const record = at(other);
    if (record === undefined) return undefined;
    if (record.cpu !== fetch.cpu || record.kind === 'bus-fetch') continue;
    if (isInstruction(record.kind)) return reads(fetch, record) ? other : undefined;
    if (record.kind !== 'fetch' || reads(record, fetch)) return undefined;
  }
  return undefined;
}

/** Returns true if the bytes of a fetch include the first byte of a record. */
function reads({ address, size = 1 }: AttachedRecord, record: AttachedRecord): boolean {
  if (address === undefined || record.address === undefined) return false;
  const distance = BigInt(record.address) - BigInt(address);
  return distance >= 0n && distance < BigInt(size);
}
