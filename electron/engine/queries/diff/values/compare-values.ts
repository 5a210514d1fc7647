/**
 * Compares the effects of aligned instructions. Stretches with equal fingerprints are taken to be equal; all others are decoded and compared
 * instruction by instruction, so each difference that is reported was seen in the records of both traces.
 */
import { setImmediate as breathe } from 'node:timers/promises';
import { CLOSE_VALUES, type RegionKind } from '../../../../../shared/requests/diff.ts';
import type { FlowProgress } from '../../../../../shared/requests/flow.ts';
import { isEffect, KINDS } from '../../../../../shared/records/record.ts';
import { ok, type Result } from '../../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../../shared/base/units.ts';
import { unlessCancelled, withoutProgress, type Task } from '../../../threads/task.ts';
import type { Trace } from '../../../trace.ts';
import { findGaps } from '../../why/gaps.ts';
import { effectCuts, type EffectCuts } from '../../../flow/path/effect-cuts.ts';
import { instructionsIn, type PathChunks } from '../../../flow/path/path-chunks.ts';
import { differenceOf, type Rules } from './compare-effects.ts';
import { COMPARE_RUNS, readCompared, type AlignedStretch } from './compare-runs.ts';
import { createEffectReader, hasLateRegisters, type Effective } from './effects.ts';
import { createKnownRegisters } from './known-registers.ts';
import type { PartQueue } from '../paths/part-queue.ts';
import type { PathPart, Place } from '../paths/path-parts.ts';
import type { Side } from '../paths/side.ts';
import { groupsOf, reachOf, type Step, type StepGroup } from './steps.ts';
import type { AlignedPart } from './unequal-stretches.ts';

/** The first pair of instructions whose effects differ, and how. */
export interface DifferingPair {
  readonly a: Pick<Effective, 'record' | 'address'>;
  readonly b: Pick<Effective, 'record'>;
  readonly what: string;
}

export interface ComparedValues {
  /** The given parts in order; those of kind `same` are divided where values differ. */
  readonly parts: readonly PathPart[];
  /** Number of all parts. */
  readonly count: number;
  readonly first: DifferingPair | undefined;
  /** Pairs that differ, by address in the first program. */
  readonly differing: ReadonlyMap<bigint, number>;
  /** Aligned instructions whose effects could not be compared. */
  readonly notCompared: number;
}

export interface Comparison {
  /** Registers that do not count. */
  readonly ignored: readonly string[];
  /** True if fingerprints are not trusted. */
  readonly decodes: boolean;
  /** True if the comparison ends with the first difference. */
  readonly firstOnly: boolean;
  /** Most parts of the answer. */
  readonly most: number;
  /** Called for each pair whose effects differ, with its number in its part. */
  readonly differs?: (at: number) => void;
}

/** Groups of stretches that the pool has at the same time. */
const MOST_BEGUN = 6;
/** Compared pairs between two looks whether the request was cancelled. */
const SLICE = 4096;

function placesAt([a, b]: readonly [RecordNumber, RecordNumber]): Pick<PathPart, 'a' | 'b'> {
  return { a: { record: a, skip: 0 }, b: { record: b, skip: 0 } };
}

/** Returns true if the texts of records of both traces mean the same. */
function readAlike([one, other]: readonly [Side, Side]): boolean {
  const readingOf = ({ trace: { reader } }: Side): string =>
    JSON.stringify([reader.ref.format, Object.entries(reader.decoder.settings).sort()]);
  return one.ignored === undefined && other.ignored === undefined && readingOf(one) === readingOf(other);
}

/** Returns true if a trace records registers or accesses. */
export function hasEffects({ ingest }: Trace): boolean {
  return KINDS.some((kind, code) => isEffect(kind) && (ingest.totals.kinds[code] ?? 0) > 0);
}

