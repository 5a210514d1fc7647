// Conditions of a statement become arguments of tables, so that a question about one record reads one record.
import { describe, expect, test } from 'vitest';
import { prepareStatement } from '../../electron/engine/queries/sql/statement.ts';
import { nameOf, sqlTokens } from '../../shared/sql/tokens.ts';

/** The conditions that are added to a statement; undefined if there are none. */
function added(sql: string): string | undefined {
  const prepared = prepareStatement(sql);
  if (!prepared.ok) throw new Error(prepared.error.message);
  return /\n\) AND (.*)/.exec(prepared.value.sql)?.[1];
}

test.each([
  ['SELECT * FROM records WHERE n = 5', '"records".from_n = 5 AND "records".to_n = 5 + 1'],
  ['SELECT * FROM records r WHERE r.n BETWEEN 5 AND 9;', '"r".from_n = 5 AND "r".to_n = 9 + 1'],
  ['SELECT * FROM records AS "r" WHERE 7 <= n AND kind = 1 -- x', '"r".from_n = 7 -- x'],
  [
    "SELECT * FROM accesses WHERE address >= 0x10 AND 0x20 > address AND kind = 'read'",
    '"accesses".low = 0x10 AND "accesses".high = 0x20 AND "accesses".of_kind = \'read\'',
  ],
  ['SELECT * FROM accesses WHERE address >= 0xffffffff00000000', '"accesses".low = \'0xffffffff00000000\''],
  ['SELECT * FROM records WHERE n IN (9, 4)', '"records".from_n = 4 AND "records".to_n = 9 + 1'],
  ["SELECT * FROM calls WHERE function = 'main' AND from_n = 3", '"calls".of_function = \'main\''],
  [
    'SELECT * FROM records WHERE n < :to',
    "\"records\".to_n = iif(typeof(:to) IN ('integer', 'real'), :to + 1, 9007199254740991)",
  ],
])('%s', (sql, conditions) => expect(added(sql)).toBe(conditions));

test.each([
  'SELECT * FROM records WHERE n = 5 OR n = 6',
  'SELECT * FROM records WHERE NOT n = 5',
  'SELECT * FROM records WHERE n + 1 = 5',
  'SELECT * FROM records WHERE n = 5 + 1',
  'SELECT * FROM records WHERE n = ?',
  'SELECT * FROM records WHERE n NOT BETWEEN 5 AND 6',
  'SELECT * FROM records WHERE CASE WHEN n = 5 AND n = 6 THEN 1 END',
  'SELECT * FROM records(1, 2) WHERE n = 5',
  'SELECT * FROM records, calls WHERE n = 5',
  'SELECT * FROM calls LEFT JOIN records AS r WHERE r.n = 5',
  'SELECT * FROM other.records WHERE n = 5',
  // A range of coverage means another question, not fewer rows.
  'SELECT * FROM coverage WHERE n = 5',
  'WITH records AS (SELECT 1 AS n) SELECT * FROM records WHERE n = 5',
])('%s has no added conditions', (sql) => expect(added(sql)).toBeUndefined());

test('columns that a statement cannot refer to are known', () => {
  const uses = (sql: string, column: string): boolean => {
    const prepared = prepareStatement(sql);
    if (!prepared.ok) throw new Error(prepared.error.message);
    return prepared.value.names?.has(column) ?? true;
  };
  expect(uses('SELECT count(*) FROM records', 'value')).toBe(false);
  expect(uses('SELECT "Value" FROM records', 'value')).toBe(true);
  expect(uses('SELECT * FROM records', 'value')).toBe(true);
  expect(uses('SELECT count(*) FROM (SELECT * FROM records)', 'value')).toBe(true);
  expect(uses('SELECT n FROM records NATURAL JOIN accesses', 'value')).toBe(true);
});

describe('the tokens of a statement', () => {
  test('are of these types', () => {
    const sql = `SELECT "a""b", [it's], x'0F' -- no\n, 'it''s' || :n /* '"[ */ >= 0x1F #`;
    const tokens = sqlTokens(sql).filter(({ type }) => type !== 'blank');
    expect(tokens.map(({ type, text }) => `${type} ${text}`)).toEqual([
      'word SELECT',
      'quoted "a""b"',
      'sign ,',
      "quoted [it's]",
      'sign ,',
      "text x'0F'",
      'comment -- no',
      'sign ,',
      "text 'it''s'",
      'sign ||',
      'parameter :n',
      `comment /* '"[ */`,
      'sign >=',
      'number 0x1F',
      'other #',
    ]);
    expect(tokens.some(({ isOpen }) => isOpen)).toBe(false);
    expect(tokens.flatMap((token) => nameOf(token) ?? [])).toEqual(['select', 'a"b', "it's"]);
  });

  test.each(["SELECT 'it''", 'SELECT "a', 'SELECT `a``', 'SELECT [a', 'SELECT 1, \'a, "b'])(
    '%s has a quote without an end, and is refused',
    (sql) => {
      const tokens = sqlTokens(sql);
      expect(tokens.map(({ text }) => text).join('')).toBe(sql);
      expect(tokens.map(({ isOpen }) => isOpen).lastIndexOf(true)).toBe(tokens.length - 1);
      const prepared = prepareStatement(sql);
      const { start, text } = tokens.at(-1)!;
      expect(prepared.ok ? '' : prepared.error.message).toBe(
        `sql: the ${text[0]!} at character ${String(start + 1)} is not closed`,
      );
    },
  );
});
