/**
 * Is this head QEMU4V text, and why? Judged by the lines that can be read, above all by instruction lines with a bare
 * cpu number after the unit: no other dialect of the family writes that. Text of the emulator's log in between is normal
 * and may fill most of the head. Other dialects that share line shapes are claimed as a guess only, so that they can be
 * looked at; `ES (` lines of cycle models never are.
 */
import type { Claim, Head } from '../../format.ts';
import { CR, isDecimal, LF, TAB } from '../../characters.ts';
import { REGISTER, SKIPPED, TAKEN } from './codes.ts';
import { createLine, readLine, trimEnd } from './line.ts';

export function sniffTarmac(head: Head): Claim | undefined {
  const { bytes } = head;
  if (bytes.length === 0) return undefined;
  const seen = look(head);
  // A hole of NULs in a log that was not closed properly does not make text of many records binary.
  if (seen.instructions <= MANY_RECORDS && isBinary(bytes)) return undefined;
  if (seen.returns) return returnsClaim();
  if (seen.records === 0) return seen.logMarks >= MANY_LOG_MARKS ? logClaim(seen) : undefined;
  if (seen.instructions === 0 && seen.foreign > 0) return undefined;
  return claim(seen);
}

/** Share of control bytes from which a file is taken for binary: text may hold a few NULs in its disassembly. */
const BINARY_SHARE = 0.02;
const MANY_LOG_MARKS = 4;
/** More recognised lines than this prove the format whatever else is in the head. */
const MANY_RECORDS = 4;

interface Seen {
  lines: number;
  /** Lines that read as records of any kind. */
  records: number;
  /** Instruction lines with a bare cpu number after the unit. */
  instructions: number;
  /** Instruction lines with `cpu0` or no cpu at all: other dialects write those. */
  otherInstructions: number;
  memory: number;
  registers: number;
  /** `ES (` lines and `Tarmac Text` headers. */
  foreign: number;
  /** Lines of the emulator's own log. */
  logMarks: number;
  /** The first line holds records that are parted by CR alone. */
  returns: boolean;
}

const line = createLine();

function look({ bytes, size }: Head): Seen {
  const seen: Seen = {
    lines: 0,
    records: 0,
    instructions: 0,
    otherInstructions: 0,
    memory: 0,
    registers: 0,
    foreign: 0,
    logMarks: 0,
    returns: false,
  };
  let at = 0;
  while (at < bytes.length) {
    const found = bytes.indexOf(LF, at);
    // A last line that the head cuts off says nothing, unless it is all there is.
    if (found < 0 && bytes.length < size && seen.lines > 0) break;
    const end = found < 0 ? bytes.length : found + 1;
    judge(bytes, at, trimEnd(bytes, at, end), seen);
    at = end;
  }
  return seen;
}

function judge(bytes: Uint8Array, at: number, to: number, seen: Seen): void {
  if (to === at) return;
  if (++seen.lines === 1) seen.returns = isPartedByReturns(bytes, at, to);
  if (!readLine(bytes, at, to, line)) {
    const start = String.fromCharCode(...bytes.subarray(at, Math.min(to, at + 48)));
    if (FOREIGN.test(start)) seen.foreign++;
    else if (LOG.test(start)) seen.logMarks++;
    return;
  }
  seen.records++;
  if (line.native === REGISTER) seen.registers++;
  else if (line.native !== TAKEN && line.native !== SKIPPED) seen.memory++;
  else if (line.cpu >= 0 && isDecimal(bytes[line.cpuAt]!)) seen.instructions++;
  else seen.otherInstructions++;
}

const FOREIGN = /^(Tarmac Text|\s*[0-9.]+ ?[a-z]* (\S+ )?ES )/;
/** What `-d in_asm,unimp` writes: block headings, and listed instructions `0x00008000:  e59f0060  ldr ..`. */
const LOG = /^(-{16,}|IN: ?\S*$|OUT: |0x[0-9a-f]{8,16}: )/;

function claim(seen: Seen): Claim {
  const share = seen.records / (seen.lines - seen.logMarks);
  return { confidence: confidence(seen, share), dialect: 'qemu4v', options: {}, reasons: reasons(seen) };
}

/** `share` is that of the records among the lines that are no emulator log. */
function confidence(seen: Seen, share: number): number {
  if (seen.instructions > 0) {
    if (share >= 0.9) return seen.records > MANY_RECORDS ? 0.98 : 0.9;
    return seen.records > MANY_RECORDS || share >= 0.5 ? 0.85 : 0.45;
  }
  if (seen.otherInstructions > 0) return 0.4;
  if (seen.foreign > 0) return 0.2;
  return share >= 0.5 ? 0.7 : 0.4;
}

function reasons(seen: Seen): readonly string[] {
  const found = [`${seen.records} of the first ${seen.lines} lines are instruction, memory or register records`];
  if (seen.instructions > 0) found.push('instruction lines have a bare cpu number after the time unit');
  else if (seen.otherInstructions > 0)
    found.push('no instruction line has a bare cpu number: this may be another Tarmac dialect');
  else found.push('no instruction line is among them');
  if (seen.foreign > 0) found.push('some lines belong to another Tarmac dialect');
  if (seen.logMarks > 0) found.push('emulator log text lies in between');
  return found;
}

function logClaim(seen: Seen): Claim {
  return {
    confidence: 0.2,
    dialect: 'qemu4v',
    options: {},
    reasons: [`the head is emulator log text (${seen.logMarks} such lines), in which trace lines may follow`],
  };
}

/** Two records in the first line, parted by CR: an old text file, of which the line reader would see one line. */
function isPartedByReturns(bytes: Uint8Array, at: number, to: number): boolean {
  const first = bytes.indexOf(CR, at);
  if (first <= at || first >= to || !readLine(bytes, at, first, line)) return false;
  const second = bytes.indexOf(CR, first + 1);
  return readLine(bytes, first + 1, second > 0 && second < to ? second : to, line);
}

function returnsClaim(): Claim {
  return {
    confidence: 0.2,
    dialect: 'qemu4v',
    options: {},
    reasons: ['the lines end in CR alone, which is not read: convert them to LF first'],
  };
}

/** Many control bytes other than tab, line end, form feed and escape. */
function isBinary(bytes: Uint8Array): boolean {
  let control = 0;
  for (const byte of bytes) if (byte < 32 && (byte < TAB || byte > 13) && byte !== 27) control++;
  return control > Math.max(1, bytes.length * BINARY_SHARE);
}
