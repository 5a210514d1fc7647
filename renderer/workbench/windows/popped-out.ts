/** The page of a pane in its own window: it gets its trace from the workbench that opened it, and stays in step with it. */
import type { Client, RequestName } from '../../../shared/requests/requests.ts';
import { ok } from '../../../shared/base/result.ts';
import { listen, post, type Handed } from './messages.ts';

export interface PoppedOut {
  readonly pane: string;
  /** Window of the workbench. */
  readonly workbench: Window;
}

/** Milliseconds between two looks whether the workbench was closed. */
const LOOK = 500;

/** Reads `#pane=ID` of a window that a workbench opened; undefined for any other window. */
export function readPoppedOut(hash: string, opener: Window | null): PoppedOut | undefined {
  const pane = new URLSearchParams(hash.slice(1)).get('pane');
  return pane === null || opener === null ? undefined : { pane, workbench: opener };
}

/** Resolves with the trace to show. The window closes with the workbench. */
export function traceFrom({ workbench }: PoppedOut): Promise<Handed> {
  setInterval(() => {
    if (workbench.closed) window.close();
  }, LOOK);
  return new Promise((resolve) => {
    const stop = listen(workbench, (message) => {
      if (message.tracebench !== 'trace') return;
      stop();
      resolve(message.trace);
    });
    post(workbench, { tracebench: 'ready' });
  });
}

/** Requests that only the workbench makes: it keeps the view of the trace, and closes it. */
const ONLY_WORKBENCH: readonly RequestName[] = ['keepTrace', 'close'];

/** Returns a client that leaves out the requests which only the workbench makes. */
export function withoutWorkbench(client: Client): Client {
  return {
    request(name, args, options) {
      if (ONLY_WORKBENCH.includes(name)) return Promise.resolve(ok({}) as never);
      return client.request(name, args, options);
    },
  };
}
