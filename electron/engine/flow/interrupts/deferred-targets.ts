/**
 * Targets of branches that an interrupt hid, filled in by a second pass over the trace.
 *
 * Example: `ret` at 0x1040, then an interrupt before the next instruction. The trace shows the handler where the target of the
 * `ret` should be. When the handler returns to 0x2013, that was the target. This is known only long after the branch, so the
 * first pass records it here, and each later pass fills it in.
 */
import { BRANCH, EVENT, setApart, type Events } from '../../../../shared/flow/events.ts';

export interface DeferredTargets {
  /** Returns true if no such target is known. */
  isEmpty(): boolean;
  /** Number of branches that did not go where the pass had assumed, so that another pass finds more. */
  corrections(): number;
  /**
   * Returns a function that records the target of a branch of a CPU. `record`: the one that would have been the target;
   * `isCorrection`: true if the pass had assumed another target.
   */
  targetsOf(cpu: number): (record: number, low: number, high: number, isCorrection: boolean) => void;
  /** Returns a function that records that a presumed interrupt, at a record, is the branch itself. */
  branchesOf(cpu: number): (record: number) => void;
  /** Returns true if the presumed interrupt at a record is known to be the branch itself. */
  isBranch(cpu: number, record: number): boolean;
  /** Returns true if the branch target that the interrupt at a record hid is known. */
  has(cpu: number, record: number): boolean;
  /** Fills in targets of branches and sources of interrupts, in place. */
  fill(events: Events): void;
  /** Returns all of it as a plain value. */
  table(): DeferredTargetsTable;
}

export type DeferredTargetsTable = ReadonlyMap<number, ReadonlyMap<number, Target>>;

interface Target {
  readonly low: number;
  readonly high: number;
  /** The presumed interrupt is the branch itself. */
  readonly isBranch?: boolean;
}

export function createDeferredTargets(from: DeferredTargetsTable = new Map()): DeferredTargets {
  const cpus = new Map([...from].map(([cpu, targets]) => [cpu, new Map(targets)]));
  let count = [...cpus.values()].reduce((sum, { size }) => sum + size, 0);
  let corrected = 0;
  return {
    isEmpty: () => count === 0,
    corrections: () => corrected,
    targetsOf(cpu) {
      const targets = ofCpu(cpu);
      return (record, low, high, isCorrection) => {
        if (targets.has(record)) return;
        targets.set(record, { low, high });
        count++;
        if (isCorrection) corrected++;
      };
    },
    branchesOf(cpu) {
      const targets = ofCpu(cpu);
      return (record) => {
        if (targets.has(record)) return;
        targets.set(record, { low: 0, high: 0, isBranch: true });
        count++;
        corrected++;
      };
    },
    isBranch: (cpu, record) => cpus.get(cpu)?.get(record)?.isBranch === true,
    has(cpu, record) {
      const target = cpus.get(cpu)?.get(record);
      return target !== undefined && target.isBranch !== true;
    },
    fill(events) {
      if (count === 0) return;
      setApart(events);
      const { flags, kind, cpu, record } = events;
      for (let i = 0; i < events.count; i++) {
        // The branch directly precedes the interrupt and has the same record, but may be in an earlier batch.
        const isBranch = (flags[i]! & (EVENT.source | EVENT.target)) === EVENT.source;
        const isInterrupt = kind[i] === BRANCH.interrupt && (flags[i]! & EVENT.source) === 0;
        if (!isBranch && !isInterrupt) continue;
        const target = cpus.get(cpu[i]!)?.get(record[i]!);
        if (target === undefined || target.isBranch === true) continue;
        if (isBranch) putTarget(events, i, target);
        else putSource(events, i, target);
      }
    },
    table: () => cpus,
  };

  function ofCpu(cpu: number): Map<number, Target> {
    const targets = cpus.get(cpu) ?? new Map<number, Target>();
    cpus.set(cpu, targets);
    return targets;
  }
}

function putTarget(events: Events, i: number, { low, high }: Target): void {
  events.flags[i]! |= EVENT.target | EVENT.inferred;
  events.targetLow[i] = low;
  events.targetHigh[i] = high;
}

function putSource(events: Events, i: number, { low, high }: Target): void {
  events.flags[i]! |= EVENT.source | EVENT.resume;
  events.sourceLow[i] = low;
  events.sourceHigh[i] = high;
  events.resumeLow[i] = low;
  events.resumeHigh[i] = high;
}
