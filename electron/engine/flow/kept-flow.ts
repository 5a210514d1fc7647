/**
 * What walks over a whole trace found, as it lies in the index beside what it was made from: so that another program, or the
 * next day, does not walk again. It holds for the images that were given, by what these hold.
 */
import { deserialize, serialize } from 'node:v8';
import { assert } from '../../../shared/base/result.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import type { Trace } from '../trace.ts';
import { createAddressMap, type AddressTable } from '../collections/address-map.ts';
import type { KnownCalls } from './calls.ts';
import type { CallCounts } from './tally/call-tally.ts';
import type { Edges } from './events/edges.ts';
import { spansOf, spanTable, type SpanTable } from './tally/span-list.ts';
import { createFunctions, type FunctionTable } from './stack/functions.ts';
import type { InferredKinds } from './infer/infer-calls.ts';
import { createHandlers } from './interrupts/handlers.ts';
import { createSettled, type SettledTable } from './interrupts/deferred-targets.ts';
import { createStackHistory, type HistoryTable } from './stack/stack-history.ts';

/** Raised whenever calls or branches are found in another way. */
const VERSION = 32;

interface CallsTable extends Pick<KnownCalls, 'records' | 'unit' | 'messages' | 'backwards' | 'rests'> {
  readonly functions: FunctionTable;
  readonly counts: CallCounts;
  readonly history: HistoryTable;
  readonly settled: SettledTable;
  readonly handlers: AddressTable;
  readonly spans: ReadonlyMap<number, SpanTable> | undefined;
  readonly inferred: InferredTable | undefined;
}

interface InferredTable extends Omit<InferredKinds, 'bySource' | 'handlers'> {
  readonly bySource: AddressTable;
  readonly handlers: AddressTable;
}

interface EdgesTable {
  readonly records: RecordNumber;
  readonly edges: Edges;
}

interface HandlersTable {
  readonly records: RecordNumber;
  readonly handlers: AddressTable;
}

/** By what it is called there. */
interface Tables {
  readonly handlers: HandlersTable;
  readonly calls: CallsTable;
  readonly branches: EdgesTable;
}

/** Undefined where nobody found them yet, or other images were given. */
export function keptCalls(trace: Trace): KnownCalls | undefined {
  const table = read(trace, 'calls');
  if (table === undefined) return undefined;
  const { records, functions, counts, history, unit, messages, backwards, rests, inferred, settled, handlers, spans } =
    table;
  return {
    records,
    functions: createFunctions(trace.images, functions),
    tally: counts,
    history: createStackHistory(trace.blocks, history),
    unit,
    messages,
    backwards,
    rests,
    settled: createSettled(settled),
    handlers: createHandlers(handlers),
    spans: spans && new Map([...spans].map(([cpu, its]) => [cpu, spansOf(its)])),
    inferred: inferred && {
      ...inferred,
      bySource: createAddressMap(inferred.bySource),
      handlers: createAddressMap(inferred.handlers),
    },
  };
}

export function keepCalls(
  trace: Trace,
  {
    functions,
    tally,
    history,
    inferred,
    settled,
    handlers,
    spans,
    records,
    unit,
    messages,
    backwards,
    rests,
  }: KnownCalls,
): void {
  const { contexts, edges } = tally;
  const table: CallsTable = {
    records,
    unit,
    messages,
    backwards,
    rests,
    functions: functions.table(),
    counts: {
      ...tally,
      contexts: { count: contexts.count, columns: contexts.columns, cut: contexts.cut },
      edges: { count: edges.count, columns: edges.columns, left: edges.left },
    },
    history: history.table(),
    settled: settled.table(),
    handlers: handlers.table(),
    spans: spans && new Map([...spans].map(([cpu, its]) => [cpu, spanTable(its)])),
    inferred: inferred && {
      ...inferred,
      bySource: inferred.bySource.table(),
      handlers: inferred.handlers.table(),
    },
  };
  write(trace, 'calls', table);
}

export function keptEdges(trace: Trace): Edges | undefined {
  return read(trace, 'branches')?.edges;
}

export function keepEdges(trace: Trace, records: RecordNumber, edges: Edges): void {
  write(trace, 'branches', { records, edges });
}

export function keptHandlers(trace: Trace): AddressTable | undefined {
  return read(trace, 'handlers')?.handlers;
}

export function keepHandlers(trace: Trace, records: RecordNumber, handlers: AddressTable): void {
  write(trace, 'handlers', { records, handlers });
}

function read<K extends keyof Tables>(trace: Trace, what: K): Tables[K] | undefined {
  if (!trace.ingest.complete) return undefined;
  const bytes = trace.index.kept(nameOf(trace, what));
  if (bytes === undefined) return undefined;
  // Sealed by its checksum, and named for its version: it is what `write` wrote.
  const table = deserialize(bytes) as Tables[K];
  assert(table.records === trace.blocks.records, 'what is kept was found in another number of records');
  return table;
}

/** What was found while the index still grew is not about all of the trace. */
function write<K extends keyof Tables>(trace: Trace, what: K, table: Tables[K]): void {
  if (trace.ingest.complete && table.records === trace.blocks.records)
    trace.index.keep(nameOf(trace, what), serialize(table));
}

function nameOf(trace: Trace, what: string): string {
  return `${what} ${VERSION} ${trace.images.digest()}`;
}
