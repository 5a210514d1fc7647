/**
 * The taken branches that a trace of any format proves, in order, with the places at which it may lack some: that is what traces of
 * different formats have in common. Instruction traces, branch messages and branch stacks show both ends of most branches. Trace buffers
 * are followed through the program image.
 */
import { BRANCH, EVENT, type Events } from '../../../../../shared/flow/events.ts';
import type { FlowProgress } from '../../../../../shared/requests/flow.ts';
import { fail, ok, type Result } from '../../../../../shared/base/result.ts';
import { walkFlow } from '../../../flow/events/walk.ts';
import type { Task } from '../../../threads/task.ts';
import type { Trace } from '../../../trace.ts';
import { createBytesToBranch, type BytesToBranch } from './paired-sources.ts';

/** Entries in the order of time. An entry is a taken branch, or a cut: any number of branches may be missing there. The first and the last are cuts. */
export interface ProvedBranches {
  readonly cpu: number;
  readonly count: number;
  /** MARK bits of each entry. */
  readonly marks: Uint8Array;
  /** The ends of a branch; 0 if they are not known. */
  readonly sourceLow: Uint32Array;
  readonly sourceHigh: Uint32Array;
  readonly targetLow: Uint32Array;
  readonly targetHigh: Uint32Array;
  /** Record of a branch, or after a cut. */
  readonly record: Float64Array;
  /** Branches whose source and whose target are known. */
  readonly sources: number;
  readonly targets: number;
}

/**
 * `loose`: the source need not be exactly that of the branch: an interrupt, or an unknown reason. `interrupt`: the trace or its image shows
 * that it is one, or at least no branch. `placed`: of a message of a Pentium whose code at the source is known, so that the
 * source is that of the branch.
 */
export const MARK = { cut: 1, source: 2, target: 4, loose: 8, interrupt: 16, placed: 32 } as const;

/** Most entries of a trace: each takes 26 bytes. */
const MOST = 1 << 26;

/** Returns the branches of each CPU. Fails if there are too many. */
export async function provedBranches(
  trace: Trace,
  task: Task<FlowProgress>,
): Promise<Result<readonly ProvedBranches[]>> {
  const { records } = trace.blocks;
  const bytesToBranch = await createBytesToBranch(trace);
  const byCpu = new Map<number, Collector>();
  let entries = 0;
  const walked = await walkFlow(trace, { from: 0, to: records }, task, {
    reading: 'lean',
    begin: (cpu) => collectorOf(cpu),
    take(events) {
      const { alike, record, count } = events;
      const each = alike?.each ?? events;
      for (let at = 0; at < count; at++) {
        const k = alike === undefined ? at : alike.numbers[at]!;
        entries += collectorOf(each.cpu[k]!).add(each, k, record[at]!);
      }
      return entries <= MOST;
    },
    progress: (at) => task.progress(() => ({ at, to: records })),
  });
  if (!walked.ok) return walked;
  if (entries > MOST)
    return fail('too-many', `${trace.file.path}: more than ${MOST.toLocaleString('en')} branches, too many to compare`);
  return ok([...byCpu.values()].map((collector) => collector.finish(records)));

  function collectorOf(cpu: number): Collector {
    const known = byCpu.get(cpu);
    if (known !== undefined) return known;
    const created = createCollector(cpu, trace.reader.decoder.format.branches?.as === 'messages', bytesToBranch);
    byCpu.set(cpu, created);
    return created;
  }
}

/** Returns the entries that are kept: 0 a whole one, 1 none, 2 as a cut. */
export function chosenEntries(branches: ProvedBranches, keeps: Uint8Array): ProvedBranches {
  const columns = createColumns(branches.count);
  let [count, sources, targets] = [0, 0, 0];
  for (let k = 0; k < branches.count; k++) {
    if (keeps[k] === 1) continue;
    for (const name of COLUMNS) columns[name][count] = branches[name][k]!;
    if (keeps[k] === 2) columns.marks[count] = MARK.cut;
    if ((columns.marks[count]! & MARK.source) !== 0) sources++;
    if ((columns.marks[count]! & MARK.target) !== 0) targets++;
    count++;
  }
  return { cpu: branches.cpu, count, sources, targets, ...columns };
}

