/**
 * What the `native` column holds for Tracer text: the word that a line begins with, `IT`, `MNR4O___`, `RCP`, as a number.
 *
 * The words of accesses are put together from one letter for each property, so their numbers are sums with one summand
 * for each letter: `LETTERS` has the summands, for readers, and `accessOf` and `nativeName` take the sums apart again.
 */
import { KIND } from '../../records/record.ts';
import { assert } from '../../base/result.ts';

/** Words that are no access with letters for its properties, by their code. Append only. */
export const WORDS = [
  'OTHER',
  'IT',
  'IS',
  'E',
  'R',
  'RCP',
  ...['MI', 'MIO', 'MC', 'MCO', 'BI', 'BIO', 'BC', 'BCO'],
  ...['IAP', 'IAF', 'ITP', 'ITF', 'IJP', 'IJF', 'IXP', 'IXF'],
  ...['MR1', 'MR2', 'MR4', 'MR8', 'MW1', 'MW2', 'MW4', 'MW8'],
  ...['XR1', 'XR2', 'XR4', 'XR8', 'XW1', 'XW2', 'XW4', 'XW8'],
  ...['PI', 'PM', 'PS', 'PR', 'PF'],
  ...['MR0', 'MW0', 'XR0', 'XW0'],
] as const;

export type Word = (typeof WORDS)[number];

/** Word to code. */
export const CODE: Readonly<Record<Word, number>> = Object.fromEntries(
  WORDS.map((word, code) => [word, code]),
) as Record<Word, number>;

/** Whether an architectural line says that its instruction is of Thumb. */
export function isThumbLine(native: number): boolean {
  return native === CODE.ITP || native === CODE.ITF;
}

/**
 * Whether an architectural line is of a cycle that moves nothing: an idle one or the coprocessor's, whose access words have no
 * width, so that the module works out a size of 0 and prints what address and word there happen to be (source of 2001).
 */
export function movesNothing(native: number): boolean {
  return native >= CODE.MR0 && native <= CODE.XW0;
}

/** Codes from here on are accesses with letters. */
export const FIRST_ACCESS = 64;

/** In a letter's table for bytes that are no letter of it: no sum with it is a code. */
export const NO_LETTER = 1 << 20;

/**
 * The letters of an access in their order: what each place can hold. `-`: the place is not there, at the end of narrower codes, and
 * for the size where SDT 2.5 writes a cycle without a transfer that has none (`MCR___`; its Tracer's source, 1998).
 */
const PLACES = [
  { name: 'bus', letters: ['M', 'B'] },
  { name: 'type', letters: ['N', 'S', 'A', 'r', 'I', 'C'] },
  { name: 'direction', letters: ['R', 'W'] },
  { name: 'size', letters: ['1', '2', '4', '8', '_', 'r', '-'] },
  { name: 'opcode', letters: ['_', 'O'] },
  { name: 'lock', letters: ['_', 'L'] },
  { name: 'speculation', letters: ['_', 'S', 'K'] },
  { name: 'eighth', letters: ['-', '_', 'D', '4', '8', 'r'] },
  { name: 'ninth', letters: ['-', '_', '4', '8', 'r'] },
] as const;

/** Letters that a code has at most. */
export const MOST_LETTERS = PLACES.length;
/** Letters that it has at least. */
export const LEAST_LETTERS = 6;
/** Where the size stands. */
export const SIZE_PLACE = 3;

const STEPS: readonly number[] = PLACES.map((_, place) =>
  PLACES.slice(place + 1).reduce((product, { letters }) => product * letters.length, 1),
);
/** The summand of a size that is not there. */
export const UNSIZED = (PLACES[SIZE_PLACE].letters.length - 1) * STEPS[SIZE_PLACE]!;
/** One past the largest code. */
const CODES = FIRST_ACCESS + STEPS[0]! * PLACES[0].letters.length;

/**
 * For each place of an access code: byte to its summand, NO_LETTER for all others. The code is FIRST_ACCESS plus the
 * summands of its letters. Capital letters are also known in lower case, but where that is another letter.
 */
export const LETTERS: readonly Int32Array[] = PLACES.map(({ letters }, place) => {
  const table = new Int32Array(256).fill(NO_LETTER);
  const has: readonly string[] = letters;
  has.forEach((letter, index) => {
    if (letter === '-') return;
    table[letter.charCodeAt(0)] = index * STEPS[place]!;
    const small = letter.toLowerCase();
    if (!has.includes(small)) table[small.charCodeAt(0)] = index * STEPS[place]!;
  });
  return table;
});

/** What the letters of an access say. */
export interface Access {
  readonly bus: boolean;
  readonly type: 'N' | 'S' | 'A' | 'r' | 'I' | 'C';
  readonly write: boolean;
  /** Undefined for the reserved sizes, and without one. */
  readonly size: number | undefined;
  /** Whether a letter stands for the size. */
  readonly sized: boolean;
  readonly opcode: boolean;
  readonly locked: boolean;
  readonly speculative: boolean;
  readonly killed: boolean;
  /** The eighth and ninth letter, where they are there. */
  readonly eighth: string;
  readonly ninth: string;
}

