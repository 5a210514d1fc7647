/** Statements for a person who has not written one yet. */
export interface Example {
  readonly title: string;
  readonly sql: string;
}

const KINDS: Example = {
  title: 'Count the records of each kind',
  sql: `SELECT kind, count(*) AS records
FROM records
WHERE n < 1000000
GROUP BY kind
ORDER BY records DESC`,
};

const LINES: Example = {
  title: 'Find the busiest cache lines',
  sql: `SELECT hex(align(address, 64)) AS address, count(*) AS accesses, min(n) AS first_n
FROM accesses
WHERE n < 1000000
GROUP BY 1
ORDER BY accesses DESC
LIMIT 20`,
};

const CALLS: Example = {
  title: 'List calls with their stacks',
  sql: `SELECT n, end_n, function, depth, stack_at(n) AS stack
FROM calls
LIMIT 50`,
};

const PLACES: Example = {
  title: 'Follow what the trace accesses over time',
  sql: `SELECT n, kind, address
FROM records
WHERE address IS NOT NULL
LIMIT 200`,
};

/** @param hasFlow the trace shows calls */
export function examples(hasFlow: boolean): readonly Example[] {
  return [KINDS, LINES, hasFlow ? CALLS : PLACES];
}
