/** An engine controlled by the test, for tests of the page's stores: each request about an open trace waits until the test answers it. */
import { createTrace } from '../../renderer/trace/trace.svelte.ts';
import type { Answer, RequestName, RequestOptions, Client, Opened, Reach } from '../../shared/requests/requests.ts';
import { fail, type Result } from '../../shared/base/result.ts';

export const WHOLE: Reach = { records: 1000, bytes: 10_000, complete: true };

const OPENED: Omit<Opened, 'reach'> = {
  trace: 't1',
  file: { path: 'run.txt', bytes: 10_000 },
  format: { id: 'tarmac', name: 'Tarmac', confidence: 1, reasons: [], options: {} },
  notices: [],
};

export interface Requested {
  readonly name: RequestName;
  readonly args: object;
  readonly signal: RequestOptions<RequestName>['signal'];
  /** Reports progress of the request. */
  readonly report: (event: object) => void;
  /** Answers the request, or fails it without a value. Resolves once the stores have processed the answer. */
  readonly answer: (value?: unknown) => Promise<void>;
}

export function playEngine(reach: Reach = WHOLE) {
  const requested: Requested[] = [];
  const announced: string[] = [];
  const client: Client = {
    request: <N extends RequestName>(name: N, args: object, options: RequestOptions<N> = {}) =>
      new Promise<Result<Answer<N>>>((resolve) => {
        const answer = async (value?: unknown): Promise<void> => {
          resolve(value === undefined ? fail('broken', 'The trace is gone.') : { ok: true, value: value as Answer<N> });
          await idle();
        };
        const { onEvent } = options as { readonly onEvent?: (event: object) => void };
        requested.push({ name, args, signal: options.signal, report: (event) => onEvent?.(event), answer });
      }),
  };
  const report = (text: string): unknown => text !== '' && announced.push(text);
  const trace = createTrace(client, { path: 'run.txt' }, { ...OPENED, reach }, report);
  const of = (name: RequestName): readonly Requested[] => requested.filter((call) => call.name === name);
  const last = (name: RequestName): Requested => {
    const found = of(name).at(-1);
    if (found === undefined) throw new Error(`unexpected request ${name}`);
    return found;
  };
  return { trace, announced, requested: requested, of, last };
}

/** More turns than any chain of answers needs. */
export async function idle(): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) await Promise.resolve();
}
