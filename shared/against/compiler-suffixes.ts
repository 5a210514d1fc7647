/**
 * Pairs functions that a compiler named differently in two builds: it adds suffixes such as `.constprop.0` or `.isra.0` to the names of copies
 * and parts of functions. Only functions that have no namesake in the other program are paired, and only if there is one on each side.
 */

const SUFFIXES: ReadonlySet<string> = new Set(['constprop', 'isra', 'part', 'cold']);

/** Returns the name without suffixes. The rarely executed part of a function has a name of its own, because it is other code. */
export function withoutSuffixes(name: string): string {
  const parts = name.split('.');
  const found: string[] = [];
  let end = parts.length;
  for (;;) {
    let at = end - 1;
    while (at > 0 && /^\d+$/.test(parts[at]!)) at--;
    if (at < 1 || !SUFFIXES.has(parts[at]!)) break;
    found.push(parts[at]!);
    end = at;
  }
  const plain = parts.slice(0, end).join('.');
  return found[0] === 'cold' ? `${plain}.cold` : plain;
}

/** Names of the functions of a program without a namesake in the other one, by their names without suffixes. */
export type LoneNames = ReadonlyMap<string, readonly string[]>;

/** @param names one for each function without a namesake in the other program */
export function loneNames(names: Iterable<string>): LoneNames {
  return Map.groupBy(names, withoutSuffixes);
}

/** Returns the name in the other program of a function without a namesake there; undefined if there is none, or several could be. */
export function nameInOther(name: string, own: LoneNames, others: LoneNames): string | undefined {
  const key = withoutSuffixes(name);
  const [its, there] = [own.get(key) ?? [], others.get(key) ?? []];
  return its.length === 1 && there.length === 1 ? there[0] : undefined;
}
