/** Reads the accesses and cycles of Tracer text: the fields after the first word, with the outcome at the end. */
import { LOWER_X, OPEN, UPPER_X } from '../../base/characters.ts';
import { startsWith } from '../../base/scan.ts';
import { KIND } from '../../records/record.ts';
import { kindOf, LEAST_LETTERS, NATURE, natureOf, sizeOf } from './codes.ts';
import { ADDRESS_DIGITS, FAULT, type Line, loseValue, readAddress, splitRest, SUFFIX, WORD_DIGITS } from './line.ts';
import { skipBlanks, startsWithWord, tokenEnd, trimEnd, wordEnd } from './tokens.ts';
import { beginsRecord, namesWrite, nextRecord } from './words.ts';

/** Reads `MI`, `MIO`, `MC` and `MCO`, which have no address. Coprocessor cycles may have data. */
export function readCycle(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  let from = at;
  if (kindOf(line.native) === KIND.special) {
    const end = wordEnd(bytes, from, to, WORD_DIGITS);
    if (end >= 0) {
      line.dataAt = from;
      line.dataEnd = end;
      from = skipBlanks(bytes, end, to);
    }
  }
  if (!readSuffixes(bytes, from, to, line) || (line.faults & FAULT.trailingText) !== 0) return false;
  if (isUnsure(bytes, line)) loseValue(line);
  return true;
}

/** Reads an access of the architectural form: `MR4 00008000 e28f8090`. The data has eight digits or two digits per byte. */
export function readPlainAccess(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  if (!readAddress(bytes, at, to, line) || isShort(line)) return false;
  line.hasAddress = true;
  line.size = sizeOf(line.native);
  const from = skipBlanks(bytes, line.addressEnd, to);
  const end = wordEnd(bytes, from, to, WORD_DIGITS);
  if (end < 0) {
    line.faults |= FAULT.lostValue;
    line.textAt = from;
    line.textEnd = splitRest(bytes, from, to, line);
    return true;
  }
  line.dataAt = from;
  line.dataEnd = end;
  if (end - from !== WORD_DIGITS && end - from !== 2 * line.size) line.faults |= FAULT.dataSize;
  if (bytes[line.wordAt] === UPPER_X || bytes[line.wordAt] === LOWER_X) line.suffixes |= SUFFIX.abort;
  line.textAt = skipBlanks(bytes, end, to);
  line.textEnd = splitRest(bytes, line.textAt, to, line);
  // A register number may follow.
  const left = line.textEnd - line.textAt;
  if (line.joined || (left > 2 && isUnsure(bytes, line))) loseValue(line);
  else if (left > 0 && (left > 2 || wordEnd(bytes, line.textAt, line.textEnd, 2) < 0))
    line.faults |= FAULT.trailingText;
  return true;
}

/** Reads the fields after an access word. */
export function readAccess(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  const nature = natureOf(line.native);
  const killed = (nature & NATURE.killed) !== 0;
  let from = at;
  line.size = sizeOf(line.native);
  const bare = killed && countWords(bytes, at, to) <= (line.size === 8 ? 2 : 1);
  if (!bare) {
    if (!readAddress(bytes, from, to, line) || isShort(line)) return false;
    line.hasAddress = true;
    from = skipBlanks(bytes, line.addressEnd, to);
  } else line.size = 0;
  const end = wordEnd(bytes, from, to, WORD_DIGITS);
  if (end >= 0) {
    line.dataAt = from;
    line.dataEnd = end;
    from = skipBlanks(bytes, end, to);
    const second = wordEnd(bytes, from, to, WORD_DIGITS);
    if (second >= 0) {
      line.secondAt = from;
      line.secondEnd = second;
      from = skipBlanks(bytes, second, to);
    }
  }
  if (!readSuffixes(bytes, from, to, line)) return false;
  checkData(line, killed || line.size === 0, nature === NATURE.transfer);
  if (isUnsure(bytes, line)) loseValue(line);
  // Bytes may be lost between the data and the outcome of another access.
  if ((line.faults & FAULT.dataSize) !== 0) line.suffixes &= ~(SUFFIX.abort | SUFFIX.wait);
  return true;
}

