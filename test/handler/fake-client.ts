// A client that records its requests and answers them by hand, for tests of the wire only.
import type {
  Answer,
  Arguments,
  RequestEvent,
  RequestName,
  RequestOptions,
  Client,
} from '../../shared/requests/requests.ts';
import { fail } from '../../shared/base/result.ts';
import type { Result } from '../../shared/base/result.ts';

export interface Reached {
  readonly name: RequestName;
  readonly args: unknown;
  readonly emit: (event: unknown) => void;
  readonly answer: (result: Result<unknown>) => void;
  readonly aborted: () => boolean;
}

export interface FakeClient extends Client {
  readonly reached: readonly Reached[];
  /** The next request to this client. */
  next(): Promise<Reached>;
}

/** Answers `reply(name, args)` at once, or, if that is undefined, when the test does; an abort answers `cancelled`. */
export function createFakeClient(
  reply: (name: RequestName, args: unknown) => Result<unknown> | undefined = () => undefined,
): FakeClient {
  const reached: Reached[] = [];
  const waiting: ((call: Reached) => void)[] = [];
  return {
    reached,
    next: () => new Promise((settle) => waiting.push(settle)),
    request<N extends RequestName>(name: N, args: Arguments<N>, options: RequestOptions<N> = {}) {
      return new Promise<Result<Answer<N>>>((settle) => {
        const answer = (result: Result<unknown>) => settle(result as Result<Answer<N>>);
        const emit = (event: unknown) => options.onEvent?.(event as RequestEvent<N>);
        const call = { name, args, emit, answer, aborted: () => options.signal?.aborted ?? false };
        options.signal?.addEventListener('abort', () => answer(fail('cancelled', 'The request was cancelled.')));
        reached.push(call);
        waiting.shift()?.(call);
        const ready = reply(name, args);
        if (ready) answer(ready);
      });
    },
  };
}
