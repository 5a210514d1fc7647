/** Where a person said that source files are: folders, and paths that are somewhere else on this computer. The view of the trace keeps both. */
import { MOST_SOURCE_PLACES, sourceFolders, sourceMaps } from '../../../shared/requests/source/source.ts';
import { paneOptions } from '../pane-options.svelte.ts';
import type { TraceBase } from '../trace-base.ts';

export interface SourcePlaces {
  /** The one chosen last is searched first. */
  folders: readonly string[];
  maps: readonly { readonly from: string; readonly to: string }[];
}

export const sourcePlaces = paneOptions<SourcePlaces>('source', { folders: sourceFolders, maps: sourceMaps }, () => ({
  folders: [],
  maps: [],
}));

/** Adds a folder as the one that was chosen last. */
export function withFolder(folders: readonly string[], chosen: string): readonly string[] {
  return [chosen, ...folders.filter((other) => other !== chosen)].slice(0, MOST_SOURCE_PLACES);
}

/** Chooses the folders that were named with the trace, as if a person had entered them in the Source pane, the first one last. */
export function chooseNamedFolders(trace: TraceBase): void {
  const { folders = [] } = trace.source;
  if (folders.length === 0) return;
  const places = sourcePlaces(trace);
  places.folders = folders.toReversed().reduce(withFolder, places.folders);
}
