/** The tokens of a complete statement, with its brackets in pairs. */
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { sqlTokens, type SqlToken } from '../../../../shared/sql/tokens.ts';

export interface Token {
  readonly type: Exclude<SqlToken['type'], 'blank' | 'comment' | 'other'> | 'group';
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

export function tokenize(sql: string): Result<readonly Token[]> {
  const levels: { readonly tokens: Token[]; readonly start: number }[] = [{ tokens: [], start: 0 }];
  for (const { type, text, start, end, isOpen } of sqlTokens(sql)) {
    // SQLite takes a comment that has no end.
    if (type === 'blank' || type === 'comment') continue;
    if (isOpen) return fail('usage', `sql: the ${text.charAt(0)} at character ${String(start + 1)} is not closed`);
    if (type === 'other') return fail('usage', `sql: '${text}' at character ${String(start + 1)} is not SQL`);
    const level = levels.at(-1)!;
    if (text === '(') levels.push({ tokens: [], start });
    else if (text === ')') {
      if (levels.length === 1)
        return fail('usage', `sql: the bracket at character ${String(start + 1)} closes nothing`);
      levels.pop();
      levels.at(-1)!.tokens.push({ type: 'group', text: '()', word: '', start: level.start, end, inner: level.tokens });
    } else level.tokens.push({ type, text, word: type === 'word' ? text.toUpperCase() : '', start, end });
  }
  if (levels.length > 1)
    return fail('usage', `sql: the bracket at character ${String(levels.at(-1)!.start + 1)} is not closed`);
  return ok(levels[0]!.tokens);
}

/** Calls `visit` for the tokens of each pair of brackets, and for those outside of all. */
export function eachLevel(tokens: readonly Token[], visit: (tokens: readonly Token[]) => void): void {
  visit(tokens);
  for (const { inner } of tokens) if (inner !== undefined) eachLevel(inner, visit);
}
