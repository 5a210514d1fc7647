/**
 * Results computed over all records of a trace. Each is cached while the trace is open; one that has a stored form is also kept
 * in the index once that is complete, so that no later program has to compute it again. A result that depends on the program images
 * is kept once for each set of them.
 */
import { deserialize, serialize } from 'node:v8';
import { assert } from '../../../shared/base/result.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import type { Trace } from '../trace.ts';

/** One result per trace. */
export interface WholeTraceResult<T> {
  /** Returns the result over the first `records` records, by default all; undefined if the latest one is not about these. */
  get(trace: Trace, records?: RecordNumber): T | undefined;
  /** Stores a result that was computed over the first `records` records. */
  set(trace: Trace, records: RecordNumber, result: T): void;
}

/** Converts a result to and from a plain value that the index can hold. */
export interface StoredForm<T, Table> {
  /** Distinguishes results in the index. */
  readonly name: string;
  /** True if the result is the same whatever the images are. */
  readonly needsNoImage?: boolean;
  toTable(result: T): Table;
  fromTable(table: Table, trace: Trace): T;
}

/** Raised whenever the program finds other results in the same trace, or stores them in another form. */
const VERSION = 52;

type Name = Pick<StoredForm<never, never>, 'name' | 'needsNoImage'>;

interface Stored<Table> {
  readonly records: RecordNumber;
  readonly table: Table;
}

export function createWholeTraceResult<T, Table = never>(form?: StoredForm<T, Table>): WholeTraceResult<T> {
  const cache = new WeakMap<Trace, { readonly records: RecordNumber; readonly result: T }>();
  return {
    get(trace, records = trace.blocks.records) {
      const cached = cache.get(trace);
      if (cached?.records === records) return cached.result;
      if (records !== trace.blocks.records) return undefined;
      const stored = form && read<Table>(trace, form);
      if (form === undefined || stored === undefined) return undefined;
      const result = form.fromTable(stored.table, trace);
      cache.set(trace, { records: stored.records, result });
      return result;
    },
    set(trace, records, result) {
      cache.set(trace, { records, result });
      if (form !== undefined && trace.ingest.complete && records === trace.blocks.records)
        write(trace, form, { records, table: form.toTable(result) });
    },
  };
}

function read<Table>(trace: Trace, form: Name): Stored<Table> | undefined {
  if (!trace.ingest.complete) return undefined;
  const bytes = trace.index.kept(keyOf(trace, form));
  if (bytes === undefined) return undefined;
  // The index checks the bytes, and their key contains the version: `write` wrote them.
  const stored = deserialize(bytes) as Stored<Table>;
  assert(stored.records === trace.blocks.records, 'a stored result covers all records of the trace');
  return stored;
}

function write<Table>(trace: Trace, form: Name, stored: Stored<Table>): void {
  trace.index.keep(keyOf(trace, form), serialize(stored));
}

function keyOf({ images }: Trace, { name, needsNoImage }: Name): string {
  return `${name} ${VERSION} ${needsNoImage === true ? '' : images.digest()}`;
}
