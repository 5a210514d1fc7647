/** Answers to a language model: never longer than their limit, and complete over all pages. */
import { expect, test } from 'vitest';
import { both, bothOf, listed, textOf, TEXT_MOST } from '../../electron/cli/mcp/findings.ts';

interface Page {
  readonly items: readonly { readonly n: number; readonly text: string }[];
  readonly shown: number;
  readonly of: number;
  readonly next?: string;
}

test.each([0, 1, 40, 300, 5000])('pages of items of %i characters have each item once', (characters) => {
  const all = Array.from({ length: 150 }, (_, n) => ({ n, text: 'x'.repeat(characters) }));
  const seen: number[] = [];
  for (let cursor: string | undefined = '0'; cursor !== undefined;) {
    const text = textOf(listed({ note: 'y'.repeat(characters) }, 'items', all, Number(cursor)));
    expect(text.length).toBeLessThanOrEqual(TEXT_MOST);
    const page = JSON.parse(text) as Page;
    expect(page).toMatchObject({ shown: page.items.length, of: 150 });
    expect(page.items.length).toBeGreaterThan(0);
    seen.push(...page.items.map(({ n }) => n));
    cursor = page.next;
  }
  expect(seen).toEqual(all.map(({ n }) => n));
});

test('long texts and lists say what they leave out', () => {
  const item = { text: 'z'.repeat(500), list: Array.from({ length: 20 }, (_, k) => k) };
  const { items } = JSON.parse(textOf(listed({}, 'items', [item], 0))) as { readonly items: readonly (typeof item)[] };
  expect(items[0]!.text).toBe(`${'z'.repeat(400)} ... (100 more characters)`);
  expect(items[0]!.list).toHaveLength(17);
  expect(items[0]!.list.at(-1)).toBe('... (4 more)');
});

test('an item that is too long alone is shortened further', () => {
  const item = Object.fromEntries(Array.from({ length: 60 }, (_, k) => [`field${k}`, 'w'.repeat(400)]));
  const text = textOf(listed({}, 'items', [item], 0));
  expect(text.length).toBeLessThanOrEqual(TEXT_MOST);
  expect(JSON.parse(text)).toMatchObject({ shown: 1, of: 1 });
});

test('an empty list is an answer', () => {
  expect(JSON.parse(textOf(listed({ same: true }, 'regions', [], 0)))).toEqual({
    same: true,
    regions: [],
    shown: 0,
    of: 0,
  });
});

test('numbers come in both bases, and bytes in both orders', () => {
  expect(both('0x8004')).toBe('0x8004 (32772)');
  expect(both('0xffffffffffffffff')).toBe('0xffffffffffffffff (18446744073709551615)');
  expect(both('0x10000000000000000')).toBe('0x10000000000000000');
  expect(both(null)).toBeUndefined();
  expect(bothOf([0x78, 0x56, 0x34, 0x12], 'little')).toBe('0x12345678 (305419896)');
  expect(bothOf([0x00, 0x01], 'big')).toBe('0x1 (1)');
});
