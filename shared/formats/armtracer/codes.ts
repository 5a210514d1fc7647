/**
 * Codes of the `native` column for Tracer text: the first word of a line, `IT`, `MNR4O___`, `RCP`, as a number.
 *
 * Access words have one letter per property. Their codes are sums with one summand per letter: readers add the summands in `LETTERS`,
 * and `accessOf` and `nativeName` split a code into its letters again.
 */
import { KIND } from '../../records/record.ts';
import { assert } from '../../base/result.ts';

/** Bits of the `flags` column that belong to this format. */
export const OWN_FLAG = {
  wentBack: 1 << 8,
  /** Another record follows in the line, so the last field can lack its end. */
  joined: 1 << 9,
} as const;

/** All words other than access words, by their code. Append only. */
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
  // An access whose word cannot be read.
  '?',
] as const;

export type Word = (typeof WORDS)[number];

/** Code of each word. */
export const CODE: Readonly<Record<Word, number>> = Object.fromEntries(
  WORDS.map((word, code) => [word, code]),
) as Record<Word, number>;

/** True for architectural lines of Thumb instructions. */
export function isThumbLine(native: number): boolean {
  return native === CODE.ITP || native === CODE.ITF;
}

/**
 * True for architectural lines of cycles that move no data: idle and coprocessor cycles. Their access words have no width, so the writer
 * computes a size of 0 and prints an arbitrary address and word (source of 2001).
 */
export function movesNothing(native: number): boolean {
  return native >= CODE.MR0 && native <= CODE.XW0;
}

/** First code of access words. */
export const FIRST_ACCESS = 64;

/** Entry of a letter table for bytes that the place does not allow. Sums that contain it are not codes. */
export const NO_LETTER = 1 << 20;

/**
 * The letters that each place of an access word allows, in order. `-` means that the place is missing: at the end of shorter words, and
 * for the size in cycles without a transfer that SDT 2.5 writes without one (`MCR___`; source of its Tracer, 1998).
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

/** Maximum length of an access word. */
export const MOST_LETTERS = PLACES.length;
/** Minimum length of an access word. */
export const LEAST_LETTERS = 6;
/** Index of the size in an access word. */
export const SIZE_PLACE = 3;

const STEPS: readonly number[] = PLACES.map((_, place) =>
  PLACES.slice(place + 1).reduce((product, { letters }) => product * letters.length, 1),
);
/** The summand of a missing size. */
export const UNSIZED = (PLACES[SIZE_PLACE].letters.length - 1) * STEPS[SIZE_PLACE]!;
/** Largest code plus one. */
const CODES = FIRST_ACCESS + STEPS[0]! * PLACES[0].letters.length;

/**
 * For each place of an access word: the summand of each byte, NO_LETTER if it is not allowed. The code is FIRST_ACCESS plus the summands
 * of its letters. Lower case is accepted for upper-case letters, unless it is a letter of its own.
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

/** Properties of an access word. */
export interface Access {
  readonly bus: boolean;
  readonly type: 'N' | 'S' | 'A' | 'r' | 'I' | 'C';
  readonly write: boolean;
  /** Undefined for reserved sizes and if the size is missing. */
  readonly size: number | undefined;
  /** True if the word has a letter for the size. */
  readonly sized: boolean;
  readonly opcode: boolean;
  readonly locked: boolean;
  readonly speculative: boolean;
  readonly killed: boolean;
  /** The eighth and ninth letter; empty if missing. */
  readonly eighth: string;
  readonly ninth: string;
}

/** Returns the properties of an access code. */
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

/** Bits of the result of `natureOf`. */
export const NATURE = {
  /** The cycle requests a transfer, so data, a wait or an abort follows. */
  transfer: 1,
  killed: 2,
  speculative: 4,
} as const;

/** Returns the position in KINDS of a code. */
export function kindOf(code: number): number {
  return propertiesOf(code) & 31;
}

export function isWrite(code: number): boolean {
  const kind = kindOf(code);
  return kind === KIND.write || kind === KIND['bus-write'];
}

/** Returns the number of bytes that a code accesses; 0 if it does not say. */
export function sizeOf(code: number): number {
  return (propertiesOf(code) >>> 5) & 15;
}

/** Returns the NATURE bits of an access code; 0 for all other words. */
export function natureOf(code: number): number {
  return (propertiesOf(code) >>> 9) & 7;
}

/** Returns the length of a word whose length depends on the generation, counting a missing size; 0 for words of all generations. */
export function widthOf(code: number): number {
  return (propertiesOf(code) >>> 12) & 15;
}

/** By code: kind, size from bit 5, nature from bit 9, width from bit 12; -1 until first used, because a trace contains few of the codes. */
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
  const isRequest = (type === 'N' || type === 'S') && !killed;
  const nature =
    (isRequest ? NATURE.transfer : 0) | (killed ? NATURE.killed : 0) | (speculative ? NATURE.speculative : 0);
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
  if (/^(?:[MX]W|\?)/.test(word)) return KIND.write;
  return KIND.other;
}

function sizeOfWord(word: Word): number {
  return /^[MX][RW]/.test(word) ? Number(word[2]) : 0;
}

/** Killed, address-only and internal cycles access no memory and are idle. C and its reserved twin are coprocessor cycles. */
function kindOfAccess({ bus, type, write, opcode, killed }: Access): number {
  if (type === 'C' || type === 'r') return KIND.special;
  if (type === 'A' || type === 'I' || killed) return KIND.idle;
  if (write) return bus ? KIND['bus-write'] : KIND.write;
  if (opcode) return bus ? KIND['bus-fetch'] : KIND.fetch;
  return bus ? KIND['bus-read'] : KIND.read;
}
