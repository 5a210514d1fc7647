/**
 * Watches the connection to Tracebench. While it is lost, the page says so in one place; queries wait, so that panes keep what they
 * show, and are repeated after it returns. A request that changes something fails instead: it is never repeated or delayed.
 */
import type { RequestDefinition } from '../../shared/requests/request.ts';
import { REQUESTS, type RequestName, type CancelSignal, type Client } from '../../shared/requests/requests.ts';
import type { Failure } from '../../shared/base/result.ts';
import { cancelled } from './client.ts';

export interface Connection {
  /** Client whose queries wait while the connection is lost. */
  readonly client: Client;
  /** Message about a lost connection and what to do; null while connected. */
  readonly lost: string | null;
  /** Checks the connection now. */
  readonly check: () => void;
}

/** Pause between two checks. `over` resolves when it ends, which `sooner` brings about at once. */
export interface Pause {
  readonly over: Promise<unknown>;
  readonly sooner: () => void;
}

export function createConnection(wire: Client, pause: () => Pause = shortPause): Connection {
  let lost = $state.raw<string | null>(null);
  let checking: Promise<boolean> | undefined;
  let pausing: Pause | undefined;
  let waiting: (() => void)[] = [];

  /** Returns true if Tracebench answers. Concurrent callers share one request. */
  function isThere(): Promise<boolean> {
    checking ??= check().finally(() => (checking = undefined));
    return checking;
  }

  async function check(): Promise<boolean> {
    const answer = await wire.request('formats', {});
    const was = lost;
    lost = answer.ok ? null : (WHY[answer.error.code] ?? answer.error.message);
    if (lost === null) wake();
    else if (was === null) void watch();
    return lost === null;
  }

  async function watch(): Promise<void> {
    while (lost !== null) {
      pausing = pause();
      await pausing.over;
      await isThere();
    }
  }

  function wake(): void {
    const all = waiting;
    waiting = [];
    for (const resume of all) resume();
  }

  /** Resolves when the connection is back, or when the request is cancelled. */
  function back(signal: CancelSignal | undefined): Promise<void> {
    return new Promise((settle) => {
      waiting.push(settle);
      signal?.addEventListener('abort', settle);
    });
  }

  const client: Client = {
    async request(name, args, options = {}) {
      for (let failures = 0; ;) {
        const result = await wire.request(name, args, options);
        if (result.ok || !isUnanswered(result.error)) return result;
        failures += 1;
        const there = await isThere();
        if (isOnce(name) || (there ? failures > 1 : FAIL_AT_ONCE.has(name))) return result;
        if (!there) {
          await back(options.signal);
          failures = 0;
        }
        if (options.signal?.aborted) return cancelled(name);
      }
    },
  };

  return {
    client,
    get lost() {
      return lost;
    },
    check: () => pausing?.sooner(),
  };
}

/** Messages for the failure codes of requests that got no answer. */
const WHY: Readonly<Record<string, string>> = {
  disconnected:
    'Tracebench does not answer: it was closed, or the connection was lost. What you see stays readable and continues when Tracebench answers again. If it was closed, start it again and open the address that it prints.',
  refused:
    'Tracebench was restarted, so this page is disconnected. What you see stays readable. To continue, open the new address that Tracebench printed.',
  'engine-stopped':
    'The engine of Tracebench has stopped. What you see stays readable. To continue, restart Tracebench and open the address that it prints.',
};

/** Returns true if a request failed because it got no answer, so that its result is unknown. */
export function isUnanswered({ code }: Failure): boolean {
  return code in WHY;
}

function isOnce(name: RequestName): boolean {
  const { once = false }: RequestDefinition = REQUESTS[name];
  return once;
}

/** Queries that fail instead of waiting: a change starts with them and must not wait. A watch repeats them later. */
const FAIL_AT_ONCE: ReadonlySet<RequestName> = new Set<RequestName>(['notebook']);

const PAUSE_SECONDS = 2;

function shortPause(): Pause {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  setTimeout(resolve, PAUSE_SECONDS * 1000, undefined);
  return { over: promise, sooner: () => resolve(undefined) };
}
