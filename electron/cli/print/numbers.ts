/** Formats numbers for people. */

/** `1,234,567`, `1,234.5678`. */
export function group(value: number | string): string {
  return String(value).replace(/(?<!\.\d*)\B(?=(\d{3})+(?!\d))/g, ',');
}

/** `records 0 to 39,999`, `record 5`, `no records`; `to` is exclusive. */
export function recordSpan(from: number, to: number): string {
  if (to <= from) return 'no records';
  return to - from === 1 ? `record ${group(from)}` : `records ${group(from)} to ${group(to - 1)}`;
}

/** `1.50 GB`, with three digits: for sizes and rates, never for exact values. */
export function bytes(value: number): string {
  const step = STEPS.find(([from]) => value >= from);
  return step ? `${(value / step[1]).toPrecision(3)} ${step[2]}` : `${Math.round(value)} bytes`;
}

/** `0.42 s`, `45 s`, `2 min 5 s`, `1 h 3 min`: time that has passed. */
export function duration(seconds: number): string {
  return seconds < 10 ? `${seconds.toFixed(2)} s` : wholeDuration(seconds);
}

/** `1 s`, `45 s`, `2 min 5 s`, `1 h 3 min`: estimated time left. */
export function wholeDuration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** Smallest value of each unit, its size and its name. Values that would round up to 1000 use the next unit. */
const STEPS: readonly (readonly [from: number, size: number, unit: string])[] = [
  [999.5e9, 1e12, 'TB'],
  [999.5e6, 1e9, 'GB'],
  [999.5e3, 1e6, 'MB'],
  [1e3, 1e3, 'kB'],
];
