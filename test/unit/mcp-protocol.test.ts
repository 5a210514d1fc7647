/** The protocol of `tracebench mcp` without a trace: what a client may send, and what comes back. */
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { serve, type Call, type Server } from '../../electron/cli/mcp/protocol.ts';

type Message = Readonly<Record<string, unknown>>;

/** A server with one tool, `echo`, and the lines that it writes. */
function started(call: Server['call'] = (_, args) => Promise.resolve({ text: JSON.stringify(args), isError: false })) {
  const input = new PassThrough();
  const written: Message[] = [];
  const tools = [
    { name: 'echo', title: 'Echo', description: 'Returns its arguments.', inputSchema: { type: 'object' } },
  ];
  const write = (line: string): Promise<void> => {
    expect(line).not.toContain('\n');
    written.push(JSON.parse(line) as Message);
    return Promise.resolve();
  };
  const done = serve(
    { version: '9.9', instructions: 'Read.', tools, call },
    input,
    write,
    new AbortController().signal,
  );
  return {
    written,
    send: (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    line: (text: string) => input.write(`${text}\n`),
    async end() {
      input.end();
      await done;
      return written;
    },
  };
}

test('agrees on the revision of the client, or offers its newest', async () => {
  const client = started();
  for (const [id, protocolVersion] of ['2025-06-18', '2024-11-05', '1999-01-01', undefined].entries())
    client.send({
      id,
      method: 'initialize',
      params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test' } },
    });
  client.send({ method: 'notifications/initialized' });
  const results = (await client.end()).map(({ result }) => result as Message);
  expect(results.map(({ protocolVersion }) => protocolVersion)).toEqual([
    '2025-06-18',
    '2024-11-05',
    '2025-11-25',
    '2025-11-25',
  ]);
  expect(results[0]).toMatchObject({
    capabilities: { tools: {} },
    serverInfo: { name: 'tracebench', version: '9.9' },
    instructions: 'Read.',
  });
});

test('refuses what is no request, and goes on', async () => {
  const client = started();
  client.line('{"jsonrpc": ');
  client.line('[]');
  client.line('');
  client.send({ id: {}, method: 'ping' });
  client.send({ id: 'a', method: 'resources/list' });
  client.send({ id: 'b', method: 'tools/call', params: { name: 'ecko' } });
  client.send({ id: 'c', method: 'ping' });
  const answers = await client.end();
  expect(answers.map(({ id, error }) => [id, (error as Message | undefined)?.['code']])).toEqual([
    [null, -32_700],
    [null, -32_600],
    [null, -32_600],
    ['a', -32_601],
    ['b', -32_602],
    ['c', undefined],
  ]);
  expect((answers[4]!['error'] as Message)['message']).toBe("there is no tool 'ecko', perhaps echo");
});

test('lists tools as only reading, and calls them', async () => {
  const client = started();
  client.send({ id: 1, method: 'tools/list' });
  client.send({ id: 2, method: 'tools/call', params: { name: 'echo', arguments: { at: 3 } } });
  const [list, call] = await client.end();
  expect(list).toMatchObject({
    result: { tools: [{ name: 'echo', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }] },
  });
  expect(call).toEqual({
    jsonrpc: '2.0',
    id: 2,
    result: { content: [{ type: 'text', text: '{"at":3}' }], isError: false },
  });
});

test('a cancelled call has no answer, and others are answered meanwhile', async () => {
  let begun: (call: Call) => void = () => undefined;
  const call = new Promise<Call>((resolve) => (begun = resolve));
  const client = started(async (_, __, call) => {
    begun(call);
    await new Promise<void>((resolve) => {
      call.signal.addEventListener('abort', () => {
        resolve();
      });
    });
    return { text: 'too late', isError: false };
  });
  client.send({ id: 7, method: 'tools/call', params: { name: 'echo', _meta: { progressToken: 'p' } } });
  (await call).progress(1, 4, 'indexing');
  client.send({ id: 8, method: 'ping' });
  client.send({ method: 'notifications/cancelled', params: { requestId: 7 } });
  expect(await client.end()).toEqual([
    {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'p', progress: 1, total: 4, message: 'indexing' },
    },
    { jsonrpc: '2.0', id: 8, result: {} },
  ]);
});
