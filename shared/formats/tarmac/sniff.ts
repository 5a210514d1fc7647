/**
 * Detects Tarmac text, its dialect and its settings from the head of a file.
 *
 * The share of lines that are records decides, instruction lines above all: a bare cpu number after the unit is QEMU4V, `ES (` is a
 * cycle model. An emulator's log between the records is normal and may fill most of the head.
 */
import { looksBinary } from '../../format/heads.ts';
import type { Claim, Head } from '../../format/format.ts';
import { visitHead } from '../../format/lines.ts';
import { KIND } from '../../records/record.ts';
import { isDecimal, SPACE } from '../../base/characters.ts';
import { textOf } from '../../base/scan.ts';
import { isRtlCode, nativeName, REGISTER, SKIPPED, TAKEN, WORD } from './codes.ts';
import { createLine, type Dialect, FAULT, isInstruction, type Line } from './line/line.ts';
import { UNITS } from './line/prefix.ts';
import { readLine } from './line/read.ts';

export function sniffTarmac(head: Head, named = false): Claim | undefined {
  const { bytes } = head;
  if (bytes.length === 0) return undefined;
  const seen = createEvidence();
  visitHead(head, (at, to, end) => {
    weigh(bytes, at, to, end, seen);
  });
  // A block of NULs in a log that was not closed properly does not make a text with many records binary.
  if (seen.instructions <= MANY_RECORDS && looksBinary(bytes)) return undefined;
  if (seen.proofs === 0 && seen.headers === 0) {
    if (seen.logMarks >= MANY_LOG_MARKS) return logClaim(seen);
    return named && seen.records + seen.untimedRtl > 0 ? untimedClaim(seen) : undefined;
  }
  const { dialect, reason } = chooseDialect(seen);
  return {
    confidence: confidence(seen),
    dialect,
    options: {
      ...(seen.unit !== '' && seen.unit !== 'clk' && { unit: seen.unit }),
      ...(!areCounts(seen, dialect) && { numbers: 'any' }),
    },
    reasons: reasons(seen, reason),
  };
}

const MANY_LOG_MARKS = 4;
/** More recognised lines than this prove the format, whatever else is in the head. */
const MANY_RECORDS = 4;

/**
 * True if the numbers of instruction lines count instructions. For QEMU4V this is the rule, unless the numbers fall or stand still, and
 * skipped numbers then show missing lines. Other writers must be seen to count.
 */
function areCounts({ steps, singles, rises }: Evidence, dialect: Dialect): boolean {
  return dialect === 'qemu4v' ? rises * 2 >= steps : singles * 10 >= steps * 9;
}

function confidence(seen: Evidence): number {
  // Share of records among the lines that are not emulator log.
  const share = (seen.records + seen.untimedRtl) / Math.max(1, seen.lines - seen.logMarks);
  if (seen.headers > 0 && seen.proofs === 0) return 0.6;
  if (seen.instructions > 0) {
    if (share >= 0.9) return seen.records > MANY_RECORDS ? 0.98 : 0.9;
    return seen.records > MANY_RECORDS || share >= 0.5 ? 0.85 : 0.45;
  }
  return share >= 0.5 ? 0.7 : 0.4;
}

function reasons(seen: Evidence, reason: string): readonly string[] {
  const found = [
    `${seen.records + seen.untimedRtl} of the first ${seen.lines} lines are instruction, memory or register records`,
    reason,
  ];
  if (seen.logMarks > 0) found.push('the other lines include emulator log text');
  return found;
}

function logClaim(seen: Evidence): Claim {
  return {
    confidence: 0.2,
    dialect: 'qemu4v',
    options: {},
    reasons: [`the head is emulator log text (${seen.logMarks} such lines), and trace lines may follow it`],
  };
}

/** Claims lines without a time that programs of other formats print as well. */
function untimedClaim({ records, untimedRtl, lines }: Evidence): Claim {
  return {
    confidence: 0.2,
    dialect: untimedRtl > 0 ? 'rtl' : 'es',
    options: {},
    reasons: [`${records + untimedRtl} of the first ${lines} lines can be records without a time`],
  };
}

interface Choice {
  readonly dialect: Dialect;
  /** Completes the phrase `because ...`. */
  readonly reason: string;
}

function chooseDialect(seen: Evidence): Choice {
  if (seen.bareCpu > 0 && seen.bareCpu * 2 > seen.instructions) {
    return { dialect: 'qemu4v', reason: 'instruction lines have a bare cpu number after the time unit' };
  }
  if (seen.es > 0 && seen.es >= seen.rtl) {
    return { dialect: 'es', reason: 'instruction lines are ES lines with address and opcode in parentheses' };
  }
  if (seen.rtl > 0 && seen.rtl >= seen.fastModels) {
    return { dialect: 'rtl', reason: 'instruction or access lines have the forms of hardware simulations' };
  }
  if (seen.instructions > 0) return chooseNumbered(seen);
  if (seen.fastModels > 0)
    return { dialect: 'fastmodels', reason: 'lines name their cpu, physical addresses or events' };
  if (seen.proofs === 0) return { dialect: 'es', reason: 'it starts with the header of a Tarmac text trace' };
  if (seen.timed < seen.records) return { dialect: 'es', reason: 'records leave out their time' };
  return { dialect: 'qemu4v', reason: 'none of the lines is an instruction line' };
}

/** Chooses between dialects that number instructions without a bare cpu: Fast Models numbers its time, gem5 counts ticks. */
function chooseNumbered({ instructions, ticks, round, padded, unit }: Evidence): Choice {
  if (unit === 'clk' && ticks * 2 > instructions && (padded * 2 > instructions || round * 10 > instructions * 9)) {
    return { dialect: 'gem5', reason: 'instruction lines count ticks in addition to their numbers' };
  }
  return { dialect: 'fastmodels', reason: 'instruction lines have a number in parentheses and no bare cpu number' };
}

