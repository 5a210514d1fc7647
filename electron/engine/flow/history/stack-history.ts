/**
 * Which calls were open at the beginnings of blocks: for each cpu a list of stacks, kept when the first event behind them comes.
 */
import type { BlockTable } from '../../index/store/block-table.ts';
import { lastNotAbove } from '../../collections/ascending.ts';
import { createFrames } from '../stack/frames.ts';
import { createFrameStore, type FrameTable } from './frame-store.ts';
import { createLateCallers, type LateCallers, type LateCallersTable } from './late-callers.ts';
import { NO_TARGET, type StackState } from '../stack/stack-state.ts';

export interface StackHistory {
  /** The record from which on an event of this cpu is behind a stack that is to be kept first. */
  until(cpu: number): number;
  isKept(cpu: number): boolean;
  /** Keeps the stack as it is before an event at `record`. */
  keep(cpu: number, stack: StackState, record: number): void;
  cpus(): readonly number[];
  /** Notes which callers of a stack's outermost function became known later. */
  below(cpu: number): (begun: number, fn: number, record: number) => void;
  /** Those that became known behind `record`, innermost first. */
  callersOf(cpu: number, begun: number, record: number): readonly number[];
  /** Which of the stacks kept for a cpu belong to records behind `record`: how many there are, and the stack of the i-th with its record. */
  later(
    cpu: number,
    record: number,
  ): { readonly count: number; get(i: number): { readonly record: number; readonly state: StackState } };
  /** The stack of a cpu before the first event at or after `record`, which is the first of a block. */
  at(cpu: number, record: number): StackState;
  /** All of it as a plain value. */
  table(): HistoryTable;
}

export interface HistoryTable {
  readonly frames: FrameTable;
  readonly cpus: ReadonlyMap<number, KeptStacks & { readonly callers: LateCallersTable }>;
}

interface KeptStacks {
  /** The stack is that of all records from here up to that of the next entry. */
  readonly records: number[];
  readonly innermost: number[];
  readonly base: number[];
  readonly last: StackState['last'][];
  readonly begun: number[];
  readonly aside: (readonly KeptAside[])[];
  until: number;
}

interface Kept extends KeptStacks {
  readonly callers: LateCallers;
}

interface KeptAside {
  readonly innermost: number;
  readonly base: number;
  readonly begun: number;
}

const NOTHING_ASIDE: readonly KeptAside[] = [];

export function createStackHistory(blocks: BlockTable, from?: HistoryTable): StackHistory {
  const store = createFrameStore(from?.frames);
  const cpus = new Map<number, Kept>();
  for (const [cpu, { callers, ...kept }] of from?.cpus ?? [])
    cpus.set(cpu, { ...kept, callers: createLateCallers(callers) });
  return {
    table: () => ({
      frames: store.table(),
      cpus: new Map([...cpus].map(([cpu, { callers, ...kept }]) => [cpu, { ...kept, callers: callers.table() }])),
    }),
    until: (cpu) => cpus.get(cpu)?.until ?? -1,
    isKept: (cpu) => (cpus.get(cpu)?.until ?? -1) >= 0,
    keep(cpu, { frames, aside, last }, record) {
      const kept = cpus.get(cpu) ?? create(cpu);
      if (kept.until >= 0 && Number.isFinite(kept.until)) {
        kept.records.push(kept.until);
        kept.innermost.push(store.save(frames));
        kept.base.push(frames.base);
        kept.last.push(last);
        kept.begun.push(frames.begun);
        const asides = aside.map((stack) => ({ innermost: store.save(stack), base: stack.base, begun: stack.begun }));
        kept.aside.push(asides.length === 0 ? NOTHING_ASIDE : asides);
      }
      const block = blocks.blockOfRecord(Math.min(record, blocks.records - 1));
      kept.until = block + 1 < blocks.length ? blocks.firstRecord(block + 1) : Number.POSITIVE_INFINITY;
    },
    cpus: () => [...cpus.keys()],
    below(cpu) {
      return (cpus.get(cpu) ?? create(cpu)).callers.add;
    },
    callersOf(cpu, begun, record) {
      return cpus.get(cpu)?.callers.of(begun, record) ?? [];
    },
    later(cpu, record) {
      const kept = cpus.get(cpu);
      const first = kept === undefined ? 0 : lastNotAbove(kept.records, record) + 1;
      return {
        count: (kept?.records.length ?? 0) - first,
        get: (i) => ({ record: kept?.records[first + i] ?? 0, state: stateOf(kept, first + i) }),
      };
    },
    at(cpu, record) {
      const kept = cpus.get(cpu);
      return stateOf(kept, kept === undefined ? -1 : lastNotAbove(kept.records, record));
    },
  };

  function stateOf(kept: Kept | undefined, i: number): StackState {
    if (kept === undefined || i < 0) return { frames: createFrames(), aside: [], last: NO_TARGET };
    return {
      frames: store.restore(kept.innermost[i]!, kept.base[i]!, kept.begun[i]!),
      aside: kept.aside[i]!.map(({ innermost, base, begun }) => store.restore(innermost, base, begun)),
      last: kept.last[i]!,
    };
  }

  function create(cpu: number): Kept {
    const callers = createLateCallers();
    const kept: Kept = { records: [], innermost: [], base: [], begun: [], last: [], aside: [], until: -1, callers };
    cpus.set(cpu, kept);
    return kept;
  }
}
