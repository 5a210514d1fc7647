/** Parts that all tables of SQL share: they produce rows as they are requested, and most of them are about the records in a range. */
import type { Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import type { Cell } from '../../sql/protocol.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';

/** Parts of the rows of a table, in order. */
export type Rows = AsyncGenerator<readonly (readonly Cell[])[], Result<undefined>, undefined>;

export interface TableQuestion {
  readonly trace: Trace;
  readonly task: Task;
  /** Number of rows that are wanted first. */
  readonly first: number;
  /** False if the statement cannot refer to a column of this name: its cells may be left out. */
  uses(column: string): boolean;
}

export interface Range {
  readonly from: RecordNumber;
  readonly to: RecordNumber;
}

/** Maximum number of rows that are read at once. */
export const MOST_ROWS = 8192;

/** Returns the range that the arguments of a table select, within the indexed records. */
export function rangeOf({ blocks }: Trace, from: Cell, to: Cell): Range {
  const end = Math.max(0, Math.min(typeof to === 'number' ? to : blocks.records, blocks.records));
  return { from: Math.min(Math.max(0, typeof from === 'number' ? from : 0), end), to: end };
}
