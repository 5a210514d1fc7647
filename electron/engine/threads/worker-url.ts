/** Returns the URL of a worker's entry module: the source in this folder, or the bundle next to this bundle. */
export function workerUrl(name: string): URL {
  const here = import.meta.url;
  return new URL(here.endsWith('.ts') ? `./${name}.ts` : `./${name}.js`, here);
}
