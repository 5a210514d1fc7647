/**
 * Splits a statement of SQL into words, literals, signs and what is between them. Any text can be split, also one that is still being typed: the
 * tokens together are the whole text.
 */

export interface SqlToken {
  /** `quoted` is a name in quotes, `text` a string or a blob, `other` a character that SQL does not have. */
  readonly type: 'blank' | 'comment' | 'text' | 'quoted' | 'number' | 'parameter' | 'word' | 'sign' | 'other';
  /** As it is written. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** True if the statement ends before the quote or the comment does. */
  readonly isOpen: boolean;
}

/** The group `end` is empty if the statement ends first. */
const PATTERNS: readonly (readonly [type: SqlToken['type'], pattern: RegExp])[] = [
  ['blank', /\s+/y],
  ['comment', /--[^\n]*|\/\*[\s\S]*?(?<end>\*\/|$)/y],
  ['text', /x'[0-9a-f]*'/iy],
  ['text', /'(?:[^']|'')*(?<end>'|$)/y],
  ['quoted', /"(?:[^"]|"")*(?<end>"|$)/y],
  ['quoted', /`(?:[^`]|``)*(?<end>`|$)/y],
  ['quoted', /\[[^\]]*(?<end>\]|$)/y],
  ['number', /0x[0-9a-f]+|(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?/iy],
  ['parameter', /[:@$][\p{L}\p{N}_]+|\?\d*/uy],
  ['word', /[\p{L}_][\p{L}\p{N}_$]*/uy],
  ['sign', /<=|>=|<>|!=|==|\|\||<<|>>|->>|->|[-+*/%&|~<>=.,;()]/y],
  ['other', /[\s\S]/uy],
];

export function sqlTokens(sql: string): readonly SqlToken[] {
  const tokens: SqlToken[] = [];
  for (let at = 0; at < sql.length;) {
    const token = tokenAt(sql, at);
    tokens.push(token);
    at = token.end;
  }
  return tokens;
}

function tokenAt(sql: string, start: number): SqlToken {
  for (const [type, pattern] of PATTERNS) {
    pattern.lastIndex = start;
    const found = pattern.exec(sql);
    if (found !== null) {
      const [text] = found;
      return { type, text, start, end: start + text.length, isOpen: found.groups?.['end'] === '' };
    }
  }
  return { type: 'other', text: sql.charAt(start), start, end: start + 1, isOpen: false };
}

/** Returns the name that a word or a quoted name has, in lower case; undefined for other tokens. */
export function nameOf(token: (Pick<SqlToken, 'text'> & { readonly type: string }) | undefined): string | undefined {
  if (token?.type === 'word') return token.text.toLowerCase();
  if (token?.type !== 'quoted') return undefined;
  const name = token.text.slice(1, -1).toLowerCase();
  return token.text.startsWith('[') ? name : name.replaceAll(/""|``/g, ([quote]) => quote!);
}
