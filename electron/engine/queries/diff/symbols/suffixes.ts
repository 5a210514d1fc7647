/** Pairs functions of two programs whose names differ in suffixes of compilers (shared/against/compiler-suffixes.ts). */
import { loneNames, nameInOther, type LoneNames } from '../../../../../shared/against/compiler-suffixes.ts';
import type { Images } from '../../../image/images.ts';
import { functionsNamed, isCode } from './function-pairs.ts';

/** Returns the name in the other program of a function that has no namesake there; undefined if there is none, or several could be. */
export type NameInOther = (side: 0 | 1, name: string) => string | undefined;

export function namesWithoutSuffixes(images: readonly [Images, Images]): NameInOther {
  const lone: (LoneNames | undefined)[] = [undefined, undefined];
  return (side, name) => nameInOther(name, loneOf(side), loneOf(side === 0 ? 1 : 0));

  function loneOf(side: 0 | 1): LoneNames {
    return (lone[side] ??= loneNames(namesOnlyIn(images[side], images[side === 0 ? 1 : 0])));
  }
}

/** Yields the name of each function without a namesake in the other program. */
function* namesOnlyIn(images: Images, other: Images): Generator<string, void> {
  for (const name of codeNames(images)) {
    if (functionsNamed(other, name).length > 0) continue;
    yield* functionsNamed(images, name).map(() => name);
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
