/** Formats numbers for people: grouped, short, as bytes, as times, as addresses. No format rounds without showing it. */

/** `1,234,567`, `1,234.5678`: every digit, in groups of three before the decimal point. */
export function group(value: number | string): string {
  if (typeof value === 'number' && value >= 0 && Number.isSafeInteger(value)) return groupDigits(String(value));
  return String(value).replaceAll(/\.?\d+/g, (digits) => (digits.startsWith('.') ? digits : groupDigits(digits)));
}

function groupDigits(digits: string): string {
  let at = digits.length % 3 || 3;
  let groups = digits.slice(0, at);
  for (; at < digits.length; at += 3) groups += `,${digits.slice(at, at + 3)}`;
  return groups;
}

/** Formats a change: `+1,234`, `-5` or `0`. */
export function signed(value: number): string {
  return value > 0 ? `+${group(value)}` : group(value);
}

/** `1 byte`, `2,000 bytes`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${group(count)} ${count === 1 ? one : many}`;
}

/** `records 0 to 39,999`, `record 5`, `no records`; `to` is exclusive. */
export function recordSpan(from: number, to: number): string {
  if (to <= from) return 'no records';
  return to - from === 1 ? `record ${group(from)}` : `records ${group(from)} to ${group(to - 1)}`;
}

/** `1.23 M`: three significant digits, for places where the whole number does not fit. */
export function short(value: number): string {
  const size = Math.abs(value);
  // A value that rounds to a thousand of one unit uses the next unit.
  const step = size < LONG ? undefined : SHORT.find(([unit]) => size >= unit * 0.9995);
  if (!step) return group(Number(value.toFixed(2)));
  const scaled = value / step[0];
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(scaled))));
  return `${Number(scaled.toFixed(decimals))} ${step[1]}`;
}

const SHORT: readonly (readonly [number, string])[] = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
];
/** Up to this value, the whole number is as short as the short form. */
const LONG = 1e4;

/** `1.50 GB`: decimal units, as drives and links are sold. */
export function bytes(value: number): string {
  const step = BYTES.find(([from]) => value >= from);
  return step ? `${(value / step[1]).toPrecision(3)} ${step[2]}` : `${group(Math.round(value))} bytes`;
}

/** Smallest value of each unit, its size and its name. Values that would round up to 1000 use the next unit. */
const BYTES: readonly (readonly [from: number, size: number, unit: string])[] = [
  [999.5e9, 1e12, 'TB'],
  [999.5e6, 1e9, 'GB'],
  [999.5e3, 1e6, 'MB'],
  [1e3, 1e3, 'kB'],
];

/** `8 KiB`, `64 B`: spans of addresses, whose sizes are powers of two. */
export function span(value: bigint): string {
  for (const [shift, unit] of SPANS) {
    const size = 1n << shift;
    if (value >= size) {
      if (value % size === 0n) return `${String(value / size)} ${unit}`;
      const scaled = Number(value) / Number(size);
      // Values up to 1,023 of a unit stay in this unit.
      return `${scaled.toPrecision(scaled < 999.5 ? 3 : 4)} ${unit}`;
    }
  }
  return `${String(value)} B`;
}

const SPANS: readonly (readonly [bigint, string])[] = [
  [60n, 'EiB'],
  [50n, 'PiB'],
  [40n, 'TiB'],
  [30n, 'GiB'],
  [20n, 'MiB'],
  [10n, 'KiB'],
];

/** `0.42 s`, `45 s`, `2 min 5 s`, `1 h 3 min`: time that has passed. */
export function timeTaken(seconds: number): string {
  return seconds < 10 ? `${seconds.toFixed(2)} s` : timeLeft(seconds);
}

/** `1 s`, `45 s`, `2 min 5 s`, `1 h 3 min`: estimated time left, rounded up. */
export function timeLeft(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** Formats an address padded to `digits` (`0x00008000`), so that columns align and copied text is clean. */
export function address(value: bigint, digits: number): string {
  return `0x${value.toString(16).padStart(digits, '0')}`;
}

/** Returns the number of hexadecimal digits for addresses up to `highest`: 4, 8, 12 or 16. */
export function addressDigits(highest: bigint): number {
  return Math.min(16, Math.max(4, Math.ceil(highest.toString(16).length / 4) * 4));
}
