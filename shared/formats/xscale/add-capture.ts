/**
 * All entries of a capture as rows of a batch, where nothing cuts the capture and its bytes lie at even distances: the plain
 * case of `readEntries` and `addRows`, which nearly all bytes of a long trace are.
 *
 * First backwards over the bytes to find the messages, then forwards over those, a few columns at a time: a loop over all of
 * them has more arrays than the processor has registers, and takes twice the time.
 */
import type { Batch } from '../../batch.ts';
import { KIND } from '../../record.ts';
import { ADDRESS_BYTES, BUFFER_BYTES, isCheckpointed, MESSAGE, MESSAGE_OF } from '../../xscale/messages.ts';
import type { Capture } from './capture.ts';
import { completeRow, GOES, MARK, MEANING, MORE } from './rows.ts';

// Scratch. Entries are numbered here from the newest one.
/** By entry: its message byte, from bit 8 where in the buffer that lies. */
const messages = new Int32Array(BUFFER_BYTES);
/** Entries with a whole target. */
const targets = new Int32Array(BUFFER_BYTES);
/** Entries that are more than a direct or an indirect branch, oldest first. */
const odd = new Int32Array(BUFFER_BYTES);

const ODD = 0x100;
/** By message byte: its native code, and whether it is odd. */
const NATIVE = Uint16Array.from(
  MESSAGE_OF,
  (message) => message | (message === MESSAGE.direct || message === MESSAGE.indirect ? 0 : ODD),
);

/** Makes all rows of a batch from `count` on plain branches to somewhere, as `addCapture` expects them. */
export function preset({ count, kind, flags, addressLow, targetLow }: Batch): void {
  kind.fill(KIND.branch, count);
  flags.fill(0, count);
  addressLow.fill(0, count);
  targetLow.fill(0, count);
}

/**
 * The batch must have room for a row per byte, and its rows be preset. Returns how many bytes at the front were never written.
 * `base`: of the exception vectors.
 */
export function addCapture(batch: Batch, capture: Capture, base: number): number {
  const { bytes, at, length } = capture;
  const last = at + length - 1;
  let written = at;
  while (written <= last && bytes[written] === 0) written++;
  let entries = 0;
  let whole = 0;
  let i = last;
  while (i >= written) {
    const byte = bytes[i]!;
    messages[entries] = ((i - at) << 8) | byte;
    // Asked by a branch: the next turn then need not wait for a look-up. An indirect branch is 1x01 xxxx.
    if ((byte & 0xb0) === 0x90) {
      targets[whole++] = entries;
      i -= 1 + ADDRESS_BYTES;
    } else {
      i--;
    }
    entries++;
  }
  // Only the oldest entry may lack bytes of its target.
  const partial = i + 1 < at;
  if (partial) whole--;
  const front = partial ? 0 : i + 1 - at;
  if (batch.placed) addPlaces(batch, capture, entries, front);
  addTargets(batch, capture, entries, whole);
  const odds = addNatives(batch, entries);
  const first = batch.count;
  batch.count += entries;
  if (partial) batch.flags[first] = MARK.partial;
  if (odds > 0) completeOdd(batch, capture, entries, odds, front, base);
  return front;
}

function addPlaces({ count, start, end }: Batch, { origin, stride }: Capture, entries: number, front: number): void {
  let offset = origin + front * stride;
  for (let k = entries - 1, n = count; k >= 0; k--, n++) {
    start[n] = offset;
    offset = origin + endOf(k) * stride;
    end[n] = offset;
  }
}

/** Returns how many entries are odd. */
function addNatives({ count, native }: Batch, entries: number): number {
  const natives = NATIVE;
  let odds = 0;
  for (let k = entries - 1, n = count; k >= 0; k--, n++) {
    const code = natives[messages[k]! & 0xff]!;
    native[n] = code & 0xff;
    if (code >= ODD) odd[odds++] = k;
  }
  return odds;
}

function addTargets(
  { count, flags, addressLow, targetLow }: Batch,
  { bytes, at }: Capture,
  entries: number,
  whole: number,
): void {
  const newest = count + entries - 1;
  for (let t = 0; t < whole; t++) {
    const entry = targets[t]!;
    const n = newest - entry;
    const message = at + (messages[entry]! >>> 8);
    const target =
      (bytes[message - 4]! << 24) | (bytes[message - 3]! << 16) | (bytes[message - 2]! << 8) | bytes[message - 1]!;
    addressLow[n] = target;
    targetLow[n] = target;
    flags[n] = GOES;
  }
}

function completeOdd(batch: Batch, capture: Capture, entries: number, odds: number, front: number, base: number): void {
  const newest = batch.count - 1;
  let younger = 0;
  for (let k = 0; k < odds; k++) if (isCheckpointed(MESSAGE_OF[messages[odd[k]!]! & 0xff]!)) younger++;
  for (let k = 0; k < odds; k++) {
    const entry = odd[k]!;
    const byte = messages[entry]! & 0xff;
    const meaning = MEANING[byte]!;
    batch.kind[newest - entry] = meaning & 0xff;
    if (isCheckpointed(MESSAGE_OF[byte]!)) younger--;
    if (meaning < MORE) continue;
    const from = entry + 1 < entries ? endOf(entry + 1) : front;
    completeRow(batch, newest - entry, capture, from, endOf(entry), younger, base);
  }
}

/** Where an entry ends in the buffer. */
function endOf(entry: number): number {
  return (messages[entry]! >>> 8) + 1;
}
