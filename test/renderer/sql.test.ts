/** The pane SQL: statements, messages, results and saved queries. */
import { describe, expect, test } from 'vitest';
import { chartOf } from '../../renderer/features/sql/chart/result-chart.ts';
import { addressIn, recordOf, resultColumns } from '../../renderer/features/sql/columns.ts';
import { errorPlaces } from '../../renderer/features/sql/error-places.ts';
import { parametersOf, tablesOf } from '../../renderer/features/sql/statement.ts';
import { suggestionsAt } from '../../renderer/features/sql/suggestions.ts';
import { isSavedQuery, queryView, savedQueries, type ChartColumns } from '../../renderer/trace/sql/saved-queries.ts';

describe('a statement', () => {
  test('has parameters outside of texts and comments, each once', () => {
    const sql = "SELECT ':no', :a -- :no\n, :b /* :no */ FROM records WHERE n < :a AND kind = 'it''s :no'";
    expect(parametersOf(sql)).toEqual(['a', 'b']);
  });

  test.each(['"it\'s"', "[it's]", "`it's`", '"a""b\'"', "'it''s'", "/* it's */"])('is read on after %s', (quoted) => {
    const sql = `SELECT ${quoted}, c.n, :a FROM calls AS c WHERE c.`;
    expect(parametersOf(sql)).toEqual(['a']);
    expect(suggestionsAt(sql, sql.length)?.all.map(({ label }) => label)).toContain('end_n');
    expect(errorPlaces('sql: no such table: calls', sql)).toEqual([
      { from: sql.indexOf('calls'), to: sql.indexOf('calls') + 5 },
    ]);
    expect(suggestionsAt(sql, 9)).toBeUndefined();
  });

  test('names tables and columns in quotes', () => {
    const sql = 'SELECT "c".n FROM "Calls" AS "c"';
    expect(tablesOf(sql).map(({ table, alias }) => [table.name, alias])).toEqual([['calls', 'c']]);
    expect(errorPlaces("sql: no such column: it's", 'SELECT "it\'s", 1')).toEqual([{ from: 7, to: 13 }]);
  });

  test('names its tables and their aliases', () => {
    const sql = 'SELECT * FROM calls AS c JOIN accesses(c.n, (c.end_n)) a, notes WHERE 1';
    expect(tablesOf(sql).map(({ table, alias }) => [table.name, alias])).toEqual([
      ['calls', 'c'],
      ['accesses', 'a'],
      ['notes', 'notes'],
    ]);
  });
});

describe('completion', () => {
  /** @param sql with `|` at the cursor */
  const labels = (sql: string): readonly string[] | undefined =>
    suggestionsAt(sql.replace('|', ''), sql.indexOf('|'))?.all.map(({ label }) => label);

  test('offers only tables after FROM and JOIN', () => {
    expect(labels('SELECT 1 FROM |')).toContain('records');
    expect(labels('SELECT 1 FROM |')).not.toContain('depth');
  });

  test('offers the columns of an alias, with hidden ones', () => {
    expect(labels('SELECT c.| FROM calls AS c')).toContain('end_n');
    expect(labels('SELECT c.| FROM calls AS c')).toContain('of_function');
    expect(labels('SELECT c.| FROM calls AS c')).not.toContain('register');
    expect(labels('SELECT x.| FROM calls AS c')).toEqual([]);
  });

  test('offers columns of the tables that the statement names, functions and words', () => {
    const found = labels('SELECT | FROM register_sets');
    expect(found).toEqual(expect.arrayContaining(['register', 'reg_at', 'WHERE']));
    expect(found).not.toContain('end_n');
  });

  test('offers recipes only at the start, and parameters after a colon', () => {
    expect(labels('cal|')).toContain('calls-of');
    expect(labels('SELECT cal|')).not.toContain('calls-of');
    expect(labels('SELECT :mine, :|')?.[0]).toBe('mine');
  });

  test('offers nothing in texts and comments', () => {
    expect(labels("SELECT 'rec|'")).toBeUndefined();
    expect(labels('SELECT 1 -- rec|')).toBeUndefined();
  });
});

test.each([
  ['sql: no such column: nowhere', 'SELECT nowhere, n FROM records', ['nowhere']],
  ['sql: no such column: r.nowhere', "SELECT r.nowhere, 'nowhere' FROM records r", ['nowhere']],
  ['sql: no such table: missing', 'SELECT * FROM missing', ['missing']],
  ['sql: near "FORM": syntax error', 'SELECT n FORM records', ['FORM']],
  ['sql: near "n": syntax error', 'SELECT n n n FROM records', []],
  ['sql: near ")": syntax error', "SELECT (')', n +)", [')']],
  ['sql: incomplete input', 'SELECT n FROM ', ['M']],
  ['sql: reg_at: n must be a record number', "SELECT reg_at(-1, 'r0')", ['reg_at']],
  ['sql: wrong number of arguments to function sum()', 'SELECT sum(1, 2)', ['sum']],
  ["sql: the ' at character 8 is not closed", "SELECT 'a, n", ["'a, n"]],
  ['sql: the bracket at character 9 closes nothing', 'SELECT 1)', [')']],
  ["sql: '#' at character 8 is not SQL", 'SELECT #', ['#']],
  ['the statement was stopped after 30 seconds', 'SELECT 1', []],
])('the message %j is about parts of %j', (message, sql, expected) => {
  expect(errorPlaces(message, sql).map(({ from, to }) => sql.slice(from, to))).toEqual(expected);
});

