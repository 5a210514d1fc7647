/**
 * Snapshots of the shadow stacks at block starts, so that a question about one record walks over at most one block. A CPU's snapshot
 * of a block start is taken when the CPU's first event after it arrives.
 */
import type { BlockTable } from '../../index/store/block-table.ts';
import { lastNotAbove } from '../../collections/ascending.ts';
import { createFrames } from '../stack/frames.ts';
import { createFrameStore, type FrameTable } from './frame-store.ts';
import { createLateCallers, type LateCaller, type LateCallers, type LateCallersTable } from './late-callers.ts';
import { NO_TARGET, type StackState } from '../stack/shadow-stack.ts';

export interface StackHistory {
  /** Returns the record of the CPU's next snapshot: `save` must be called before an event at or after it. */
  nextSnapshot(cpu: number): number;
  /** Returns true if `save` was called for the CPU. */
  hasBegun(cpu: number): boolean;
  /** Takes a snapshot of the stack before an event at `record`. */
  save(cpu: number, stack: StackState, record: number): void;
  cpus(): readonly number[];
  /** Returns a receiver of the callers that returns show for the CPU's stacks. */
  callerReceiver(cpu: number): (begun: number, fn: number, record: number) => void;
  /** Returns the callers of a stack that were found after `record`, innermost first. */
  callersOf(cpu: number, begun: number, record: number): readonly LateCaller[];
  /** Returns the CPU's snapshots of records after `record`. */
  snapshotsAfter(
    cpu: number,
    record: number,
  ): { readonly count: number; get(i: number): { readonly record: number; readonly state: StackState } };
  /** Returns the state of a CPU before its first event at or after `record`, the first record of a block. */
  at(cpu: number, record: number): StackState;
  /** Returns everything as a plain value. */
  table(): HistoryTable;
}

export interface HistoryTable {
  readonly frames: FrameTable;
  readonly cpus: ReadonlyMap<number, SnapshotColumns & { readonly callers: LateCallersTable }>;
}

/** One row for each snapshot. */
interface SnapshotColumns {
  /** The snapshot holds for events from this record up to that of the next row. */
  readonly records: number[];
  readonly innermost: number[];
  readonly base: number[];
  readonly last: StackState['last'][];
  readonly begun: number[];
  readonly suspended: (readonly StoredStack[])[];
  /** Record of the next snapshot; -1 before the first event, infinity in the last block. */
  next: number;
}

interface Snapshots extends SnapshotColumns {
  readonly callers: LateCallers;
}

interface StoredStack {
  readonly innermost: number;
  readonly base: number;
  readonly begun: number;
}

const NONE_SUSPENDED: readonly StoredStack[] = [];

export function createStackHistory(blocks: BlockTable, from?: HistoryTable): StackHistory {
  const store = createFrameStore(from?.frames);
  const cpus = new Map<number, Snapshots>();
  for (const [cpu, { callers, ...snapshots }] of from?.cpus ?? [])
    cpus.set(cpu, { ...snapshots, callers: createLateCallers(callers) });
  return {
    table: () => ({
      frames: store.table(),
      cpus: new Map(
        [...cpus].map(([cpu, { callers, ...snapshots }]) => [cpu, { ...snapshots, callers: callers.table() }]),
      ),
    }),
    nextSnapshot: (cpu) => cpus.get(cpu)?.next ?? -1,
    hasBegun: (cpu) => (cpus.get(cpu)?.next ?? -1) >= 0,
    save(cpu, { frames, suspended, last }, record) {
      const snapshots = cpus.get(cpu) ?? create(cpu);
      if (snapshots.next >= 0 && Number.isFinite(snapshots.next)) {
        snapshots.records.push(snapshots.next);
        snapshots.innermost.push(store.save(frames));
        snapshots.base.push(frames.base);
        snapshots.last.push(last);
        snapshots.begun.push(frames.begun);
        const stored = suspended.map((stack) => ({
          innermost: store.save(stack),
          base: stack.base,
          begun: stack.begun,
        }));
        snapshots.suspended.push(stored.length === 0 ? NONE_SUSPENDED : stored);
      }
      const block = blocks.blockOfRecord(Math.min(record, blocks.records - 1));
      snapshots.next = block + 1 < blocks.length ? blocks.firstRecord(block + 1) : Number.POSITIVE_INFINITY;
    },
    cpus: () => [...cpus.keys()],
    callerReceiver(cpu) {
      return (cpus.get(cpu) ?? create(cpu)).callers.add;
    },
    callersOf(cpu, begun, record) {
      return cpus.get(cpu)?.callers.of(begun, record) ?? [];
    },
    snapshotsAfter(cpu, record) {
      const snapshots = cpus.get(cpu);
      const first = snapshots === undefined ? 0 : lastNotAbove(snapshots.records, record) + 1;
      return {
        count: (snapshots?.records.length ?? 0) - first,
        get: (i) => ({ record: snapshots?.records[first + i] ?? 0, state: stateOf(snapshots, first + i) }),
      };
    },
    at(cpu, record) {
      const snapshots = cpus.get(cpu);
      return stateOf(snapshots, snapshots === undefined ? -1 : lastNotAbove(snapshots.records, record));
    },
  };

  function stateOf(snapshots: Snapshots | undefined, i: number): StackState {
    if (snapshots === undefined || i < 0) return { frames: createFrames(), suspended: [], last: NO_TARGET };
    return {
      frames: store.restore(snapshots.innermost[i]!, snapshots.base[i]!, snapshots.begun[i]!),
      suspended: snapshots.suspended[i]!.map(({ innermost, base, begun }) => store.restore(innermost, base, begun)),
      last: snapshots.last[i]!,
    };
  }

  function create(cpu: number): Snapshots {
    const callers = createLateCallers();
    const snapshots: Snapshots = {
      records: [],
      innermost: [],
      base: [],
      begun: [],
      last: [],
      suspended: [],
      next: -1,
      callers,
    };
    cpus.set(cpu, snapshots);
    return snapshots;
  }
}
