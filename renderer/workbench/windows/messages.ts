/** Messages between the window of the workbench and the windows of single panes. Both are pages of this program. */
import type { Opened } from '../../../shared/requests/requests.ts';
import type { Source } from '../../trace/trace-base.ts';
import type { Shared } from './link.svelte.ts';

/** The trace that a window of a pane shows. The engine has it open for the workbench. */
export interface Handed {
  readonly source: Source;
  readonly opened: Opened;
  /** View as JSON, see `captureTraceView`. */
  readonly view: string;
}

export type Message =
  /** From a window of a pane that is ready for its trace. */
  | { readonly tracebench: 'ready' }
  | { readonly tracebench: 'trace'; readonly trace: Handed }
  | { readonly tracebench: 'state'; readonly state: Shared };

/** Calls back with messages from one window. Returns a function that ends this. */
export function listen(from: Window, heard: (message: Message) => void): () => void {
  function onmessage({ source, origin, data }: MessageEvent<unknown>): void {
    if (source !== from || origin !== location.origin) return;
    if (typeof data === 'object' && data !== null && 'tracebench' in data) heard(data as Message);
  }
  addEventListener('message', onmessage);
  return () => removeEventListener('message', onmessage);
}

export function post(to: Window, message: Message): void {
  to.postMessage(message, location.origin);
}
