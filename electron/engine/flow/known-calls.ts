/** The calls of a whole trace: the result of walking over all of its branches, and the form in which the index stores it. */
import type { RecordNumber } from '../../../shared/base/units.ts';
import type { AddressTable } from '../collections/address-map.ts';
import { createFunctions, type Functions, type FunctionTable } from './functions/functions.ts';
import { createStackHistory, type HistoryTable, type StackHistory } from './history/stack-history.ts';
import { STORED_KINDS, type InferredTable } from './infer/inferred-kinds.ts';
import { createDeferredTargets, type DeferredTargetsTable } from './interrupts/deferred-targets.ts';
import { createHandlers } from './interrupts/handlers.ts';
import type { WholeTraceFacts } from './interrupts/whole-trace-facts.ts';
import type { CallCounts } from './tally/call-tally.ts';
import type { Phases } from './tally/phases.ts';
import type { StayColumns } from './tally/longest-stays.ts';
import type { SpanTable } from './tally/span-columns.ts';
import type { Timeline } from './tally/timeline.ts';
import type { StoredForm } from './whole-trace.ts';

export interface KnownCalls extends WholeTraceFacts {
  /** Number of records that were walked over. */
  readonly records: RecordNumber;
  readonly functions: Functions;
  readonly tally: CallCounts;
  readonly history: StackHistory;
  /** The unit of times: of `self` and `total`. */
  readonly unit: 'instructions' | 'branches';
  /** True if branches come as messages; false if the trace has the executed instructions. */
  readonly messages: boolean;
  /** Calls over time, by CPU in the order in which CPUs appear. Undefined if the trace has more than MOST_LISTS CPUs. */
  readonly overTime: ReadonlyMap<number, CallsOverTime> | undefined;
  /** The longest stay in each function, on any CPU. */
  readonly longest: StayColumns;
  /** True if records run against time, so that the open calls at a record are not defined. */
  readonly backwards: boolean;
  /** Instructions of each CPU after its last branch. */
  readonly rests: readonly Rest[];
}

export interface CallsOverTime {
  /** For each number of SPAN_COLUMNS. */
  readonly spans: readonly SpanTable[];
  readonly timeline: Timeline;
  readonly phases: Phases;
}

/** Instructions of a CPU that no branch follows. */
export interface Rest {
  readonly cpu: number;
  readonly instructions: number;
  /** The last of them. */
  readonly record: RecordNumber;
}

interface CallsTable extends Pick<
  KnownCalls,
  'records' | 'unit' | 'messages' | 'longest' | 'backwards' | 'rests' | 'overTime'
> {
  readonly functions: FunctionTable;
  readonly tally: CallCounts;
  readonly history: HistoryTable;
  readonly deferred: DeferredTargetsTable;
  readonly handlers: AddressTable;
  readonly inferred: InferredTable | undefined;
}

export const STORED_CALLS: StoredForm<KnownCalls, CallsTable> = {
  name: 'calls',
  toTable({ functions, tally, history, deferred, handlers, inferred, ...plain }) {
    const { contexts, edges } = tally;
    return {
      ...plain,
      functions: functions.table(),
      tally: {
        ...tally,
        contexts: { count: contexts.count, columns: contexts.columns, cut: contexts.cut },
        edges: { count: edges.count, columns: edges.columns, left: edges.left },
      },
      history: history.table(),
      deferred: deferred.table(),
      handlers: handlers.table(),
      inferred: inferred && STORED_KINDS.toTable(inferred),
    };
  },
  fromTable({ functions, history, deferred, handlers, inferred, ...plain }, trace) {
    const { images, blocks } = trace;
    return {
      ...plain,
      functions: createFunctions(images, functions),
      history: createStackHistory(blocks, history),
      deferred: createDeferredTargets(deferred),
      handlers: createHandlers(handlers),
      inferred: inferred && STORED_KINDS.fromTable(inferred, trace),
    };
  },
};
