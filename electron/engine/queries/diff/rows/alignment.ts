/** The alignment of two open traces, kept while they are open: the requests of a comparison ask for it again and again. */
import type { FlowProgress } from '../../../../../shared/requests/flow.ts';
import { DIFF_REGIONS_MOST, type Diff, type DiffArguments } from '../../../../../shared/requests/diff.ts';
import { rowTable, type RowTable } from '../../../../../shared/requests/answers/aligned-rows.ts';
import { createLru, type Lru } from '../../../../../shared/base/lru.ts';
import { fail, ok, type Result } from '../../../../../shared/base/result.ts';
import { cachePer } from '../../../collections/cache-per.ts';
import type { Task } from '../../../threads/task.ts';
import type { Trace } from '../../../trace.ts';
import { isAcross } from '../across/across.ts';
import { diff, diffPaths } from '../diff.ts';
import type { Side } from '../paths/side.ts';

export interface Alignment {
  readonly found: Diff;
  readonly table: RowTable;
  readonly sides: readonly [Side, Side];
}

/** Alignments kept for each first trace; a long one takes some ten megabytes. */
const KEPT = 2;

/** Arguments on which an alignment does not depend, or that name its traces. */
const NOT_DECIDING: ReadonlySet<string> = new Set(['trace', 'other', 'most', 'only']);

const alignmentsOf = cachePer((): Lru<string, { readonly other: Trace; readonly alignment: Alignment }> =>
  createLru(KEPT),
);

/** The answer to the request `diff`. It is kept if it has all regions and nothing else, as a comparison in the workbench needs them. */
export async function knownDiff(
  a: Trace,
  b: Trace,
  args: Omit<DiffArguments, 'trace' | 'other'>,
  task: Task<FlowProgress>,
): Promise<Result<Diff>> {
  const across = isAcross(a, b);
  if (!across.ok) return across;
  if (across.value || args.most !== DIFF_REGIONS_MOST || args.only !== 'regions') return diff(a, b, args, task);
  const alignment = await alignmentOf(a, b, args, task);
  return alignment.ok ? ok(alignment.value.found) : alignment;
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
  const across = isAcross(a, b);
  if (!across.ok) return across;
  if (across.value)
    return fail('usage', 'these traces are compared by branches, without rows: tracebench diff prints the comparison');
  const compared = await diffPaths(a, b, { ...args, most: DIFF_REGIONS_MOST, only: 'regions' }, task);
  if (!compared.ok) return compared;
  const { found, sides } = compared.value;
  const alignment = { found, table: rowTable(found.regions), sides };
  alignmentsOf(a).set(key, { other: b, alignment });
  return ok(alignment);
}
