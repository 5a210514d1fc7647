/** The question of a comparison, as the options of its pane have it. */
import type { Aligning } from '../../../../shared/requests/diff.ts';
import { parseAddress, toHex, type Hex } from '../../../../shared/base/units.ts';
import type { compareOptions } from '../../../trace/compare-options.ts';

type Options = Pick<ReturnType<typeof compareOptions>, 'cpu' | 'by' | 'ignore' | 'confirm'>;

/** Returns the arguments of `diff` that decide what is aligned and what differs. */
export function questionOf({ cpu, by, ignore, confirm }: Options): Aligning {
  const ranges = ignore.flatMap((text) => rangeOf(text) ?? []);
  const names = ignore.filter((text) => rangeOf(text) === undefined);
  return {
    ...(cpu !== undefined && { cpu }),
    ...(by !== 'values' && { by }),
    ...(names.length > 0 && { ignore: names }),
    ...(ranges.length > 0 && { ignoreRanges: ranges }),
    ...(confirm && { confirm }),
  };
}

/** Returns the addresses `0x8000-0x80ff` or `0x8000`, both ends included; undefined for a name. */
export function rangeOf(text: string): { readonly low: Hex; readonly high: Hex } | undefined {
  const [, from, to] = /^(0x[0-9a-f_]+)(?:\s*-\s*(0x[0-9a-f_]+))?$/i.exec(text.trim()) ?? [];
  const low = from === undefined ? undefined : parseAddress(from);
  const high = to === undefined ? low : parseAddress(to);
  return low === undefined || high === undefined ? undefined : { low: toHex(low), high: toHex(high) };
}

/** Returns a sentence that says why a text cannot be ignored; undefined if it can, as far as the page knows. */
export function refusalOf(text: string, ignored: readonly string[]): string | undefined {
  const range = rangeOf(text);
  if (range && BigInt(range.high) < BigInt(range.low)) return 'The last address is before the first one.';
  if (range === undefined && /^(?:0x|\d)/i.test(text.trim()))
    return 'Type addresses in hexadecimal, such as 0x8000-0x80ff.';
  return ignored.includes(text.trim()) ? `${text.trim()} is ignored already.` : undefined;
}