export async function compareValues(
  sides: readonly [Side, Side],
  queue: PartQueue,
  comparison: Comparison,
  task: Task<FlowProgress>,
): Promise<Result<ComparedValues>> {
  const { ignored, decodes, firstOnly, most, differs } = comparison;
  const [one, other] = sides;
  const gaps = await gapsOf(sides, task);
  if (!gaps.ok) return gaps;
  const records = ({ trace }: Side, code: number): boolean => (trace.ingest.totals.kinds[code] ?? 0) > 0;
  const rules: Rules = {
    shift: other.shift - one.shift,
    ignored: new Set(ignored.map((name) => name.toLowerCase())),
    kinds: new Set(KINDS.filter((_, code) => records(one, code) && records(other, code))),
  };
  const cuts = decodes ? undefined : trustedCuts(sides);
  const isPooled = !firstOnly && cuts !== undefined && readAlike(sides);
  const found: PathPart[] = [];
  let count = 0;
  let first: DifferingPair | undefined;
  let notCompared = 0;
  const differing = new Map<bigint, number>();
  let splitter: Splitter | undefined;
  /** Instructions of the part that is compared, and where the next part begins if that is known. */
  let instructions = 0;
  let next: Pick<PathPart, 'a' | 'b'> | undefined;
  const add = (part: PathPart): void => {
    if (found.length < most) found.push(part);
    count++;
  };
  const [gapsA, gapsB] = gaps.value;
  const traces = [
    { trace: one.trace, gaps: gapsA },
    { trace: other.trace, gaps: gapsB },
  ] as const;
  const groups = groupsOf(traces, queue, cuts, isPooled);
  const control = new AbortController();
  const begun: (StepGroup & { readonly answer: ReturnType<typeof begin> })[] = [];
  try {
    for (;;) {
      let isWaiting = false;
      while (!isWaiting && begun.length < (isPooled ? MOST_BEGUN : 1)) {
        const group = groups.next();
        if (group.done === true) break;
        isWaiting = group.value === undefined;
        if (group.value !== undefined) begun.push({ ...group.value, answer: begin(group.value) });
      }
      const group = begun.shift();
      if (group === undefined) {
        if (!isWaiting) break;
        await queue.changed();
        continue;
      }
      const answer = group.answer && (await unlessCancelled(group.answer, task));
      if (answer?.ok === false) return answer;
      const answers = answer && readCompared(answer.value);
      for (const step of group.steps) {
        const taken = await take(step, answers);
        if (!taken.ok) return taken;
      }
      const at = reachOf(group);
      if (at !== undefined) task.progress(() => ({ at, to: one.trace.blocks.records }));
      await breathe();
      if (task.cancelled()) return task.cancel();
    }
  } finally {
    control.abort();
  }
  // Fingerprints are trusted only if the parts are the whole paths.
  if (cuts !== undefined && !areWhole(sides, queue.parts))
    return compareValues(sides, queue, { ...comparison, decodes: true }, task);
  return ok({ parts: found, count, first, differing, notCompared });

  function begin({ runs }: StepGroup) {
    if (runs.length === 0) return undefined;
    const cpus = [one.chunks.cpu, other.chunks.cpu] as const;
    const args = { trace: one.trace.reader.ref, other: other.trace.reader.ref, cpus, rules, runs };
    return one.trace.pool.run(COMPARE_RUNS, args, control.signal);
  }

  async function take(step: Step, answers: ReturnType<typeof readCompared> | undefined): Promise<Result<undefined>> {
    if (step.is === 'part') add({ ...step.part, ...next });
    if (step.is === 'part' || step.is === 'begin') next = undefined;
    if (step.is === 'begin') {
      splitter = createSplitter(step.part, add);
      ({ instructions } = step.part);
    }
    if (step.is === 'end') splitter?.finish();
    if (step.is !== 'stretch' || splitter === undefined || (firstOnly && first !== undefined)) return ok(undefined);
    const { stretch, isInRun } = step;
    const answer = isInRun ? answers?.next().value : undefined;
    if (answer === undefined) return compareStretch(stretch, splitter.take);
    const [start, after] = [placesAt(answer.start), placesAt(answer.after)];
    if (stretch.from === 0) splitter.start(start);
    if (stretch.to === instructions) next = after;
    for (const { at, a, b, is, address, what = '' } of answer.pairs) {
      splitter.take(at, a, b, is === 'different');
      if (is === 'different') note(at, { a: { record: a, address }, b: { record: b }, what });
      if (is !== 'open') continue;
      const compared = await compareStretch({ from: at, to: at + 1, ...placesAt([a, b]) }, splitter.take);
      if (!compared.ok) return compared;
    }
    return ok(undefined);
  }

  function note(at: number, pair: DifferingPair): void {
    first ??= pair;
    const address = pair.a.address - one.shift;
    differing.set(address, (differing.get(address) ?? 0) + 1);
    differs?.(at);
  }

  /** Calls `take` for each pair whose effects differ, and for the pair after it. */
  async function compareStretch({ from, to, a, b }: AlignedStretch, take: TakePair): Promise<Result<undefined>> {
    const readers = [createEffectReader(one, a), createEffectReader(other, b)] as const;
    let known: Parameters<typeof differenceOf>[2] | undefined;
    let isAfterDifference = false;
    for (let at = from; at < to || isAfterDifference; at++) {
      const [its, others] = [nextCounted(readers[0], known?.[0]), nextCounted(readers[1], known?.[1])];
      if (!its.ok) return its;
      if (!others.ok) return others;
      const [x, y] = [its.value, others.value];
      if (x === undefined || y === undefined) {
        notCompared += Math.max(0, to - at);
        return ok(undefined);
      }
      if (at >= to) {
        take(at, x.record, y.record, false);
        return ok(undefined);
      }
      if (x.address - one.shift !== y.address - other.shift) {
        notCompared += to - at;
        return ok(undefined);
      }
      known ??= [createKnownRegisters(one, x.record, gapsA), createKnownRegisters(other, y.record, gapsB)];
      known[0].apply(x);
      known[1].apply(y);
      const what = differenceOf(x, y, known, rules);
      if (!what.ok) return what;
      if (what.value !== undefined) {
        note(at, { a: x, b: y, what: what.value });
        if (firstOnly) return ok(undefined);
      }
      if (what.value !== undefined || isAfterDifference) take(at, x.record, y.record, what.value !== undefined);
      isAfterDifference = what.value !== undefined;
      if (at % SLICE !== SLICE - 1) continue;
      task.progress(() => ({ at: x.record, to: one.trace.blocks.records }));
      await breathe();
      if (task.cancelled()) return task.cancel();
    }
    return ok(undefined);
  }
}

