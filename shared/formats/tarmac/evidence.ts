/** What the lines of a head show: counted line by line, weighed by `choose.ts` and `sniff.ts`. */
import { isDecimal, SPACE } from '../../base/characters.ts';
import { KIND } from '../../records/record.ts';
import { nativeName, REGISTER, WORD } from './codes.ts';
import { isInstruction } from './columns.ts';
import { UNITS } from './line/dialect.ts';
import type { Line } from './line/line.ts';
import { createLine } from './line/line.ts';
import { readLine } from './read.ts';
import { plain } from './line/value.ts';

export interface Evidence {
  lines: number;
  /** Lines that read as records of any kind; `timed` those with a time of their own. */
  records: number;
  timed: number;
  /** `Tarmac Text Rev`. */
  headers: number;
  /** Instruction lines with a time, of any dialect; the next ones are among them. */
  instructions: number;
  /** With a bare cpu number after the unit. */
  bareCpu: number;
  /** `ES (`. */
  es: number;
  /** IT lines whose time is not their number. */
  ticks: number;
  /** IT lines whose time is a multiple of TICKS. */
  round: number;
  /** IT lines whose disassembly stands apart from the colon, or ends in blanks, as a padded printer leaves it. */
  padded: number;
  /** `MNR4O__I`, `MR4_D`, `R08`, instruction lines with an address in brackets or without an instruction set. */
  rtl: number;
  /** Physical addresses, groups of digits, `CoreEvent_` and sources with names. */
  fastModels: number;
  /** Lines of the emulator's own log. */
  logMarks: number;
  /** The first unit of UNITS seen. */
  unit: string;
  /** IT lines behind another one, with numbers both; those one above it or above the last one of their cpu; those somewhere above it. */
  steps: number;
  singles: number;
  rises: number;
  /** Numbers of the last IT lines, by cpu; -1 is whichever was last. */
  readonly numbers: Map<number, number>;
}

export function createEvidence(): Evidence {
  return {
    lines: 0,
    records: 0,
    timed: 0,
    headers: 0,
    instructions: 0,
    bareCpu: 0,
    es: 0,
    ticks: 0,
    round: 0,
    padded: 0,
    rtl: 0,
    fastModels: 0,
    logMarks: 0,
    unit: '',
    steps: 0,
    singles: 0,
    rises: 0,
    numbers: new Map(),
  };
}

/** Simulator ticks of a processor at 4 GHz: slower ones in practice have multiples of it. */
const TICKS = 250;

const line = createLine();

/** Adds the line bytes[at, to); `end` is where it ends with its blanks and line end. */
export function weigh(bytes: Uint8Array, at: number, to: number, end: number, seen: Evidence): void {
  if (to === at) return;
  seen.lines++;
  // The dialect in which every form can be read.
  if (!readLine(bytes, at, to, 'rtl', line)) {
    if (LOG.test(plain(bytes, at, Math.min(to, at + 48)))) seen.logMarks++;
    return;
  }
  if (line.native === WORD['Tarmac Text']) seen.headers++;
  // Words such as P begin sentences too.
  if (line.kind === KIND.other) return;
  seen.records++;
  if (line.timeEnd === line.timeAt) return;
  seen.timed++;
  const unit = plain(bytes, line.unitAt, line.unitEnd);
  if (seen.unit === '' && UNITS.some((known) => known === unit)) seen.unit = unit;
  if (line.native === WORD.ES) seen.es++;
  if (line.native === WORD.ES || isInstruction(line.kind)) weighInstruction(bytes, to, end, seen);
  else if (isRtl(line)) seen.rtl++;
  else if (isFastModels(bytes, line)) seen.fastModels++;
}

function weighInstruction(bytes: Uint8Array, to: number, end: number, seen: Evidence): void {
  seen.instructions++;
  if (line.cpuEnd > line.cpuAt && isDecimal(bytes[line.cpuAt]!)) seen.bareCpu++;
  if (line.native === WORD.ES) return;
  if (line.idEnd === line.idAt || line.pairEnd > line.pairAt || line.isetEnd === line.isetAt) seen.rtl++;
  else if (plain(bytes, line.idAt, line.idEnd) !== plain(bytes, line.timeAt, line.timeEnd)) seen.ticks++;
  if (line.idEnd > line.idAt) weighNumber(Number(plain(bytes, line.idAt, line.idEnd)), seen);
  if (line.time % TICKS === 0) seen.round++;
  const apart = line.textAt > 1 && bytes[line.textAt - 1] === SPACE && bytes[line.textAt - 2] === SPACE;
  if (apart || (end > to && bytes[to] === SPACE)) seen.padded++;
  if (line.physicalEnd > line.physicalAt) seen.fastModels++;
}

const ANY_CPU = -1;

function weighNumber(number: number, seen: Evidence): void {
  const { numbers } = seen;
  const before = numbers.get(ANY_CPU);
  const own = numbers.get(line.cpu);
  numbers.set(ANY_CPU, number);
  numbers.set(line.cpu, number);
  if (before === undefined) return;
  seen.steps++;
  if (number === before + 1 || number === (own ?? before) + 1) seen.singles++;
  if (number > before || number > (own ?? before)) seen.rises++;
}

function isRtl({ native, noteEnd, noteAt }: Line): boolean {
  return /^(?:[MB][NSC].{6}|M[RW]\d_.|[RW]\d\d)$/.test(nativeName(native)) || (native === REGISTER && noteEnd > noteAt);
}

function isFastModels(
  bytes: Uint8Array,
  { native, physicalAt, physicalEnd, cpu, cpuAt, codeAt, codeEnd }: Line,
): boolean {
  if (physicalEnd > physicalAt || native === WORD.E || (cpu >= 0 && !isDecimal(bytes[cpuAt]!))) return true;
  return plain(bytes, codeAt, codeEnd).includes('_');
}

/** What `-d in_asm,unimp` writes: block headings, and listed instructions `0x00008000:  e59f0060  ldr ..`. */
const LOG = /^(-{16,}|IN: ?\S*$|OUT: |0x[0-9a-f]{8,16}: )/;
