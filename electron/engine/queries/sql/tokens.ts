/** Splits a statement of SQL into words, literals and signs, and pairs its brackets. */
import { fail, ok, type Result } from '../../../../shared/base/result.ts';

export interface Token {
  readonly type: 'word' | 'quoted' | 'text' | 'number' | 'parameter' | 'sign' | 'group';
  /** As it is written; of a group, without its contents. A word is in upper case in `word`. */
  readonly text: string;
  readonly word: string;
  readonly start: number;
  readonly end: number;
  /** Contents of a pair of brackets. */
  readonly inner?: readonly Token[];
}

/** A change of a statement. */
export interface Insertion {
  readonly at: number;
  /** Number of characters that it replaces. */
  readonly over: number;
  readonly text: string;
}

const PATTERNS: readonly (readonly [type: Token['type'] | 'blank', pattern: RegExp])[] = [
  ['blank', /\s+|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y],
  ['text', /'(?:[^']|'')*'|x'[0-9a-f]*'/iy],
  ['quoted', /"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]/y],
  ['number', /0x[0-9a-f]+|(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?/iy],
  ['parameter', /[:@$][\p{L}\p{N}_]+|\?\d*/uy],
  ['word', /[\p{L}_][\p{L}\p{N}_$]*/uy],
  ['sign', /<=|>=|<>|!=|==|\|\||<<|>>|->>|->|[-+*/%&|~<>=.,;()]/y],
];

export function tokenize(sql: string): Result<readonly Token[]> {
  const levels: { readonly tokens: Token[]; readonly start: number }[] = [{ tokens: [], start: 0 }];
  for (let at = 0; at < sql.length;) {
    const found = next(sql, at);
    if (found === undefined) return fail('usage', `sql: '${sql[at]}' at character ${String(at + 1)} is not SQL`);
    const { type, text } = found;
    const start = at;
    at += text.length;
    if (type === 'blank') continue;
    const level = levels.at(-1)!;
    if (text === '(') levels.push({ tokens: [], start });
    else if (text === ')') {
      if (levels.length === 1)
        return fail('usage', `sql: the bracket at character ${String(start + 1)} closes nothing`);
      levels.pop();
      levels
        .at(-1)!
        .tokens.push({ type: 'group', text: '()', word: '', start: level.start, end: at, inner: level.tokens });
    } else level.tokens.push({ type, text, word: type === 'word' ? text.toUpperCase() : '', start, end: at });
  }
  if (levels.length > 1)
    return fail('usage', `sql: the bracket at character ${String(levels.at(-1)!.start + 1)} is not closed`);
  return ok(levels[0]!.tokens);
}

function next(sql: string, at: number): { readonly type: Token['type'] | 'blank'; readonly text: string } | undefined {
  for (const [type, pattern] of PATTERNS) {
    pattern.lastIndex = at;
    const found = pattern.exec(sql);
    if (found !== null) return { type, text: found[0] };
  }
  return undefined;
}

/** Returns the name that a word or a quoted name has, in lower case; undefined for other tokens. */
export function nameOf(token: Token | undefined): string | undefined {
  if (token?.type === 'word') return token.text.toLowerCase();
  if (token?.type === 'quoted') return token.text.slice(1, -1).toLowerCase();
  return undefined;
}

/** Calls `visit` for the tokens of each pair of brackets, and for those outside of all. */
export function eachLevel(tokens: readonly Token[], visit: (tokens: readonly Token[]) => void): void {
  visit(tokens);
  for (const { inner } of tokens) if (inner !== undefined) eachLevel(inner, visit);
}
