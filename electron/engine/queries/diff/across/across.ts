/**
 * Compares traces of different formats, and trace buffers, by the taken branches that both prove. What only one of them covers is not
 * compared: a trace buffer holds the last branches of a run, and a branch stack the last ones before a sample.
 */
import type { Diff, DiffArguments, DiffPair, DiffRegion } from '../../../../../shared/requests/diff.ts';
import type { FlowProgress } from '../../../../../shared/requests/flow.ts';
import { NO_CPU } from '../../../../../shared/records/batch.ts';
import { fail, ok, type Result } from '../../../../../shared/base/result.ts';
import { toHex, type RecordNumber } from '../../../../../shared/base/units.ts';
import { symbolText } from '../../../image/symbols.ts';
import type { PathChunks } from '../../../flow/path/path-chunks.ts';
import { elementsOf, ENDS, recordPathOf } from '../../../flow/path/record-chunks.ts';
import type { Task } from '../../../threads/task.ts';
import type { Trace } from '../../../trace.ts';
import { commonShift } from '../paths/chunk-symbols.ts';
import { elementsIn, oneCpu } from '../paths/sides.ts';
import { hasPentiumCode } from './paired-sources.ts';
import { alignCuts } from './align-cuts.ts';
import { partsOf, type BranchPart } from './parts.ts';
import { MARK, provedBranches, type ProvedBranches } from './proved-branches.ts';
import { instructionSizes, withoutBranchesToNext } from './to-next.ts';
import {
  addressOf,
  agreement,
  branchTests,
  decidingEnd,
  symbolsOf,
  withoutSomeTargets,
  type BranchSide,
} from './symbols.ts';

/**
 * Returns true for traces whose proved branches are compared: messages, stacks or buffers and another format, and trace buffers and captures
 * of a Pentium with its code in any case. Fails if they cannot be compared.
 */
export async function isAcross(a: Trace, b: Trace, task: Task<FlowProgress>): Promise<Result<boolean>> {
  const its = elementsIn(a);
  if (!its.ok) return its;
  const others = elementsIn(b);
  if (!others.ok) return others;
  const isSameFormat = a.format.id === b.format.id;
  if (its.value === 'accesses' || others.value === 'accesses') {
    if (isSameFormat && its.value === others.value) return ok(false);
    return fail(
      'usage',
      `${a.file.path} shows ${its.value} and ${b.file.path} ${others.value}: accesses can be compared only within a format`,
    );
  }
  if (its.value === 'instructions' && others.value === 'instructions') return ok(false);
  if (!isSameFormat && [a, b].some(({ reader }) => reader.decoder.format.branches?.sampled === true))
    return fail('usage', 'branch stacks can be compared only with branch stacks: a sample may end inside an interrupt');
  if (!isSameFormat || its.value !== others.value || isFollowed(a)) return ok(true);
  return provesPairs([a, b], task);
}

/** Returns true if both traces are captures of a Pentium whose code and targets show which branches they report in two ways. */
async function provesPairs(traces: readonly Trace[], task: Task<FlowProgress>): Promise<Result<boolean>> {
  if (!traces.every(hasPentiumCode)) return ok(false);
  for (const trace of traces) {
    const path = await recordPathOf(trace, 'branches', ENDS, task);
    if (!path.ok) return path;
    if (path.value.ends !== ENDS) return ok(false);
  }
  return ok(true);
}

/** True for trace buffers, which are followed through the program image. */
function isFollowed({ reader }: Trace): boolean {
  return reader.decoder.format.branches?.followed === true;
}

/** A comparison, and the branches of both traces that count in it. */
export interface ComparedBranches {
  readonly found: Diff;
  readonly sides: readonly [BranchSide, BranchSide];
}

