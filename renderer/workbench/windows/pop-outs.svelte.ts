/**
 * Panes of the workbench in windows of their own. Such a window is a page of its own (renderer/workbench/windows/popped-out.ts), because
 * components cannot be moved to the document of another window. It closes with its trace and with the workbench, and when it closes, its
 * pane returns to the workbench.
 */
import type { Layout } from '../layout.svelte.ts';
import type { ThemeStore } from '../theme.svelte.ts';
import type { Trace } from '../../trace/trace.svelte.ts';
import { captureTraceView } from '../trace-view.ts';
import { link, type Link } from './link.svelte.ts';
import { listen, post } from './messages.ts';

export interface PopOuts {
  /** Opens a window for a pane. Returns the reason if the browser refuses it. */
  readonly open: (
    trace: Trace,
    pane: string,
    size: { readonly width: number; readonly height: number },
  ) => string | null;
  /** Shows the window of a pane. Returns false if it has none. */
  readonly show: (trace: Trace, pane: string) => boolean;
  readonly close: (trace: Trace, pane: string) => void;
  readonly closeAll: () => void;
}

interface PopOut {
  readonly trace: Trace;
  readonly pane: string;
  readonly window: Window;
  readonly end: () => void;
}

/** Smallest size of a new window in pixels. */
const LEAST_WIDTH = 480;
const LEAST_HEIGHT = 380;
/** Milliseconds between two looks whether a window was closed. A closed window sends no event. */
const LOOK = 300;

/** @param traces returns the open traces */
export function createPopOuts(layout: Layout, theme: ThemeStore, traces: () => readonly Trace[]): PopOuts {
  let all: readonly PopOut[] = [];
  let looking: ReturnType<typeof setInterval> | undefined;

  function look(): void {
    for (const one of all) if (one.window.closed || !traces().includes(one.trace)) end(one);
  }

  function end(one: PopOut): void {
    all = all.filter((other) => other !== one);
    one.end();
    one.window.close();
    layout.setPoppedOut(one.trace.id, one.pane, false);
    if (all.length > 0) return;
    clearInterval(looking);
    looking = undefined;
  }

  function find(trace: Trace, pane: string): PopOut | undefined {
    return all.find((one) => one.trace === trace && one.pane === pane);
  }

  return {
    open(trace, pane, { width, height }) {
      const address = new URL(`#${new URLSearchParams({ pane }).toString()}`, location.href).href;
      const popup = window.open(
        address,
        '_blank',
        `popup,width=${Math.max(LEAST_WIDTH, Math.round(width))},height=${Math.max(LEAST_HEIGHT, Math.round(height))}`,
      );
      if (!popup)
        return 'The browser does not allow another window. Allow pop-up windows for this page, and try again.';
      let links: Link | undefined;
      const stop = listen(popup, (message) => {
        if (message.tracebench === 'ready') {
          const view = JSON.stringify(captureTraceView(trace, layout.onlyPane(pane)));
          const { source, opened } = trace;
          post(popup, { tracebench: 'trace', trace: { source, opened: { ...opened, reach: trace.reach }, view } });
          links?.stop();
          links = link(trace, theme, (state) => post(popup, { tracebench: 'state', state }));
        } else if (message.tracebench === 'state') links?.receive(message.state);
      });
      const one: PopOut = {
        trace,
        pane,
        window: popup,
        end() {
          stop();
          links?.stop();
        },
      };
      all = [...all, one];
      looking ??= setInterval(look, LOOK);
      layout.setPoppedOut(trace.id, pane, true);
      return null;
    },
    show(trace, pane) {
      const found = find(trace, pane);
      found?.window.focus();
      return found !== undefined;
    },
    close(trace, pane) {
      const found = find(trace, pane);
      if (found) end(found);
    },
    closeAll() {
      for (const one of all) end(one);
    },
  };
}
