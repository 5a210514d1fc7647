/** Messages between the engine, a process that executes SQL, and the thread in it that SQLite occupies. */

/** A cell as queries give it: converted by the type of its column. */
export type Cell = string | number | bigint | null | undefined;

/**
 * The cells of a column: numbers, with NaN for NULL; texts that repeat, with codes that are positions in `texts` plus one, and 0 for NULL;
 * or anything. Absent if all are NULL.
 */
export type Column =
  Float64Array | { readonly texts: readonly string[]; readonly codes: Uint16Array } | readonly Cell[] | undefined;

/** Rows of a table. */
export interface Page {
  readonly count: number;
  readonly columns: readonly Column[];
  /** True if no rows follow. */
  readonly last: boolean;
}

/** A question of the statement about the trace. */
export type Ask =
  /** The first rows of a table. Its next pages are requested by `cursor`. */
  | { readonly table: string; readonly args: readonly Cell[]; readonly cursor: number; readonly most: number }
  | { readonly cursor: number; readonly most: number }
  | { readonly function: string; readonly args: readonly Cell[] };

/** A page, or the value of a function. */
export type Reply = Page | { readonly value: Cell };

export interface Statement {
  readonly sql: string;
  /** Values of named parameters, without their prefix. */
  readonly set: Readonly<Record<string, string>>;
  /** Maximum number of rows of the result. */
  readonly limit: number;
}

export interface ResultColumn {
  readonly name: string;
  /** Type of the column of a table that it is; absent for other expressions. */
  readonly type?: string;
}

export interface SqlResult {
  readonly columns: readonly ResultColumn[];
  /** Integers beyond 2^53 are decimal digits, and columns of addresses and values are hexadecimal. */
  readonly rows: readonly (readonly (string | number | null)[])[];
  /** True if there are more rows than the limit. */
  readonly more: boolean;
}

export type ToProcess =
  | { readonly type: 'run'; readonly statement: Statement }
  | { readonly type: 'answer'; readonly id: number; readonly reply: Reply }
  /** The question failed, and with it the statement. */
  | { readonly type: 'failed'; readonly id: number; readonly message: string };

export type FromProcess =
  | { readonly type: 'ask'; readonly id: number; readonly ask: Ask }
  | { readonly type: 'result'; readonly result: SqlResult }
  /** SQLite refused the statement, or a question failed. */
  | { readonly type: 'problem'; readonly message: string }
  /** The process used more memory than it may. It ends. */
  | { readonly type: 'memory' };