/** The properties of an access code, a code from FIRST_ACCESS on. */
export function accessOf(code: number): Access {
  const [bus, type, direction, size, opcode, lock, speculation, eighth, ninth] = digitsOf(code);
  return {
    bus: bus === 1,
    type: PLACES[1].letters[type!]!,
    write: direction === 1,
    size: [1, 2, 4, 8][size!],
    sized: PLACES[SIZE_PLACE].letters[size!] !== '-',
    opcode: opcode === 1,
    locked: lock === 1,
    speculative: speculation === 1,
    killed: speculation === 2,
    eighth: PLACES[7].letters[eighth!]!.replace('-', ''),
    ninth: PLACES[8].letters[ninth!]!.replace('-', ''),
  };
}

export function nativeName(code: number): string {
  if (code < FIRST_ACCESS) return WORDS[code] ?? 'OTHER';
  return digitsOf(code)
    .map((digit, place) => PLACES[place]!.letters[digit]!)
    .join('')
    .replaceAll('-', '');
}

/** Bits of what `natureOf` gives. */
export const NATURE = {
  /** It asks memory for a transfer: data, a wait or an abort follows. */
  transfer: 1,
  killed: 2,
  speculative: 4,
} as const;

/** Position in KINDS of a code. */
export function kindOf(code: number): number {
  return propertiesOf(code) & 31;
}

/** Bytes that a code says are touched; 0 where it does not. */
export function sizeOf(code: number): number {
  return (propertiesOf(code) >>> 5) & 15;
}

/** Bits of NATURE; 0 for all words. */
export function natureOf(code: number): number {
  return (propertiesOf(code) >>> 9) & 7;
}

/** Letters of a code that only one generation writes, with that of a size that is not there; 0 for words of all of them. */
export function widthOf(code: number): number {
  return (propertiesOf(code) >>> 12) & 15;
}

/** By code: kind, size from bit 5, nature from bit 9, width from bit 12. A trace has a few of the many codes: each is worked out when it is first met. */
const PROPERTIES = new Int32Array(CODES).fill(-1);

function propertiesOf(code: number): number {
  const known = PROPERTIES[code]!;
  if (known >= 0) return known;
  const { kind, size, nature, width } =
    code < FIRST_ACCESS ? wordProperties(WORDS[code] ?? 'OTHER') : accessProperties(code);
  const properties = kind | (size << 5) | (nature << 9) | (width << 12);
  PROPERTIES[code] = properties;
  return properties;
}

interface Properties {
  readonly kind: number;
  readonly size: number;
  readonly nature: number;
  readonly width: number;
}

function wordProperties(word: Word): Properties {
  const width = /^(I[ATJX][PF]|[MX][RW][01248])$/.test(word) ? word.length : 0;
  return { kind: kindOfWord(word), size: sizeOfWord(word), nature: 0, width };
}

function accessProperties(code: number): Properties {
  const access = accessOf(code);
  const { type, killed, speculative } = access;
  const asks = (type === 'N' || type === 'S') && !killed;
  const nature = (asks ? NATURE.transfer : 0) | (killed ? NATURE.killed : 0) | (speculative ? NATURE.speculative : 0);
  const width = nativeName(code).length + (access.sized ? 0 : 1);
  return { kind: kindOfAccess(access), size: access.size ?? 0, nature, width };
}

function digitsOf(code: number): number[] {
  let rest = code - FIRST_ACCESS;
  assert(rest >= 0 && code < CODES, 'a native code is one of the format');
  return STEPS.map((step) => {
    const digit = Math.floor(rest / step);
    rest -= digit * step;
    return digit;
  });
}

function kindOfWord(word: Word): number {
  if (/^I(T|[ATJX]P)$/.test(word)) return KIND.instruction;
  if (/^I(S|[ATJX]F)$/.test(word)) return KIND.skipped;
  if (word === 'E') return KIND.event;
  if (word === 'R' || word === 'RCP') return KIND.register;
  if (/^[MB]I/.test(word)) return KIND.idle;
  if (/^([MB]C|[MX][RW]0)/.test(word)) return KIND.special;
  if (/^[MX]R/.test(word)) return KIND.read;
  if (/^[MX]W/.test(word)) return KIND.write;
  return KIND.other;
}

function sizeOfWord(word: Word): number {
  return /^[MX][RW]/.test(word) ? Number(word[2]) : 0;
}

/** A cycle that asks for no memory (its access was killed, or it is address-only or internal) is idle; C and its reserved twin are the coprocessor's. */
function kindOfAccess({ bus, type, write, opcode, killed }: Access): number {
  if (type === 'C' || type === 'r') return KIND.special;
  if (type === 'A' || type === 'I' || killed) return KIND.idle;
  if (write) return bus ? KIND['bus-write'] : KIND.write;
  if (opcode) return bus ? KIND['bus-fetch'] : KIND.fetch;
  return bus ? KIND['bus-read'] : KIND.read;
}
