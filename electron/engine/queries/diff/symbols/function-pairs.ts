/**
 * Pairs the functions of two builds of a program, and the instructions of both versions of a function. Functions are paired by name;
 * several of one name, such as two `static` ones, in the order of their addresses. The instructions of a function are aligned as the images
 * have them, so code after an inserted instruction is still the same.
 */
import type { Disassembler } from '../../../image/disassembler.ts';
import type { Images } from '../../../image/images.ts';
import type { ImageSymbol } from '../../../image/symbols.ts';
import { align } from '../paths/align.ts';
import { inFewPieces } from '../paths/pieces.ts';
import { codeOf, listingOf, UNIT, type ListedInstruction } from './code-listing.ts';

/** A function at its place in the trace. */
export interface PlacedFunction {
  readonly entry: bigint;
  /** Bytes up to the end of its symbol. */
  readonly length: number;
}

/** Returns the offset in the first version of the instruction at an offset in the second one; undefined if the first has no such one. */
export type OffsetInFirst = (offset: number) => number | undefined;

/** Returns the functions with a raw name by their addresses. */
export function functionsNamed(images: Images, name: string): readonly PlacedFunction[] {
  const found = new Map<bigint, PlacedFunction>();
  for (const { symbols, shift } of images.list)
    for (const symbol of symbols.named(name)) {
      if (!isCode(symbol)) continue;
      const entry = BigInt.asUintN(64, symbol.address + shift);
      found.set(entry, { entry, length: Number(symbol.end - symbol.address) });
    }
  return [...found.values()].sort((a, b) => (a.entry < b.entry ? -1 : 1));
}

export function isCode({ kind }: ImageSymbol): boolean {
  return kind !== 'object';
}

/** Pairs the instructions of two versions of a function. Without the bytes of both, those at the same offset are paired. */
export function pairInstructions(
  [a, b]: readonly [Images, Images],
  disassembler: Disassembler,
  one: PlacedFunction,
  other: PlacedFunction,
): OffsetInFirst {
  const [codeA, codeB] = [codeOf(a, one.entry, one.length), codeOf(b, other.entry, other.length)];
  if (codeA === undefined || codeB === undefined || Buffer.compare(codeA, codeB) === 0) return (offset) => offset;
  const [its, others] = [
    listingOf(a, disassembler, one.entry, one.length),
    listingOf(b, disassembler, other.entry, other.length),
  ];
  if (its === undefined || others === undefined) return (offset) => offset;
  const pairs = pairsOf(its, others);
  return (offset) => pairs.get(offset);
}

/** Returns the offset in the first listing by that in the second one. */
export function pairsOf(
  its: readonly ListedInstruction[],
  others: readonly ListedInstruction[],
): ReadonlyMap<number, number> {
  const numbers = new Map<string, number>();
  const numbered = (listing: readonly ListedInstruction[]): Int32Array =>
    Int32Array.from(listing, ({ text }) => {
      const number = numbers.get(text) ?? numbers.size;
      numbers.set(text, number);
      return number;
    });
  const [first, second] = [numbered(its), numbered(others)];
  const pairs = new Map<number, number>();
  for (const { a, b, length } of inFewPieces(align(first, second).matches, first, second))
    for (let k = 0; k < length; k++) {
      const [one, other] = [its[a + k]!, others[b + k]!];
      // A trace can show the halves of a long Thumb branch as two instructions.
      for (let half = 0; half < Math.min(one.size, other.size); half += UNIT)
        pairs.set(other.offset + half, one.offset + half);
    }
  return pairs;
}
