/** Names functions in answers by the symbol at their entry point, or else by their address. */
import type { FunctionId } from '../../../../shared/requests/flow.ts';
import { toHex, type Hex } from '../../../../shared/base/units.ts';
import { DEEPER, UNKNOWN, type Functions } from '../../flow/functions/functions.ts';
import type { Images } from '../../image/images.ts';
import { namesOf, shownName } from '../../image/names/shown-name.ts';

export interface FunctionName {
  readonly id: FunctionId;
  readonly name: string;
  /** Raw name, if it differs. */
  readonly symbol?: string;
  readonly address?: Hex;
  readonly aliases: readonly string[];
}

export type NameOf = (fn: number) => FunctionName;

export function functionNames(images: Images, functions: Functions): NameOf {
  const known = new Map<number, FunctionName>();
  return (fn) => {
    const there = known.get(fn);
    if (there !== undefined) return there;
    const made = nameOf(images, functions, fn);
    known.set(fn, made);
    return made;
  };
}

function nameOf(images: Images, functions: Functions, fn: number): FunctionName {
  const entry = functions.address(fn);
  if (fn === UNKNOWN || entry === undefined) {
    return fn === DEEPER
      ? { id: 'deeper', name: '(deeper calls)', aliases: [] }
      : { id: 'unknown', name: '(unknown)', aliases: [] };
  }
  const address = toHex(entry);
  const [symbol, ...others] = images.symbolsStartingAt(entry);
  const entered = functions.entered(fn);
  const isHandler = entered === 'interrupt' || entered === 'exception';
  const names = symbol ? namesOf(symbol) : { name: isHandler ? `${entered} ${address}` : address };
  return {
    id: address,
    ...names,
    address,
    aliases: [...new Set(others.map(shownName))].filter((alias) => alias !== names.name),
  };
}
