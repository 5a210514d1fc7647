// `ask`: requests on standard input, answers on standard output.
import { expect, test } from 'vitest';
import { runInside } from '../run-cli.ts';
import { lines, own, TARMAC } from './driver.ts';

/** The answers to lines of standard input. */
async function answers(...given: readonly (string | object)[]): Promise<readonly Record<string, unknown>[]> {
  const input = given.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
  const { code, stdout, stderr } = await runInside(['ask', TARMAC, '--quiet', ...own()], { input });
  expect([code, stderr]).toEqual([0, '']);
  return stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('ask answers each request in order, with its id', async () => {
  const found = await answers(
    { request: 'records', arguments: { from: 3, count: 2 }, id: 'two' },
    '',
    { request: 'recordAtTime', arguments: { time: 2 }, id: { any: 1 } },
    { request: 'registers', arguments: { at: 3 } },
  );
  const records = await lines(['records', TARMAC, '--from', '3', '--count', '2']);
  expect(found[0]).toMatchObject({ id: 'two', ok: true, value: { records } });
  expect(found[1]).toMatchObject({ id: { any: 1 }, ok: true, value: { n: records[0]!['n'] } });
  expect(found[2]).toMatchObject({ ok: true });
  expect(Object.keys(found[2]!)).toEqual(['ok', 'value']);
  expect(found).toHaveLength(3);
});

test('ask writes lists of numbers as JSON lists', async () => {
  const [overview] = await answers({ request: 'overview', arguments: { columns: 4 } });
  const { edges, counts } = overview!['value'] as { readonly edges: number[]; readonly counts: number[] };
  expect(edges).toEqual([0, 50, 100, 150, 200]);
  // The columns count each of the 200 records once.
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(200);
});

test('ask says what is wrong with a line, and goes on', async () => {
  const found = await answers(
    '{"request": ',
    '[]',
    { id: 1 },
    { request: 'recrds' },
    { request: 'records', arguments: { from: -1, count: 1 }, id: 2 },
    { request: 'records', arguments: 5 },
    { request: 'info', arguments: { trace: 'another' } },
    { request: 'records', arguments: { from: 0, count: 1 } },
  );
  const said = found.map(({ error }) => (error as { readonly message: string } | undefined)?.message);
  expect(said).toEqual([
    expect.stringMatching(/^line 1 is no JSON: /),
    'line 2 must be an object with a request',
    'request must be the name of a request',
    "there is no request 'recrds', perhaps records; docs/scripts.md lists them",
    'records: from must be a whole number from 0 to 9007199254740991.',
    'records: must be an object.',
    expect.stringMatching(/not open/),
    undefined,
  ]);
  expect(found.map(({ id }) => id)).toEqual([undefined, undefined, 1, undefined, 2, undefined, undefined, undefined]);
});
