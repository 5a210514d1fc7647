// Conditions of a statement become arguments of tables, so that a question about one record reads one record.
import { expect, test } from 'vitest';
import { prepareStatement } from '../../electron/engine/queries/sql/statement.ts';

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
