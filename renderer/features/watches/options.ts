import { attached } from '../../trace/attached.svelte.ts';

/** `values`: all watches at the cursor. `history` and `plot`: the chosen watch in the range of the charts. */
export type WatchView = 'values' | 'history' | 'plot';

interface WatchOptions {
  readonly view: WatchView;
}

/** Options of the Watches pane, which is created again whenever it comes to the front. */
export const watchOptions = attached((): { current: WatchOptions } => ({ current: { view: 'values' } }));
