/**
 * Whether tracebench answers. While it does not the page says so in one place: questions wait, so that panes keep what they show, and
 * are asked again once it is back. What makes or changes something is never done twice, nor later than it was focusRequest: it fails.
 */
import type { RequestDefinition } from '../../shared/requests/request.ts';
import { REQUESTS, type RequestName, type CancelSignal, type Client } from '../../shared/requests/requests.ts';
import type { Failure } from '../../shared/base/result.ts';
import { cancelled } from './client.ts';

export interface Connection {
  /** The same calls, which wait while nobody answers. */
  readonly client: Client;
  /** Why nobody answers, and what to do about it; null while all is well. */
  readonly lost: string | null;
  /** Looks at once whether somebody answers again. */
  readonly look: () => void;
}

/** Settles when it is time to look again, or earlier once `sooner` is called. */
export interface Pause {
  readonly over: Promise<unknown>;
  readonly sooner: () => void;
}

export function createConnection(wire: Client, pause: () => Pause = seconds): Connection {
  let lost = $state.raw<string | null>(null);
  let looking: Promise<boolean> | undefined;
  let resting: Pause | undefined;
  let waiting: (() => void)[] = [];

  /** Whether somebody answers: one question for all who want to know. */
  function isThere(): Promise<boolean> {
    looking ??= ask().finally(() => (looking = undefined));
    return looking;
  }

  async function ask(): Promise<boolean> {
    const answer = await wire.request('formats', {});
    const was = lost;
    lost = answer.ok ? null : (WHY[answer.error.code] ?? answer.error.message);
    if (lost === null) wake();
    else if (was === null) void watch();
    return lost === null;
  }

  async function watch(): Promise<void> {
    while (lost !== null) {
      resting = pause();
      await resting.over;
      await isThere();
    }
  }

  function wake(): void {
    const all = waiting;
    waiting = [];
    for (const go of all) go();
  }

  /** Until somebody answers, or nobody wants to know any more. */
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
        if (isOnce(name) || (there ? failures > 1 : NOW.has(name))) return result;
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
    look: () => resting?.sooner(),
  };
}

/** Failure codes of calls that nobody answered -> what that means. */
const WHY: Readonly<Record<string, string>> = {
  disconnected:
    'Tracebench does not answer: it was ended, or the connection to it was lost. What is shown stays, and goes on once it answers again; if it was ended, start it again and open the address that it prints.',
  refused:
    'Tracebench was started anew, and knows nothing of this page any more. What is shown stays; open the address that it printed to go on.',
  'engine-stopped':
    'Tracebench has stopped working inside. What is shown stays; end it, start it again, and open the address that it prints.',
};

/** Whether a request failed because nobody answered it: what it asked for is as unknown as before. */
export function isUnanswered({ code }: Failure): boolean {
  return code in WHY;
}

function isOnce(name: RequestName): boolean {
  const { once = false }: RequestDefinition = REQUESTS[name];
  return once;
}

/** Reads that changes begin with, so that they would wait with them: who watches a notebook reads it anew once somebody answers. */
const NOW: ReadonlySet<RequestName> = new Set<RequestName>(['notebook']);

const SECONDS = 2;

function seconds(): Pause {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  setTimeout(resolve, SECONDS * 1000, undefined);
  return { over: promise, sooner: () => resolve(undefined) };
}
