/**
 * What the `native` column holds for Tarmac text: the record's own word in the line, `IT`, `R`, `MR4`, as a number.
 * Memory accesses have a code per direction and stated size, so every size up to MOST_BYTES has its name; codes made of one
 * letter per position have one per combination.
 */
export const OTHER = 0;
export const TAKEN = 1;
export const SKIPPED = 2;
export const REGISTER = 3;

/** The largest size an access can state and still have a code of its own. */
export const MOST_BYTES = 16383;

const FIRST_READ = 4;
const FIRST_WRITE = 5;
const FIRST_WORD = 33_000;
/** The first code of eight letters; `rtl.ts` has the kind of each. */
export const FIRST_RTL = 34_000;
const FIRST_BUS = 38_000;
const FIRST_WIDE_BUS = 39_000;
const FIRST_SHORT = 40_000;

export function readCode(size: number): number {
  return FIRST_READ + 2 * size;
}

export function writeCode(size: number): number {
  return FIRST_WRITE + 2 * size;
}

const WORDS = [
  'IF',
  'ES',
  'EXC',
  'BR',
  'FD',
  'FI',
  'FR',
  'E',
  'LD',
  'ST',
  'R DC',
  'R IC',
  'R TLBI',
  'R AT',
  'Tarmac Text',
  'CADI',
  'CACHE',
  'TTW',
  'TLB',
  'P',
  'SIGNAL',
  'INFO_EXCEPTION_REASON',
  'R01',
  'R02',
  'R04',
  'R08',
  'R16',
  'W01',
  'W02',
  'W04',
  'W08',
  'W16',
] as const;

type Word = (typeof WORDS)[number];

/** The code of each word that stands for itself. */
export const WORD: Readonly<Record<Word, number>> = Object.fromEntries(
  WORDS.map((word, index) => [word, FIRST_WORD + index]),
) as Record<Word, number>;

/** Codes of one letter per position: which letters each position may have. */
interface Letters {
  readonly first: number;
  readonly positions: readonly string[];
  /** Per position, by byte: 1 + the letter's place, 0 for letters that cannot be there. */
  readonly places: readonly Uint8Array[];
}

/** RTL: core or bus; cycle type; direction; bytes; opcode fetch; lock; attribute; which port. */
const RTL = letters(FIRST_RTL, ['MB', 'NSC', 'RW', '1248r', 'O_', 'L_', 'SP_', 'IDAR_']);
/** Fast Models bus: B; direction; bytes; instruction or data; lock or exclusive; privileged; security. */
const BUS = letters(FIRST_BUS, ['B', 'RW', '1248', 'ID', 'LX_', 'P_', 'SN_']);
/** The same with sizes of two digits: 16, 32 and 64, and others of these digits, which no writer has. */
const WIDE_BUS = letters(FIRST_WIDE_BUS, ['B', 'RW', '136', '624', 'ID', 'LX_', 'P_', 'SN_']);
/** Small RTL cores: `MR4_D`. */
const SHORT = letters(FIRST_SHORT, ['M', 'RW', '1248', '_', 'ID']);

/** The code of bytes[from, to) among the RTL codes of eight letters; OTHER when it is none. */
export function rtlCode(bytes: Uint8Array, from: number, to: number): number {
  return codeOf(RTL, bytes, from, to);
}

export function busCode(bytes: Uint8Array, from: number, to: number): number {
  return codeOf(to - from === 7 ? BUS : WIDE_BUS, bytes, from, to);
}

export function shortCode(bytes: Uint8Array, from: number, to: number): number {
  return codeOf(SHORT, bytes, from, to);
}

/** The codes of eight letters from FIRST_RTL on. */
export const RTL_NAMES: readonly string[] = RTL.positions.reduce(
  (names, allowed) => names.flatMap((name) => Array.from(allowed, (letter) => name + letter)),
  [''],
);

export function nativeName(code: number): string {
  if (code === OTHER) return 'OTHER';
  if (code === TAKEN) return 'IT';
  if (code === SKIPPED) return 'IS';
  if (code === REGISTER) return 'R';
  const spelt = [SHORT, WIDE_BUS, BUS, RTL].find(({ first }) => code >= first);
  if (spelt !== undefined) return nameOf(spelt, code - spelt.first);
  if (code >= FIRST_WORD) return WORDS[code - FIRST_WORD] ?? 'OTHER';
  const write = code % 2 === 1;
  return write ? `MW${(code - FIRST_WRITE) / 2}` : `MR${(code - FIRST_READ) / 2}`;
}

function letters(first: number, positions: readonly string[]): Letters {
  const places = positions.map((allowed) => {
    const table = new Uint8Array(256);
    for (let place = 0; place < allowed.length; place++) table[allowed.charCodeAt(place)] = place + 1;
    return table;
  });
  return { first, positions, places };
}

function codeOf({ first, positions, places }: Letters, bytes: Uint8Array, from: number, to: number): number {
  if (to - from !== positions.length) return OTHER;
  let code = 0;
  for (let position = 0; position < positions.length; position++) {
    const place = places[position]![bytes[from + position]!]!;
    if (place === 0) return OTHER;
    code = code * positions[position]!.length + place - 1;
  }
  return first + code;
}

function nameOf({ positions }: Letters, code: number): string {
  let rest = code;
  let name = '';
  for (let position = positions.length - 1; position >= 0; position--) {
    const allowed = positions[position]!;
    name = allowed[rest % allowed.length]! + name;
    rest = Math.floor(rest / allowed.length);
  }
  return name;
}
