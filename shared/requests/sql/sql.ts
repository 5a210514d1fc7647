/** The request about everything else: SQL over a trace. Tables and functions are in shared/sql/schema.ts. */
import { request, type, type ArgumentsOf } from '../request.ts';
import { object, optional, text, texts, whole } from '../schema.ts';
import { ofTrace, type Reach } from '../trace.ts';

/** Rows of an answer and seconds of a statement: at most, and by default. */
export const SQL_ROWS_MOST = 100_000;
export const SQL_ROWS = 1000;
export const SQL_SECONDS_MOST = 86_400;
export const SQL_SECONDS = 30;

/** Values of the named parameters of a statement, without their colons: digits and hexadecimal digits with 0x are numbers. */
export const sqlValues = texts(64, text(10_000, 0), 'must be an object of values');

export const SQL_REQUESTS = {
  /** Executes one SELECT. A statement that takes longer, or uses a gigabyte of memory, is stopped and fails. */
  sql: request({
    arguments: object({
      ...ofTrace,
      sql: text(100_000),
      set: optional(sqlValues),
      /** Maximum number of rows in the answer. */
      limit: optional(whole(1, SQL_ROWS_MOST)),
      seconds: optional(whole(1, SQL_SECONDS_MOST)),
    }),
    answer: type<SqlAnswer>(),
    event: type<SqlProgress>(),
    bodyBytes: 1_000_000,
  }),
} as const;

export type SqlArguments = ArgumentsOf<typeof SQL_REQUESTS.sql>;

export interface SqlProgress {
  /** Rows that the statement has read from tables. */
  readonly rows: number;
}

export interface SqlAnswer {
  readonly columns: readonly SqlAnswerColumn[];
  /**
   * Integers beyond 2^53 are decimal digits. Columns of tables that contain addresses or values are hexadecimal. Other numbers that JSON
   * lacks are words, and blobs are literals such as x'0aff'.
   */
  readonly rows: readonly (readonly (string | number | null)[])[];
  /** True if the result has more rows than the limit. */
  readonly more: boolean;
  readonly reach: Reach;
}

export interface SqlAnswerColumn {
  readonly name: string;
  /** Present if it is a column of a table: `record`, `integer`, `address`, `value`, `time` or `text`. */
  readonly type?: string;
}