interface Collector {
  /** Adds event `k` of `events`. Returns how many entries were added. */
  add(events: Events, k: number, record: number): number;
  finish(records: number): ProvedBranches;
}

/** @param hasMessages each event is a message, so what runs from one to the next is straight */
function createCollector(cpu: number, hasMessages: boolean, bytesToBranch: BytesToBranch | undefined): Collector {
  let room = 1024;
  let columns = createColumns(room);
  let [count, sources, targets] = [0, 0, 0];
  /** Target of the last event; -1 if it is not known. */
  let [reachedLow, reachedHigh] = [-1, -1];
  put(MARK.cut, 0);
  return {
    add(events, k, record) {
      const before = count;
      const flags = events.flags[k]!;
      const kind = events.kind[k]!;
      const ends = flags & (EVENT.source | EVENT.target);
      if (kind === BRANCH.sequential) return 0;
      if ((flags & EVENT.gap) !== 0 || isBackward(events, k)) putCut(record);
      // The trace does not prove which branch it was, or that it was one.
      if (ends === 0 || (flags & EVENT.granular) !== 0) putCut(record);
      else if ((flags & EVENT.gap) === 0 || ends === (EVENT.source | EVENT.target)) {
        put(marksOf(kind, flags, hasMessages), record);
        putEnds(events, k, flags);
      }
      const isKnown = (flags & EVENT.target) !== 0;
      [reachedLow, reachedHigh] = isKnown ? [events.targetLow[k]!, events.targetHigh[k]!] : [-1, -1];
      return count - before;
    },
    finish(records) {
      putCut(records);
      return { cpu, count, sources, targets, ...columns };
    },
  };

  /** True if messages are missing: what runs between two branches does not go backward. */
  function isBackward({ flags, sourceLow, sourceHigh }: Events, k: number): boolean {
    if (!hasMessages || reachedLow < 0 || (flags[k]! & EVENT.source) === 0) return false;
    return sourceHigh[k]! < reachedHigh || (sourceHigh[k] === reachedHigh && sourceLow[k]! < reachedLow);
  }

  function putCut(record: number): void {
    if (columns.marks[count - 1] !== MARK.cut) put(MARK.cut, record);
  }

  function put(marks: number, record: number): void {
    if (count === room) {
      const larger = createColumns(2 * room);
      for (const name of COLUMNS) larger[name].set(columns[name]);
      room *= 2;
      columns = larger;
    }
    columns.marks[count] = marks;
    columns.record[count] = record;
    count++;
  }

  function putEnds(events: Events, k: number, flags: number): void {
    const at = count - 1;
    if ((flags & EVENT.source) !== 0) {
      const bytes = bytesToBranch?.(events, k);
      if (bytes !== undefined) columns.marks[at]! |= MARK.placed;
      columns.sourceLow[at] = events.sourceLow[k]! + (bytes ?? 0);
      columns.sourceHigh[at] = events.sourceHigh[k]!;
      sources++;
    }
    if ((flags & EVENT.target) !== 0) {
      columns.targetLow[at] = events.targetLow[k]!;
      columns.targetHigh[at] = events.targetHigh[k]!;
      targets++;
    }
  }
}

function marksOf(kind: number, flags: number, hasMessages: boolean): number {
  const isInterrupt = kind === BRANCH.interrupt || (kind === BRANCH.unknown && !hasMessages);
  return (
    ((flags & EVENT.source) === 0 ? 0 : MARK.source) |
    ((flags & EVENT.target) === 0 ? 0 : MARK.target) |
    (isInterrupt || kind === BRANCH.exception ? MARK.loose : 0) |
    (isInterrupt ? MARK.interrupt : 0)
  );
}

const COLUMNS = ['marks', 'sourceLow', 'sourceHigh', 'targetLow', 'targetHigh', 'record'] as const;

function createColumns(length: number) {
  return {
    marks: new Uint8Array(length),
    sourceLow: new Uint32Array(length),
    sourceHigh: new Uint32Array(length),
    targetLow: new Uint32Array(length),
    targetHigh: new Uint32Array(length),
    record: new Float64Array(length),
  };
}
