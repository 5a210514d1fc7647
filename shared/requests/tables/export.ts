/** Requests that prepare a trace as tables for other tools: the files of a table, and their rows group by group. */
import { request, type, type ArgumentsOf } from '../request.ts';
import { check, flag, object, oneOf, optional, ordered, record, where, whole } from '../schema.ts';
import { ofTrace } from '../trace.ts';
import type { RecordNumber } from '../../base/units.ts';
import type { RowGroup } from './row-group.ts';

/** Tables of a trace. Rows are sorted by record. */
export const EXPORT_TABLES = ['records', 'accesses', 'branches', 'calls'] as const;
export type ExportTable = (typeof EXPORT_TABLES)[number];

const table = oneOf(EXPORT_TABLES);

/** Records of a file, unless the request says otherwise. A file ends with the block in which it reaches them. */
export const FILE_RECORDS = 4_000_000;
export const fileRecords = whole(1, 1_000_000_000);
export const partNumber = whole(1, 1_000_000);

export const EXPORT_REQUESTS = {
  /** The files of a table, or of part `part` of `parts`: the parts have the files of the whole, each once. Needs the whole index. */
  exportPlan: request({
    arguments: where(
      object({
        ...ofTrace,
        table,
        fileRecords: optional(fileRecords),
        part: optional(partNumber),
        parts: optional(partNumber),
      }),
      check('part', ({ part = 1, parts = 1 }) => part <= parts, 'must not be greater than parts'),
    ),
    answer: type<ExportPlan>(),
  }),
  /** The rows of the records [from, to) of a group of the plan. Calls: `all` is the range of all groups that will be requested. */
  exportGroup: request({
    arguments: where(
      object({
        ...ofTrace,
        table,
        from: record,
        to: record,
        /** Unsigned integers of 64 bits become signed ones with the same bits. */
        signed: optional(flag),
        all: optional(where(object({ from: record, to: record }), ordered)),
      }),
      ordered,
    ),
    answer: type<RowGroup>(),
    text: 'raw',
    once: true,
  }),
} as const;

export type ExportPlanArguments = ArgumentsOf<typeof EXPORT_REQUESTS.exportPlan>;
export type ExportGroupArguments = ArgumentsOf<typeof EXPORT_REQUESTS.exportGroup>;

export interface RecordRange {
  readonly from: RecordNumber;
  readonly to: RecordNumber;
}

export interface PlannedFile extends RecordRange {
  /** In order, without records in between. */
  readonly groups: readonly RecordRange[];
}

export interface ExportPlan {
  readonly files: readonly PlannedFile[];
  /** Number of files of the whole table. */
  readonly ofAll: number;
  /** Facts about the trace and the table, by keys for other tools: `trace`, `digest`, `format` ... */
  readonly about: Readonly<Record<string, string>>;
}
