/** Finds symbols by the names that people type: the raw name, the demangled name, or a part of it that still names a function. */
import { search, type ImageSymbol, type Search, type SymbolTable } from '../symbols.ts';
import { shortNames } from './demangle.ts';
import { ABBREVIATIONS, BUILTIN_TYPES, OBJECT_DATA, TYPE_DATA } from './itanium-tables.ts';
import { shownName } from './shown-name.ts';

/** How a typed name can match a demangled one, best first. */
type Form = (symbol: ImageSymbol) => readonly string[];
const FORMS: readonly Form[] = [
  (symbol) => [shownName({ name: symbol.name })],
  // Without return type and parameters, then without template arguments.
  ({ name }) => shortNames(name),
];

/**
 * Returns the symbols that a typed name can mean, by address, in the first form that matches any: the demangled name, the same without
 * return type and parameters or without template arguments, and last the end of such a path (`work` for `app::work`).
 */
export function* symbolsCalled(table: SymbolTable, typed: string): Search<ImageSymbol> {
  const wanted = compact(typed.replace(/::h[0-9a-f]{16}$/, ''));
  if (wanted === '') return [];
  const mayBe = mayContain(typed);
  const candidates = yield* table.search((symbol) => /^_[RZ]/.test(symbol.name) && mayBe(symbol));
  const among = (passes: (symbol: ImageSymbol) => boolean): Search<ImageSymbol> =>
    search(candidates.length, (i) => candidates[i]!, passes);
  for (const form of FORMS) {
    const found = yield* among((symbol) => form(symbol).some((name) => compact(name) === wanted));
    if (found.length > 0) return onePerAddress(found);
  }
  const ends = yield* among(({ name }) => shortNames(name).some((path) => compact(path).endsWith(`::${wanted}`)));
  return onePerAddress(ends);
}

/** Removes blanks that do not separate words: `> >` and `>>`, `(int, int)` and `(int,int)` are equal. */
function compact(name: string): string {
  return name
    .trim()
    .replace(/\s+/g, ' ')
    .replace(/(?<=\W) | (?=\W)/g, '');
}

/** Keeps one symbol per address: a constructor has several symbols with the same code. */
function onePerAddress(symbols: readonly ImageSymbol[]): readonly ImageSymbol[] {
  const seen = new Set<bigint>();
  return symbols.filter(({ address }) => !seen.has(address) && seen.add(address));
}

/** Letters that can occur in a demangled name without being part of the symbol. */
const OWN_WORDS = [
  ...Object.values(BUILTIN_TYPES),
  ...Object.values(TYPE_DATA),
  ...Object.values(OBJECT_DATA),
  ...Object.values(ABBREVIATIONS).flatMap(({ text, full = '' }) => [text, full]),
  'anonymous namespace const volatile restrict noexcept throw transaction_safe complex imaginary __vector _bitint bfloat16_t float',
  'operator new delete co_await sizeof alignof typeid dynamic_cast static_cast const_cast reinterpret_cast decltype this parm',
  'lambda auto unnamed type string literal default arg abi clone true false nullptr for in to non-virtual thunk covariant return',
  'construction vtable template parameter object reference temporary',
  'isize usize char str unsafe extern fn dyn mut as closure shim',
]
  .join(' ')
  .toLowerCase();

/**
 * Returns a cheap test that rules out symbols whose demangled name cannot contain the text: identifiers are part of the symbol as they are.
 */
export function mayContain(text: string): (symbol: ImageSymbol) => boolean {
  const words = (text.toLowerCase().match(/[a-z_]{3,}/g) ?? []).filter(
    (word) => !OWN_WORDS.includes(word) && !/^_|_$/.test(word),
  );
  return ({ name }) => {
    if (words.length === 0) return true;
    const symbol = name.toLowerCase();
    return words.every((word) => symbol.includes(word));
  };
}
