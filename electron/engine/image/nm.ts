/**
 * Reads plain lists of symbols as printed by `nm`, `nm -n`, `nm -S`, `nm -P` and in Linux' `System.map`:
 *
 *     00008000 T _start
 *     00008398 00000034 t fib          with a size
 *     main T 9a10 1c                   POSIX (`nm -P`): name, type, value, and a size or a blank
 *     a.out: main T 9a10 1c            the same with the file's name (`nm -PA`)
 *              U printf                undefined: no address
 *
 * A symbol without a size extends to the next symbol if both are of the same kind (code, data), and otherwise covers one byte, because a
 * list does not show where sections end. Absolute, undefined and common symbols are not addresses in memory and are skipped.
 */
import { stateOfName } from './code-states.ts';
import type { ImageSymbol, SymbolKind } from './symbols.ts';

export interface NmList {
  readonly symbols: readonly ImageSymbol[];
  /** Number of lines that are neither symbols, nor blank, nor a file name (`a.o:`). */
  readonly otherLines: number;
}

const MOST_SYMBOLS = 2_000_000;
const MOST_NAME = 4096;
/** Number of lines that decide which form all lines have. */
const EXAMINED_LINES = 10_000;

const PLAIN = /^([0-9a-f]{1,16}) (?:([0-9a-f]{1,16}) )?([A-Za-z?]) (\S.*)$/i;
const POSIX = /^(\S.*?) ([A-Za-z?]) ([0-9a-f]{1,16})(?: ([0-9a-f]{1,16}))? *$/i;
/** File name that `nm -PA` prints before a symbol. No C++ name has a blank after a single colon. */
const FILE_NAME = /^[^:].*?: /;
const UNDEFINED = /^(?: +[Uvw] \S.*|\S.* [Uvw] *)$/;
/** Blank lines, file names, and the unnamed symbols of `nm -a`. */
const NO_SYMBOL = /^\s*$|^\S.*:$|^[0-9a-f]{1,16} (?:[0-9a-f]{1,16} )?[A-Za-z?] *$|^ [A-Za-z?] [0-9a-f]{1,16}\b/i;

/** Reads a list; undefined for other text. The first non-blank line and most others must be symbols. */
export function readNm(text: string): NmList | undefined {
  const posix = isPosix(text);
  const lines: Line[] = [];
  let [otherLines, seen] = [0, false];
  for (const line of linesOf(text)) {
    const read = readLine(line, posix);
    if (read !== undefined) lines.push(read);
    else if (!NO_SYMBOL.test(line) && !UNDEFINED.test(line)) otherLines++;
    if (!seen && otherLines > 0) return undefined;
    seen ||= lines.length > 0;
    if (lines.length >= MOST_SYMBOLS) break;
  }
  if (!seen || otherLines > lines.length) return undefined;
  return { symbols: withExtents(lines.filter(({ kind }) => kind !== undefined)), otherLines };
}

/** True if ambiguous lines are of the POSIX form. Some function names are numbers: `add T 9a10 1c`. */
function isPosix(text: string): boolean {
  let more = 0;
  let examined = 0;
  for (const line of linesOf(text)) {
    more += Number(POSIX.test(line)) - Number(PLAIN.test(line));
    if (++examined === EXAMINED_LINES) break;
  }
  return more > 0;
}

function* linesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    const end = text.indexOf('\n', at);
    const next = end < 0 ? text.length : end;
    const line = text.slice(at, Math.min(next, at + MOST_NAME + 64));
    // `nm -l` appends the source position after a tab.
    yield /^[^\t\r]+(?=\t|\r$)/.exec(line)?.[0] ?? line;
    at = next + 1;
  }
}

interface Line {
  readonly name: string;
  readonly address: bigint;
  readonly size: bigint;
  /** Undefined if the symbol is not an address in memory. */
  readonly kind: SymbolKind | undefined;
  readonly binding: ImageSymbol['binding'];
  /** Kind of section: symbols of equal `home` can be adjacent. */
  readonly home: string;
}

function readLine(line: string, prefersPosix: boolean): Line | undefined {
  const first = prefersPosix ? POSIX.exec(line) : null;
  const plain = first ? null : PLAIN.exec(line);
  const posix = first ?? (plain ? null : POSIX.exec(line));
  const found = plain
    ? { name: plain[4]!, letter: plain[3]!, value: plain[1]!, size: plain[2] }
    : posix && { name: posix[1]!.replace(FILE_NAME, ''), letter: posix[2]!, value: posix[3]!, size: posix[4] };
  if (!found) return undefined;
  const { name, letter } = found;
  const isMark = stateOfName(name) !== undefined;
  const address = BigInt(`0x${found.value}`);
  return {
    name,
    address,
    size: BigInt(`0x${found.size ?? '0'}`),
    kind: isMark ? undefined : kindOf(letter, address),
    binding: 'WVwv'.includes(letter) ? 'weak' : letter === letter.toLowerCase() ? 'local' : 'global',
    home: CODE.includes(letter) ? 'code' : letter.toLowerCase(),
  };
}

const CODE = 'tTwWi';
const DATA = 'dDbBrRgGsSvVu';
/** Weak undefined symbols. For modules, /proc/kallsyms also prints these letters for defined symbols. */
const WEAK_UNDEFINED = 'wv';

/** Returns the kind for a type letter. Letter `n` marks a section that is not loaded, such as a comment. */
function kindOf(letter: string, address: bigint): SymbolKind | undefined {
  if (address === 0n && WEAK_UNDEFINED.includes(letter)) return undefined;
  if (CODE.includes(letter)) return 'function';
  if (DATA.includes(letter)) return 'object';
  return letter === '?' ? 'label' : undefined;
}

const END_OF_ADDRESSES = 1n << 64n;

function withExtents(lines: readonly Line[]): ImageSymbol[] {
  const sorted = [...lines].sort((a, b) => (a.address === b.address ? 0 : a.address < b.address ? -1 : 1));
  let next: Line | undefined;
  const symbols: ImageSymbol[] = [];
  for (let i = sorted.length - 1; i >= 0; i--) {
    const { name, address, size, kind, binding, home } = sorted[i]!;
    const later = sorted[i + 1];
    if (later !== undefined && later.address !== address) next = later;
    const sized = size > 0n;
    const own = address + size;
    const reach = next?.home === home ? next.address : address + 1n;
    const end = !sized ? reach : own < END_OF_ADDRESSES ? own : END_OF_ADDRESSES;
    symbols.push({ name, address, end, sized, kind: kind ?? 'label', binding });
  }
  return symbols;
}
