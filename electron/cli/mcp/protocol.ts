/**
 * Model Context Protocol (https://modelcontextprotocol.io/specification/2025-11-25), the side of a server on standard input and output: one
 * JSON-RPC 2.0 message per line. Requests are answered as they are done, in any order.
 */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { suggestion } from '../parse.ts';
import { jsonValue } from '../../../shared/base/json-value.ts';

/** Revisions that differ in nothing this server uses; the newest first. */
const REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;

/** Codes of JSON-RPC 2.0, section 5.1. */
const CODE = { parse: -32_700, invalid: -32_600, noMethod: -32_601, arguments: -32_602, internal: -32_603 } as const;

export interface Server {
  readonly version: string;
  /** Text for a model before its first call. */
  readonly instructions: string;
  readonly tools: readonly ToolListing[];
  /** Runs a tool of the list. A text that says what is wrong is an answer, too: the model can try again. */
  call(name: string, args: unknown, call: Call): Promise<ToolAnswer>;
}

export interface ToolListing {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly inputSchema: object;
}

export interface Call {
  readonly signal: AbortSignal;
  /** Reports how far a long call is; `done` of `total` in any unit. */
  progress(done: number, total: number, what: string): void;
}

export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
}

type Id = string | number;
type Params = Readonly<Record<string, unknown>>;

/** Serves until the input ends or `signal` is aborted. `write` takes a line. */
export async function serve(
  server: Server,
  input: Readable,
  write: (line: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const calls = new Map<Id, AbortController>();
  const lines = createInterface({ input, crlfDelay: Infinity });
  const stop = (): void => {
    lines.close();
    for (const call of calls.values()) call.abort();
  };
  signal.addEventListener('abort', stop);
  const answers = new Set<Promise<void>>();
  for await (const line of lines) {
    if (signal.aborted) break;
    if (line.trim() === '') continue;
    const answer = take(line).finally(() => answers.delete(answer));
    answers.add(answer);
  }
  signal.removeEventListener('abort', stop);
  // The answers to what was sent before the input ended are still wanted.
  await Promise.all(answers);

  async function take(line: string): Promise<void> {
    const message = jsonValue(line);
    if (message === undefined) return refuse(null, CODE.parse, 'the line is no JSON');
    if (!isRequest(message)) return refuse(null, CODE.invalid, 'a message must be an object with a method');
    const { id, method, params = {} } = message;
    if (id === undefined) {
      if (method === 'notifications/cancelled') calls.get(params['requestId'] as Id)?.abort();
      return;
    }
    switch (method) {
      case 'initialize':
        return reply(id, {
          protocolVersion: REVISIONS.find((one) => one === params['protocolVersion']) ?? REVISIONS[0],
          capabilities: { tools: {} },
          serverInfo: { name: 'tracebench', title: 'Tracebench', version: server.version },
          instructions: server.instructions,
        });
      case 'ping':
        return reply(id, {});
      case 'tools/list':
        return reply(id, { tools: server.tools.map((tool) => ({ ...tool, annotations: READ_ONLY })) });
      case 'tools/call':
        return callTool(id, params);
      default:
        return refuse(id, CODE.noMethod, `there is no method '${method}'`);
    }
  }

  async function callTool(id: Id, { name, arguments: args = {}, _meta: meta }: Params): Promise<void> {
    const names = server.tools.map((tool) => tool.name);
    if (typeof name !== 'string' || !names.includes(name))
      return refuse(id, CODE.arguments, `there is no tool '${String(name)}'${suggestion(String(name), names)}`);
    const token = (meta as { readonly progressToken?: Id } | undefined)?.progressToken;
    const control = new AbortController();
    calls.set(id, control);
    try {
      const { text, isError } = await server.call(name, args, {
        signal: control.signal,
        progress(done, total, message) {
          if (token === undefined) return;
          void send({
            method: 'notifications/progress',
            params: { progressToken: token, progress: done, total, message },
          });
        },
      });
      // A cancelled request has no answer.
      if (!control.signal.aborted) await reply(id, { content: [{ type: 'text', text }], isError });
    } catch (error) {
      await refuse(id, CODE.internal, `internal error: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      calls.delete(id);
    }
  }

  function reply(id: Id, result: object): Promise<void> {
    return send({ id, result });
  }

  function refuse(id: Id | null, code: number, message: string): Promise<void> {
    return send({ id, error: { code, message } });
  }

  function send(message: object): Promise<void> {
    return write(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }
}

/** Hints for clients that let people allow some tools without a question. */
const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;

interface Request {
  readonly id?: Id;
  readonly method: string;
  readonly params?: Params;
}

function isRequest(message: unknown): message is Request {
  if (typeof message !== 'object' || message === null) return false;
  const { id, method, params = {} } = message as { readonly [K in keyof Request]: unknown };
  const isId = id === undefined || typeof id === 'string' || typeof id === 'number';
  return typeof method === 'string' && isId && typeof params === 'object' && params !== null;
}
