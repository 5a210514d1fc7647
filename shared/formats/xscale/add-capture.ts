/**
 * Fast path: appends all entries of a capture whose bytes have even distances and which no block boundary cuts. Nearly all bytes of a long
 * trace take this path; `readEntries` and `addRows` handle the rest.
 *
 * One loop runs backwards over the bytes to find the messages. Further loops run forwards over the messages, a few columns each: a single
 * loop over all columns has more arrays than the processor has registers, and takes twice the time.
 */
import type { Batch } from '../../records/batch.ts';
import { KIND } from '../../records/record.ts';
import { ADDRESS_BYTES, BUFFER_BYTES, MESSAGE, MESSAGE_OF, YOUNGER } from '../../xscale/messages.ts';
import type { Capture } from './capture.ts';
import { completeRow, GOES, MARK, MEANING, MORE } from './rows.ts';

// Scratch. Entries are numbered from the newest one here.
/** By entry: its message byte, and from bit 8 the index of that byte in the buffer. */
const messages = new Int32Array(BUFFER_BYTES);
/** Entries with a complete target. */
const targets = new Int32Array(BUFFER_BYTES);
/** Entries that are neither plain direct nor plain indirect branches, oldest first. */
const odd = new Int32Array(BUFFER_BYTES);

const ODD = 0x100;
/** By message byte: its native code, with ODD unless it is a plain branch. */
const NATIVE = Uint16Array.from(
  MESSAGE_OF,
  (message) => message | (message === MESSAGE.direct || message === MESSAGE.indirect ? 0 : ODD),
);

/** Presets all free rows of a batch to branches without address, as `addCapture` requires. */
export function preset({ count, kind, flags, addressLow, targetLow }: Batch): void {
  kind.fill(KIND.branch, count);
  flags.fill(0, count);
  addressLow.fill(0, count);
  targetLow.fill(0, count);
}

/**
 * Appends entries, oldest first, until the batch is full, and returns the index in the buffer after the last appended entry. The rows must
 * be preset. `from` is 0 or the start of an entry: earlier bytes are not read. If it is 0, zeros at the front are left out, and
 * `added.front` is the start of the first entry. `base`: address of the exception vectors.
 */
export function addCapture(batch: Batch, capture: Capture, from: number, base: number): number {
  const { bytes, at, length } = capture;
  const last = at + length - 1;
  const start = at + from;
  let written = start;
  if (from === 0) while (written <= last && bytes[written] === 0) written++;
  let entries = 0;
  let whole = 0;
  let i = last;
  while (i >= written) {
    const byte = bytes[i]!;
    messages[entries] = ((i - at) << 8) | byte;
    // An indirect branch is 1x01 xxxx. A branch, so that the next iteration does not wait for a look-up.
    if ((byte & 0xb0) === 0x90) {
      targets[whole++] = entries;
      i -= 1 + ADDRESS_BYTES;
    } else {
      i--;
    }
    entries++;
  }
  // Only the oldest entry may lack bytes of its target.
  const partial = i + 1 < start;
  if (partial) whole--;
  const front = partial ? from : i + 1 - at;
  added.front = front;
  const first = batch.count;
  const newest = first + entries - 1;
  /** Number of entries for which the batch has no room. */
  const left = Math.max(0, newest + 1 - batch.start.length);
  if (batch.placed) addPlaces(batch, capture, entries, left, front);
  addTargets(batch, capture, newest, left, whole);
  const odds = addNatives(batch, entries, left);
  batch.count = newest + 1 - left;
  if (partial) batch.flags[first] = MARK.partial;
  if (odds > 0) completeOdd(batch, capture, entries, left, odds, base);
  return endOf(left);
}

/** Second result of `addCapture`. */
export const added = { front: 0 };

function addPlaces(
  { count, start, end }: Batch,
  { origin, stride }: Capture,
  entries: number,
  left: number,
  front: number,
): void {
  let offset = origin + front * stride;
  for (let k = entries - 1, n = count; k >= left; k--, n++) {
    start[n] = offset;
    offset = origin + endOf(k) * stride;
    end[n] = offset;
  }
}

/** Returns the number of odd entries. */
function addNatives({ count, native }: Batch, entries: number, left: number): number {
  const natives = NATIVE;
  let odds = 0;
  for (let k = entries - 1, n = count; k >= left; k--, n++) {
    const code = natives[messages[k]! & 0xff]!;
    native[n] = code & 0xff;
    if (code >= ODD) odd[odds++] = k;
  }
  return odds;
}

function addTargets(
  { flags, addressLow, targetLow }: Batch,
  { bytes, at }: Capture,
  newest: number,
  left: number,
  whole: number,
): void {
  for (let t = whole - 1; t >= 0; t--) {
    const entry = targets[t]!;
    if (entry < left) return;
    const n = newest - entry;
    const message = at + (messages[entry]! >>> 8);
    const target =
      (bytes[message - 4]! << 24) | (bytes[message - 3]! << 16) | (bytes[message - 2]! << 8) | bytes[message - 1]!;
    addressLow[n] = target;
    targetLow[n] = target;
    flags[n] = GOES;
  }
}

function completeOdd(batch: Batch, capture: Capture, entries: number, left: number, odds: number, base: number): void {
  const newest = batch.count + left - 1;
  let younger = 0;
  for (let entry = 0; entry < left; entry++) younger += youngerOf(entry);
  for (let k = 0; k < odds; k++) younger += youngerOf(odd[k]!);
  for (let k = 0; k < odds; k++) {
    const entry = odd[k]!;
    const meaning = MEANING[messages[entry]! & 0xff]!;
    const n = newest - entry;
    batch.kind[n] = meaning & 0xff;
    younger -= youngerOf(entry);
    if (meaning < MORE) continue;
    const from = entry + 1 < entries ? endOf(entry + 1) : added.front;
    completeRow(batch, n, capture, from, endOf(entry), younger, base, batch.first + n);
  }
}

function youngerOf(entry: number): number {
  return YOUNGER[messages[entry]! & 0xff]!;
}

/** Returns the index in the buffer after an entry. */
function endOf(entry: number): number {
  return (messages[entry]! >>> 8) + 1;
}
