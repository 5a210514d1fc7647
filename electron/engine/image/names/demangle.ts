/**
 * Demangles symbols of C++ (Itanium C++ ABI) and Rust (legacy and v0). A symbol goes in; the name that its programmer wrote comes out. A
 * symbol that is not understood to its end has no name, and work and text are bounded for every input.
 */
import { print, type Node } from './itanium-nodes.ts';
import { readItanium } from './itanium.ts';
import { createPrinter, NotUnderstood } from './printer.ts';
import { readRustLegacy } from './rust-legacy.ts';
import { readRustV0 } from './rust-v0.ts';

/** Longest symbol that is read, in characters. */
const MOST_SYMBOL = 4096;

/** Returns the name; undefined if the symbol is not mangled or not understood. */
export function demangle(symbol: string): string | undefined {
  return attempt(symbol, (parts) => parts.whole());
}

/** Returns shorter forms under which people know the name: without return type and parameters, and without template arguments too. */
export function shortNames(symbol: string): readonly string[] {
  return attempt(symbol, ({ whole, short }) => (whole() === '' ? [] : short())) ?? [];
}

interface Parts {
  readonly whole: () => string;
  readonly short: () => readonly string[];
}

function attempt<T>(symbol: string, use: (parts: Parts) => T): T | undefined {
  if (!/^_[RZ]/.test(symbol) || symbol.length > MOST_SYMBOL) return undefined;
  try {
    const parts = read(symbol);
    return parts && use(parts);
  } catch (error) {
    if (error instanceof NotUnderstood) return undefined;
    throw error;
  }
}

function read(symbol: string): Parts | undefined {
  const legacy = symbol.startsWith('_ZN') ? readRustLegacy(symbol) : undefined;
  if (legacy !== undefined) return rustParts(symbol, legacy.text, legacy.end, () => legacy.text);
  if (symbol.startsWith('_R')) {
    const { text, end } = readRustV0(symbol);
    return rustParts(symbol, text, end, () => readRustV0(symbol, true).text);
  }
  const { whole, name, end } = readItanium(symbol);
  const suffix = suffixOf(symbol.slice(end));
  if (suffix === undefined) return undefined;
  const printed = (node: Node, bare = false): string => {
    const out = createPrinter<Node>(bare);
    print(node, out);
    return out.text + suffix;
  };
  return {
    whole: () => printed(whole),
    short: () => [printed(name ?? whole), printed(name ?? whole, true)],
  };
}

function rustParts(symbol: string, text: string, end: number, bare: () => string): Parts | undefined {
  const suffix = suffixOf(symbol.slice(end));
  return suffix === undefined ? undefined : { whole: () => text + suffix, short: () => [bare() + suffix] };
}

/**
 * Returns the text for what compilers and linkers append: clones (`.part.0`, `.llvm.123`), as c++filt writes them, and versions
 * (`@GLIBCXX_3.4`). Undefined for other text.
 */
function suffixOf(rest: string): string | undefined {
  const parts = /^((?:\.[\w$]+)*)(@.*)?$/.exec(rest);
  if (parts === null) return undefined;
  const [, clones = '', version = ''] = parts;
  const texts = clones.match(/\.(?:llvm\.[\dA-F]+(?![\w$])|[A-Za-z_$][\w$]*(?:\.\d+(?![\w$]))*|[\w$]+)/g) ?? [];
  return texts.map((clone) => ` [clone ${clone}]`).join('') + version;
}
