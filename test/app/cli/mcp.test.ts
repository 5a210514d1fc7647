// `mcp`: the tools of a language model, over standard input and output.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { runInside } from '../run-cli.ts';
import { lines, own, TARMAC, traceOf } from './driver.ts';

type Json = Readonly<Record<string, unknown>>;
interface Answer extends Json {
  readonly id?: unknown;
}

const SAMPLE = dirname(traceOf('tarmac/fault-off-by-one'));

/** Sends messages to `tracebench mcp` with these traces, and returns what it writes, in the order of the ids. */
async function converse(args: readonly string[], messages: readonly object[]): Promise<readonly Answer[]> {
  const input = messages.map((message) => `${JSON.stringify(message)}\n`).join('');
  const { code, stdout, stderr } = await runInside(['mcp', ...args, '--quiet', ...own()], { input });
  expect([code, stderr]).toEqual([0, '']);
  const answers = stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Answer);
  return answers.sort((a, b) => Number(a.id) - Number(b.id));
}

interface Said {
  readonly text: string;
  readonly isError: boolean;
}

/** Calls tools, and returns the text of each answer. */
async function calls(
  args: readonly string[],
  ...wanted: readonly (readonly [string, Json])[]
): Promise<readonly Said[]> {
  const answers = await converse(
    args,
    wanted.map(([name, given], id) => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: { name, arguments: given },
    })),
  );
  return answers.map(({ result }) => {
    const { content, isError } = result as { readonly content: readonly Said[]; readonly isError: boolean };
    const { text } = content[0]!;
    expect(text.length).toBeLessThanOrEqual(8000);
    return { text, isError };
  });
}

const found = async (args: readonly string[], name: string, given: Json): Promise<Json> => {
  const [{ text, isError }] = (await calls(args, [name, given])) as [Said];
  expect([text, isError]).toEqual([text, false]);
  return JSON.parse(text) as Json;
};

/**
 * The messages of a client made with @modelcontextprotocol/sdk 1.x, which was started with the trace and its program in the folder of the
 * sample, and the answers at that time. Answers about the version of the program and texts for models may change.
 */
test('answers a conversation that a client of the official library had', async () => {
  const recorded = readFileSync(fileURLToPath(new URL('mcp-conversation.jsonl', import.meta.url)), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { readonly from: 'client' | 'server'; readonly message: Answer });
  const of = (side: string): Answer[] => recorded.filter(({ from }) => from === side).map(({ message }) => message);
  const answers = await converse([join(SAMPLE, 'trace.txt'), '--image', join(SAMPLE, 'program.elf')], of('client'));
  const expected = of('server');
  const ids = of('client').flatMap(({ id }) => (id === undefined ? [] : [id]));
  expect(answers.map(({ id }) => id)).toEqual(ids);
  const [initialized, list, ...called] = answers;
  expect((initialized!['result'] as Json)['protocolVersion']).toBe('2025-11-25');
  const names = (answer: Answer): unknown[] =>
    ((answer['result'] as Json)['tools'] as readonly Json[]).map(({ name }) => name);
  expect(names(list!)).toEqual(names(expected.find(({ id }) => id === list!.id)!));
  expect(called).toEqual(expected.filter(({ id }) => Number(id) >= Number(called[0]!.id)));
});

test('pages of records are those of the command line', async () => {
  const seen: unknown[] = [];
  for (let cursor: unknown = '0'; cursor !== undefined;) {
    const page = await found([TARMAC], 'records', { from: 5, count: 120, cursor });
    seen.push(...(page['records'] as readonly Json[]).map(({ n, native, evidence }) => [n, native, evidence]));
    cursor = page['next'];
  }
  const records = await lines(['records', TARMAC, '--from', '5', '--count', '120']);
  expect(seen).toEqual(
    records.map(({ n, native, offset }) => [n, native, `recorded at byte ${String(offset)} of the trace`]),
  );
});

