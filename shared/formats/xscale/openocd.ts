/**
 * Container of OpenOCD's command `xscale dump_trace`: consecutive captures of big-endian words, without a magic number
 * (OpenOCD, src/target/xscale.c):
 *
 *     00 00 85 40   CHKPT0                       00 00 00 06   depth: number of words that follow, 1..256
 *     00 00 81 e4   CHKPT1                       00 01 00 00   entry: type 1, a byte of an address
 *     00 00 85 50   address of the halt           00 00 00 83   entry: type 0, a message
 *
 * OpenOCD leaves out zeros at the front of the buffer, and incomplete entries there.
 */
import { u32BigEndian } from '../../base/bytes.ts';
import type { Window } from '../../format/format.ts';
import type { ByteOffset } from '../../base/units.ts';
import { BUFFER_BYTES, ENTRY_BYTES } from '../../xscale/messages.ts';
import { wordShape, type Capture, type Container, type Junk, type Report } from './capture.ts';

const WORD = 4;
export const OPENOCD_HEADER = 4 * WORD;

export function openocdContainer(): Container {
  const scratch = new Uint8Array(BUFFER_BYTES);
  return {
    unit: 0,
    endsWell: () => true,
    header: OPENOCD_HEADER,
    find(window, start, _, capture, report) {
      const { bytes, base, fileEnd } = window;
      const at = start - base;
      const depth = fileEnd - start < OPENOCD_HEADER ? 0 : u32BigEndian(bytes, at + 3 * WORD);
      const end = start + OPENOCD_HEADER + WORD * depth;
      if (depth === 0 || depth > BUFFER_BYTES || end > fileEnd) return junk(window, start, depth);
      fill(capture, window, start, depth, scratch);
      if (report !== undefined) findBadEntries(window, start + OPENOCD_HEADER, depth, report);
      return undefined;
    },
  };
}

/** Returns the length of the capture at `at` if its depth and all of its entries are valid, otherwise 0. */
export function openocdCapture(bytes: Uint8Array, at: number, length: number): number {
  if (at + OPENOCD_HEADER > length) return 0;
  const depth = u32BigEndian(bytes, at + 3 * WORD);
  if (depth === 0 || depth > BUFFER_BYTES) return 0;
  const end = at + OPENOCD_HEADER + WORD * depth;
  if (end > length) return 0;
  for (let i = at + OPENOCD_HEADER; i < end; i += WORD) if (!isEntry(bytes, i)) return 0;
  return end - at;
}

function fill(capture: Capture, window: Window, start: ByteOffset, depth: number, scratch: Uint8Array): void {
  const { bytes, base } = window;
  const at = start - base;
  for (let i = 0; i < depth; i++) scratch[i] = bytes[at + OPENOCD_HEADER + WORD * i + 3]!;
  capture.bytes = scratch;
  capture.at = 0;
  capture.length = depth;
  capture.origin = start + OPENOCD_HEADER;
  capture.stride = WORD;
  capture.end = capture.origin + WORD * depth;
  capture.checkpoint0 = u32BigEndian(bytes, at);
  capture.checkpoint1 = u32BigEndian(bytes, at + WORD);
  capture.known = 3;
}

/** Returns the bytes up to the next valid capture: a header with a depth, entries, then another header or the end of the file. */
function junk(window: Window, start: ByteOffset, depth: number): Junk {
  const { bytes, base, fileEnd } = window;
  const length = fileEnd - base;
  /** First word at or after the examined position that is no entry. It only moves forward, so the search is linear. */
  let broken = 0;
  for (let at = start - base + WORD; at + OPENOCD_HEADER < length; at += WORD) {
    const its = u32BigEndian(bytes, at + 3 * WORD);
    if (its === 0 || its > BUFFER_BYTES) continue;
    const first = at + OPENOCD_HEADER;
    const end = first + WORD * its;
    if (end > length) continue;
    if (broken < first) broken = first;
    while (broken < end && isEntry(bytes, broken)) broken += WORD;
    if (broken < end) continue;
    const next = end + 3 * WORD + WORD <= length ? u32BigEndian(bytes, end + 3 * WORD) : 0;
    if (end === length || (next > 0 && next <= BUFFER_BYTES))
      return { gap: 'slip', end: base + at, code: 'bad-depth', shape: depthShape(depth) };
  }
  const left = fileEnd - start;
  const isWhole = left >= OPENOCD_HEADER;
  if (isWhole && (depth === 0 || depth > BUFFER_BYTES))
    return { gap: 'tail', end: fileEnd, code: 'bad-depth', shape: depthShape(depth) };
  const whole = OPENOCD_HEADER + (isWhole ? WORD * depth : 0);
  return { gap: 'tail', end: fileEnd, code: 'cut-buffer', shape: `${left} of ${whole} bytes` };
}

function depthShape(depth: number): string {
  if (depth === 0) return 'depth 0';
  return depth > BUFFER_BYTES ? `depth above ${BUFFER_BYTES}` : 'depth beyond the end of the file';
}

/** Returns true for a word of type 0 or 1 with one byte of content. */
function isEntry(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0 && bytes[at + 1]! <= 1 && bytes[at + 2] === 0;
}

function findBadEntries(window: Window, first: ByteOffset, depth: number, report: Report): void {
  const { bytes, base } = window;
  for (let i = depth - 1, owned = 0; i >= 0; i--) {
    const at = first - base + WORD * i;
    const type = owned > 0 ? 1 : 0;
    if (!isEntry(bytes, at)) report('high-bits', base + at, wordShape(bytes, at, 3));
    else if (bytes[at + 1] !== type) {
      const shape = type === 1 ? 'address byte of type 0' : 'message of type 1';
      report('entry-type', base + at, shape);
    }
    owned = owned > 0 ? owned - 1 : ENTRY_BYTES[bytes[at + 3]!]! - 1;
  }
}
