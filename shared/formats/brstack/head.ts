/**
 * Reads the head of a sample, which precedes its branches: `bash 1234/1240 [003] 5678.123456:  1000003 cycles:u:  7f12ab main+0x10
 * (a.out)`. The user of perf chooses its fields. Only cpu and time are read; the whole head is kept as text.
 */
import { CLOSE_SQUARE, COLON, DOT, isBlank, isDecimal, OPEN_SQUARE, UPPER_P, ZERO } from '../../base/characters.ts';
import { NO_CPU } from '../../records/batch.ts';
import { decimalEnd, decimalOf, startsWith, textOf } from '../../base/scan.ts';
import { RECORD_PREFIX } from './codes.ts';

export interface SampleHead {
  cpu: number;
  /** Index of the time's first digit; -1 if there is no time. */
  timeAt: number;
  pointAt: number;
  /** Index of the colon after the time. */
  timeEnd: number;
}

export function createHead(): SampleHead {
  return { cpu: NO_CPU, timeAt: -1, pointAt: -1, timeEnd: -1 };
}

const MOST_CPU = 32767;

/**
 * Returns the start of the word that names one of perf's own records, as in `demo 1356 446583.793900: PERF_RECORD_COMM exec: demo:1356/1356`;
 * -1 if the line bytes[at, to) has none. Any fields may precede it.
 */
export function recordAt(bytes: Uint8Array, at: number, to: number): number {
  let word = true;
  for (let p = at; p < to; p++) {
    if (word && bytes[p] === UPPER_P && startsWith(bytes, p, to, RECORD_PREFIX)) return p;
    word = isBlank(bytes[p]!);
  }
  return -1;
}

/** Reads bytes[at, to). The last `[cpu]` and the last `seconds.fraction:` count, because a program's name may contain either. */
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
  const point = decimalEnd(bytes, at, to);
  if (point >= to || bytes[point] !== DOT || point - at > 12) return;
  const p = decimalEnd(bytes, point + 1, to);
  const digits = p - point - 1;
  if ((digits !== 6 && digits !== 9) || p >= to || bytes[p] !== COLON) return;
  head.timeAt = at;
  head.pointAt = point;
  head.timeEnd = p;
}

/** Returns the exact time in nanoseconds. */
export function exactTime(bytes: Uint8Array, { timeAt, pointAt, timeEnd }: SampleHead): bigint {
  const digits = textOf(bytes, timeAt, pointAt) + textOf(bytes, pointAt + 1, timeEnd);
  return BigInt(digits) * (timeEnd - pointAt - 1 === 6 ? 1000n : 1n);
}

/** Returns the time in nanoseconds as a double, which is exact below 2^53 ns (104 days). */
export function columnTime(bytes: Uint8Array, head: SampleHead): number {
  const { timeAt, pointAt, timeEnd } = head;
  if (timeAt < 0) return Number.NaN;
  const seconds = decimalOf(bytes, timeAt, pointAt);
  const fraction = decimalOf(bytes, pointAt + 1, timeEnd);
  if (seconds >= EXACT_SECONDS) return Number(exactTime(bytes, head));
  return seconds * 1e9 + (timeEnd - pointAt - 1 === 6 ? fraction * 1000 : fraction);
}

const EXACT_SECONDS = 9_007_199;
