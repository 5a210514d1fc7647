/**
 * What stands before a sample's branches: `bash 1234/1240 [003] 5678.123456:  1000003 cycles:u:  7f12ab main+0x10 (a.out)`,
 * with the fields that were asked for. Only the processor and the time are looked for; all of it is kept as text.
 */
import { CLOSE_SQUARE, COLON, DOT, isBlank, isDecimal, OPEN_SQUARE, ZERO } from '../../base/characters.ts';
import { NO_CPU } from '../../records/batch.ts';

export interface SampleHead {
  cpu: number;
  /** Index of the time's first digit; -1 where there is no time. */
  timeAt: number;
  pointAt: number;
  /** Past its last digit, where the colon is. */
  timeEnd: number;
}

export function createHead(): SampleHead {
  return { cpu: NO_CPU, timeAt: -1, pointAt: -1, timeEnd: -1 };
}

const MOST_CPU = 32767;

/** Looks through bytes[at, to). The last `[cpu]` and the last `seconds.fraction:` count: a program's name comes first. */
export function readHead(bytes: Uint8Array, at: number, to: number, head: SampleHead): void {
  head.cpu = NO_CPU;
  head.timeAt = -1;
  let word = true;
  for (let p = at; p < to; p++) {
    const byte = bytes[p]!;
    if (word && byte === OPEN_SQUARE) readCpu(bytes, p, to, head);
    else if (word && isDecimal(byte)) readTime(bytes, p, to, head);
    word = isBlank(byte);
  }
}

function readCpu(bytes: Uint8Array, at: number, to: number, head: SampleHead): void {
  let cpu = 0;
  let p = at + 1;
  for (; p < to && isDecimal(bytes[p]!) && cpu <= MOST_CPU; p++) cpu = cpu * 10 + bytes[p]! - ZERO;
  if (p > at + 1 && p < to && bytes[p] === CLOSE_SQUARE && cpu <= MOST_CPU) head.cpu = cpu;
}

function readTime(bytes: Uint8Array, at: number, to: number, head: SampleHead): void {
  let p = at;
  while (p < to && isDecimal(bytes[p]!)) p++;
  const point = p;
  if (p >= to || bytes[p] !== DOT || p - at > 12) return;
  p++;
  while (p < to && isDecimal(bytes[p]!)) p++;
  const digits = p - point - 1;
  if ((digits !== 6 && digits !== 9) || p >= to || bytes[p] !== COLON) return;
  head.timeAt = at;
  head.pointAt = point;
  head.timeEnd = p;
}

/** The time in nanoseconds, exactly. */
export function exactTime(bytes: Uint8Array, { timeAt, pointAt, timeEnd }: SampleHead): bigint {
  let digits = '';
  for (let p = timeAt; p < timeEnd; p++) if (p !== pointAt) digits += String.fromCharCode(bytes[p]!);
  return BigInt(digits) * (timeEnd - pointAt - 1 === 6 ? 1000n : 1n);
}

/** The time as the column has it: exact below 2^53 ns, which are 104 days. */
export function columnTime(bytes: Uint8Array, head: SampleHead): number {
  const { timeAt, pointAt, timeEnd } = head;
  if (timeAt < 0) return Number.NaN;
  let seconds = 0;
  let fraction = 0;
  for (let p = timeAt; p < pointAt; p++) seconds = seconds * 10 + bytes[p]! - ZERO;
  for (let p = pointAt + 1; p < timeEnd; p++) fraction = fraction * 10 + bytes[p]! - ZERO;
  if (seconds >= EXACT_SECONDS) return Number(exactTime(bytes, head));
  return seconds * 1e9 + (timeEnd - pointAt - 1 === 6 ? fraction * 1000 : fraction);
}

const EXACT_SECONDS = 9_007_199;
