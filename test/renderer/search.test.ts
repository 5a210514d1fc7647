/** Requests of the search form, and the list of matches while the index grows. */
import { expect, test } from 'vitest';
import { EMPTY_FORM, readForm, type SearchForm } from '../../renderer/trace/search/criteria.ts';
import { createResults } from '../../renderer/trace/search/results.svelte.ts';
import type { RequestOptions, Client, FindAllArguments, FoundAll, Reach } from '../../shared/requests/requests.ts';
import { ok } from '../../shared/base/result.ts';

function read(form: Partial<SearchForm>, range: { from: number; to: number } | null = null) {
  return readForm({ ...EMPTY_FORM, ...form }, range);
}

test.each<[Partial<SearchForm>, object]>([
  [{ text: 'ldr|str' }, { text: 'ldr|str' }],
  [
    { kind: 'write', register: ' r0 ' },
    { kinds: ['write'], register: 'r0' },
  ],
  [{ address: '8000' }, { address: { low: '0x8000', high: '0x8000' } }],
  [{ address: '0x8000 - 0x8FFF' }, { address: { low: '0x8000', high: '0x8fff' } }],
  [{ address: '0x8000+16' }, { address: { low: '0x8000', high: '0x800f' } }],
  [{ address: 'ffff_ffff_ffff_ffff' }, { address: { low: '0xffffffffffffffff', high: '0xffffffffffffffff' } }],
  [{ value: '31' }, { value: '0x1f' }],
  [
    { value: '0x00FF', width: '2' },
    { value: '0xff', width: 2 },
  ],
])('reads the form %o as %o', (form, criteria) => {
  expect(read(form)).toEqual({ kind: 'criteria', criteria });
});

test.each<[Partial<SearchForm>, keyof SearchForm, string]>([
  [{ text: 'ldr(' }, 'text', 'Unterminated group'],
  [{ address: '0x9000-0x8000' }, 'address', 'span'],
  [{ address: '0xffffffffffffffff+2' }, 'address', 'span'],
  [{ address: 'main' }, 'address', 'address'],
  [{ value: 'beef' }, 'value', '0x1f'],
  [{ value: '256', width: '1' }, 'value', 'does not fit in 1 byte.'],
])('refuses the form %o', (form, field, why) => {
  expect(read(form)).toMatchObject({ kind: 'unclear', field, why: expect.stringContaining(why) as unknown });
});

test('a width or a range alone gives no criteria, and a range limits other criteria', () => {
  expect(read({ width: '4' })).toEqual({ kind: 'empty' });
  expect(read({ inRange: true }, { from: 1, to: 2 })).toEqual({ kind: 'empty' });
  const criteria = { text: 'x', from: 10, to: 21 };
  expect(read({ text: 'x', inRange: true }, { from: 10.7, to: 20.2 })).toEqual({ kind: 'criteria', criteria });
  expect(read({ text: 'x', inRange: true }, null)).toEqual({ kind: 'criteria', criteria: { text: 'x' } });
});

test('continues the search when the index grows', async () => {
  const requested: FindAllArguments[] = [];
  let reach: Reach = { records: 1000, bytes: 1, complete: false };
  // Every hundredth record matches.
  const client = {
    request(_name: string, args: FindAllArguments, options?: RequestOptions<'findAll'>) {
      requested.push(args);
      const numbers = Float64Array.from({ length: (reach.records - args.from!) / 100 }, (_, k) => args.from! + 100 * k);
      const part: Omit<FoundAll, 'reach'> = {
        found: numbers.length,
        numbers,
        edges: Float64Array.of(args.from!, reach.records),
        counts: Float64Array.of(numbers.length),
      };
      options?.onEvent?.({ ...part, at: reach.records });
      return Promise.resolve(ok({ ...part, reach }));
    },
  } as unknown as Client;
  const results = createResults(client, 't1', () => reach);
  results.search({ text: 'x' });
  expect(results.running).toBe(true);
  await idle();
  expect([results.running, results.found, results.numbers.length, results.done]).toEqual([false, 10, 10, 1]);

  // A small growth does not start another search, unless the index is complete.
  reach = { records: 1100, bytes: 2, complete: false };
  results.follow();
  expect(requested).toHaveLength(1);
  reach = { records: 1200, bytes: 2, complete: true };
  results.follow();
  await idle();
  expect(requested.map(({ from }) => from)).toEqual([0, 1000]);
  expect([results.found, results.numbers.at(-1)]).toEqual([12, 1100]);
  expect(results.matches.flatMap(({ counts }) => [...counts])).toEqual([10, 2]);

  results.clear();
  expect([results.criteria, results.found, results.matches.length]).toEqual([null, 0, 0]);
});

test('keeps the matches of a stopped search and does not continue it', async () => {
  let answer: (() => void) | undefined;
  const client = {
    request(_name: string, _args: FindAllArguments, options?: RequestOptions<'findAll'>) {
      const part = {
        found: 3,
        numbers: Float64Array.of(1, 2, 3),
        edges: Float64Array.of(0, 50),
        counts: Float64Array.of(3),
      };
      options?.onEvent?.({ ...part, at: 25 });
      return new Promise((resolve) => {
        answer = () => resolve(ok({ ...part, found: 9, reach: { records: 50, bytes: 1, complete: true } }));
      });
    },
  } as unknown as Client;
  const results = createResults(client, 't1', () => ({ records: 50, bytes: 1, complete: true }));
  results.search({ text: 'x' });
  expect([results.found, results.done]).toEqual([3, 0.5]);
  results.stop();
  answer?.();
  await idle();
  results.follow();
  expect([results.found, results.running, results.stopped]).toEqual([3, false, true]);
});

/** Resolves after all pending promises. */
function idle(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}
