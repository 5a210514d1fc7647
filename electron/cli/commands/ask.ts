/** `ask`: answers the requests of a script, so that a thousand questions cost one start of the program. */
import { createInterface } from 'node:readline';
import { checkArguments, isRequestName, REQUESTS, type RequestName } from '../../../shared/requests/requests.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { command } from '../command.ts';
import { suggestion } from '../parse.ts';
import { plainJson } from '../plain-json.ts';
import { withTrace, type OpenTrace } from '../trace.ts';

export const ask = command({
  name: 'ask',
  text: 'Answer requests on standard input, one JSON object a line, for scripts that ask much',
  notes: `A line is {"request": NAME, "arguments": {...}, "id": ANY}. The id is optional, and arguments.trace is this trace by default. Each
answer is one line, in the order of the requests: {"id", "ok": true, "value"}, or {"id", "ok": false, "error": {"code", "message"}}. A wrong
line is answered so, too, and the next one is read. docs/scripts.md describes the requests.`,
  trace: 'needed',
  standsAlone: true,
  options: {},
  async run(context) {
    // A script gets the original text of the trace, as with --json.
    return withTrace({ ...context, client: context.engine }, async (trace) => {
      const indexed = await trace.index();
      if (!indexed.ok) return indexed;
      const lines = createInterface({ input: process.stdin, crlfDelay: Infinity });
      const stop = () => {
        lines.close();
      };
      context.signal.addEventListener('abort', stop);
      let number = 0;
      for await (const line of lines) {
        number++;
        if (line.trim() !== '') await context.out.write(`${plainJson(await answerTo(line, number, trace))}\n`);
        if (context.signal.aborted) break;
      }
      context.signal.removeEventListener('abort', stop);
      return ok(undefined);
    });
  },
});

/** `id`: as in the line; absent if the line has none. */
type Answered = { readonly id?: unknown } & Result<unknown>;

async function answerTo(line: string, number: number, trace: OpenTrace): Promise<Answered> {
  const read = readLine(line, number);
  if (!read.ok) return read;
  const { id, request, args } = read.value;
  return { ...(id !== undefined && { id }), ...(await answer(request, args, trace)) };
}

interface Line {
  readonly id: unknown;
  readonly request: unknown;
  readonly args: unknown;
}

function readLine(line: string, number: number): Result<Line> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return fail('usage', `line ${number} is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return fail('usage', `line ${number} must be an object with a request`);
  const { id, request, arguments: args = {} } = value as Readonly<Record<string, unknown>>;
  return ok({ id, request, args });
}

async function answer(request: unknown, given: unknown, trace: OpenTrace): Promise<Result<unknown>> {
  if (typeof request !== 'string') return fail('usage', 'request must be the name of a request');
  if (!isRequestName(request)) {
    const similar = suggestion(request, Object.keys(REQUESTS));
    return fail('usage', `there is no request '${request}'${similar}; docs/scripts.md lists them`);
  }
  const args = checkArguments(request, withDefaultTrace(request, given, trace.id));
  if (!args.ok) return args;
  return trace.request(request, args.value);
}

/** Adds the trace of the command line where a request is about a trace and names none. */
function withDefaultTrace(request: RequestName, given: unknown, id: string): unknown {
  const isAboutTrace = 'trace' in ((REQUESTS[request].arguments as { entries?: object }).entries ?? {});
  return isAboutTrace && typeof given === 'object' && given !== null ? { trace: id, ...given } : given;
}