/**
 * True if the data may lack its end, may be the end of a time stamp, or may be split: a word of a record or a number follows. An outcome
 * shows that the data before it is whole.
 */
function isUnsure(bytes: Uint8Array, { dataAt, dataEnd, suffixes, textAt, textEnd, joined }: Line): boolean {
  if (dataEnd === dataAt || suffixes !== 0) return false;
  return joined || beginsRecord(bytes, textAt, textEnd) || wordEnd(bytes, textAt, textEnd, WORD_DIGITS) > 0;
}

/** True if the address lacks a digit: writers print all eight. */
function isShort({ addressAt, addressEnd }: Line): boolean {
  return addressEnd - addressAt < ADDRESS_DIGITS;
}

/** Checks the data of an access. `free`: the size does not determine the data. `expected`: data, a wait or an abort must follow. */
function checkData(line: Line, free: boolean, expected: boolean): void {
  const digits = line.dataEnd - line.dataAt;
  const second = line.secondEnd - line.secondAt;
  if (digits === 0) {
    if (expected && (line.suffixes & (SUFFIX.wait | SUFFIX.abort)) === 0) line.faults |= FAULT.missingData;
  } else if (free) {
    if (line.hasAddress && line.size === 0) line.size = Math.ceil((digits + second) / 2);
  } else if (
    line.size === 8 ? digits !== WORD_DIGITS || second !== WORD_DIGITS : digits !== 2 * line.size || second !== 0
  ) {
    line.faults |= FAULT.dataSize;
  }
}

/** Counts consecutive words of hexadecimal digits. */
function countWords(bytes: Uint8Array, at: number, to: number): number {
  let count = 0;
  let from = at;
  for (let end = wordEnd(bytes, from, to, WORD_DIGITS); end >= 0; end = wordEnd(bytes, from, to, WORD_DIGITS)) {
    count++;
    from = skipBlanks(bytes, end, to);
  }
  return count;
}

/** Like `nextRecord`. The text may name the access that follows in the pipeline, without data: `pipe err MSR4O__ 00008010`. */
function recordBehindPipe(bytes: Uint8Array, from: number, to: number): number {
  const next = nextRecord(bytes, from, to);
  const end = tokenEnd(bytes, next, to);
  const data = skipBlanks(bytes, tokenEnd(bytes, skipBlanks(bytes, end, to), to), to);
  const isNamed = end - next >= LEAST_LETTERS && wordEnd(bytes, data, to, WORD_DIGITS) < 0;
  return isNamed ? nextRecord(bytes, end, to) : next;
}

const SUFFIX_WORDS: readonly (readonly [string, number])[] = [
  ['(abort)', SUFFIX.abort],
  ['(wait)', SUFFIX.wait],
  ['(peek)', SUFFIX.peek],
  ['(poke)', SUFFIX.poke],
];

/** Reads everything after the data to the end of the line. */
function readSuffixes(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  let from = at;
  line.suffixAt = at;
  while (from < to && bytes[from] === OPEN) {
    const start = from;
    const found = SUFFIX_WORDS.find(([word]) => startsWith(bytes, start, to, word));
    if (found === undefined) break;
    line.suffixes |= found[1];
    line.suffixEnd = from + found[0].length;
    from = skipBlanks(bytes, line.suffixEnd, to);
  }
  if (line.suffixEnd <= line.suffixAt) line.suffixEnd = line.suffixAt;
  if (from === to) return true;
  line.textAt = from;
  line.textEnd = to;
  if (startsWithWord(bytes, from, to, 'pipe')) {
    line.suffixes |= SUFFIX.pipe;
    line.restAt = recordBehindPipe(bytes, from, to);
    if (namesWrite(bytes, from, line.restAt)) line.faults |= FAULT.lostAddress;
    line.textEnd = trimEnd(bytes, from, line.restAt);
    return true;
  }
  line.textEnd = splitRest(bytes, from, to, line);
  if (line.textEnd > from) line.faults |= FAULT.trailingText;
  return true;
}
