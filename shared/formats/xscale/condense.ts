/**
 * Merges equal entries of whole captures into single rows (`Decoder.condense`): most are branches of which only the kind is known, and
 * the others go to the same few targets again and again.
 */
import type { Batch } from '../../records/batch.ts';
import { BATCH_RECORDS, FLAG, SPAN_WORDS } from '../../records/batch.ts';
import { indexIn, type Window } from '../../format/format.ts';
import { KIND } from '../../records/record.ts';
import { assert } from '../../base/result.ts';
import { addressBefore } from '../../xscale/buffer.ts';
import { ADDRESS_BYTES, BUFFER_BYTES, MESSAGE, YOUNGER } from '../../xscale/messages.ts';
import type { Container } from './capture.ts';
import { createCapture } from './capture.ts';
import { giveCheckpoints, type Choices, type XscaleState } from './decode.ts';
import { completeRow, GOES, MEANING, MORE } from './rows.ts';

/**
 * Condenses the captures at the window's position as long as none needs record-by-record decoding, and `most` records at most. Advances the
 * window and returns the state there, or undefined if it condensed nothing.
 */
export type Condenser = (window: Window, state: XscaleState, batch: Batch, most?: number) => XscaleState | undefined;

/** Binary logarithm of the number of slots for targets. */
const SLOT_BITS = 12;
/** By native code. */
const KIND_OF = new Uint8Array(MESSAGE.buffer);
for (const meaning of MEANING) KIND_OF[(meaning >>> 8) & 0xff] = meaning;