/** Returns the next instruction that counts. What others before it set is known afterwards. */
function nextCounted(
  reader: ReturnType<typeof createEffectReader>,
  known: ReturnType<typeof createKnownRegisters> | undefined,
): Result<Effective | undefined> {
  for (;;) {
    const next = reader.next();
    if (!next.ok || next.value?.isIgnored !== true) return next;
    known?.apply(next.value);
  }
}

type TakePair = (at: number, a: RecordNumber, b: RecordNumber, differs: boolean) => void;

interface Splitter {
  /** Takes the places of the first instructions, if they are known as records. */
  start(places: Pick<PathPart, 'a' | 'b'>): void;
  readonly take: TakePair;
  finish(): void;
}

/** Divides an aligned part into stretches with the same and with other values. */
function createSplitter({ a, b, instructions }: AlignedPart, add: (part: PathPart) => void): Splitter {
  /** The current stretch of kind `same`. */
  let same = { from: 0, a, b };
  let values: { readonly from: number; readonly a: Place; readonly b: Place; count: number; last: number } | undefined;
  /** The pair after the last that differs. */
  let after = { a, b };

  function close(): void {
    if (values === undefined) return;
    const { from, count, last } = values;
    if (from > same.from) add(partOf('same', same, from - same.from));
    add({ ...partOf('values', values, last + 1 - from), differing: count });
    same = { from: last + 1, ...after };
    values = undefined;
  }

  return {
    start(places) {
      same = { from: 0, ...places };
    },
    take(at, recordA, recordB, differs) {
      const here = { a: { record: recordA, skip: 0 }, b: { record: recordB, skip: 0 } };
      if (values !== undefined && at === values.last + 1) after = here;
      if (!differs) return;
      if (values !== undefined && at - values.last - 1 >= CLOSE_VALUES) close();
      values ??= { from: at, ...here, count: 0, last: at };
      values.count++;
      values.last = at;
    },
    finish() {
      close();
      if (instructions > same.from) add(partOf('same', same, instructions - same.from));
    },
  };
}

function partOf(kind: RegionKind, { a, b }: { readonly a: Place; readonly b: Place }, instructions: number): PathPart {
  return { kind, a, b, instructionsA: instructions, instructionsB: instructions };
}

/** Returns the cuts of both paths; undefined unless cuts and chunks count the same instructions. */
function trustedCuts(sides: readonly [Side, Side]): readonly [EffectCuts, EffectCuts] | undefined {
  const [one, other] = sides.map(({ trace, chunks, numbers }) => {
    if (numbers !== undefined || hasLateRegisters(trace)) return undefined;
    const cuts = effectCuts(trace, chunks.cpu);
    return countAlike(cuts, chunks) ? cuts : undefined;
  });
  return one && other && [one, other];
}

/** Returns true if the parts have all instructions of both paths. */
function areWhole([one, other]: readonly [Side, Side], parts: readonly PathPart[]): boolean {
  const sum = (of: (part: PathPart) => number): number => parts.reduce((all, part) => all + of(part), 0);
  const inChunks = ({ chunks }: Side): number => instructionsIn(chunks, 0, chunks.count);
  return (
    sum(({ instructionsA }) => instructionsA) === inChunks(one) &&
    sum(({ instructionsB }) => instructionsB) === inChunks(other)
  );
}

/** Returns true if there are as many instructions before each chunk that begins at a cut, and before the end. */
function countAlike(cuts: EffectCuts, { record, instructions, count }: PathChunks): boolean {
  let before = 0;
  let cut = 0;
  for (let chunk = 0; chunk <= count; chunk++) {
    while (cut < cuts.count - 1 && cuts.record[cut]! < record[chunk]!) cut++;
    if (cuts.record[cut] === record[chunk] && cuts.instructions[cut] !== before) return false;
    before += instructions[chunk] ?? 0;
  }
  return true;
}

/** Returns, for both sides, the records of the CPU before which instructions are missing. */
async function gapsOf(
  [one, other]: readonly [Side, Side],
  task: Task<FlowProgress>,
): Promise<Result<readonly [readonly RecordNumber[], readonly RecordNumber[]]>> {
  const found: (readonly RecordNumber[])[] = [];
  for (const { trace, chunks } of [one, other]) {
    const gaps = await findGaps(trace, withoutProgress(task));
    if (!gaps.ok) return gaps;
    found.push(gaps.value.filter(({ cpu }) => cpu === chunks.cpu).map(({ n }) => n));
  }
  return ok([found[0]!, found[1]!]);
}
