/** The part of the answer to `diff` about values, regions and functions, given the aligned parts. */
import type { Diff, DiffArguments, DiffPair } from '../../../../shared/requests/diff.ts';
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { toHex } from '../../../../shared/base/units.ts';
import { symbolText } from '../../image/symbols.ts';
import type { Task } from '../../threads/task.ts';
import { compareValues, hasEffects, type ComparedValues, type DifferingPair } from './values/compare-values.ts';
import { differingFunctions, executedApart } from './functions.ts';
import type { PartQueue } from './paths/part-queue.ts';
import { regionsOf, type PathPart } from './paths/path-parts.ts';
import type { Side } from './paths/side.ts';

export interface Rules {
  readonly by: Diff['by'];
  /** Registers whose values do not count. */
  readonly ignored: readonly string[];
  /** Most regions and functions of the answer. */
  readonly most: number;
  /** True if fingerprints are not trusted. */
  readonly decodes: boolean;
  readonly withFunctions: boolean;
}

/** Returns what is compared. Fails if values are wanted of a trace that has none, or symbols. */
export function comparedBy(sides: readonly [Side, Side], wanted: DiffArguments['by']): Result<Diff['by']> {
  const without = sides.find(({ trace, elements }) => elements !== 'instructions' || !hasEffects(trace));
  if (wanted === 'values' && without !== undefined)
    return fail(
      'usage',
      `${without.trace.file.path}: the trace records neither registers nor accesses of instructions; compare by path`,
    );
  // Formats split accesses differently.
  const isOneFormat = sides[0].trace.format.id === sides[1].trace.format.id;
  if (wanted === 'values' && !isOneFormat)
    return fail('usage', 'values can be compared only between traces of one format; compare by path');
  if (wanted === 'symbol') {
    const unnamed = sides.find(({ trace }) => !trace.images.list.some(({ symbols }) => symbols.count > 0));
    if (unnamed !== undefined)
      return fail(
        'usage',
        `${unnamed.trace.file.path}: the trace has no program with symbols, so it cannot be compared by symbol; add its program (--image)`,
      );
    const other = sides.find(({ elements }) => elements !== 'instructions');
    if (other !== undefined)
      return fail(
        'usage',
        `${other.trace.file.path}: the trace shows ${other.elements} and no instructions; compare by path`,
      );
  }
  return ok(wanted ?? (without === undefined && isOneFormat ? 'values' : 'path'));
}

/** Compares the values of all parts. */
export async function comparedParts(
  sides: readonly [Side, Side],
  queue: PartQueue,
  { ignored, most, decodes }: Rules,
  task: Task<FlowProgress>,
): Promise<Result<ComparedValues>> {
  return compareValues(sides, queue, { ignored, firstOnly: false, most: most + 1, decodes }, task);
}

/** @param comparing the values of the parts, which may still be compared; undefined if values do not count */
export async function differences(
  sides: readonly [Side, Side],
  parts: readonly PathPart[],
  comparing: Promise<Result<ComparedValues>> | undefined,
  { most, withFunctions }: Rules,
  task: Task<FlowProgress>,
): Promise<
  Result<
    Pick<Diff, 'regions' | 'left' | 'functions' | 'functionsLeft' | 'notCompared'> & {
      readonly values: DiffPair | null;
    }
  >
> {
  const [{ elements }] = sides;
  const executed = withFunctions && elements === 'instructions' ? await executedApart(sides, parts, task) : undefined;
  if (executed?.ok === false) return executed;
  const compared = await comparing;
  if (compared?.ok === false) return compared;
  const values = compared?.value;
  const regions = regionsOf(sides, values?.parts ?? parts, most);
  if (!regions.ok) return regions;
  const functions =
    executed === undefined
      ? []
      : await differingFunctions(sides, executed.value, values?.differing ?? new Map<bigint, number>(), task);
  return ok({
    values: values?.first === undefined ? null : valuesPair(sides, values.first),
    regions: regions.value,
    left: Math.max(0, (values?.count ?? parts.length) - most),
    functions: functions.slice(0, most),
    functionsLeft: Math.max(0, functions.length - most),
    notCompared: values?.notCompared ?? 0,
  });
}

export function valuesPair([one]: readonly [Side, Side], { a, b, what }: DifferingPair): DiffPair {
  const address = a.address - one.shift;
  const symbol = one.trace.images.symbolAt(address);
  return {
    a: a.record,
    b: b.record,
    address: toHex(address),
    ...(symbol !== undefined && { symbol: symbolText(symbol) }),
    what,
  };
}
