/** Returns the functions, objects and segments of the images in a span of addresses, as labels for address axes. */
import type { Answer, Arguments, NamedSpan } from '../../../../shared/requests/requests.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { toHex } from '../../../../shared/base/units.ts';
import type { NamedStretch } from '../../image/images.ts';
import type { Trace } from '../../trace.ts';

export function names({ images }: Trace, args: Omit<Arguments<'names'>, 'trace'>): Result<Answer<'names'>> {
  const all = images.namesIn(BigInt(args.low), BigInt(args.high));
  const chosen = all.length <= args.most ? all : largest(all, args.most);
  return ok({ names: chosen.map(named), left: all.length - chosen.length });
}

/** Keeps segments first, then the largest names. The result is in address order. */
function largest(all: readonly NamedStretch[], most: number): readonly NamedStretch[] {
  const isLarger = (a: NamedStretch, b: NamedStretch): number => {
    if ((a.kind === 'segment') !== (b.kind === 'segment')) return a.kind === 'segment' ? -1 : 1;
    const difference = b.high - b.low - (a.high - a.low);
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  };
  return all
    .toSorted(isLarger)
    .slice(0, most)
    .sort((a, b) => (a.low < b.low ? -1 : a.low > b.low ? 1 : 0));
}

function named({ low, high, ...name }: NamedStretch): NamedSpan {
  return { ...name, low: toHex(low), high: toHex(high) };
}
