/**
 * Codes of the `native` column for Tarmac text: the word of a record in its line, `IT`, `R`, `MR4`, as a number.
 *
 * Memory accesses have one code per direction and stated size, so `nativeName` restores every size up to MOST_BYTES. Words made of
 * one letter per position (`MNR4O__I`) have one code per combination of letters.
 */
import { KIND } from '../../records/record.ts';

export const OTHER = 0;
export const TAKEN = 1;
export const SKIPPED = 2;
export const REGISTER = 3;

/** Largest stated size of an access that has a code. */
export const MOST_BYTES = 16383;

const FIRST_READ = 4;
const FIRST_WRITE = 5;
const FIRST_WORD = 33_000;
/** First code of the RTL words of eight letters. */
const FIRST_RTL = 34_000;
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
  // An access whose word cannot be read.
  '?',
] as const;

type Word = (typeof WORDS)[number];

/** Code of each fixed word. */
export const WORD: Readonly<Record<Word, number>> = Object.fromEntries(
  WORDS.map((word, index) => [word, FIRST_WORD + index]),
) as Record<Word, number>;

/** Words of one letter per position, with the letters that each position allows. */
interface Letters {
  readonly first: number;
  readonly positions: readonly string[];
  /** Per position, by byte: 1 + the index of the letter; 0 if the position does not allow it. */
  readonly places: readonly Uint8Array[];
}

/** RTL: core or bus; cycle type; direction; bytes; opcode fetch; lock; attribute; which port. */
const RTL = letters(FIRST_RTL, ['MB', 'NSC', 'RW', '1248r', 'O_', 'L_', 'SP_', 'IDAR_']);
/** Fast Models bus: B; direction; bytes; instruction or data; lock or exclusive; privileged; security. */
const BUS = letters(FIRST_BUS, ['B', 'RW', '1248', 'ID', 'LX_', 'P_', 'SN_']);
/** The same with sizes of two digits: 16, 32 and 64, and other combinations of these digits, which no writer prints. */
const WIDE_BUS = letters(FIRST_WIDE_BUS, ['B', 'RW', '136', '624', 'ID', 'LX_', 'P_', 'SN_']);
/** Small RTL cores: `MR4_D`, and `MR4ED` if the bus answered with an error. */
const SHORT = letters(FIRST_SHORT, ['M', 'RW', '1248', '_E', 'ID']);

/** Returns the code of the RTL word bytes[from, to) of eight letters; OTHER if it is not one. */
export function rtlCode(bytes: Uint8Array, from: number, to: number): number {
  return codeOf(RTL, bytes, from, to);
}

export function busCode(bytes: Uint8Array, from: number, to: number): number {
  return codeOf(to - from === 7 ? BUS : WIDE_BUS, bytes, from, to);
}

export function shortCode(bytes: Uint8Array, from: number, to: number): number {
  return codeOf(SHORT, bytes, from, to);
}

/** True for the code of an RTL word. */
export function isRtlCode(code: number): boolean {
  return code >= FIRST_RTL && code < FIRST_RTL + RTL_WORDS;
}

/** Number of RTL words: the product of the letters that each position allows. */
const RTL_WORDS = RTL.positions.reduce((product, allowed) => product * allowed.length, 1);
/** 1 + the kind of each RTL word that was met, by its code from FIRST_RTL; 0 if it was not met yet. */
const rtlKinds = new Uint8Array(RTL_WORDS);

/**
 * Position in KINDS of an RTL code: `MNR4O__I` is a fetch of the core, `BNW4___D` a write on the bus. Transfers of coprocessors touch no
 * memory, so they are events.
 */
export function rtlKind(code: number): number {
  return (rtlKinds[code - FIRST_RTL] ||= 1 + kindOfRtl(nativeName(code))) - 1;
}

function kindOfRtl(name: string): number {
  const bus = name.startsWith('B');
  if (name[1] === 'C') return KIND.event;
  if (name[2] === 'W') return bus ? KIND['bus-write'] : KIND.write;
  if (name.endsWith('I') || name[4] === 'O') return bus ? KIND['bus-fetch'] : KIND.fetch;
  return bus ? KIND['bus-read'] : KIND.read;
}

export function nativeName(code: number): string {
  if (code === OTHER) return 'OTHER';
  if (code === TAKEN) return 'IT';
  if (code === SKIPPED) return 'IS';
  if (code === REGISTER) return 'R';
  const spelled = [SHORT, WIDE_BUS, BUS, RTL].find(({ first }) => code >= first);
  if (spelled !== undefined) return nameOf(spelled, code - spelled.first);
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
