/**
 * Detects Tracer text and its generation by the share of lines that are records. Debugger output between records is normal. Hardware
 * simulators print similar access words, but end them in I or A, put a time and a unit before them, or name instruction sets: those belong
 * to Tarmac text.
 */
import type { Claim, Head } from '../../format/format.ts';
import { looksBinary } from '../../format/heads.ts';
import { CODE, FIRST_ACCESS, nativeName, widthOf } from './codes.ts';
import { createLine, FAULT } from './line.ts';
import { isHeaderLine, readUndamaged } from './read.ts';
import { trimEnd } from './tokens.ts';
import { textOf } from '../../base/scan.ts';
import { visitHead } from '../../format/lines.ts';

export function sniffTracer(head: Head): Claim | undefined {
  if (head.bytes.length === 0) return undefined;
  const seen = look(head);
  if (seen.records <= MANY_RECORDS && looksBinary(head.bytes)) return undefined;
  if (seen.foreign > seen.accesses || (seen.records === 0 && !seen.source)) return undefined;
  const { dialect, why } = dialectOf(seen);
  return { confidence: confidence(seen), dialect, options: {}, reasons: [...reasons(seen), why] };
}

/** More recognised lines than this prove the format, whatever else is in the head. */
const MANY_RECORDS = 4;

/** Maximum number of debugger lines before the header of a trace. */
const FRONT_LINES = 3;

interface Seen {
  lines: number;
  records: number;
  /** Records with a short word that can occur by chance: `E`, `R`, `MI` .. */
  plain: number;
  accesses: number;
  instructions: number;
  /** Lines as Tarmac text has them: access words of hardware simulators, instruction lines with an instruction set. */
  foreign: number;
  /** A header line names ARMulator as the writer. */
  source: boolean;
  /** That header line is among the first lines and not a quotation. */
  early: boolean;
  header: boolean;
  /** Number of accesses by the length of their word; 3 is the architectural form. */
  readonly widths: Map<number, number>;
  /** Accesses of eight letters that end in a burst letter of the older generation. */
  burst: number;
  bus: number;
}

const line = createLine();

function look(head: Head): Seen {
  const seen: Seen = {
    lines: 0,
    records: 0,
    plain: 0,
    accesses: 0,
    instructions: 0,
    foreign: 0,
    source: false,
    early: false,
    header: false,
    widths: new Map(),
    burst: 0,
    bus: 0,
  };
  visitHead(
    head,
    (at, to) => {
      judge(head.bytes, at, to, seen);
    },
    trimEnd,
  );
  return seen;
}

function judge(bytes: Uint8Array, at: number, to: number, seen: Seen): void {
  const start = textOf(bytes, at, Math.min(to, at + 48));
  if (isHeaderLine(bytes, at, to)) {
    seen.header = true;
    if (/Source:[^A-Za-z]+Armul/.test(start)) {
      seen.source = true;
      seen.early ||= seen.lines < FRONT_LINES;
    }
    return;
  }
  seen.lines++;
  if (!readUndamaged(bytes, at, to, line) || (line.faults & FAULT.lostRegister) !== 0) {
    if (SIMULATOR.test(start)) seen.foreign++;
    return;
  }
  const { native } = line;
  if (native === CODE.IT || native === CODE.IS) {
    if (INSTRUCTION_SET.test(textOf(bytes, line.textAt, Math.min(to, line.textAt + 16)))) {
      seen.foreign++;
      return;
    }
  }
  seen.records++;
  const width = widthOf(native);
  if (native === CODE.IT || native === CODE.IS) seen.instructions++;
  else if (width === 0) seen.plain++;
  else {
    seen.accesses++;
    seen.widths.set(width, (seen.widths.get(width) ?? 0) + 1);
    if (width === 8 && /[48r]$/.test(nativeName(native))) seen.burst++;
    if (native >= FIRST_ACCESS && nativeName(native).startsWith('B')) seen.bus++;
  }
}

/** Instruction set before the disassembly, as Tarmac text has it. */
const INSTRUCTION_SET = /^(?:[ATOX]|T16|T32|Unsupported)(?:[\s:]|$)/;
/** Access words followed by the port letter that Cortex simulators add. */
const SIMULATOR = /^\s*[MB][A-Z]?[NSC][RW][1248][O_][L_]?[_L]_?[IAD]\b/;

function confidence(seen: Seen): number {
  const share = seen.lines === 0 ? 0 : seen.records / seen.lines;
  if (seen.source) return share >= 0.5 ? 0.99 : seen.early || share >= 0.1 ? 0.9 : 0.4;
  const sure = seen.accesses + seen.instructions;
  if (sure === 0) return share >= 0.9 && seen.records > MANY_RECORDS ? 0.7 : 0.3;
  if (share >= 0.9) return sure > MANY_RECORDS ? 0.97 : 0.85;
  return sure > MANY_RECORDS ? 0.8 : share >= 0.5 ? 0.6 : 0.4;
}

function reasons(seen: Seen): string[] {
  const found: string[] = [];
  if (seen.source) found.push('its header names ARMulator as the writer');
  else if (seen.header) found.push('it has lines of a Tracer header');
  if (seen.records > 0)
    found.push(`${seen.records} of the first ${seen.lines} lines are instruction, access, event or register records`);
  return found;
}

interface DialectFound {
  readonly dialect: string;
  readonly why: string;
}

function dialectOf({ widths, burst, bus, accesses }: Seen): DialectFound {
  const [width] = [...widths].reduce((best, one) => (one[1] > best[1] ? one : best), [0, 0]);
  const mixed = widths.size > 1 && !(widths.size === 2 && widths.has(7) && widths.has(8));
  const but = mixed ? ' in most accesses (other lengths also occur)' : '';
  if (width === 3) return { dialect: 'eis', why: `access words of two letters and a size${but}` };
  if (width === 9) return { dialect: 'amba', why: `access words of 9 letters${but}` };
  if (width === 7) return { dialect: 'sdt', why: `access words of 7 letters, as written in 1998${but}` };
  if (width === 8 && burst > 0 && bus === 0)
    return { dialect: 'sdt', why: 'access words of 8 letters of which the last shows a burst, as written in 1998' };
  if (accesses === 0)
    return { dialect: 'ads', why: 'no access shows the generation, so the most common one is assumed' };
  return { dialect: 'ads', why: `access words of 8 letters${but}` };
}
