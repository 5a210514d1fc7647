/** The alignment of two open traces, kept while they are open: the requests of a comparison ask for it again and again. */
import type { FlowProgress } from '../../../../../shared/requests/flow.ts';
import { DIFF_REGIONS_MOST, type Diff, type DiffArguments } from '../../../../../shared/requests/diff.ts';
import { rowTable, type RowTable } from '../../../../../shared/requests/answers/aligned-rows.ts';
import { createLru, type Lru } from '../../../../../shared/base/lru.ts';
import { ok, type Result } from '../../../../../shared/base/result.ts';
import { cachePer } from '../../../collections/cache-per.ts';
import type { Task } from '../../../threads/task.ts';
import type { Trace } from '../../../trace.ts';
import { diffAcross, isAcross } from '../across/across.ts';
import { branchPlaces, type BranchPlaces } from '../across/branch-places.ts';
import { diff, diffPaths } from '../diff.ts';
import type { Side } from '../paths/side.ts';
import { pathPlaces, type Places } from './places.ts';

export interface Alignment {
  readonly found: Diff;
  readonly table: RowTable;
  /** The elements of both runs by number: instructions, or all branches or accesses, or the branches that both traces prove. */
  readonly places: readonly [Places, Places];
  /** The paths; undefined if only proved branches are compared. */
  readonly sides?: readonly [Side, Side];
  /** The same places, if proved branches are compared. */
  readonly branches?: readonly [BranchPlaces, BranchPlaces];
}

/** Alignments kept for each first trace, with and without values, and the start of one; a long one takes some ten megabytes, and 30 bytes for each proved branch. */
const KEPT = 3;

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
  const isForRows = args.only === 'regions' || args.only === 'start';
  if (args.most !== DIFF_REGIONS_MOST || !isForRows) return diff(a, b, args, task);
  const alignment = await alignmentOf(a, b, args, task);
  return alignment.ok ? ok(alignment.value.found) : alignment;
}

/** Returns the alignment that `diff` answers with, with all its regions, or its start. */
export async function alignmentOf(
  a: Trace,
  b: Trace,
  args: Omit<DiffArguments, 'trace' | 'other'>,
  task: Task<FlowProgress>,
): Promise<Result<Alignment>> {
  const across = await isAcross(a, b, task);
  if (!across.ok) return across;
  // Proved branches are compared by path in any case.
  const isByPath = ([name, value]: readonly [string, unknown]): boolean => name === 'by' && value === 'path';
  const deciding = Object.entries(args).filter(
    (each) => !NOT_DECIDING.has(each[0]) && !(across.value && isByPath(each)),
  );
  const only = args.only === 'start' ? 'start' : 'regions';
  const key = JSON.stringify([b.id, only, ...deciding.sort(([one], [other]) => (one < other ? -1 : 1))]);
  const known = alignmentsOf(a).get(key);
  if (known?.other === b) return ok(known.alignment);
  const wanted = { ...args, most: DIFF_REGIONS_MOST, only } as const;
  const alignment = across.value ? await ofBranches(a, b, wanted, task) : await ofPaths(a, b, wanted, task);
  if (alignment.ok) alignmentsOf(a).set(key, { other: b, alignment: alignment.value });
  return alignment;
}

async function ofPaths(
  a: Trace,
  b: Trace,
  args: Omit<DiffArguments, 'trace' | 'other'>,
  task: Task<FlowProgress>,
): Promise<Result<Alignment>> {
  const compared = await diffPaths(a, b, args, task);
  if (!compared.ok) return compared;
  const { found, sides } = compared.value;
  return ok({ found, table: rowTable(found.regions), places: [pathPlaces(sides[0]), pathPlaces(sides[1])], sides });
}

async function ofBranches(
  a: Trace,
  b: Trace,
  args: Omit<DiffArguments, 'trace' | 'other'>,
  task: Task<FlowProgress>,
): Promise<Result<Alignment>> {
  const compared = await diffAcross(a, b, args, DIFF_REGIONS_MOST, task);
  if (!compared.ok) return compared;
  const { found, sides } = compared.value;
  const places = [branchPlaces(sides[0].branches), branchPlaces(sides[1].branches)] as const;
  return ok({ found, table: rowTable(found.regions), places, branches: places });
}
