/** What the lines of a trace say of instructions, for the reader of the program's flow. */
import type { Batch } from '../../records/batch.ts';
import { latin1 } from '../../base/bytes.ts';
import { HEX } from '../../base/characters.ts';
import type { InstructionSource } from '../../flow/instructions.ts';
import { POINT } from '../../flow/point.ts';
import { indexIn, LONG_LINE, type Window } from '../../format/format.ts';
import { isThumbLine, nativeName } from './codes.ts';
import { createLine, readLine, type Line } from './line.ts';
import { trimEnd } from './tokens.ts';

export function createInstructionSource(): InstructionSource {
  const line = createLine();
  let tail = 0;
  return {
    code(window, batch, row, code) {
      const { bytes } = window;
      read(window, batch, row, line);
      let opcode = 0;
      for (let at = line.dataAt; at < line.dataEnd; at++) opcode = (opcode << 4) | HEX[bytes[at]!]!;
      code.opcode = opcode >>> 0;
      code.size = line.size;
      const thumb = line.size === 2 || isThumbLine(line.native);
      code.set = nativeName(line.native).startsWith('IJ') ? 'other' : thumb ? 'thumb' : 'arm';
      code.text = latin1(bytes.subarray(line.textAt, line.textEnd));
      // The word in front tells Java from the others.
      tail = batch.end[row]! - window.base - line.wordAt;
      return 0;
    },
    tail: () => tail,
    parts: (gap) => gap === 'header',
    noted(window, batch, row) {
      read(window, batch, row, line);
      const digits = latin1(window.bytes.subarray(line.secondAt, line.secondEnd));
      return EXCEPTIONS[Number.parseInt(digits, 16)] ?? 0;
    },
  };
}

function read(window: Window, batch: Batch, row: number, line: Line): void {
  const { bytes, base } = window;
  const at = indexIn(window, batch.start[row]!);
  const end = Math.min(batch.end[row]! - base, at + LONG_LINE, window.length) | 0;
  readLine(bytes, at, trimEnd(bytes, at, end), line);
}

/** By number of the event: an exception or interrupt that the core takes. */
const EXCEPTIONS: Readonly<Record<number, number>> = {
  2: POINT.exception,
  4: POINT.exception,
  5: POINT.exception,
  6: POINT.exception,
  7: POINT.interrupt,
  8: POINT.interrupt,
};
