/** The elements of the path of one CPU, one after the other: instructions, also such whose condition failed, or branches, or accesses. */
import { FLAG, type Batch } from '../../../../../shared/records/batch.ts';
import { KIND, kindName } from '../../../../../shared/records/record.ts';
import { ok, type Result } from '../../../../../shared/base/result.ts';
import { joinAddress, toHex, type RecordNumber } from '../../../../../shared/base/units.ts';
import { elementKinds } from '../../../flow/path/record-chunks.ts';
import { visitBatches } from '../../records/block-reader.ts';
import type { Side } from './side.ts';

export interface Executed {
  readonly record: RecordNumber;
  /** Without the shift of its trace. */
  readonly address: bigint;
  /** Equal for the same instructions of both runs, which are at the same address unless they are compared by symbol. */
  readonly identity: bigint;
  /** A branch or access in words, up to its address; empty for an instruction. */
  readonly words: string;
  /** False if the address is not known. */
  readonly isPlaced: boolean;
}

/** Returns true if both runs executed the same; false if one has ended and the other has not. */
export function isSame(a: Executed | undefined, b: Executed | undefined): boolean {
  return a?.identity === b?.identity && a?.words === b?.words;
}

/** Returns a reader of the elements of records from `from` on, before `to`. It returns undefined after the last one. */
export function createReader(
  side: Side,
  from: RecordNumber,
  to = side.trace.blocks.records,
): { next(): Result<Executed | undefined> } {
  const { trace, shift, numbers } = side;
  const isElement = elementTest(side);
  let next = from;
  let read: Executed[] = [];
  let at = 0;
  return {
    next() {
      while (at === read.length) {
        if (next >= to) return ok(undefined);
        const more = readBatch();
        if (!more.ok) return more;
      }
      return ok(read[at++]);
    },
  };

  function readBatch(): Result<undefined> {
    const { blocks } = trace;
    const block = blocks.blockOfRecord(next);
    [read, at] = [[], 0];
    return visitBatches(trace, block, next - blocks.firstRecord(block), ({ batch, first }) => {
      const end = Math.min(batch.count, to - first);
      for (let i = Math.max(0, next - first); i < end; i++) {
        if (!isElement(batch, i, first + i)) continue;
        if (side.elements === 'instructions') {
          const [low, high] = [batch.addressLow[i]!, batch.addressHigh[i]!];
          const address = joinAddress(low, high) - shift;
          const identity = numbers === undefined ? address : BigInt(numbers.of(low, high));
          read.push({ record: first + i, address, identity, words: '', isPlaced: true });
        } else read.push(elementAt(side, batch, i, first + i));
      }
      next = first + batch.count;
      return false;
    });
  }
}

/** Returns a branch or access; one without an address has the address 0. */
function elementAt({ trace, shift, elements, ends }: Side, batch: Batch, row: number, record: RecordNumber): Executed {
  const { addressLow, addressHigh, flags, native, targetLow, targetHigh } = batch;
  const kind = kindName(batch.kind[row]!);
  const isPlaced = (flags[row]! & ends & FLAG.address) !== 0;
  const hasTarget = (flags[row]! & ends & FLAG.target) !== 0;
  const target = hasTarget ? BigInt.asUintN(64, joinAddress(targetLow[row]!, targetHigh[row]!) - shift) : 0n;
  const to = hasTarget ? `${kind} to ${toHex(target)}` : kind;
  const address = isPlaced ? joinAddress(addressLow[row]!, addressHigh[row]!) - shift : 0n;
  // A bus cycle does not show which end of the branch it is about.
  const isBusCycle = kind === 'branch' && elements === 'accesses';
  const placed = isBusCycle ? 'branch message at' : `${to} ${kind === 'branch' ? 'from' : 'at'}`;
  const unplaced = hasTarget ? to : trace.reader.decoder.nativeName(native[row]!);
  return {
    record,
    address,
    identity: address,
    words: isPlaced ? placed : unplaced,
    isPlaced,
  };
}

/** Returns the instructions of records [from, to). */
export function executedIn(side: Side, from: RecordNumber, to: RecordNumber): Result<readonly Executed[]> {
  const reader = createReader(side, from, to);
  const found: Executed[] = [];
  for (;;) {
    const next = reader.next();
    if (!next.ok) return next;
    if (next.value === undefined) return ok(found);
    found.push(next.value);
  }
}

/** Returns true for a row of a batch, which shows this record, that is an element of the path of a side. */
export type ElementTest = (batch: Batch, row: number, record: RecordNumber) => boolean;

export function elementTest(side: Side): ElementTest {
  const { chunks, ignored } = side;
  const { cpu } = chunks;
  const isOfPath = pathTest(side);
  if (ignored === undefined) return (batch, row) => isOfPath(batch.kind[row]!) && batch.cpu[row] === cpu;
  return (batch, row, record) =>
    isOfPath(batch.kind[row]!) &&
    batch.cpu[row] === cpu &&
    !ignored.has(batch.addressLow[row]!, batch.addressHigh[row]!, record);
}

/** Returns a function that returns true for kinds of records that are elements of the path. */
function pathTest({ elements }: Side): (kind: number) => boolean {
  if (elements === 'instructions') return isOnPath;
  const kinds = elementKinds(elements);
  return (kind) => ((kinds >> kind) & 1) !== 0;
}

/** Returns true for a record of an instruction that the program came to, whether it was executed or skipped. */
export function isOnPath(kind: number): boolean {
  return kind === KIND.instruction || kind === KIND.skipped;
}