describe('a result', () => {
  const answer = {
    columns: [
      { name: 'first_n' },
      { name: 'site', type: 'address' },
      { name: 'records' },
      { name: 'text', type: 'text' },
    ],
    rows: [
      [null, '0x8000', 1234, 'a'],
      [12, null, null, 'b'],
    ],
  } as const;

  test('has columns of records and addresses by the schema and by name', () => {
    const columns = resultColumns(answer);
    expect(columns.map(({ kind }) => kind)).toEqual(['record', 'address', 'number', 'text']);
    expect(columns[2]!.width).toBe('records'.length);
    expect(recordOf(answer.rows[0], columns)).toBeUndefined();
    expect(recordOf(answer.rows[1], columns)).toBe(12);
    expect(addressIn(answer.rows[0], columns)).toBe('0x8000');
  });

  const chart = (
    names: readonly string[],
    rows: readonly (readonly (string | number | null)[])[],
    chosen?: ChartColumns,
  ) => {
    const of = { columns: names.map((name) => ({ name })), rows };
    return chartOf(of, resultColumns(of), chosen);
  };

  test('is drawn as bars of its label and first number', () => {
    expect(
      chart(
        ['kind', 'records'],
        [
          ['read', 2],
          ['write', null],
        ],
      ),
    ).toEqual({
      kind: 'bars',
      of: 'kind',
      value: 'records',
      items: [{ row: 0, value: 2, text: '2', label: 'read' }],
      left: 1,
    });
  });

  test('is drawn as points over records, in their order, also of hexadecimal values', () => {
    expect(
      chart(
        ['n', 'value'],
        [
          [7, '0x10'],
          [3, '0x1'],
        ],
      ),
    ).toMatchObject({
      kind: 'points',
      items: [
        { row: 1, x: 3, value: 1 },
        { row: 0, x: 7, value: 16 },
      ],
    });
  });

  test('is drawn with the columns that a person chose, unless it lacks them', () => {
    const names = ['function', 'line', 'calls', 'records'];
    const rows = [
      ['main', 7, 1, 90],
      ['sum', 3, 40, 80],
    ];
    const of = (chosen?: ChartColumns) => {
      const drawn = chart(names, rows, chosen);
      return drawn && [drawn.kind, drawn.of, drawn.value, drawn.items.map(({ text }) => text)];
    };
    expect(of()).toEqual(['bars', 'function', 'line', ['7', '3']]);
    expect(of({ value: 'records' })).toEqual(['bars', 'function', 'records', ['90', '80']]);
    expect(of({ value: 'records', of: 'line' })).toEqual(['points', 'line', 'records', ['80', '90']]);
    expect(of({ value: 'function', of: 'gone' })).toEqual(['bars', 'function', 'line', ['7', '3']]);
  });

  test('shows integers of 64 bits as they are', () => {
    const rows = [
      ['a', '9223372036854775807'],
      ['b', '-9223372036854775808'],
      ['c', '0xfffffffffffffffe'],
      ['d', 9007199254740991],
      ['e', null],
    ];
    const drawn = chart(['name', 'total'], rows);
    expect(drawn?.items.map(({ text }) => text)).toEqual([
      '9223372036854775807',
      '-9223372036854775808',
      '0xfffffffffffffffe',
      '9,007,199,254,740,991',
    ]);
    expect(drawn?.items.map(({ value }) => value)).toEqual([2 ** 63, -(2 ** 63), 2 ** 64, 2 ** 53 - 1]);
    expect(drawn?.left).toBe(1);
    // Numbers that are no safe integers are labels, which are not rounded.
    const swapped = chart(
      ['total', 'calls'],
      rows.slice(0, 3).map(([, total], i) => [total!, i]),
    );
    expect(swapped).toMatchObject({ kind: 'bars', of: 'total', items: [{ label: '9223372036854775807' }, {}, {}] });
  });

  test('without a number has no chart', () => {
    expect(chart(['a', 'b'], [['x', 'y']])).toBeUndefined();
    expect(chart(['records'], [[5]])).toBeUndefined();
  });
});

test('saved queries are views that hold a statement', () => {
  const view = { ...queryView({ title: 'b', sql: 'SELECT :x', set: { x: '1' } }, undefined), changed: '', revision: 3 };
  const others = [
    { id: '1', name: 'a', content: '{"n":5}', changed: '', revision: 1 },
    { id: '2', name: 'a', content: '{"query":1}', changed: '', revision: 1 },
    { id: '3', name: 'a', content: '{"query":', changed: '', revision: 1 },
  ];
  expect([view, ...others].map(isSavedQuery)).toEqual([true, false, false, false]);
  expect(savedQueries([view])).toEqual([{ view, title: 'b', sql: 'SELECT :x', set: { x: '1' }, chart: {} }]);
  const query = { title: 'd', sql: 'SELECT 1', set: {}, chart: { value: 'records' } };
  const drawn = { ...queryView(query, undefined), changed: '', revision: 4 };
  expect(savedQueries([drawn])).toEqual([{ view: drawn, ...query }]);
  expect(queryView({ title: 'c', sql: 'SELECT 2', set: {} }, view)).toMatchObject({ id: view.id, revision: 3 });
});
