/** Why files cannot be mapped here, or nothing: set-up builds the addon where there is a compiler. Tests of it skip with this. */
import { loadMap } from '../../electron/native/map.ts';

const loaded = loadMap();

export const noMap: string | undefined = loaded.ok
  ? undefined
  : `the memory-map addon is not here (${loaded.error.message})`;
