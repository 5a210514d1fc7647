/** Where a module lies that a thread loads for itself: the source beside its user, or the bundle flat beside the bundle. */
export function workerUrl(name: string, from: string): URL {
  return new URL(from.endsWith('.ts') ? `./${name}.ts` : `./${name}.js`, from);
}
