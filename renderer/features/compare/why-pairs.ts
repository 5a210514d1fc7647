/** Explains a value on both sides: the steps that both runs have stand in the same row, by the longest common subsequence of the steps. */
import type { Why, WhyArguments, WhyStep } from '../../../shared/requests/why.ts';
import { placeText, valueText } from '../../../present/text/why-words.ts';

export type WhySide = Omit<WhyArguments, 'trace' | 'steps' | 'run'>;

/** A question about the same value in both runs; null for a run that does not have it. */
export interface PairOfWhys {
  readonly name: string;
  readonly a: WhySide | null;
  readonly b: WhySide | null;
}

export interface WhyPair {
  readonly a: WhyStep | undefined;
  readonly b: WhyStep | undefined;
  /** `values`: the same instruction made other values. */
  readonly kind: 'same' | 'values' | 'a-only' | 'b-only';
}

export interface BothAnswers {
  readonly a: Why | null;
  readonly b: Why | null;
}

/** @param shift addresses of the second program minus those of the first */
export function whyPairs({ a, b }: BothAnswers, shift: bigint): readonly WhyPair[] {
  const own = a?.steps ?? [];
  const others = b?.steps ?? [];
  const keys = own.map((step) => keyOf(step, 0n));
  const otherKeys = others.map((step) => keyOf(step, shift));
  const lengths = commonLengths(keys, otherKeys);
  const pairs: WhyPair[] = [];
  let [i, j] = [0, 0];
  while (i < own.length || j < others.length) {
    const [one, other] = [own[i], others[j]];
    if (one && other && keys[i] === otherKeys[j]) {
      pairs.push({ a: one, b: other, kind: hasOtherValues(one, other) ? 'values' : 'same' });
      i += 1;
      j += 1;
    } else if (one && (!other || (lengths[i + 1]?.[j] ?? 0) >= (lengths[i]?.[j + 1] ?? 0))) {
      pairs.push({ a: one, b: undefined, kind: 'a-only' });
      i += 1;
    } else {
      pairs.push({ a: undefined, b: other, kind: 'b-only' });
      j += 1;
    }
  }
  return pairs;
}

/** Lengths of the longest common subsequences from place i of the one and place j of the other on. */
function commonLengths(one: readonly string[], other: readonly string[]): readonly (readonly number[])[] {
  const lengths = Array.from({ length: one.length + 1 }, () => Array.from({ length: other.length + 1 }, () => 0));
  for (let i = one.length - 1; i >= 0; i -= 1)
    for (let j = other.length - 1; j >= 0; j -= 1)
      lengths[i]![j] =
        one[i] === other[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
  return lengths;
}

/** The instruction and the registers or the number of bytes that it defined. */
function keyOf({ address, kind, defines }: WhyStep, shift: bigint): string {
  const at = address === undefined ? '?' : String(BigInt(address) - shift);
  const places = defines.map((bytes) => ('register' in bytes ? wholeOf(bytes.register) : 'memory'));
  return [at, kind, ...places].join(' ');
}

/** Returns the register that `r3<31:16>` is a part of. */
function wholeOf(register: string): string {
  return register.replace(/<.*/, '');
}

/** Returns true if both steps defined the same bits of a register, or as many bytes, with other values. */
function hasOtherValues(one: WhyStep, other: WhyStep): boolean {
  return one.defines.some((bytes, at) => {
    const its = other.defines[at];
    if (!its || bytes.value === null || its.value === null || bytes.value === its.value) return false;
    if ('register' in bytes || 'register' in its)
      return 'register' in bytes && 'register' in its && bytes.register === its.register;
    return bytes.length === its.length;
  });
}

/** Returns `r3 = 0x21` for the first thing that a step defined. */
export function stepValue({ defines }: WhyStep): string {
  const [first] = defines;
  if (!first) return '';
  const more = defines.length > 1 ? ` and ${defines.length - 1} more` : '';
  return `${placeText(first)} = ${valueText(first, 8)}${more}`;
}
