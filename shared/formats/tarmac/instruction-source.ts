/** What the lines of a trace say of instructions, for the reader of the program's flow. */
import type { Batch } from '../../records/batch.ts';
import { latin1 } from '../../base/bytes.ts';
import { HEX, NO_DIGIT, UPPER_A, UPPER_O, UPPER_T } from '../../base/characters.ts';
import type { Code } from '../../flow/classify.ts';
import type { InstructionSource } from '../../flow/instructions.ts';
import { MODE_SHIFT, MODES, POINT } from '../../flow/point.ts';
import { indexIn, LONG_LINE, type Window } from '../../format/format.ts';
import { trimLineEnd } from '../../format/lines.ts';
import type { Dialect } from './line/dialect.ts';
import { createLine, type Line } from './line/line.ts';
import { numberingOf } from './line/numbers.ts';
import { readLine } from './read.ts';

/** `counts`: the option `numbers`. */
export function createInstructionSource(dialect: Dialect, counts: string | undefined): InstructionSource {
  const line = createLine();
  let tail = 0;
  const numbering = numberingOf(dialect, counts);
  return {
    ...(numbering !== undefined && { numbering }),
    code(window, batch, row, code) {
      const { bytes, base } = window;
      const at = indexIn(window, batch.start[row]!);
      const end = Math.min(batch.end[row]! - base, at + LONG_LINE, window.length) | 0;
      readLine(bytes, at, trimLineEnd(bytes, at, end), dialect, line);
      fillCode(bytes, line, dialect, code);
      // Whatever stands in front of it, number and time, says nothing of the instruction; brackets may hold its opcode.
      const says = Math.min(line.codeAt, line.isetEnd > 0 ? line.isetAt : line.codeAt);
      tail = line.codeEnd > line.codeAt ? indexIn(window, batch.end[row]!) - says : 0;
      const mode = modeOf(bytes, line);
      return mode === 0 || dialect === 'qemu4v' ? mode << MODE_SHIFT : (mode << MODE_SHIFT) | POINT.moded;
    },
    tail: () => tail,
    noted,
  };
}

function fillCode(bytes: Uint8Array, line: Line, dialect: Dialect, code: Code): void {
  const { size, codeAt, codeEnd, isetAt, isetEnd, textAt, textEnd } = line;
  let opcode = 0;
  for (let at = codeAt; at < codeEnd; at++) {
    // Of 0x the zero does no harm.
    const digit = HEX[bytes[at]!]!;
    if (digit !== NO_DIGIT) opcode = (opcode << 4) | digit;
  }
  code.opcode = opcode >>> 0;
  code.size = size;
  code.set = isetEnd === isetAt ? 'unknown' : setOf(bytes[isetAt]!, dialect);
  code.text = latin1(bytes.subarray(textAt, textEnd));
}

/** QEMU4V writes A whatever the processor is. */
function setOf(letter: number, dialect: Dialect): Code['set'] {
  if (dialect === 'qemu4v') return 'unknown';
  switch (letter) {
    case UPPER_A:
      return 'arm';
    case UPPER_T:
      return 'thumb';
    case UPPER_O:
      return 'a64';
    default:
      return 'unknown';
  }
}

function modeOf(bytes: Uint8Array, { modeAt, modeEnd }: Line): number {
  if (modeEnd - modeAt < 3) return 0;
  const mode = latin1(bytes.subarray(modeAt, modeAt + 3)).toLowerCase();
  return MODES.findIndex((one) => one === mode) + 1;
}

/** Lines of events tell of an exception where they say where it went. */
function noted({ bytes, base }: Window, batch: Batch, row: number): number {
  const text = latin1(
    bytes.subarray(batch.start[row]! - base, Math.min(batch.end[row]! - base, batch.start[row]! - base + 200)),
  );
  if (/CoreEvent_(\w*_)?(IRQ|FIQ)\b/.test(text)) return POINT.interrupt;
  // Fast Models of M-profile cores write CoreEvent_RESET.
  if (/CoreEvent_(Reset|ModeChange)/i.test(text)) return 0;
  if (/CoreEvent_\w/.test(text)) return POINT.exception;
  if (/\bEXC\b/.test(text))
    return /\b(IRQ|FIQ|interrupt)\b/i.test(text) ? POINT.interrupt : /reset/i.test(text) ? 0 : POINT.exception;
  return 0;
}
