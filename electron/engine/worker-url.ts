/** Where the code of a worker thread lies: the source beside its user, or the bundle flat beside the bundle. */
export function workerUrl(name: string, from: string): URL {
  return new URL(from.endsWith('.ts') ? `./${name}.ts` : `./${name}.js`, from);
}
