/** Statements for questions that people often ask of a trace. */

export interface RecipeParameter {
  readonly name: string;
  /** A phrase. */
  readonly text: string;
  /** Value if none is given; the parameter is required without it. */
  readonly by?: string;
}

export interface Recipe {
  readonly name: string;
  /** The question, as a phrase. */
  readonly text: string;
  readonly parameters: readonly RecipeParameter[];
  readonly sql: string;
}

/** A record number after that of every record. */
const END = String(Number.MAX_SAFE_INTEGER);
const from: RecipeParameter = { name: 'from', text: 'first record', by: '0' };
const to: RecipeParameter = { name: 'to', text: 'record after the last one', by: END };
const fn: RecipeParameter = { name: 'function', text: 'name or address of the function' };
const result: RecipeParameter = { name: 'result', text: 'register with the result', by: 'r0' };

export const RECIPES: readonly Recipe[] = [
  {
    name: 'exceptions',
    text: 'which exceptions and interrupts were there, and where',
    parameters: [from, to],
    sql: `SELECT n, time, cpu, kind, address, target, text, sym(address) AS symbol
FROM records
WHERE kind = 'exception' AND n >= :from AND n < :to`,
  },
  {
    name: 'calls-of',
    text: 'all calls of a function, with two arguments and the result',
    parameters: [
      fn,
      { name: 'argument1', text: 'register with the first argument', by: 'r0' },
      { name: 'argument2', text: 'register with the second argument', by: 'r1' },
      result,
      from,
      to,
    ],
    sql: `SELECT n, end_n, caller, hex(reg_at(n, :argument1)) AS argument1, hex(reg_at(n, :argument2)) AS argument2,
  hex(reg_at(end_n, :result)) AS result
FROM calls
WHERE of_function = :function AND n >= :from AND n < :to`,
  },
  {
    name: 'failing-calls',
    text: 'calls of a function that did not return a certain value, grouped by what they returned',
    parameters: [fn, { name: 'success', text: 'result of a call that succeeds', by: '0' }, result, from, to],
    sql: `SELECT hex(reg_at(end_n, :result)) AS result, count(*) AS calls, min(n) AS first_n, max(n) AS last_n
FROM calls
WHERE of_function = :function AND n >= :from AND n < :to AND reg_at(end_n, :result) <> :success
GROUP BY 1
ORDER BY calls DESC, result`,
  },
  {
    name: 'last-call',
    text: 'the last call of a function',
    parameters: [fn, { name: 'before', text: 'before this record', by: END }],
    sql: `SELECT n, end_n, caller, site, stack_at(n) AS stack
FROM calls
WHERE of_function = :function AND n < :before
ORDER BY n DESC
LIMIT 1`,
  },
  {
    name: 'last-writer',
    text: 'who wrote memory last, up to a record',
    parameters: [
      { name: 'address', text: 'first byte' },
      { name: 'length', text: 'bytes', by: '1' },
      { name: 'at', text: 'the record' },
    ],
    sql: `SELECT r.n, r.time, r.cpu, r.kind, r.address, r.size, r.value, stack_at(r.n) AS stack
FROM (SELECT last_write(:at, :address, :length) AS n) AS w
JOIN records(w.n, w.n + 1) AS r`,
  },
  {
    name: 'accesses-of',
    text: 'all accesses of a range of addresses',
    parameters: [{ name: 'low', text: 'first address' }, { name: 'high', text: 'last address' }, from, to],
    sql: `SELECT n, time, cpu, kind, address, size, value
FROM accesses(:from, :to, :low, :high)`,
  },
  {
    name: 'executed',
    text: 'was this code executed, how often, first and last',
    parameters: [{ name: 'low', text: 'first address' }, { name: 'high', text: 'last address' }, from, to],
    sql: `SELECT address, sym(address) AS symbol, count(*) FILTER (WHERE kind = 'instruction') AS executed,
  count(*) FILTER (WHERE kind = 'skipped') AS skipped, min(n) AS first_n, max(n) AS last_n
FROM instructions(:from, :to, :low, :high)
GROUP BY address
ORDER BY address`,
  },
  {
    name: 'values-of',
    text: 'values that a variable in memory took, with the records that wrote them',
    parameters: [
      { name: 'address', text: 'first byte' },
      { name: 'length', text: 'bytes, at most 8', by: '4' },
      from,
      to,
    ],
    sql: `SELECT n, time, hex(int_at(n, :address, :length)) AS value
FROM accesses(:from, :to, :address, plus(:address, :length - 1))
WHERE kind IN ('write', 'bus-write')`,
  },
  {
    name: 'functions-in',
    text: 'functions by self time in a range',
    parameters: [from, to],
    sql: `SELECT function, address, calls, self, total
FROM functions(:from, :to)
WHERE self > 0 OR calls > 0
ORDER BY self DESC, total DESC, function`,
  },
  {
    name: 'difference',
    text: 'what differs between two ranges: functions by how much more they ran in the second',
    parameters: [
      { name: 'from1', text: 'first record of the first range' },
      { name: 'to1', text: 'record after it' },
      { name: 'from2', text: 'first record of the second range' },
      { name: 'to2', text: 'record after it' },
    ],
    sql: `SELECT function, sum(calls1) AS calls1, sum(calls2) AS calls2, sum(self1) AS self1, sum(self2) AS self2,
  sum(self2) - sum(self1) AS difference
FROM (
  SELECT function, calls AS calls1, 0 AS calls2, self AS self1, 0 AS self2 FROM functions(:from1, :to1)
  UNION ALL
  SELECT function, 0, calls, 0, self FROM functions(:from2, :to2)
)
GROUP BY function
HAVING difference <> 0 OR sum(calls1) <> sum(calls2)
ORDER BY abs(difference) DESC, function`,
  },
];

export function recipeNamed(name: string): Recipe | undefined {
  return RECIPES.find((recipe) => recipe.name === name);
}
