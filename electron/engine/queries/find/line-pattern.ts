/**
 * One regular expression for many lines at once: how a person's expression for one line is put so that it finds the same
 * lines in a text of many.
 *
 * With the flag m, `^` and `$` stand at the ends of every line. What is left is that no part of the expression may take in
 * the end of a line: `\s`, `[^x]`, `\W`, `\n` and the like are put so that they do not. Then whatever the expression can do
 * inside a line, look-arounds and back references included, it can do alike in the line alone and in the text, as long as a
 * CR stands nowhere but in front of an LF.
 */

/**
 * The expression for a text of lines, to be used with the flags m and u; undefined where that cannot be told: it has
 * modifiers that change what `.`, `^` or `$` mean. `pattern` compiles with the flag u.
 */
export function withinLines(pattern: string): string | undefined {
  let out = '';
  let at = 0;
  while (at < pattern.length) {
    MODIFIERS.lastIndex = at;
    if (/[sm]/.test(MODIFIERS.exec(pattern)?.[0] ?? '')) return undefined;
    const end = atomEnd(pattern, at);
    out += withoutLineEnds(pattern.slice(at, end));
    at = end;
  }
  return out;
}

/** `(?s:`, `(?i-m:` and the like; `(?i:` alone changes nothing that matters. */
const MODIFIERS = /\(\?[a-z]*-?[a-z]*:/y;

/** Where the escape, the class or the character at `at` ends. */
function atomEnd(pattern: string, at: number): number {
  if (pattern[at] === '\\') return escapeEnd(pattern, at);
  if (pattern[at] !== '[') return at + 1;
  let end = at + 1;
  while (end < pattern.length && pattern[end] !== ']') end = pattern[end] === '\\' ? escapeEnd(pattern, end) : end + 1;
  return end + 1;
}

function escapeEnd(pattern: string, at: number): number {
  ESCAPE.lastIndex = at;
  const found = ESCAPE.exec(pattern);
  return found === null ? at + 2 : ESCAPE.lastIndex;
}

/** Escapes of more than one character, with which others would be mistaken for characters of their own. */
const ESCAPE = /\\(?:u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[a-zA-Z]|[pP]\{[^}]*\}|k<[^>]*>|[1-9][0-9]*|[^])/y;

/** Escapes that take in nothing. */
const WITHOUT_WIDTH = /^\\(?:[bB]|k<|[1-9])/;

/** An escape, class or character that takes in neither CR nor LF, and otherwise what it took in. */
function withoutLineEnds(atom: string): string {
  if (atom === '\n' || atom === '\r') return NOTHING;
  if (atom.length === 1 || WITHOUT_WIDTH.test(atom)) return atom;
  const alone = new RegExp(`^${atom}$`, 'u');
  if (!alone.test('\n') && !alone.test('\r')) return atom;
  // Ranges, so that a hyphen that follows cannot make one.
  if (atom.startsWith('[^')) return `[^\\n-\\n\\r-\\r${atom.slice(2)}`;
  if (atom === '\\s') return '[^\\S\\n\\r]';
  if (atom === '\\D') return '[^\\d\\n\\r]';
  if (atom === '\\W') return '[^\\w\\n\\r]';
  return `(?:(?![\\n\\r])${atom})`;
}

/** A class of no character. */
const NOTHING = '[]';
