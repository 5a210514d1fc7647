/**
 * Where branches went that an interrupt kept from being seen: at what it returned to. That is known long after the branch; who
 * walks over a trace once more knows it in time.
 */
import { BRANCH, EVENT, setApart, type Events } from '../../../../shared/flow/events.ts';

export interface Settled {
  /** No such branch is known. */
  isEmpty(): boolean;
  /** How many did not go where they were taken to have gone. */
  surprises(): number;
  /** Notes that the branch of a cpu whose target would have been reached with the record went to an address. */
  of(cpu: number): (record: number, low: number, high: number, surprises: boolean) => void;
  /** Notes that what seemed to interrupt a branch, with the record, is what it went to. */
  branch(cpu: number): (record: number) => void;
  isBranch(cpu: number, record: number): boolean;
  /** Fills in targets, and from where interrupts came, in place. */
  fill(events: Events): void;
  /** All of it as a plain value. */
  table(): SettledTable;
}

export type SettledTable = ReadonlyMap<number, ReadonlyMap<number, Target>>;

interface Target {
  readonly low: number;
  readonly high: number;
  /** What seemed to be an interrupt was none. */
  readonly isBranch?: boolean;
}

export function createSettled(from: SettledTable = new Map()): Settled {
  const cpus = new Map([...from].map(([cpu, targets]) => [cpu, new Map(targets)]));
  let count = [...cpus.values()].reduce((sum, { size }) => sum + size, 0);
  let surprising = 0;
  return {
    isEmpty: () => count === 0,
    surprises: () => surprising,
    of(cpu) {
      const targets = cpus.get(cpu) ?? new Map<number, Target>();
      cpus.set(cpu, targets);
      return (record, low, high, surprises) => {
        if (targets.has(record)) return;
        targets.set(record, { low, high });
        count++;
        if (surprises) surprising++;
      };
    },
    branch(cpu) {
      const targets = cpus.get(cpu) ?? new Map<number, Target>();
      cpus.set(cpu, targets);
      return (record) => {
        if (targets.has(record)) return;
        targets.set(record, { low: 0, high: 0, isBranch: true });
        count++;
        surprising++;
      };
    },
    isBranch: (cpu, record) => cpus.get(cpu)?.get(record)?.isBranch === true,
    fill(events) {
      if (count === 0) return;
      setApart(events);
      const { flags, kind, cpu, record } = events;
      for (let i = 0; i < events.count; i++) {
        // An interrupt from somewhere unknown; the branch is right before it, with the same record, or in another part.
        const isBranch = (flags[i]! & (EVENT.source | EVENT.target)) === EVENT.source;
        const isInterrupt = kind[i] === BRANCH.interrupt && (flags[i]! & EVENT.source) === 0;
        if (!isBranch && !isInterrupt) continue;
        const target = cpus.get(cpu[i]!)?.get(record[i]!);
        if (target === undefined || target.isBranch === true) continue;
        if (isBranch) goesTo(events, i, target);
        else comesFrom(events, i, target);
      }
    },
    table: () => cpus,
  };
}

function goesTo(events: Events, i: number, { low, high }: Target): void {
  events.flags[i]! |= EVENT.target | EVENT.inferred;
  events.targetLow[i] = low;
  events.targetHigh[i] = high;
}

function comesFrom(events: Events, i: number, { low, high }: Target): void {
  events.flags[i]! |= EVENT.source | EVENT.resume;
  events.sourceLow[i] = low;
  events.sourceHigh[i] = high;
  events.resumeLow[i] = low;
  events.resumeHigh[i] = high;
}
