/**
 * Ranks functions by their total cost in all indexed records. Charts take the colours of functions from this rank, so a function keeps
 * its colour in every range, and the most costly functions do not share one.
 */
import type { FunctionId } from '../../../../shared/requests/flow.ts';
import { cachePer } from '../../collections/cache-per.ts';
import type { KnownCalls } from '../../flow/calls.ts';
import { DEEPER, UNKNOWN } from '../../flow/functions/functions.ts';
import { contextTotals } from '../../flow/tally/context-totals.ts';
import type { CallCounts } from '../../flow/tally/call-tally.ts';
import type { NameOf } from './function-names.ts';

/** Maximum number of functions in the rank. */
const MOST_RANKED = 64;

const RANKS = cachePer<{ functions?: readonly number[] }>(() => ({}));

/** Returns the most costly functions, the most costly first. */
export function prominentFunctions(known: KnownCalls, name: NameOf): readonly FunctionId[] {
  const rank = RANKS(known);
  rank.functions ??= ranked(known);
  return rank.functions.map((fn) => name(fn).id);
}

function ranked({ functions: { count }, tally }: KnownCalls): readonly number[] {
  const totals = totalsOf(tally, count);
  return Array.from({ length: count }, (_, fn) => fn)
    .filter((fn) => fn !== DEEPER && fn !== UNKNOWN && (totals[fn] ?? 0) > 0)
    .sort((a, b) => totals[b]! - totals[a]! || a - b)
    .slice(0, MOST_RANKED);
}

/** Returns the total cost of each function. If stacks were switched, totals from the tree are more accurate than the running totals. */
export function totalsOf({ contexts, total }: CallCounts, count: number): ArrayLike<number> {
  return contexts.cut ? total.values : contextTotals(contexts, count);
}
