/** Loads the engine into a thread: the largest module of the program. */
import { fileURLToPath } from 'node:url';
import { loadScript } from '../../kept-code.ts';
import type * as EngineThread from './engine-thread.ts';

/** Returns the exports of the source in this folder, or of the bundle next to this bundle. */
export async function loadEngine(): Promise<typeof EngineThread> {
  const here = import.meta.url;
  const engine = here.endsWith('.ts')
    ? ((await import(new URL('./engine-thread.ts', here).href)) as unknown)
    : loadScript(fileURLToPath(new URL('./engine-thread.cjs', here)));
  return engine as typeof EngineThread;
}
