/** Splits a text of a row into parts: addresses with symbols, which can be followed, and what a search matches. */
import type { Hex } from '../../shared/base/units.ts';
import type { Operand } from './operands.ts';

export interface TextPart {
  readonly text: string;
  /** The search matches this part. */
  readonly isMatch: boolean;
  readonly address?: Hex;
  /** Symbol of the address, on its last part. */
  readonly symbol?: string;
}

/** @param operands addresses in the text, in their order; those without a symbol stay plain */
export function partsOf(
  text: string,
  operands: readonly Operand[] = [],
  symbolAt: (address: Hex) => string | undefined = () => undefined,
  match?: RegExp,
): readonly TextPart[] {
  const parts: TextPart[] = [];
  let from = 0;
  for (const { start, end, address } of operands) {
    const symbol = symbolAt(address);
    if (symbol === undefined || start < from) continue;
    parts.push(...matched(text.slice(from, start), match));
    const own = matched(text.slice(start, end), match);
    parts.push(...own.map((part, at) => ({ ...part, address, ...(at === own.length - 1 && { symbol }) })));
    from = end;
  }
  return [...parts, ...matched(text.slice(from), match)];
}

function matched(text: string, match: RegExp | undefined): readonly TextPart[] {
  if (text === '') return [];
  if (match === undefined) return [{ text, isMatch: false }];
  const parts: TextPart[] = [];
  let from = 0;
  for (const found of text.matchAll(match)) {
    if (found[0] === '') continue;
    if (found.index > from) parts.push({ text: text.slice(from, found.index), isMatch: false });
    from = found.index + found[0].length;
    parts.push({ text: found[0], isMatch: true });
  }
  if (from < text.length) parts.push({ text: text.slice(from), isMatch: false });
  return parts;
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