/** `most`: most regions of the answer. */
export async function diffAcross(
  a: Trace,
  b: Trace,
  { cpu, shift, by: wanted, only, ignore = [], ignoreRanges = [] }: Omit<DiffArguments, 'trace' | 'other'>,
  most: number,
  task: Task<FlowProgress>,
): Promise<Result<ComparedBranches>> {
  if (wanted === 'values' || wanted === 'symbol' || ignore.length + ignoreRanges.length > 0)
    return fail(
      'usage',
      'values, symbols and what to ignore need executed instructions in both traces; these are compared by the path of their branches',
    );
  const one = await branchesOf(a, cpu, task);
  if (!one.ok) return one;
  const other = await branchesOf(b, cpu, task);
  if (!other.ok) return other;
  const moved = await shiftOf([a, b], shift, task);
  if (!moved.ok) return moved;
  const by = moved.value;
  const end = decidingEnd(one.value, other.value);
  if (end === undefined)
    return fail('usage', 'one trace shows sources of branches and the other targets, so they cannot be compared');
  const all = [sideOf(a, one.value, 0n), sideOf(b, other.value, by)] as const;
  const visible = withoutInvisible(
    [a, b],
    end === 'targets' ? all : [withoutSomeTargets(all[0]), withoutSomeTargets(all[1])],
  );
  if (!visible.ok) return visible;
  const sides = visible.value;
  const alignment = await alignCuts(...symbolsOf(sides, end), () => task.cancelled());
  if (alignment === undefined) return task.cancel();
  const parts = partsOf(sides, alignment, agreement(sides), end === 'sources');
  const counts = countsOf(sides, parts);
  if (counts.same === 0 && counts.apart === 0)
    return fail('usage', `${a.file.path} and ${b.file.path}: the traces show no branches of the same part of a run`);
  const apart = parts.find(({ kind }) => kind === 'a-only' || kind === 'b-only');
  const isShort = only === 'first';
  const found: Diff = {
    same: apart === undefined,
    by: 'path',
    confirmed: 'decoded',
    of: 'branches',
    byProvedBranches: true,
    ...(end === 'sources' && { ends: end }),
    first: { path: apart === undefined ? null : pairOf([a, b], sides, apart), values: null },
    regions: isShort ? [] : regionsOf(sides, parts.slice(0, most)),
    left: isShort ? 0 : Math.max(0, parts.length - most),
    functions: [],
    functionsLeft: 0,
    notCompared: counts.all - counts.same - counts.apart,
    ...(!isShort && { matched: counts.same / (counts.same + counts.apart) }),
    shift: by.toString(),
    cpu: [one.value.cpu, other.value.cpu].find((each) => each !== NO_CPU) ?? null,
    instructionsA: branchesIn(sides[0].branches, 0, sides[0].branches.count),
    instructionsB: branchesIn(sides[1].branches, 0, sides[1].branches.count),
  };
  return ok({ found, sides });
}

/** Returns how far the second program was loaded from the first: found only within a format, as it is for paths of records. */
async function shiftOf(
  traces: readonly [Trace, Trace],
  given: string | undefined,
  task: Task<FlowProgress>,
): Promise<Result<bigint>> {
  if (given !== undefined) return ok(BigInt(given));
  if (traces[0].format.id !== traces[1].format.id || !traces.every(hasPentiumCode)) return ok(0n);
  const chunks: PathChunks[] = [];
  for (const trace of traces) {
    const path = await recordPathOf(trace, 'branches', ENDS, task);
    if (!path.ok) return path;
    chunks.push(...path.value.cpus.slice(0, 1));
  }
  const [one, other] = chunks;
  return ok(one === undefined || other === undefined ? 0n : commonShift(one, other));
}

/** Returns the branches of the CPU that is compared. */
async function branchesOf(
  trace: Trace,
  cpu: number | undefined,
  task: Task<FlowProgress>,
): Promise<Result<ProvedBranches>> {
  const { images, file, reader } = trace;
  const { as, unclassified = false } = reader.decoder.format.branches ?? {};
  // Without opcodes, an interrupt looks like any other branch.
  const needsImage = isFollowed(trace) || (as !== 'messages' && unclassified);
  if (needsImage && images.list.every(({ segments }) => segments.length === 0))
    return fail(
      'usage',
      `${file.path}: the branches of this format can be compared with another one only if the program is known; give its image with --image`,
    );
  const all = await provedBranches(trace, task);
  if (!all.ok) return all;
  if (all.value.every(({ sources, targets }) => sources === 0 && targets === 0))
    return fail('usage', `${file.path}: no address of a branch is known in this trace`);
  const hasNames = all.value.some((each) => each.cpu !== NO_CPU);
  return oneCpu(all.value, hasNames ? cpu : undefined, trace);
}

