import { attached } from '../../trace/attached.svelte.ts';
import type { SpotKind } from './heat.svelte.ts';

interface HeatmapOptions {
  /** The list of the hottest addresses is open; null = if the pane is wide enough. */
  readonly isListed: boolean | null;
  readonly by: SpotKind;
}

/** Options of the heatmap pane, which is created again whenever it comes to the front. */
export const heatmapOptions = attached((): { current: HeatmapOptions } => ({
  current: { isListed: null, by: 'page' },
}));
