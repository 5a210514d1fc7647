/** Gives the flow reader the instruction of a Tarmac line: opcode, size, instruction set, mode, text, and its number. */
import type { Batch } from '../../records/batch.ts';
import { CLOSE, HEX, NO_DIGIT, OPEN, SPACE, UPPER_A, UPPER_I, UPPER_O, UPPER_T } from '../../base/characters.ts';
import { decimalEnd, decimalOf, textOf } from '../../base/scan.ts';
import type { Code } from '../../flow/classify.ts';
import type { LinkValue } from '../../flow/events.ts';
import type { InstructionSource } from '../../flow/instructions.ts';
import { NO_NUMBER, type Numbering } from '../../flow/numbering.ts';
import { noticeOf } from './notices.ts';
import { MODE_SHIFT, MODES, POINT } from '../../flow/point.ts';
import { indexIn, LONG_LINE, type Window } from '../../format/format.ts';
import { trimLineEnd } from '../../format/lines.ts';
import { createLine, type Dialect, type Line } from './line/line.ts';
import { readLine } from './line/read.ts';

/** Values of the option `numbers`: what the numbers count; `any` if they do not show missing lines. */
export const NUMBERS = ['instructions', 'exceptions', 'any'] as const;

/** Creates the source for traces of a dialect; `counts` is the value of the option `numbers`. */
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
      // Time and number, which come before, do not describe the instruction. Parentheses may contain its opcode.
      const from = Math.min(line.codeAt, line.isetEnd > 0 ? line.isetAt : line.codeAt);
      tail = line.codeEnd > line.codeAt ? indexIn(window, batch.end[row]!) - from : 0;
      const mode = modeOf(bytes, line);
      return mode === 0 || dialect === 'qemu4v' ? mode << MODE_SHIFT : (mode << MODE_SHIFT) | POINT.moded;
    },
    tail: () => tail,
    noted: noticeOf,
    link: linkOf,
  };
}

const LINK =
  /(?:^|\s)R\s+(?:r14|lr|x30)(?:_(\w+))?\s+(?:\(\w+\)\s+)?(?:0x)?([\da-fx]{1,8})[_ ]?([\da-fx]{8})?(?=\s|$)/i;
/** A link register whose value no address equals. */
const UNKNOWN_LINK: LinkValue = { low: 0, high: -1 };

/** Returns the value of the link register in a line such as `R r14_svc 0000802c`; undefined if the line is of another register. */
function linkOf({ bytes, base }: Window, batch: Batch, row: number): LinkValue | undefined {
  const at = batch.start[row]! - base;
  const text = textOf(bytes, at, Math.min(batch.end[row]! - base, at + FRONT)).trimEnd();
  if (!/\sR\s+(r14|lr|x30)(_|\s)/i.test(text)) return undefined;
  const [, bank = '', first = 'x', second] = LINK.exec(text) ?? [];
  const digits = first + (second ?? '');
  if (/x/i.test(digits)) return UNKNOWN_LINK;
  const all = digits.padStart(16, '0');
  const mode = modeNamed(bank);
  const low = Number.parseInt(all.slice(-8), 16);
  return { low, high: Number.parseInt(all.slice(0, -8), 16), ...(mode !== 0 && { mode }) };
}

function fillCode(bytes: Uint8Array, line: Line, dialect: Dialect, code: Code): void {
  const { size, codeAt, codeEnd, isetAt, isetEnd, textAt, textEnd } = line;
  let opcode = 0;
  for (let at = codeAt; at < codeEnd; at++) {
    // The zero of a 0x prefix does not change the value.
    const digit = HEX[bytes[at]!]!;
    if (digit !== NO_DIGIT) opcode = (opcode << 4) | digit;
  }
  code.opcode = opcode >>> 0;
  code.size = size;
  code.set = isetEnd === isetAt ? 'unknown' : setOf(bytes[isetAt]!, dialect);
  code.text = textOf(bytes, textAt, textEnd);
}

/** Returns the instruction set for a line's letter. QEMU4V prints A for every processor. */
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
  return modeEnd - modeAt < 3 ? 0 : modeNamed(textOf(bytes, modeAt, modeAt + 3));
}

/** Returns the position in MODES plus 1 of the mode whose name begins a text; 0 if there is none. */
function modeNamed(text: string): number {
  const mode = text.slice(0, 3).toLowerCase();
  return MODES.findIndex((one) => one === mode) + 1;
}

/** Returns undefined if lines have no numbers: parentheses contain addresses in RTL, addresses and opcodes in cycle models. */
function numberingOf(dialect: Dialect, counts: string | undefined): Numbering | undefined {
  if (dialect === 'rtl' || dialect === 'es' || counts === 'any') return undefined;
  return { counts: counts === 'exceptions' ? 'exceptions' : 'instructions', numberOf };
}

/** The number of an instruction line begins within this many bytes. */
const FRONT = 96;
/** Numbers of up to this many digits are exact in a double. */
const EXACT_DIGITS = 15;
/** Bit that distinguishes lower from upper case. */
const CASE = 0x20;

/** Returns the number of an instruction line: 7 for `12 clk 0 IT (7) 00008000 ..`. */
function numberOf(window: Window, batch: Batch, row: number): number {
  const { bytes, base } = window;
  const start = indexIn(window, batch.start[row]!);
  const end = Math.min(batch.end[row]! - base, start + FRONT) | 0;
  let at = start;
  while (at < end && bytes[at] !== OPEN) at++;
  let word = at - 1;
  while (word > start && bytes[word]! <= SPACE) word--;
  if (at === end || word <= start || (bytes[word - 1]! & ~CASE) !== UPPER_I) return NO_NUMBER;
  const first = at + 1;
  const last = decimalEnd(bytes, first, end);
  if (last === first || last - first > EXACT_DIGITS || bytes[last] !== CLOSE) return NO_NUMBER;
  return decimalOf(bytes, first, last);
}
