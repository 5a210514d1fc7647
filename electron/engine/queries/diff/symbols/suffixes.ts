/**
 * Pairs functions that a compiler named differently in two builds: it adds suffixes such as `.constprop.0` or `.isra.0` to the names of copies
 * and parts of functions. Only functions that have no namesake in the other program are paired, and only if there is one on each side.
 */
import type { Images } from '../../../image/images.ts';
import { functionsNamed, isCode } from './function-pairs.ts';

/** Returns the name in the other program of a function that has no namesake there; undefined if there is none, or several could be. */
export type NameInOther = (side: 0 | 1, name: string) => string | undefined;

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

export function namesWithoutSuffixes(images: readonly [Images, Images]): NameInOther {
  const lone: (ReadonlyMap<string, readonly string[]> | undefined)[] = [undefined, undefined];
  return (side, name) => {
    const key = withoutSuffixes(name);
    const [own, others] = [loneOf(side).get(key) ?? [], loneOf(side === 0 ? 1 : 0).get(key) ?? []];
    return own.length === 1 && others.length === 1 ? others[0] : undefined;
  };

  /** Names of functions without a namesake in the other program, by their names without suffixes. Each function has its name once. */
  function loneOf(side: 0 | 1): ReadonlyMap<string, readonly string[]> {
    const known = lone[side];
    if (known !== undefined) return known;
    const found = new Map<string, string[]>();
    const other = images[side === 0 ? 1 : 0];
    for (const name of codeNames(images[side])) {
      if (functionsNamed(other, name).length > 0) continue;
      const key = withoutSuffixes(name);
      const names = functionsNamed(images[side], name).map(() => name);
      found.set(key, [...(found.get(key) ?? []), ...names]);
    }
    lone[side] = found;
    return found;
  }
}

function codeNames({ list }: Images): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { symbols } of list)
    for (let i = 0; i < symbols.count; i++) {
      const symbol = symbols.symbol(i);
      if (isCode(symbol)) names.add(symbol.name);
    }
  return names;
}
