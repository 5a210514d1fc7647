/** Names of symbols as people see them: demangled, unless the image is opened with raw names. Each symbol is demangled when it is first shown. */
import { createLru } from '../../../../shared/base/lru.ts';
import { demangle } from './demangle.ts';

/** Number of demangled names that are remembered. */
const REMEMBERED = 100_000;
const known = createLru<string, string>(REMEMBERED);

interface Named {
  readonly name: string;
  readonly isRaw?: true;
}

/** Returns true if the name is shown demangled, if it is understood. */
export function isDemangled({ name, isRaw }: Named): boolean {
  return isRaw !== true && /^_[RZ]/.test(name);
}

/** Returns the demangled name, or the symbol itself if it is not mangled or not understood. */
export function shownName(symbol: Named): string {
  if (!isDemangled(symbol)) return symbol.name;
  const { name } = symbol;
  const before = known.get(name);
  if (before !== undefined) return before;
  const shown = demangle(name) ?? name;
  known.set(name, shown);
  return shown;
}

/** Returns the fields of an answer that name a symbol: `symbol` is the raw name, if it differs. */
export function namesOf(symbol: Named): { readonly name: string; readonly symbol?: string } {
  const name = shownName(symbol);
  return name === symbol.name ? { name } : { name, symbol: symbol.name };
}
