/** Loads the largest modules of the program, each into a thread that a few lines start. */
import { fileURLToPath } from 'node:url';
import { loadScript } from '../../kept-code.ts';

/** Returns the exports of the source in this folder, or of the bundle next to this bundle. */
export async function loadThread<Exports>(name: 'engine-thread' | 'decode-thread'): Promise<Exports> {
  const here = import.meta.url;
  const exported = here.endsWith('.ts')
    ? ((await import(new URL(`./${name}.ts`, here).href)) as unknown)
    : loadScript(fileURLToPath(new URL(`./${name}.cjs`, here)));
  return exported as Exports;
}
