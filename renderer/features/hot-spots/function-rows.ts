/** Functions of a profile as rows: filtered by what a person types, in the order of a column. */
import type { Profile, ProfileFunction, ProfilePair } from '../../../shared/requests/profile.ts';
import type { FunctionId } from '../../../shared/requests/flow.ts';
import { group } from '../../../shared/base/numbers.ts';

export const ORDERS = ['self', 'total', 'calls', 'longest', 'name'] as const;
export type Order = (typeof ORDERS)[number];

/** Numbers fall and names rise, or the other way round if reversed. Rows that are alike keep their order. */
export function functionRows(
  functions: readonly ProfileFunction[],
  text: string,
  order: Order,
  isReversed: boolean,
): readonly ProfileFunction[] {
  const wanted = text.trim().toLowerCase();
  const rows = wanted === '' ? [...functions] : functions.filter((one) => matches(one, wanted));
  const sign = isReversed ? -1 : 1;
  if (order === 'name') return rows.sort((a, b) => sign * (a.name < b.name ? -1 : Number(a.name > b.name)));
  return rows.sort((a, b) => sign * (numberOf(b, order) - numberOf(a, order)));
}

function matches({ name, aliases, address }: ProfileFunction, wanted: string): boolean {
  return (
    name.toLowerCase().includes(wanted) ||
    (address?.includes(wanted) ?? false) ||
    aliases.some((alias) => alias.toLowerCase().includes(wanted))
  );
}

function numberOf(one: ProfileFunction, order: Exclude<Order, 'name'>): number {
  return order === 'longest' ? longestOf(one) : one[order];
}

/** Number of records of the longest stay; 0 if it is unknown. */
export function longestOf({ longest }: ProfileFunction): number {
  return longest === undefined ? 0 : longest.to - longest.from;
}

/** The pairs of a function with its callers and its callees, the most expensive first. */
export interface Around {
  readonly callers: readonly ProfilePair[];
  readonly callees: readonly ProfilePair[];
}

export function aroundOf({ pairs }: Profile, id: FunctionId): Around {
  return {
    callers: pairs.filter(({ callee }) => callee === id),
    callees: pairs.filter(({ caller }) => caller === id),
  };
}

/** Returns the uncertainty of counted calls: `3 inferred, 1 known from returns`; empty if nothing is. */
export function doubts({ inferred, unseen }: Pick<ProfilePair, 'inferred' | 'unseen'>): string {
  return [
    ...(inferred === undefined ? [] : [`${group(inferred)} inferred`]),
    ...(unseen === undefined ? [] : [`${group(unseen)} more known from returns`]),
  ].join(', ');
}
