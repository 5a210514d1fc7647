/** Gives the flow reader the instruction of a Tracer line: opcode, size, instruction set and text. */
import type { Batch } from '../../records/batch.ts';
import type { Notice } from '../../flow/events.ts';
import type { InstructionSource } from '../../flow/instructions.ts';
import { POINT } from '../../flow/point.ts';
import { indexIn, LONG_LINE, type Window } from '../../format/format.ts';
import { isThumbLine, nativeName } from './codes.ts';
import { createLine, type Line } from './line.ts';
import { readLine } from './read.ts';
import { trimEnd } from './tokens.ts';
import { hex, readHex, textOf } from '../../base/scan.ts';
import { KIND } from '../../records/record.ts';

export function createInstructionSource(): InstructionSource {
  const line = createLine();
  let tail = 0;
  return {
    code(window, batch, row, code) {
      const { bytes } = window;
      read(window, batch, row, line);
      readHex(bytes, line.dataAt, line.dataEnd);
      code.opcode = hex.low >>> 0;
      code.size = line.size;
      const thumb = line.size === 2 || isThumbLine(line.native);
      code.set = nativeName(line.native).startsWith('IJ') ? 'other' : thumb ? 'thumb' : 'arm';
      code.text = textOf(bytes, line.textAt, line.textEnd);
      // The word of the line is included because it distinguishes Java bytecode.
      tail = batch.end[row]! - window.base - line.wordAt;
      return 0;
    },
    tail: () => tail,
    parts: (gap) => gap === 'header',
    noted(window, batch, row) {
      if (batch.kind[row] === KIND.other) return undefined;
      read(window, batch, row, line);
      return EXCEPTIONS[Number.parseInt(textOf(window.bytes, line.secondAt, line.secondEnd), 16)];
    },
  };
}

function read(window: Window, batch: Batch, row: number, line: Line): void {
  const { bytes, base } = window;
  const at = indexIn(window, batch.start[row]!);
  const end = Math.min(batch.end[row]! - base, at + LONG_LINE, window.length) | 0;
  readLine(bytes, at, trimEnd(bytes, at, end), line);
}

/** Notices of the events in which the core takes an exception or interrupt, by event number. */
const EXCEPTIONS: Readonly<Record<number, Notice>> = {
  2: { mark: POINT.exception },
  4: { mark: POINT.exception },
  5: { mark: POINT.exception },
  6: { mark: POINT.exception },
  7: { mark: POINT.interrupt },
  8: { mark: POINT.interrupt },
};
