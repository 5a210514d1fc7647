/**
 * Rewrites a regular expression for a single line so that it finds the same lines in a text of many lines.
 *
 * With the flag m, `^` and `$` match at the ends of every line. In addition, no part of the expression may consume a line end: `\s`,
 * `[^x]`, `\W`, `\n` and similar atoms are rewritten. Everything else, including look-arounds and back references, then behaves the same in
 * the text as in the line alone, if every CR is followed by an LF.
 */

/**
 * Returns the expression for a text of lines, to be used with the flags m and u. Returns undefined if it has modifiers that change the
 * meaning of `.`, `^` or `$`. `pattern` compiles with the flag u.
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

/** `(?s:`, `(?i-m:` and similar modifiers. `(?i:` alone needs no special treatment. */
const MODIFIERS = /\(\?[a-z]*-?[a-z]*:/y;

/** Returns the end of the escape, class or character at `at`. */
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

/** Escapes of more than one character. They are matched whole so that their parts are not mistaken for separate characters. */
const ESCAPE = /\\(?:u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[a-zA-Z]|[pP]\{[^}]*\}|k<[^>]*>|[1-9][0-9]*|[^])/y;

/** Escapes that consume no character of their own. */
const WITHOUT_WIDTH = /^\\(?:[bB]|k<|[1-9])/;

/** Returns an atom that consumes neither CR nor LF, and otherwise the same characters. */
function withoutLineEnds(atom: string): string {
  if (atom === '\n' || atom === '\r') return NOTHING;
  if (atom.length === 1 || WITHOUT_WIDTH.test(atom)) return atom;
  const alone = new RegExp(`^${atom}$`, 'u');
  if (!alone.test('\n') && !alone.test('\r')) return atom;
  // Written as ranges, so that a following hyphen cannot form another range.
  if (atom.startsWith('[^')) return `[^\\n-\\n\\r-\\r${atom.slice(2)}`;
  if (atom === '\\s') return '[^\\S\\n\\r]';
  if (atom === '\\D') return '[^\\d\\n\\r]';
  if (atom === '\\W') return '[^\\w\\n\\r]';
  return `(?:(?![\\n\\r])${atom})`;
}

/** A class that matches no character. */
const NOTHING = '[]';