test('a search goes on in its direction', async () => {
  const all = (await lines(['find', TARMAC, '--kind', 'write', '--limit', '1000'])).map(({ n }) => n);
  for (const [start, order] of [
    [{}, all],
    [{ before: 1e6 }, all.toReversed()],
  ] as const) {
    const seen: unknown[] = [];
    for (let cursor: unknown = '0'; cursor !== undefined;) {
      const page = await found([TARMAC], 'find', { ...start, kinds: ['write'], limit: 4, cursor });
      seen.push(...(page['records'] as readonly Json[]).map(({ n }) => n));
      cursor = page['next'];
    }
    expect(seen).toEqual(order);
  }
});

test('compares two of its traces, and knows no others', async () => {
  const other = traceOf('tarmac/fault-stray-write');
  const paths = [join(SAMPLE, 'trace.txt'), other];
  const [info, diff, unknown] = await calls(
    paths,
    ['info', { trace: other }],
    ['diff', { trace: paths[0]!, other }],
    ['info', { trace: '/etc/passwd' }],
  );
  expect(JSON.parse(info!.text)).toMatchObject({ file: 'trace.txt' });
  expect(JSON.parse(diff!.text)).toMatchObject({
    same: false,
    first_difference_of_paths: expect.any(Object) as object,
  });
  expect(unknown).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^info: trace must be one of /) as string,
  });
});

test('says what is wrong with a call', async () => {
  const said = await calls(
    [TARMAC],
    ['records', {}],
    ['records', { from: -1 }],
    ['records', { fro: 1 }],
    ['registers', { at: 200 }],
    ['memory', { at: 1, address: 'main' }],
    ['last_write', { at: 1 }],
    ['why', { at: 1, register: 'r0', address: '0x10' }],
    ['find', { kinds: ['written'] }],
    ['records', { from: 0, cursor: 'x' }],
    ['coverage', {}],
  );
  expect(said.map(({ isError }) => isError)).toEqual(said.map(() => true));
  expect(said.map(({ text }) => text)).toEqual([
    'records: from is missing',
    'records: from must be a whole number from 0 to 9007199254740991',
    "records: there is no argument 'fro', perhaps from",
    'registers: there is no record 200; the trace has 200, numbered from 0',
    "address must be 0x and hexadecimal digits, or a decimal number, not 'main'",
    'give an address or a register, and not both',
    'why: give a register, an address or pc, and only one of them',
    expect.stringMatching(/^find: kinds must be a list of one of instruction, /),
    "records: cursor must be the `next` of an answer, not 'x'",
    expect.stringMatching(/image/),
  ]);
});

test('a trace that cannot be read is the answer to each call', async () => {
  const [first, second] = await calls(['/no/such/trace.txt'], ['info', {}], ['records', { from: 0 }]);
  expect(first).toMatchObject({ isError: true, text: expect.stringContaining('/no/such/trace.txt') as string });
  expect(second).toEqual(first);
});

test('sql answers in rows with names, in both bases, and says what is wrong', async () => {
  const [rows, wrong, twice] = await calls(
    [TARMAC],
    ['sql', { sql: 'SELECT n, address, n FROM records WHERE n IN (3, 4) ORDER BY n' }],
    ['sql', { sql: 'SELECT nothing FROM records' }],
    ['sql', { sql: 'SELECT kind, count(*) AS records FROM records GROUP BY kind ORDER BY kind', limit: 2 }],
  );
  const records = await lines(['records', TARMAC, '--from', '3', '--count', '2']);
  const cell = (address: unknown) => (typeof address === 'string' ? `${address} (${String(BigInt(address))})` : null);
  expect(JSON.parse(rows!.text)).toMatchObject({
    rows: records.map(({ n, address }) => ({ n, address: cell(address), 'n 2': n })),
    of: 2,
  });
  expect(wrong).toMatchObject({ isError: true, text: expect.stringMatching(/nothing/) as string });
  expect(JSON.parse(twice!.text)).toMatchObject({
    shown: 2,
    note: expect.stringMatching(/more than 2 rows/) as string,
  });
});

test('the report has no data for programs and no files', async () => {
  const [page] = await calls([TARMAC], ['report', {}]);
  expect(page!.text).toMatch(/^# trace\.txt\n/);
  expect(page!.text).not.toMatch(/<!--|!\[/);
});
