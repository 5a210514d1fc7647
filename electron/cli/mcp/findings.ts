/** Findings of a tool as text of bounded length: as many items as fit, how many there are, and a cursor for the next ones. */
import { toHex, type Hex } from '../../../shared/base/units.ts';

/** Longest text of an answer, in characters. */
export const TEXT_MOST = 8000;

export interface Findings {
  /** Facts about the answer as a whole. */
  readonly about: Readonly<Record<string, unknown>>;
  /** Name of the list. */
  readonly list: string;
  readonly items: readonly object[];
  /** Number of all items; absent if only the search for them would show it. */
  readonly of?: number;
  /** Returns the cursor after the first `shown` items of these, more than 0; undefined if there is nothing after them. */
  cursorAfter(shown: number): string | undefined;
}

/** Findings of which all items are known: the cursor is the number of the next one. */
export function listed(about: Findings['about'], list: string, all: readonly object[], cursor: number): Findings {
  return {
    about,
    list,
    items: all.slice(cursor),
    of: all.length,
    cursorAfter: (shown) => (cursor + shown < all.length ? String(cursor + shown) : undefined),
  };
}

/** Returns findings as JSON of at most TEXT_MOST characters, an item on each line. */
export function textOf({ about, list, items, of, cursorAfter }: Findings): string {
  // Room for the counts and the cursor, which are known last.
  const room = TEXT_MOST - 200;
  let head = '';
  let lines: string[] = [];
  for (const limits of LIMITS) {
    head = JSON.stringify(clipped(about, limits));
    lines = [];
    let length = head.length + list.length;
    for (const item of items) {
      const line = JSON.stringify(clipped(item, limits));
      length += line.length + 2;
      if (length > room) break;
      lines.push(line);
    }
    if (lines.length > 0 || (items.length === 0 && length <= room)) break;
  }
  const next = lines.length === 0 ? undefined : cursorAfter(lines.length);
  const counts = { shown: lines.length, ...(of !== undefined && { of }), ...(next !== undefined && { next }) };
  const open = head === '{}' ? '{' : `${head.slice(0, -1)},\n`;
  const rows = lines.length === 0 ? '' : `\n${lines.join(',\n')}\n`;
  return `${open}${JSON.stringify(list)}:[${rows}],${JSON.stringify(counts).slice(1)}`;
}

interface Limits {
  /** Characters of a text, and elements of a list, within an item. */
  readonly text: number;
  readonly elements: number;
}

/** The first ones that let an item fit are used. The last ones always do, for items of fewer than a hundred fields. */
const LIMITS: readonly Limits[] = [
  { text: 400, elements: 16 },
  { text: 100, elements: 4 },
  { text: 40, elements: 1 },
];

/** Shortens long texts and lists, and says so. */
function clipped(value: unknown, limits: Limits): unknown {
  if (typeof value === 'string') {
    const left = value.length - limits.text;
    return left > 0 ? `${value.slice(0, limits.text)} ... (${left} more characters)` : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const shown = value.slice(0, limits.elements).map((one) => clipped(one, limits));
    return value.length > limits.elements ? [...shown, `... (${value.length - limits.elements} more)`] : shown;
  }
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, clipped(one, limits)]));
}

/** Returns a number in both bases, `0x8004 (32772)`, so that no model has to convert it. Numbers of more than 64 bits stay hexadecimal. */
export function both(value: Hex): string;
export function both(value: Hex | null | undefined): string | undefined;
export function both(value: Hex | null | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  return value.length > 18 ? value : `${value} (${String(BigInt(value))})`;
}

/** Reads bytes as a number in the given order of bytes, in both bases. */
export function bothOf(bytes: readonly number[], order: 'little' | 'big'): string {
  const highestFirst = order === 'big' ? bytes : bytes.toReversed();
  return both(toHex(highestFirst.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)));
}
