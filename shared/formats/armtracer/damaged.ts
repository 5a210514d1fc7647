/**
 * Reads lines that have the shape of an effect although their word or the names of their registers cannot be read:
 *
 *     M?W4____ 00008000 00000011     may have written the four bytes
 *     ? r0=00000011                  set r0
 *     R 00000011                     set some register
 *
 * The bytes or the registers are unknown after the line.
 */
import { EQUALS } from '../../base/characters.ts';
import { textOf } from '../../base/scan.ts';
import { CODE, LEAST_LETTERS, MOST_LETTERS } from './codes.ts';
import { ADDRESS_DIGITS, FAULT, type Line, readAddress, splitRest } from './line.ts';
import { readRegisters } from './register-list.ts';
import { skipBlanks, tokenEnd } from './tokens.ts';

/** Reads a line whose word is in `line` already. Returns false if the line does not have the shape of an effect. */
export function readDamaged(bytes: Uint8Array, to: number, line: Line): boolean {
  const { native, wordAt, wordEnd } = line;
  const rest = skipBlanks(bytes, wordEnd, to);
  if (native === CODE.R || native === CODE.RCP) {
    const end = splitRest(bytes, rest, to, line);
    const isShort = end - rest <= LONGEST_REST || NAME.test(textOf(bytes, rest, Math.min(to, rest + 3)));
    if (!isShort && bytes.subarray(rest, end).indexOf(EQUALS) < 0) return false;
    line.faults = FAULT.lostRegister;
    line.textAt = rest;
    line.textEnd = end;
    return true;
  }
  if (native > CODE.OTHER) return false;
  // The word may be missing, or a blank behind it.
  for (const first of [wordAt, wordAt + 1, rest]) {
    if (!REGISTERS.test(textOf(bytes, first, tokenEnd(bytes, first, to)))) continue;
    line.native = CODE.R;
    line.faults = 0;
    line.wordEnd = Math.min(wordEnd, first);
    readRegisters(bytes, first, to, line);
    line.faults = FAULT.lostWord | (line.faults & FAULT.lostRegister);
    return true;
  }
  if (wordEnd - wordAt > LONGEST_DAMAGED) return false;
  // The same holds for an access, whose word a blank can also split in two.
  const isJoined = ACCESS_AND_ADDRESS.exec(textOf(bytes, wordAt, wordEnd));
  if (isJoined !== null) line.wordEnd = wordEnd - ADDRESS_DIGITS;
  return (
    readDamagedAccess(bytes, isJoined === null ? wordAt : line.wordEnd, to, line) ||
    readDamagedAccess(bytes, rest, to, line) ||
    readDamagedAccess(bytes, skipBlanks(bytes, tokenEnd(bytes, rest, to), to), to, line)
  );
}

function readDamagedAccess(bytes: Uint8Array, at: number, to: number, line: Line): boolean {
  const { wordAt } = line;
  const wordEnd = Math.min(line.wordEnd, at);
  // Reads change nothing.
  if (/^.{0,2}R[^W]*$/i.test(textOf(bytes, wordAt, wordEnd))) return false;
  if (!readAddress(bytes, at, to, line) || line.addressEnd - at !== ADDRESS_DIGITS) return false;
  const from = skipBlanks(bytes, line.addressEnd, to);
  const end = wordFormEnd(bytes, from, to);
  if (end < 0) return false;
  const next = skipBlanks(bytes, end, to);
  const second = wordFormEnd(bytes, next, to);
  const behind = skipBlanks(bytes, Math.max(next, second), to);
  const left = splitRest(bytes, behind, to, line) - behind;
  // Instructions have a disassembly, and events have a number. A register number may follow an access.
  if (wordEnd - wordAt < LEAST_LETTERS && left > 2) return false;
  line.native = CODE['?'];
  line.wordEnd = wordEnd;
  line.hasAddress = true;
  line.size = Math.ceil((end - from + (second > 0 ? second - next : 0)) / 2);
  // Lost digits may be those of further bytes, and a long word may be the beginning of another write.
  const isLost = line.joined || wordEnd - wordAt > MOST_LETTERS;
  line.faults = FAULT.lostWord | (isLost ? FAULT.lostAddress : 0);
  return true;
}

/** Returns the end of a data word, in which x and z can stand for unknown digits; -1 if it is none. */
function wordFormEnd(bytes: Uint8Array, at: number, to: number): number {
  const end = tokenEnd(bytes, at, to);
  return /^[\dA-Fa-fXxZz]{2,8}$/.test(textOf(bytes, at, end)) ? end : -1;
}

/** Largest number of bytes behind `R` that can be the rest of a list without a sign between name and value. */
const LONGEST_REST = 16;
const LONGEST_DAMAGED = 32;
const ACCESS_AND_ADDRESS = /^(?:[MB].W.{3,6}|[MX]W[1248])[\dA-Fa-f]{8}$/i;
/** Beginning of a register's name, to which an event can be joined: `rE 00008080`. */
const NAME = /^(?:[rp]\d|[cs]p|[rcsp]?E[ \t])/;
/** Beginning of a register list. */
const REGISTERS = /^(?:r(?:[0-9]|1[0-5])|[cs]psr|p[0-9]{1,2}c[0-9]{1,2})=/;
