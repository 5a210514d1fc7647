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
import { withoutProgress, type Task } from '../../../threads/task.ts';
import type { Trace } from '../../../trace.ts';
import { findGaps } from '../../why/gaps.ts';
import { differenceOf, type Rules } from './compare-effects.ts';
import { createEffectReader, hasLateRegisters, type Effective } from './effects.ts';
import { createKnownRegisters } from './known-registers.ts';
import type { PathPart, Place } from '../paths/path-parts.ts';
import type { Side } from '../paths/side.ts';
import { createStretchFinder, type AlignedPart, type UnequalStretch } from './unequal-stretches.ts';

/** The first pair of instructions whose effects differ, and how. */
export interface DifferingPair {
  readonly a: Effective;
  readonly b: Effective;
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

/** Compared pairs between two looks whether the request was cancelled. */
const SLICE = 4096;

/** Returns true if a trace records registers or accesses. */
export function hasEffects({ ingest }: Trace): boolean {
  return KINDS.some((kind, code) => isEffect(kind) && (ingest.totals.kinds[code] ?? 0) > 0);
}

export async function compareValues(
  sides: readonly [Side, Side],
  parts: readonly PathPart[],
  { ignored, decodes, firstOnly, most, differs }: Comparison,
  task: Task<FlowProgress>,
): Promise<Result<ComparedValues>> {
  const [one, other] = sides;
  const gaps = await gapsOf(sides, task);
  if (!gaps.ok) return gaps;
  const records = ({ trace }: Side, code: number): boolean => (trace.ingest.totals.kinds[code] ?? 0) > 0;
  const rules: Rules = {
    shift: other.shift - one.shift,
    ignored: new Set(ignored.map((name) => name.toLowerCase())),
    kinds: new Set(KINDS.filter((_, code) => records(one, code) && records(other, code))),
  };
  const usesFingerprints = !decodes && areTrusted(sides, parts);
  const finder = createStretchFinder(one.chunks, other.chunks);
  const found: PathPart[] = [];
  let count = 0;
  let first: DifferingPair | undefined;
  let notCompared = 0;
  const differing = new Map<bigint, number>();
  let [beforeA, beforeB] = [0, 0];
  const add = (part: PathPart): void => {
    if (found.length < most) found.push(part);
    count++;
  };
  for (const part of parts) {
    const before = [beforeA, beforeB] as const;
    beforeA += part.instructionsA;
    beforeB += part.instructionsB;
    if (part.kind !== 'same' || (firstOnly && first !== undefined)) {
      add(part);
      continue;
    }
    const aligned: AlignedPart = { a: part.a, b: part.b, instructions: part.instructionsA };
    const splitter = createSplitter(aligned, add);
    const whole: UnequalStretch = { from: 0, to: aligned.instructions, a: part.a, b: part.b };
    for (const stretch of usesFingerprints ? finder.next(aligned, before) : [whole]) {
      const compared = await compareStretch(stretch, splitter.take);
      if (!compared.ok) return compared;
      if (firstOnly && first !== undefined) break;
      task.progress(() => ({ at: stretch.a.record, to: one.trace.blocks.records }));
      await breathe();
      if (task.cancelled()) return task.cancel();
    }
    splitter.finish();
  }
  return ok({ parts: found, count, first, differing, notCompared });

  /** Calls `take` for each pair whose effects differ, and for the pair after it. */
  async function compareStretch({ from, to, a, b }: UnequalStretch, take: TakePair): Promise<Result<undefined>> {
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
      known ??= [
        createKnownRegisters(one, x.record, gaps.ok ? gaps.value[0] : []),
        createKnownRegisters(other, y.record, gaps.ok ? gaps.value[1] : []),
      ];
      known[0].apply(x);
      known[1].apply(y);
      const what = differenceOf(x, y, known, rules);
      if (!what.ok) return what;
      if (what.value !== undefined) {
        first ??= { a: x, b: y, what: what.value };
        const address = x.address - one.shift;
        differing.set(address, (differing.get(address) ?? 0) + 1);
        differs?.(at);
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

/** Divides an aligned part into stretches with the same and with other values. */
function createSplitter(
  { a, b, instructions }: AlignedPart,
  add: (part: PathPart) => void,
): { readonly take: TakePair; finish(): void } {
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

/** Returns true if fingerprints can say that stretches are equal: chunks and parts count the same instructions. */
function areTrusted([one, other]: readonly [Side, Side], parts: readonly PathPart[]): boolean {
  const sum = (of: (part: PathPart) => number): number => parts.reduce((all, part) => all + of(part), 0);
  const inChunks = ({ chunks }: Side): number => chunks.instructions.reduce((all, its) => all + its, 0);
  if (hasLateRegisters(one.trace) || hasLateRegisters(other.trace)) return false;
  return (
    sum(({ instructionsA }) => instructionsA) === inChunks(one) &&
    sum(({ instructionsB }) => instructionsB) === inChunks(other)
  );
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
