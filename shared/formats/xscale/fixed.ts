/**
 * Containers with captures of fixed length: the 256 bytes of the buffer, or a 32-bit word for each byte (as the debug handler reads them
 * from TBREG). The two checkpoint registers may follow.
 */
import { u32BigEndian, u32LittleEndian } from '../../base/bytes.ts';
import { indexIn, type Window } from '../../format/format.ts';
import type { ByteOffset } from '../../base/units.ts';
import { BUFFER_BYTES, MESSAGE, MESSAGE_OF } from '../../xscale/messages.ts';
import { wordShape, type Capture, type Container, type Junk, type Report } from './capture.ts';

export type Endian = 'auto' | 'big' | 'little';

const WORD = 4;
const CHECKPOINTS = 2 * WORD;

export function rawContainer(checkpoints: boolean, endian: Endian): Container {
  const unit = BUFFER_BYTES + (checkpoints ? CHECKPOINTS : 0);
  return {
    unit,
    header: 0,
    endsWell: (bytes, at) => MESSAGE_OF[bytes[at + BUFFER_BYTES - 1]!] !== MESSAGE.reserved,
    find(window, start, _, capture) {
      if (start + unit > window.fileEnd) return cut(window, start, unit);
      capture.bytes = window.bytes;
      capture.at = start - window.base;
      capture.length = BUFFER_BYTES;
      capture.origin = start;
      capture.stride = 1;
      capture.end = start + unit;
      capture.known = 0;
      if (checkpoints) readCheckpoints(window, start + BUFFER_BYTES, capture, endian !== 'big');
      return undefined;
    },
  };
}

/** TBREG has a byte in the lowest bits of a word, and the other bits read as zero. The last word shows the byte order of the file. */
export function wordContainer(checkpoints: boolean, endian: Endian): Container {
  const words = BUFFER_BYTES * WORD;
  const unit = words + (checkpoints ? CHECKPOINTS : 0);
  const scratch = new Uint8Array(BUFFER_BYTES);
  return {
    unit,
    header: 0,
    endsWell(bytes, at) {
      const last = at + words - WORD;
      const [a, b, c, d] = [bytes[last]!, bytes[last + 1]!, bytes[last + 2]!, bytes[last + 3]!];
      if (b !== 0 || c !== 0 || (a !== 0 && d !== 0)) return false;
      return MESSAGE_OF[a === 0 ? d : a] !== MESSAGE.reserved;
    },
    find(window, start, position, capture, report) {
      if (start + unit > window.fileEnd) return cut(window, start, unit);
      const { bytes } = window;
      const first = indexIn(window, start);
      const last = first + words - WORD;
      const big = endian === 'big' || (endian === 'auto' && bytes[last] === 0 && bytes[last + WORD - 1] !== 0);
      const low = big ? WORD - 1 : 0;
      const from = Math.max(0, Math.ceil((position - start) / WORD));
      for (let i = from; i < BUFFER_BYTES; i++) scratch[i] = bytes[first + WORD * i + low]!;
      if (report !== undefined) findHighBits(window, start, low, report);
      capture.bytes = scratch;
      capture.at = 0;
      capture.length = BUFFER_BYTES;
      capture.origin = start;
      capture.stride = WORD;
      capture.end = start + unit;
      capture.known = 0;
      if (checkpoints) readCheckpoints(window, start + words, capture, !big);
      return undefined;
    },
  };
}

function cut({ fileEnd }: Window, start: ByteOffset, unit: number): Junk {
  return { gap: 'tail', end: fileEnd, code: 'cut-buffer', shape: `${fileEnd - start} of ${unit} bytes` };
}

function readCheckpoints(window: Window, offset: ByteOffset, capture: Capture, little: boolean): void {
  const read = little ? u32LittleEndian : u32BigEndian;
  capture.trailer = 'checkpoints';
  const at = indexIn(window, offset);
  capture.checkpoint0 = read(window.bytes, at);
  capture.checkpoint1 = read(window.bytes, at + WORD);
  capture.known = 3;
}

function findHighBits(window: Window, start: ByteOffset, low: number, report: Report): void {
  const { bytes, base } = window;
  const at = indexIn(window, start);
  for (let i = at; i < at + BUFFER_BYTES * WORD; i += WORD) {
    const outer = low === 0 ? bytes[i + 3]! : bytes[i]!;
    if ((bytes[i + 1]! | bytes[i + 2]! | outer) !== 0) report('high-bits', base + i, wordShape(bytes, i, low));
  }
}
