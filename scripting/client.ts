/**
 * A client for scripts: starts `tracebench ask`, and sends it requests. Their names, arguments and answers are those of
 * shared/requests/requests.ts; lists of numbers arrive as plain arrays. See docs/scripts.md.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Answer, Arguments, RequestName } from '../shared/requests/requests.ts';
import type { Result } from '../shared/base/result.ts';

export type { Hex } from '../shared/base/units.ts';

export interface TraceClient {
  /** Rejects with a RequestError if the request fails. Several can be sent without waiting. */
  request<N extends RequestName>(name: N, args?: OwnArguments<N>): Promise<Listed<Answer<N>>>;
  /** Lets the program end after its last answer. */
  close(): Promise<void>;
}

export interface Settings {
  /** Further arguments of the command line, such as `['--image', 'program.elf']`. */
  readonly args?: readonly string[];
  /** Path of the program's cli.js; by default that of this project, which `npm run setup` builds. */
  readonly program?: string;
}

/** Arguments without the trace, which is that of the client. */
export type OwnArguments<N extends RequestName> = Omit<Arguments<N>, 'trace'>;

/** An answer as JSON has it: lists of numbers, in which NaN is null. */
export type Listed<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends Float64Array
    ? readonly (number | null)[]
    : T extends Uint8Array
      ? readonly number[]
      : { readonly [K in keyof T]: Listed<T[K]> };

export class RequestError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Opens a trace, which is indexed before its first answer. A trace that cannot be read rejects the first request. */
export function openTrace(path: string, { args = [], program = PROGRAM }: Settings = {}): TraceClient {
  const child = spawn(process.execPath, [program, 'ask', path, '--quiet', ...args], { stdio: 'pipe' });
  const waiting: Waiting[] = [];
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complaint += text));
  // The end of the program is reported with its reason, not as a broken pipe.
  child.stdin.on('error', () => undefined);
  createInterface({ input: child.stdout }).on('line', (line) => {
    const answer = JSON.parse(line) as Result<unknown>;
    const next = waiting.shift();
    if (answer.ok) next?.resolve(answer.value);
    else next?.reject(new RequestError(answer.error.code, answer.error.message));
  });
  const ended = new Promise<void>((resolve) => {
    child.on('close', () => {
      const reason = complaint.trim() || 'tracebench has ended';
      for (const { reject } of waiting.splice(0)) reject(new RequestError('ended', reason));
      resolve();
    });
  });

  return {
    request<N extends RequestName>(name: N, args?: OwnArguments<N>) {
      return new Promise<Listed<Answer<N>>>((resolve, reject) => {
        if (!child.stdin.writable) {
          reject(new RequestError('ended', complaint.trim() || 'tracebench has ended'));
          return;
        }
        // The program answers in the order of the requests, so the answer is that of the request.
        waiting.push({ resolve: (value) => resolve(value as Listed<Answer<N>>), reject });
        child.stdin.write(`${JSON.stringify({ request: name, arguments: args ?? {} })}\n`);
      });
    },
    close() {
      child.stdin.end();
      return ended;
    },
  };
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: RequestError) => void;
}

const PROGRAM = fileURLToPath(new URL('../dist/cli.js', import.meta.url));