/** Counters of what the lines of a head show. */
interface Evidence {
  lines: number;
  /** Lines that are records of any kind. */
  records: number;
  /** Records that contain their time. */
  timed: number;
  /** RTL accesses without a time. They prove nothing, but are records if other lines prove the format. */
  untimedRtl: number;
  /** Records that no other format has: those with a time, and others of unmistakable forms. Only these count below. */
  proofs: number;
  /** Header lines such as `Tarmac Text Rev`. */
  headers: number;
  /** Instruction lines of any dialect. The following counters count some of these. */
  instructions: number;
  /** Instruction lines with a bare cpu number after the unit. */
  bareCpu: number;
  /** Lines of the form `ES (`. */
  es: number;
  /** IT lines whose time differs from their number. */
  ticks: number;
  /** IT lines whose time is a multiple of TICKS. */
  round: number;
  /** IT lines with several blanks before the disassembly or with blanks at the end, as printers with padding write them. */
  padded: number;
  /** `MNR4O__I`, `MR4_D`, `R08`, and instruction lines with an address in parentheses or without an instruction set. */
  rtl: number;
  /** Lines with physical addresses, digit groups, `CoreEvent_` or a named source. */
  fastModels: number;
  /** Lines of the emulator's own log. */
  logMarks: number;
  /** First time unit found that is one of UNITS. */
  unit: string;
  /** IT lines after another IT line, if both have a number. */
  steps: number;
  /** Steps to the next number, counted from the previous line or from the previous line of the same cpu. */
  singles: number;
  /** Steps to a higher number. */
  rises: number;
  /** Number of the latest IT line by cpu; ANY_CPU is the key of the latest line of all cpus. */
  readonly numbers: Map<number, number>;
}

function createEvidence(): Evidence {
  return {
    lines: 0,
    records: 0,
    timed: 0,
    untimedRtl: 0,
    proofs: 0,
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

/** Simulator ticks per cycle of a 4 GHz processor. In practice slower processors take multiples of it. */
const TICKS = 250;

const line = createLine();
/** Faults of lines that may be no records. */
const UNSURE = FAULT.extraWords | FAULT.lostRegister | FAULT.lostWord;

/** Adds the line bytes[at, to) to the evidence. `end` is the index after its trailing blanks and line end. */
function weigh(bytes: Uint8Array, at: number, to: number, end: number, seen: Evidence): void {
  seen.lines++;
  // This dialect reads every line form.
  if (!readLine(bytes, at, to, 'rtl', line) || (line.faults & UNSURE) !== 0) {
    if (LOG.test(textOf(bytes, at, Math.min(to, at + 48)))) seen.logMarks++;
    return;
  }
  if (line.native === WORD['Tarmac Text']) seen.headers++;
  // Words such as P also begin ordinary sentences.
  if (line.kind === KIND.other) return;
  const timed = line.timeEnd > line.timeAt;
  const proof = timed || isUnmistakable(bytes);
  if (!proof && isRtlCode(line.native)) {
    seen.untimedRtl++;
    return;
  }
  seen.records++;
  if (!proof) return;
  seen.proofs++;
  if (timed) seen.timed++;
  const unit = textOf(bytes, line.unitAt, line.unitEnd);
  if (seen.unit === '' && UNITS.some((known) => known === unit)) seen.unit = unit;
  if (line.native === WORD.ES) seen.es++;
  if (line.native === WORD.ES || isInstruction(line.kind)) weighInstruction(bytes, to, end, seen);
  else if (isRtl(line)) seen.rtl++;
  else if (isFastModels(bytes, line)) seen.fastModels++;
}

/** True if the line is a record of Tarmac text even without a time. Logs of the ARM Tracer have some of the words, but no instruction sets. */
function isUnmistakable(bytes: Uint8Array): boolean {
  const { native, kind, isetAt, isetEnd } = line;
  if (native === TAKEN || native === SKIPPED || native === WORD.IF)
    return isInstruction(kind) && INSTRUCTION_SETS.includes(textOf(bytes, isetAt, isetEnd));
  return native === WORD.ES || native === WORD.LD || native === WORD.ST || native === WORD.BR;
}

/** A single letter can also be a mnemonic, such as B. */
const INSTRUCTION_SETS = ['A', 'T', 'O', 'X', 'T16', 'T32', 'Unsupported'];

function weighInstruction(bytes: Uint8Array, to: number, end: number, seen: Evidence): void {
  seen.instructions++;
  if (line.cpuEnd > line.cpuAt && isDecimal(bytes[line.cpuAt]!)) seen.bareCpu++;
  if (line.native === WORD.ES) return;
  if (line.idEnd === line.idAt || line.pairEnd > line.pairAt || line.isetEnd === line.isetAt) seen.rtl++;
  else if (textOf(bytes, line.idAt, line.idEnd) !== textOf(bytes, line.timeAt, line.timeEnd)) seen.ticks++;
  if (line.idEnd > line.idAt) weighNumber(Number(textOf(bytes, line.idAt, line.idEnd)), seen);
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
  // The physical addresses of LD and ST lines are those of cycle models.
  if (native === WORD.LD || native === WORD.ST) return false;
  if (physicalEnd > physicalAt || native === WORD.E || (cpu >= 0 && !isDecimal(bytes[cpuAt]!))) return true;
  return textOf(bytes, codeAt, codeEnd).includes('_');
}

/** Output of QEMU's `-d in_asm,unimp`: block headings, and listed instructions `0x00008000:  e59f0060  ldr ..`. */
const LOG = /^(-{16,}|IN: ?\S*$|OUT: |0x[0-9a-f]{8,16}: )/;
