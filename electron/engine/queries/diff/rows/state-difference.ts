/**
 * How the states of two runs differ after one record of each: registers, and memory that both have accessed. Only what both runs know is
 * compared. The bytes of a page are those of the request `memory`, and so exact; the number of pages is limited.
 */
import { KNOWN, type Arguments, type MemoryView } from '../../../../../shared/requests/requests.ts';
import type { FlowProgress } from '../../../../../shared/requests/flow.ts';
import {
  STATE_PAGES,
  type MemoryDifference,
  type RegisterDifference,
  type StateDifference,
} from '../../../../../shared/requests/compare.ts';
import { NO_CPU } from '../../../../../shared/records/batch.ts';
import type { RegisterValue } from '../../../../../shared/records/registers.ts';
import { fail, ok, type Result } from '../../../../../shared/base/result.ts';
import { PAGE_BYTES, toHex, type RecordNumber } from '../../../../../shared/base/units.ts';
import { cachePer } from '../../../collections/cache-per.ts';
import { decodePageRow } from '../../../index/builders/pages.ts';
import { NODE } from '../../../index/store/index-file.ts';
import { withoutProgress, type Task } from '../../../threads/task.ts';
import type { Trace } from '../../../trace.ts';
import { pages } from '../../heat/pages.ts';
import { memory } from '../../memory/memory.ts';
import { registers } from '../../memory/registers.ts';
import { alignmentOf } from './alignment.ts';
import { registerNames } from '../ignored/ignored-names.ts';
import type { Side } from '../paths/side.ts';

const MOST_DIFFERENCES = 200;
/** Bytes of the next page that an access in a page can reach. */
const SPILL = 255;
const LAST_PAGE = 2 ** 52 - 1;
/** Pages of a search: with the bytes after them less than the most of a request. */
const LONGEST_STRETCH = 15;
/** Longest difference of memory in bytes. */
const LONGEST = 64;

export async function stateDifference(
  a: Trace,
  b: Trace,
  { at, otherAt, pages: most = STATE_PAGES, ...pair }: Arguments<'stateDifference'>,
  task: Task<FlowProgress>,
): Promise<Result<StateDifference>> {
  const alignment = await alignmentOf(a, b, pair, task);
  if (!alignment.ok) return alignment;
  if (alignment.value.sides === undefined)
    return fail(
      'usage',
      'these traces are compared by the branches that both prove, which show no registers or memory',
    );
  const [one, other] = alignment.value.sides;
  const known = [registersOf(one, at), registersOf(other, otherAt)] as const;
  const [own, others] = known;
  if (!own.ok) return own;
  if (!others.ok) return others;
  const inMemory = await memoryDifferences([a, b], [at, otherAt], most, task);
  if (!inMemory.ok) return inMemory;
  const { registers: left = [] } = alignment.value.found.ignored ?? {};
  return ok({ ...registerDifferences(own.value, others.value, other.shift, left), ...inMemory.value });
}

/** Returns the known registers of the CPU that is compared. */
function registersOf({ trace, chunks }: Side, at: RecordNumber): Result<readonly RegisterValue[]> {
  const found = registers(trace, { at });
  if (!found.ok) return found;
  return ok(found.value.files.find((file) => (file.cpu ?? NO_CPU) === chunks.cpu)?.registers ?? []);
}

/** @param left registers that do not count */
function registerDifferences(
  own: readonly RegisterValue[],
  others: readonly RegisterValue[],
  shift: bigint,
  left: readonly string[],
): Pick<StateDifference, 'registers' | 'registersCompared'> {
  const byName = new Map(others.map((register) => [register.name, register]));
  const ignored = new Set(left.map((name) => name.toLowerCase()));
  const both = own.flatMap((register) => {
    const other = byName.get(register.name);
    const counts = !registerNames(register.name).some((name) => ignored.has(name));
    return other === undefined || !counts ? [] : [{ register, other }];
  });
  const differing = both.filter(({ register, other }) => BigInt(register.value) !== BigInt(other.value));
  return {
    registers: differing.map(({ register, other }): RegisterDifference => ({
      name: register.name,
      a: register.value,
      b: other.value,
      setA: register.since,
      setB: other.since,
      ...(shift !== 0n && BigInt(other.value) - BigInt(register.value) === shift && { isShifted: true }),
    })),
    registersCompared: both.length,
  };
}

async function memoryDifferences(
  traces: readonly [Trace, Trace],
  at: readonly [RecordNumber, RecordNumber],
  most: number,
  task: Task<FlowProgress>,
): Promise<Result<Omit<StateDifference, 'registers' | 'registersCompared'>>> {
  const shared = await sharedPages(traces, at, most);
  if (!shared.ok) return shared;
  const { pages: compared, all } = shared.value;
  const found: MemoryDifference[] = [];
  let done = 0;
  for (const { page, pages } of stretchesOf(compared)) {
    const address = toHex(BigInt(page) * BigInt(PAGE_BYTES));
    const next = page + pages;
    const length = pages * PAGE_BYTES + (all.has(next) || next > LAST_PAGE ? 0 : SPILL);
    const views: MemoryView[] = [];
    for (const [side, trace] of traces.entries()) {
      const view = await memory(trace, { at: at[side]!, address, length }, withoutProgress(task));
      if (!view.ok) return view;
      views.push(view.value);
    }
    found.push(...differencesIn(page, length, views[0]!, views[1]!));
    if (task.cancelled()) return task.cancel();
    done += pages;
    task.progress(() => ({ at: done, to: compared.length }));
  }
  found.sort((one, other) => latest(other) - latest(one));
  return ok({
    memory: found.slice(0, MOST_DIFFERENCES),
    pagesCompared: compared.length,
    pagesLeft: all.size - compared.length,
    isCut: found.length > MOST_DIFFERENCES,
  });
}

