/** Where a person said that source files are: folders, and paths that are somewhere else on this computer. The view of the trace keeps both. */
import { sourceFolders, sourceMaps } from '../../../shared/requests/source/source.ts';
import { paneOptions } from '../pane-options.svelte.ts';

export interface SourcePlaces {
  /** The one chosen last is searched first. */
  folders: readonly string[];
  maps: readonly { readonly from: string; readonly to: string }[];
}

export const sourcePlaces = paneOptions<SourcePlaces>('source', { folders: sourceFolders, maps: sourceMaps }, () => ({
  folders: [],
  maps: [],
}));
