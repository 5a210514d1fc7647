/** Answers as JSON that any program reads: arrays of numbers of the engine become lists. */
import { jsonText } from '../../shared/base/visible.ts';

/** Returns one line of JSON. Numbers that JSON lacks (NaN, which stands for an absent value) become null. */
export function plainJson(value: unknown): string {
  return jsonText(withLists(value));
}

/** Copies only parts with a typed array: answers may have a million fields. */
function withLists(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Float64Array || value instanceof Uint8Array) return Array.from(value);
  if (Array.isArray(value)) {
    const listed = value.map(withLists);
    return listed.some((item, at) => item !== value[at]) ? listed : value;
  }
  const entries = Object.entries(value);
  const listed = entries.map(([key, item]) => [key, withLists(item)] as const);
  return listed.some(([, item], at) => item !== entries[at]![1]) ? Object.fromEntries(listed) : value;
}
