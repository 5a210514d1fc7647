// `pages`, counted again from the goldens.
import { expect, test } from 'vitest';
import { BYU, golden, tally, hex, json } from './driver.ts';

test('pages counts each kind and reports the first and last record', async () => {
  const pages = new Map<number, { kinds: string[]; ns: number[] }>();
  for (const { n, kind, address } of golden(BYU)) {
    const page = Math.floor(address / 4096) * 4096;
    const row = pages.get(page) ?? { kinds: [], ns: [] };
    pages.set(page, { kinds: [...row.kinds, kind], ns: [...row.ns, n] });
  }
  const expected = [...pages]
    .sort(([a], [b]) => a - b)
    .map(([page, { kinds, ns }]) => ({ page: hex(page), kinds: tally(kinds), first: ns[0], last: ns.at(-1) }));
  expect(await json(['pages', BYU])).toEqual(expected);
  const large = (await json(['pages', BYU, '--size', '1G'])) as { page: string }[];
  expect(large.map(({ page }) => page)).toEqual(['0x0']);
});
