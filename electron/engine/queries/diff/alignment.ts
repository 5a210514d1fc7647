/** The alignment of two open traces, kept while they are open: the requests of a comparison ask for it again and again. */
import { NO_CPU } from '../../../../shared/records/batch.ts';
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import { DIFF_REGIONS_MOST, type Diff, type DiffArguments } from '../../../../shared/requests/diff.ts';
import { rowTable, type RowTable } from '../../../../shared/requests/answers/aligned-rows.ts';
import { createLru, type Lru } from '../../../../shared/base/lru.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { cachePer } from '../../collections/cache-per.ts';
import { pathOf } from '../../flow/path/path-chunks.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { chunksOf, diff, MOST_REGIONS } from './diff.ts';
import type { Side } from './side.ts';

export interface Alignment {
  readonly found: Diff;
  readonly table: RowTable;
  readonly sides: readonly [Side, Side];
}

/** Alignments kept for each first trace; a long one takes some ten megabytes. */
const KEPT = 2;

/** Arguments on which an alignment does not depend, or that name its traces. */
const NOT_DECIDING: ReadonlySet<string> = new Set(['trace', 'other', 'most']);

const alignmentsOf = cachePer((): Lru<string, { readonly other: Trace; readonly alignment: Alignment }> =>
  createLru(KEPT),
);

/** The answer to the request `diff`. */
export async function knownDiff(
  a: Trace,
  b: Trace,
  args: Omit<DiffArguments, 'trace' | 'other'>,
  task: Task<FlowProgress>,
): Promise<Result<Diff>> {
  const { most = MOST_REGIONS } = args;
  const alignment = await alignmentOf(a, b, args, task);
  if (!alignment.ok) return alignment;
  const { regions, left, ...found } = alignment.value.found;
  return ok({ ...found, regions: regions.slice(0, most), left: left + Math.max(0, regions.length - most) });
}

/** Returns the alignment that `diff` answers with, with all its regions. */
export async function alignmentOf(
  a: Trace,
  b: Trace,
  args: Omit<DiffArguments, 'trace' | 'other'>,
  task: Task<FlowProgress>,
): Promise<Result<Alignment>> {
  const deciding = Object.entries(args).filter(([name]) => !NOT_DECIDING.has(name));
  const key = JSON.stringify([b.id, ...deciding.sort(([one], [other]) => (one < other ? -1 : 1))]);
  const known = alignmentsOf(a).get(key);
  if (known?.other === b) return ok(known.alignment);
  const found = await diff(a, b, { ...args, most: DIFF_REGIONS_MOST }, task);
  if (!found.ok) return found;
  const sides = await sidesOf(a, b, found.value, args.cpu, task);
  if (!sides.ok) return sides;
  const alignment = { found: found.value, table: rowTable(found.value.regions), sides: sides.value };
  alignmentsOf(a).set(key, { other: b, alignment });
  return ok(alignment);
}

async function sidesOf(
  a: Trace,
  b: Trace,
  { cpu, shift }: Diff,
  wanted: number | undefined,
  task: Task<FlowProgress>,
): Promise<Result<readonly [Side, Side]>> {
  const own = await pathOf(a, task);
  if (!own.ok) return own;
  const others = await pathOf(b, task);
  if (!others.ok) return others;
  const chunksA = own.value.cpus.find((each) => each.cpu === (cpu ?? NO_CPU));
  const one = chunksA === undefined ? chunksOf(own.value, wanted, a) : ok(chunksA);
  if (!one.ok) return one;
  const other = chunksOf(others.value, wanted, b);
  if (!other.ok) return other;
  return ok([
    { trace: a, chunks: one.value, shift: 0n },
    { trace: b, chunks: other.value, shift: BigInt(shift) },
  ]);
}
