/**
 * The places of a trace where instructions of a CPU are missing, as the branch events of the index show them: the numbers of instructions
 * skip, or another recording begins. What the missing instructions did is not known.
 */
import { EVENT, type Events } from '../../../../shared/flow/events.ts';
import type { SearchProgress } from '../../../../shared/requests/requests.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import { walkFlow } from '../../flow/events/walk.ts';
import { createWholeTraceResult } from '../../flow/whole-trace.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { cpuOf, type Instructions } from './instructions.ts';
import type { Location } from './locations.ts';

/** Where instructions of a CPU are missing. */
interface Gap {
  readonly cpu: number;
  /** First record of the CPU after the gap. */
  readonly n: RecordNumber;
}

/** Why the origin of a value is not known. */
export interface Missing {
  /** Definitions by instructions before this record are only the last ones that the trace shows. */
  readonly from: RecordNumber;
  readonly reason: string;
}

export interface Gaps {
  /** Returns the gap that definitions of a location must not lie before, as seen by a record; undefined if there is none. */
  before(location: Location, n: RecordNumber): Missing | undefined;
}

interface Table {
  readonly cpus: Int16Array;
  readonly records: Float64Array;
}

const knownGaps = createWholeTraceResult<readonly Gap[], Table>({
  name: 'gaps',
  toTable: (gaps) => ({
    cpus: Int16Array.from(gaps, ({ cpu }) => cpu),
    records: Float64Array.from(gaps, ({ n }) => n),
  }),
  fromTable: ({ cpus, records }) => Array.from(records, (n, k) => ({ cpu: cpus[k]!, n })),
});

/** Finds the gaps of the indexed part of a trace. */
export async function gapsOf(
  trace: Trace,
  { at }: Pick<Instructions, 'at'>,
  task: Task<SearchProgress>,
): Promise<Result<Gaps>> {
  const gaps = await findGaps(trace, task);
  return gaps.ok ? ok(createGaps(gaps.value, at)) : gaps;
}

/** Returns the gaps by their records. A format that does not show them has none. */
export async function findGaps(trace: Trace, task: Task<SearchProgress>): Promise<Result<readonly Gap[]>> {
  if (trace.reader.decoder.flow === undefined) return ok([]);
  const to = trace.blocks.records;
  const known = knownGaps.get(trace, to);
  if (known !== undefined) return ok(known);
  const found: Gap[] = [];
  const take = (events: Events): boolean => {
    addGaps(events, found);
    return true;
  };
  const progress = (at: RecordNumber): void => task.progress(() => ({ at }));
  const walked = await walkFlow(trace, { from: 0, to }, task, { take, progress, reading: 'lean' });
  if (!walked.ok) return walked;
  const gaps = found.sort((a, b) => a.n - b.n);
  knownGaps.set(trace, to, gaps);
  return ok(gaps);
}

/** Records before a gap in which the last record of its CPU is looked for. */
const MOST_SILENT = 4096;

function createGaps(gaps: readonly Gap[], recordAt: Instructions['at']): Gaps {
  const byCpu = Map.groupBy(gaps, ({ cpu }) => cpu);
  /** By gap: the last record of its CPU before it; undefined if it is too far away. */
  const starts = new Map<Gap, RecordNumber | undefined>();
  return {
    before({ of }, n) {
      let newest: Gap | undefined;
      for (const [cpu, own] of byCpu) {
        if (of !== 'memory' && of !== cpu) continue;
        const count = countUpTo(own, n);
        const [gap, next] = [own[count - 1], own[count]];
        // Records of other CPUs can lie in a gap.
        const last = next !== undefined && (startOf(next) ?? -1) < n ? next : gap;
        if (last !== undefined && (newest === undefined || last.n > newest.n)) newest = last;
      }
      return newest && { from: newest.n, reason: reasonOf(newest) };
    },
  };

  function startOf(gap: Gap): RecordNumber | undefined {
    if (!starts.has(gap)) starts.set(gap, findStart(gap));
    return starts.get(gap);
  }

  function findStart({ cpu, n }: Gap): RecordNumber | undefined {
    for (let other = n - 1; other >= Math.max(0, n - MOST_SILENT); other -= 1) {
      const record = recordAt(other);
      if (record === undefined) return undefined;
      if (cpuOf(record) === cpu) return other;
    }
    return undefined;
  }

  function reasonOf(gap: Gap): string {
    const start = startOf(gap);
    const end = gap.n.toLocaleString('en');
    return start === undefined
      ? `instructions are missing before record ${end}`
      : `instructions are missing between records ${start.toLocaleString('en')} and ${end}`;
  }
}

/** Returns how many gaps have records up to `n`. */
function countUpTo(gaps: readonly Gap[], n: RecordNumber): number {
  let [low, high] = [0, gaps.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (gaps[middle]!.n <= n) low = middle + 1;
    else high = middle;
  }
  return low;
}

function addGaps({ count, record, flags, cpu, alike }: Events, found: Gap[]): void {
  if (alike === undefined) {
    for (let at = 0; at < count; at++)
      if ((flags[at]! & EVENT.gap) !== 0) found.push({ cpu: cpu[at]!, n: record[at]! });
    return;
  }
  const { numbers, each } = alike;
  if (!each.flags.subarray(0, each.count).some((flag) => (flag & EVENT.gap) !== 0)) return;
  for (let at = 0; at < count; at++) {
    const number = numbers[at]!;
    if ((each.flags[number]! & EVENT.gap) !== 0) found.push({ cpu: each.cpu[number]!, n: record[at]! });
  }
}
