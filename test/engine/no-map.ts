/**
 * Reason why files cannot be mapped here, or undefined: set-up builds the addon only with a compiler. Map tests skip themselves with
 * this reason.
 */
import { loadMap } from '../../electron/native/map.ts';

const loaded = loadMap();

export const noMap: string | undefined = loaded.ok
  ? undefined
  : `the memory-map addon is not here (${loaded.error.message})`;
