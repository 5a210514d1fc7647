/**
 * Reads Rust symbols of the v0 mangling (RFC 2603, https://rust-lang.github.io/rfcs/2603-rust-symbol-name-mangling-v0.html). Names are
 * spelled as rustc-demangle does without hashes: crate disambiguators and types of constants are left out.
 */
import { punycode } from './punycode.ts';
import { createPrinter, giveUp } from './printer.ts';
import type { RustName } from './rust-legacy.ts';

const BASIC_TYPES: Readonly<Record<string, string>> = {
  a: 'i8',
  b: 'bool',
  c: 'char',
  d: 'f64',
  e: 'str',
  f: 'f32',
  h: 'u8',
  i: 'isize',
  j: 'usize',
  l: 'i32',
  m: 'u32',
  n: 'i128',
  o: 'u128',
  p: '_',
  s: 'i16',
  t: 'u16',
  u: '()',
  v: '...',
  x: 'i64',
  y: 'u64',
  z: '!',
};

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** Reads the symbol `_R...`. Throws NotUnderstood. `bare`: without generic arguments. */
export function readRustV0(symbol: string, bare = false): RustName {
  const out = createPrinter(bare);
  /** Number of lifetimes that enclosing binders declare. */
  let lifetimes = 0;
  let at = 2;
  /** True while text is read without being printed. */
  let isSilent = false;

  if (/\d/.test(symbol[at] ?? '')) giveUp();
  path(true);
  const { text } = out;
  if (/^[A-Z]/.test(symbol.slice(at))) silently(() => path(false));
  return { text, end: at };

  function write(text: string): void {
    if (!isSilent) out.write(text);
  }

  function silently(read: () => void): void {
    const outer = isSilent;
    isSilent = true;
    read();
    isSilent = outer;
  }

  function take(wanted: string): boolean {
    if (!symbol.startsWith(wanted, at)) return false;
    at += wanted.length;
    return true;
  }

  function next(): string {
    return symbol[at++] ?? giveUp();
  }

  /** Reads a base-62 number: `_` is 0, `0_` is 1 and so on. */
  function base62(): number {
    if (take('_')) return 0;
    let value = 0;
    for (;;) {
      const letter = next();
      if (letter === '_') return value + 1;
      const digit = DIGITS.indexOf(letter);
      value = value * 62 + digit;
      // Disambiguators have 64 bits. They are not printed, so it does not matter that large ones are rounded.
      if (digit < 0 || value > 2 ** 64) giveUp();
    }
  }

  function optional62(tag: string): number {
    return take(tag) ? base62() + 1 : 0;
  }

  interface Identifier {
    readonly disambiguator: number;
    readonly name: string;
  }

  function identifier(): Identifier {
    const disambiguator = optional62('s');
    return { disambiguator, name: undisambiguated() };
  }

  function undisambiguated(): string {
    const isPunycode = take('u');
    const length = /^(?:0|[1-9]\d{0,3})/.exec(symbol.slice(at, at + 4))?.[0] ?? giveUp();
    at += length.length;
    take('_');
    const end = at + Number(length);
    if (end > symbol.length) giveUp();
    const name = symbol.slice(at, end);
    at = end;
    return isPunycode ? (punycode(name) ?? giveUp()) : name;
  }

  /** Reads the production at an earlier place. */
  function backReference(read: () => void): void {
    const start = at - 1;
    const to = base62() + 2;
    if (to >= start) giveUp();
    if (isSilent) return;
    const outer = at;
    at = to;
    read();
    at = outer;
  }

  function listed(read: () => void): number {
    let count = 0;
    for (; !take('E'); count++) {
      if (count > 0) write(', ');
      read();
    }
    return count;
  }

  /** @param isValue path of a value, whose generic arguments are written `::<...>` */
  function path(isValue: boolean): void {
    out.step(() => {
      anyPath(isValue);
    });
  }

  function anyPath(isValue: boolean): void {
    switch (next()) {
      case 'C':
        write(identifier().name);
        return;
      case 'M':
        silently(implPath);
        write('<');
        type();
        write('>');
        return;
      case 'X':
        silently(implPath);
        asTrait();
        return;
      case 'Y':
        asTrait();
        return;
      case 'N':
        nestedPath(isValue);
        return;
      case 'I':
        path(isValue);
        genericArguments(isValue);
        return;
      case 'B':
        backReference(() => path(isValue));
        return;
      default:
        giveUp();
    }
  }

  function implPath(): void {
    optional62('s');
    path(false);
  }

  function asTrait(): void {
    write('<');
    type();
    write(' as ');
    path(false);
    write('>');
  }

  function nestedPath(isValue: boolean): void {
    const namespace = next();
    if (!/[A-Za-z]/.test(namespace)) giveUp();
    path(isValue);
    const { disambiguator, name } = identifier();
    if (/[a-z]/.test(namespace)) {
      if (name !== '') write(`::${name}`);
      return;
    }
    const kind = namespace === 'C' ? 'closure' : namespace === 'S' ? 'shim' : namespace;
    write(`::{${kind}${name === '' ? '' : `:${name}`}#${disambiguator}}`);
  }

  function genericArguments(isValue: boolean): void {
    const before = isSilent;
    isSilent ||= bare;
    write(isValue ? '::<' : '<');
    listed(genericArgument);
    write('>');
    isSilent = before;
  }

  function genericArgument(): void {
    if (take('L')) write(lifetime(base62()));
    else if (take('K')) constant();
    else type();
  }

  function lifetime(index: number): string {
    if (index === 0) return "'_";
    const depth = lifetimes - index;
    if (depth < 0) giveUp();
    return depth < 26 ? `'${String.fromCharCode(97 + depth)}` : `'_${depth}`;
  }

  /** Reads what a binder of lifetimes encloses: `for<'a> ...`. */
  function bound(read: () => void): void {
    const count = optional62('G');
    if (count > MOST_LIFETIMES) giveUp();
    if (count > 0) {
      const names = Array.from({ length: count }, () => {
        lifetimes++;
        return lifetime(1);
      });
      write(`for<${names.join(', ')}> `);
    }
    read();
    lifetimes -= count;
  }

  function type(): void {
    out.step(anyType);
  }

  function anyType(): void {
    const tag = next();
    const basic = BASIC_TYPES[tag];
    if (basic !== undefined) {
      write(basic);
      return;
    }
    switch (tag) {
      case 'R':
      case 'Q': {
        write('&');
        const index = take('L') ? base62() : 0;
        if (index > 0) write(`${lifetime(index)} `);
        if (tag === 'Q') write('mut ');
        type();
        return;
      }
      case 'P':
      case 'O':
        write(tag === 'P' ? '*const ' : '*mut ');
        type();
        return;
      case 'A':
      case 'S':
        write('[');
        type();
        if (tag === 'A') {
          write('; ');
          constant();
        }
        write(']');
        return;
      case 'T':
        write('(');
        write(listed(type) === 1 ? ',)' : ')');
        return;
      case 'F':
        bound(functionSignature);
        return;
      case 'D':
        dynamicTraits();
        return;
      case 'B':
        backReference(type);
        return;
      default:
        at--;
        path(false);
    }
  }

  function functionSignature(): void {
    if (take('U')) write('unsafe ');
    if (take('K')) write(`extern "${take('C') ? 'C' : undisambiguated().replaceAll('_', '-')}" `);
    write('fn(');
    listed(type);
    write(')');
    if (take('u')) return;
    write(' -> ');
    type();
  }

  function dynamicTraits(): void {
    write('dyn ');
    bound(() => {
      for (let count = 0; !take('E'); count++) {
        if (count > 0) write(' + ');
        dynamicTrait();
      }
    });
    if (!take('L')) giveUp();
    const index = base62();
    if (index > 0) write(` + ${lifetime(index)}`);
  }

  function dynamicTrait(): void {
    let isOpen = openPath();
    while (take('p')) {
      write(isOpen ? ', ' : '<');
      isOpen = true;
      write(`${undisambiguated()} = `);
      type();
    }
    if (isOpen) write('>');
  }

  /** Reads a path of a trait and leaves its list of generic arguments open for bindings. True if it has one. */
  function openPath(): boolean {
    return out.step(() => {
      if (take('B')) {
        let isOpen = false;
        backReference(() => (isOpen = openPath()));
        return isOpen;
      }
      if (!take('I')) {
        path(false);
        return false;
      }
      path(false);
      write('<');
      listed(genericArgument);
      return true;
    });
  }

  function constant(): void {
    out.step(anyConstant);
  }

  function anyConstant(): void {
    const tag = next();
    switch (tag) {
      case 'p':
        write('_');
        return;
      case 'B':
        backReference(constant);
        return;
      case 'b': {
        const value = hex();
        if (value > 1n) giveUp();
        write(value === 1n ? 'true' : 'false');
        return;
      }
      case 'c':
        write(quoted(character(), "'"));
        return;
      case 'e':
        write('*');
        write(stringText());
        return;
      case 'R':
      case 'Q':
        if (tag === 'R' && take('e')) {
          write(stringText());
          return;
        }
        write(tag === 'R' ? '&' : '&mut ');
        constant();
        return;
      case 'A':
        write('[');
        listed(constant);
        write(']');
        return;
      case 'T':
        write('(');
        write(listed(constant) === 1 ? ',)' : ')');
        return;
      case 'V':
        variant();
        return;
    }
    if (!'ahstlmxynoij'.includes(tag)) giveUp();
    const sign = 'asxlni'.includes(tag) && take('n') ? '-' : '';
    write(`${sign}${hex()}`);
  }

  /** Reads a value of a structure or an enumeration. */
  function variant(): void {
    const form = next();
    path(true);
    if (form === 'T') {
      write('(');
      listed(constant);
      write(')');
    } else if (form === 'S') {
      write(' { ');
      listed(() => {
        write(`${identifier().name}: `);
        constant();
      });
      write(' }');
    } else if (form !== 'U') giveUp();
  }

  function nibbles(): string {
    const digits = /^[0-9a-f]*(?=_)/.exec(symbol.slice(at))?.[0] ?? giveUp();
    at += digits.length + 1;
    return digits;
  }

  function hex(): bigint {
    const digits = nibbles();
    return digits === '' ? 0n : BigInt(`0x${digits}`);
  }

  function character(): string {
    const code = Number(hex());
    if (code > 0x10_ffff || (code >= 0xd800 && code <= 0xdfff)) giveUp();
    return String.fromCodePoint(code);
  }

  function stringText(): string {
    const digits = nibbles();
    if (digits.length % 2 === 1) giveUp();
    try {
      return quoted(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(digits, 'hex')), '"');
    } catch {
      return giveUp();
    }
  }

  function quoted(text: string, quote: string): string {
    const inner = text.replace(/[\\'"\n\r\t\0]/g, (letter) =>
      letter === '"' || letter === "'" ? (letter === quote ? `\\${letter}` : letter) : (ESCAPED[letter] ?? letter),
    );
    return quote + inner + quote;
  }
}

const ESCAPED: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t', '\0': '\\0' };

/** Upper bound on the lifetimes of one binder. */
const MOST_LIFETIMES = 100;