/** Returns adjacent pages as stretches: one search finds the contents of a whole stretch. */
function stretchesOf(pages: readonly number[]): readonly { readonly page: number; readonly pages: number }[] {
  const stretches: { page: number; pages: number }[] = [];
  for (const page of pages.toSorted((one, other) => one - other)) {
    const last = stretches.at(-1);
    if (last && last.page + last.pages === page && last.pages < LONGEST_STRETCH) last.pages++;
    else stretches.push({ page, pages: 1 });
  }
  return stretches;
}

function latest({ writerA }: MemoryDifference): number {
  return writerA ?? -1;
}

/**
 * Returns the numbers of pages that both runs have accessed by then: the `most` ones that either run accessed latest, and the number of all.
 */
async function sharedPages(
  [a, b]: readonly [Trace, Trace],
  [at, otherAt]: readonly [RecordNumber, RecordNumber],
  most: number,
): Promise<Result<{ readonly pages: readonly number[]; readonly all: ReadonlySet<number> }>> {
  const own = await accessedBy(a, at);
  if (!own.ok) return own;
  const others = await accessedBy(b, otherAt);
  if (!others.ok) return others;
  const all = new Set([...own.value].filter((page) => others.value.has(page)));
  const latest = [pagesBackwards(a, at, all), pagesBackwards(b, otherAt, all)];
  const pages = new Set<number>();
  while (pages.size < Math.min(most, all.size))
    for (const next of latest) {
      const step = next.next();
      if (step.done !== true && pages.size < most) pages.add(step.value);
    }
  return ok({ pages: [...pages], all });
}

/** Returns the pages that records up to `at` have accessed. */
async function accessedBy(trace: Trace, at: RecordNumber): Promise<Result<ReadonlySet<number>>> {
  if (!trace.ingest.totals.valued) return ok(new Set());
  const accessed = await pages(trace, { size: PAGE_BYTES });
  if (!accessed.ok) return accessed;
  const { numbers, first } = accessed.value;
  return ok(new Set(numbers.filter((_, k) => first[k]! <= at)));
}

/**
 * Yields the pages of `among` that records up to `at` accessed, the latest first. The order is exact from one row of the page table to the
 * next; within the row of the record, a page that is accessed after it too counts as accessed there.
 */
function* pagesBackwards(trace: Trace, at: RecordNumber, among: ReadonlySet<number>): Generator<number, undefined> {
  const { index } = trace;
  const starts = rowStarts(trace);
  const seen = new Set<number>();
  for (let row = starts.length - 1; row >= 0; row--) {
    if (starts[row]! > at) continue;
    const own: { readonly page: number; readonly last: RecordNumber }[] = [];
    for (const { page, first, last } of decodePageRow(index.blob(NODE.pages, 0, row)))
      if (first <= at && among.has(page) && !seen.has(page)) own.push({ page, last: Math.min(at, last) });
    for (const { page } of own.sort((one, other) => other.last - one.last)) {
      seen.add(page);
      yield page;
    }
  }
  return undefined;
}

const startsOf = cachePer((): { starts?: Float64Array } => ({}));

/** Returns the first record that each row of the page table is about. */
function rowStarts(trace: Trace): Float64Array {
  const { index, ingest } = trace;
  const kept = startsOf(trace);
  kept.starts ??= Float64Array.from({ length: ingest.pageRuns }, (_, row) => {
    let least = Number.POSITIVE_INFINITY;
    for (const { first } of decodePageRow(index.blob(NODE.pages, 0, row))) least = Math.min(least, first);
    return least;
  });
  return kept.starts;
}

/** Returns the differences of a page: bytes with the same writers belong together. */
function differencesIn(page: number, length: number, a: MemoryView, b: MemoryView): readonly MemoryDifference[] {
  const found: MemoryDifference[] = [];
  const isKnown = (byte: number): boolean => a.known[byte] !== KNOWN.not && b.known[byte] !== KNOWN.not;
  for (let from = 0; from < length;) {
    if (!isKnown(from)) {
      from++;
      continue;
    }
    let to = from;
    let differs = false;
    while (to < length && to < from + LONGEST && isKnown(to)) {
      if (a.writers[to] !== a.writers[from] || b.writers[to] !== b.writers[from]) break;
      differs ||= a.bytes[to] !== b.bytes[to];
      to++;
    }
    if (differs) found.push(differenceOf(page, a, b, ...differingIn(a, b, from, to)));
    from = to;
  }
  return found;
}

/** Returns what one write wrote as a whole, but of bytes that nothing wrote only the stretch that differs. */
function differingIn(a: MemoryView, b: MemoryView, from: number, to: number): readonly [number, number] {
  if (a.writers[from]! >= 0 || b.writers[from]! >= 0) return [from, to];
  let [first, end] = [from, to];
  while (a.bytes[first] === b.bytes[first]) first++;
  while (a.bytes[end - 1] === b.bytes[end - 1]) end--;
  return [first, end];
}

function differenceOf(page: number, a: MemoryView, b: MemoryView, from: number, to: number): MemoryDifference {
  const textOf = ({ bytes }: MemoryView): string => Buffer.from(bytes.subarray(from, to)).toString('hex');
  const writerOf = ({ writers }: MemoryView): RecordNumber | null => (writers[from]! < 0 ? null : writers[from]!);
  return {
    address: toHex(BigInt(page) * BigInt(PAGE_BYTES) + BigInt(from)),
    a: textOf(a),
    b: textOf(b),
    writerA: writerOf(a),
    writerB: writerOf(b),
  };
}