/** Leaves out branches that a trace of instructions does not show, if one of the traces is such. */
function withoutInvisible(
  traces: readonly [Trace, Trace],
  sides: readonly [BranchSide, BranchSide],
): Result<readonly [BranchSide, BranchSide]> {
  const at = traces.findIndex((trace) => elementsOf(trace) === 'instructions');
  if (at < 0) return ok(sides);
  const code = { sizeOf: instructionSizes(traces[at]!, sides[at]!.shift), ...branchTests(sides[at]!) };
  const one = withoutBranchesToNext(sides[0], code);
  if (!one.ok) return one;
  const other = withoutBranchesToNext(sides[1], code);
  if (!other.ok) return other;
  return ok([
    { ...sides[0], branches: one.value },
    { ...sides[1], branches: other.value },
  ]);
}

function sideOf({ reader }: Trace, branches: ProvedBranches, shift: bigint): BranchSide {
  return { branches, shift, reportsPairs: reader.decoder.format.branches?.pentium === true };
}

/** Branches of both sides. */
function countsOf([one, other]: readonly [BranchSide, BranchSide], parts: readonly BranchPart[]) {
  const counts = { all: 0, same: 0, apart: 0 };
  for (const { kind, a, aEnd, b, bEnd } of parts) {
    const count = branchesIn(one.branches, a, aEnd) + branchesIn(other.branches, b, bEnd);
    counts.all += count;
    if (kind === 'same') counts.same += count;
    else if (kind !== 'not-compared') counts.apart += count;
  }
  return counts;
}

function branchesIn({ marks }: ProvedBranches, from: number, to: number): number {
  let count = 0;
  for (let k = from; k < to; k++) if ((marks[k]! & MARK.cut) === 0) count++;
  return count;
}

function regionsOf(
  [one, other]: readonly [BranchSide, BranchSide],
  parts: readonly BranchPart[],
): readonly DiffRegion[] {
  return parts
    .map(({ kind, a, aEnd, b, bEnd }) => ({
      kind,
      a: recordsOf(one.branches, a, aEnd),
      b: recordsOf(other.branches, b, bEnd),
      instructionsA: branchesIn(one.branches, a, aEnd),
      instructionsB: branchesIn(other.branches, b, bEnd),
    }))
    .filter(({ instructionsA, instructionsB }) => instructionsA > 0 || instructionsB > 0);
}

/** Returns the records of entries [from, to). */
function recordsOf({ record, count }: ProvedBranches, from: number, to: number): readonly [RecordNumber, RecordNumber] {
  return [record[from] ?? record[count - 1]!, record[to] ?? record[count - 1]!];
}

function pairOf(traces: readonly [Trace, Trace], sides: readonly [BranchSide, BranchSide], part: BranchPart): DiffPair {
  const [one, other] = sides;
  const at = [part.a, part.b] as const;
  const shown = sides.map((side, k) => {
    const entry = at[k]!;
    const marks = side.branches.marks[entry] ?? MARK.cut;
    return (marks & MARK.cut) === 0 ? entry : undefined;
  });
  const address = [one, other].flatMap((side, k) => {
    const entry = shown[k];
    if (entry === undefined) return [];
    return [addressOf(side, entry, (side.branches.marks[entry]! & MARK.source) !== 0 ? 'source' : 'target')];
  })[0];
  const symbol = address === undefined ? undefined : traces[0].images.symbolAt(address);
  const recordOf = (k: 0 | 1): RecordNumber | null => {
    const entry = shown[k];
    return entry === undefined ? null : sides[k].branches.record[entry]!;
  };
  return {
    a: recordOf(0),
    b: recordOf(1),
    address: toHex(address ?? 0n),
    ...(symbol !== undefined && { symbol: symbolText(symbol) }),
    what: `${said('A', traces[0], one, shown[0])}, ${said('B', traces[1], other, shown[1])}`,
  };
}

function said(name: string, { images }: Trace, side: BranchSide, entry: number | undefined): string {
  if (entry === undefined) return `${name} shows no branch`;
  const placed = (end: 'source' | 'target'): string => {
    const address = addressOf(side, entry, end) + side.shift;
    const symbol = images.symbolAt(address);
    return `${toHex(address)}${symbol === undefined ? '' : ` ${symbolText(symbol)}`}`;
  };
  const marks = side.branches.marks[entry]!;
  const to = (marks & MARK.target) === 0 ? '' : ` to ${placed('target')}`;
  const from = (marks & MARK.source) === 0 ? '' : ` from ${placed('source')}`;
  return `${name} has a branch${to}${from}`;
}
