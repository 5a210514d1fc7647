/** Splits a text of a row into parts: addresses with symbols, which can be followed, and what searches match. */
import type { Hex } from '../../shared/base/units.ts';
import type { Operand } from './operands.ts';

/** A search whose matches are marked. */
export interface Marking {
  readonly expression: RegExp;
  /** Colour as CSS. */
  readonly colour: string;
  /** The search in a few words. */
  readonly label: string;
}

export interface TextPart {
  readonly text: string;
  /** Searches that match this part; the first one gives it its colour. */
  readonly marks: readonly Marking[];
  readonly address?: Hex;
  /** Symbol of the address, on its last part; absent if the text itself gives it there, as `8168 <copy+0xc>` does. */
  readonly symbol?: string;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** @param operands addresses in the text, in their order; those without a symbol stay plain */
export function partsOf(
  text: string,
  operands: readonly Operand[] = [],
  symbolAt: (address: Hex) => string | undefined = () => undefined,
  markings: readonly Marking[] = [],
): readonly TextPart[] {
  const links = linksIn(operands, symbolAt);
  const matches = markings.flatMap((marking) => matchesOf(text, marking));
  const cuts = new Set([0, text.length, ...[...links, ...matches].flatMap(({ from, to }) => [from, to])]);
  const places = [...cuts].sort((a, b) => a - b);
  return places.slice(0, -1).map((from, at) => {
    const to = places[at + 1] ?? from;
    const marks = matches.filter((match) => match.from <= from && to <= match.to).map(({ marking }) => marking);
    const link = links.find((its) => its.from <= from && to <= its.to);
    return {
      text: text.slice(from, to),
      marks,
      ...(link && { address: link.address }),
      ...(link?.to === to && !text.startsWith(` <${link.symbol}>`, to) && { symbol: link.symbol }),
    };
  });
}

/** Returns the addresses that have a symbol; of overlapping ones only the first. */
function linksIn(operands: readonly Operand[], symbolAt: (address: Hex) => string | undefined) {
  const links: (Span & { readonly address: Hex; readonly symbol: string })[] = [];
  for (const { start, end, address } of operands) {
    const symbol = symbolAt(address);
    if (symbol !== undefined && start >= (links.at(-1)?.to ?? 0)) links.push({ from: start, to: end, address, symbol });
  }
  return links;
}

function matchesOf(text: string, marking: Marking): readonly (Span & { readonly marking: Marking })[] {
  return [...text.matchAll(marking.expression)]
    .map((found) => ({ from: found.index, to: found.index + found[0].length, marking }))
    .filter(({ from, to }) => to > from);
}

/** Largest number of repetitions in an expression that is matched on the page. */
const MOST_REPEATS = 2;

/**
 * Returns an expression that marks what a search matches; undefined if it is empty, invalid, or could take long: the page has no
 * automaton, so repeated groups and references are left out.
 */
export function markingExpression(text: string): RegExp | undefined {
  if (text === '' || /\)[*+{?]|\\[1-9k]|\(\?/.test(text)) return undefined;
  if ((text.match(/[*+{]/g) ?? []).length > MOST_REPEATS) return undefined;
  try {
    return new RegExp(text, 'gu');
  } catch (problem) {
    if (problem instanceof SyntaxError) return undefined;
    throw problem;
  }
}
