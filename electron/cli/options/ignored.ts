/** `--ignore` of `diff`: names of registers and functions, or addresses. */
import type { DiffQuestion } from '../../../shared/requests/diff.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import type { Context } from '../command.ts';
import type { OpenTrace } from '../trace.ts';
import { addressSpan, spanOf, type Span } from './addresses.ts';

const addresses = addressSpan('', '');

/** Sorts what was given into names, which the engine looks up, and addresses of the first trace. */
export async function ignoredOf(
  context: Context,
  trace: OpenTrace,
  given: readonly string[],
): Promise<Result<Pick<DiffQuestion, 'ignore' | 'ignoreRanges'>>> {
  const names: string[] = [];
  const ranges: Span[] = [];
  for (const text of given) {
    const typed = addresses.read(text, undefined);
    const [reading] = typed?.readings ?? [];
    const isName = reading === undefined || (isWholeName(reading.low) && reading.high === undefined);
    if (typed === undefined || isName) names.push(text);
    else {
      const span = await spanOf(context, trace, typed);
      if (!span.ok) return span;
      ranges.push(span.value);
    }
  }
  return ok({ ...(names.length > 0 && { ignore: names }), ...(ranges.length > 0 && { ignoreRanges: ranges }) });
}

/** Returns true for a name without an offset. */
function isWholeName(place: string | { readonly offset: bigint }): boolean {
  return typeof place !== 'string' && place.offset === 0n;
}