/** Creates a condenser for containers with adjacent buffer bytes. */
export function createCondenser(container: Container, choices: Choices): Condenser {
  const { unit } = container;
  const capture = createCapture();
  const spans = new Int32Array(BATCH_RECORDS * SPAN_WORDS);
  // Both hold row + 1, and 0 for none. A target replaces the one in its slot: that only costs rows, and a probing table costs time.
  /** By hash of a target: the row that was added last. */
  const slots = new Uint16Array(1 << SLOT_BITS);
  /** By native code: the row of entries without an address. */
  const bare = new Uint16Array(MESSAGE.buffer);
  // Entries of a capture, oldest last: index of the message byte in the buffer (from bit 8), and number counted from the newest.
  /** Indirect branches. */
  const targets = new Uint16Array(BUFFER_BYTES);
  /** Entries that are neither plain direct nor plain indirect branches. */
  const odd = new Uint16Array(BUFFER_BYTES);

  return (window, { inside, phase }, batch, most = Infinity) => {
    if (choices.capture !== undefined) return undefined;
    const { bytes, end } = window;
    const room = batch.start.length - BUFFER_BYTES;
    const goesOn = inside > 0 && inside === window.position;
    let start = Math.floor((window.position - phase) / unit) * unit + phase;
    let from = window.position - start;
    if (!goesOn && from > 0) return undefined;
    slots.fill(0);
    bare.fill(0);
    let records = 0;
    while (
      start + unit <= end &&
      batch.count <= room &&
      records + BUFFER_BYTES <= most &&
      (from > 0 || container.endsWell(bytes, indexIn(window, start)))
    ) {
      const junk = container.find(window, start, start, capture, undefined);
      assert(junk === undefined, 'captures in a block lie in the file');
      giveCheckpoints(capture, choices, Math.floor(start / unit));
      records += addEntries(batch, from, records);
      start = capture.end;
      from = 0;
    }
    if (records === 0) return undefined;
    window.position = start;
    batch.condensed = { records, spans };
    return { inside: 0, fresh: 0, start: 0, number: 0, phase };
  };

  /** Adds the entries that start at byte `from` of the buffer or later, after `before` records, and returns their number. */
  function addEntries(batch: Batch, from: number, before: number): number {
    const { bytes, at } = capture;
    let i = at + BUFFER_BYTES - 1;
    let first = at + from;
    if (from === 0) while (first < i && bytes[first] === 0) first++;
    let entries = 0;
    let wholes = 0;
    let odds = 0;
    for (; i >= first; entries++) {
      const byte = bytes[i]!;
      if ((byte & 0xf0) === 0x80) {
        i--;
      } else if ((byte & 0xf0) === 0x90) {
        targets[wholes++] = ((i - at) << 8) | entries;
        i -= 1 + ADDRESS_BYTES;
      } else {
        odd[odds++] = ((i - at) << 8) | entries;
        i -= (byte & 0xf0) === 0xd0 ? 1 + ADDRESS_BYTES : 1;
      }
    }
    const directs = entries - wholes - odds;
    if (directs > 0) addBare(batch, MESSAGE.direct, directs);
    // Only the oldest entry may lack bytes of its target.
    if (wholes > 0 && targets[wholes - 1]! >>> 8 < from + ADDRESS_BYTES) {
      wholes--;
      addBare(batch, MESSAGE.indirect, 1);
    }
    const newest = before + entries - 1;
    addTargets(batch, wholes, newest);
    if (odds > 0) addOdds(batch, from, odds, newest);
    return entries;
  }

  function addTargets(batch: Batch, wholes: number, newest: number): void {
    const { bytes, at } = capture;
    for (let t = wholes - 1; t >= 0; t--) {
      const entry = targets[t]!;
      const target = addressBefore(bytes, at + (entry >>> 8));
      addTarget(batch, KIND.branch, MESSAGE.indirect, target, newest - (entry & 0xff));
    }
  }

  function addOdds(batch: Batch, front: number, odds: number, newest: number): void {
    const { bytes, at } = capture;
    const { flags, addressLow } = batch;
    let younger = 0;
    for (let k = 0; k < odds; k++) younger += YOUNGER[bytes[at + (odd[k]! >>> 8)]!]!;
    for (let k = odds - 1; k >= 0; k--) {
      const index = odd[k]! >>> 8;
      const meaning = MEANING[bytes[at + index]!]!;
      const message = (meaning >>> 8) & 0xff;
      const record = newest - (odd[k]! & 0xff);
      const n = batch.count;
      flags[n] = 0;
      younger -= YOUNGER[bytes[at + index]!]!;
      if (meaning >= MORE) {
        const from = message === MESSAGE.indirectCheckpointed ? Math.max(front, index - ADDRESS_BYTES) : index;
        completeRow(batch, n, capture, from, index + 1, younger, choices.base, batch.first + record);
      }
      if ((flags[n] & FLAG.address) === 0) {
        addBare(batch, message, 1);
        continue;
      }
      addTarget(batch, meaning & 0xff, message, addressLow[n]!, record);
    }
  }

  function addTarget(batch: Batch, kind: number, native: number, target: number, record: number): void {
    // Fibonacci hashing.
    const slot = Math.imul(target, -0x61c88647) >>> (32 - SLOT_BITS);
    const row = slots[slot]! - 1;
    if (row >= 0 && batch.addressLow[row] === target && batch.native[row] === native) {
      const span = row * SPAN_WORDS;
      spans[span] = spans[span]! + 1;
      spans[span + 2] = record;
      return;
    }
    const n = batch.count++;
    batch.kind[n] = kind;
    batch.native[n] = native;
    batch.flags[n] = GOES;
    batch.addressLow[n] = target;
    batch.targetLow[n] = target;
    const span = n * SPAN_WORDS;
    spans[span] = 1;
    spans[span + 1] = record;
    spans[span + 2] = record;
    slots[slot] = batch.count;
  }

  function addBare(batch: Batch, native: number, count: number): void {
    const row = bare[native]! - 1;
    if (row >= 0) {
      spans[row * SPAN_WORDS] = spans[row * SPAN_WORDS]! + count;
      return;
    }
    const n = batch.count++;
    batch.kind[n] = KIND_OF[native]!;
    batch.native[n] = native;
    batch.flags[n] = 0;
    spans[n * SPAN_WORDS] = count;
    bare[native] = batch.count;
  }
}
