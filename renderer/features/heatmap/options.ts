import { flag, oneOf } from '../../../shared/requests/schema.ts';
import { paneOptions } from '../../trace/pane-options.svelte.ts';
import type { SpotKind } from './heat.svelte.ts';

interface HeatmapOptions {
  /** The list of the hottest addresses is open; null = if the pane is wide enough. */
  isListed: boolean | null;
  by: SpotKind;
  asTable: boolean;
}

export const heatmapOptions = paneOptions<HeatmapOptions>(
  'heatmap',
  { isListed: flag, by: oneOf(['page', 'symbol']), asTable: flag },
  () => ({ isListed: null, by: 'page', asTable: false }),
);
