/** Numbers the instructions of both runs if their addresses alone do not show which of them are compared. */
import type { Diff, DiffArguments } from '../../../../shared/requests/diff.ts';
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { loadDisassembler } from '../../image/disassembler.ts';
import type { Task } from '../../threads/task.ts';
import { ignoredCalls } from './ignored/ignored-calls.ts';
import { ignoredNames, noSuchName } from './ignored/ignored-names.ts';
import { createIgnoredCode, rangeIn, type IgnoredCode } from './ignored/ignored-code.ts';
import type { Side } from './paths/side.ts';
import { numberedPath } from './runs/numbered-path.ts';
import { createRunLists } from './runs/run-lists.ts';
import { createStraightRuns } from './runs/straight-runs.ts';
import { addressNumbers } from './symbols/address-numbers.ts';
import { symbolNumbers } from './symbols/symbol-numbers.ts';

type Wanted = Pick<DiffArguments, 'ignore' | 'ignoreRanges'>;

export interface ChosenSides extends Pick<Diff, 'ignored' | 'withoutSymbol'> {
  readonly sides: readonly [Side, Side];
}

/** Returns the sides with the instructions that count. Fails if a function to be ignored is in no image. */
export async function chosenSides(
  sides: readonly [Side, Side],
  by: Diff['by'],
  wanted: Wanted,
  task: Task<FlowProgress>,
): Promise<Result<ChosenSides>> {
  const [one, other] = sides;
  const { ignore = [], ignoreRanges: ranges = [] } = wanted;
  const names = ignoredNames([one.trace, other.trace], ignore);
  if (!names.ok) return names;
  const { registers, others: functions } = names.value;
  const isAnyIgnored = functions.length + ranges.length > 0;
  const words = { registers, functions, ranges };
  if (by !== 'symbol' && !isAnyIgnored) {
    const nothing = { ...words, instructionsA: 0, instructionsB: 0, callsKnown: true };
    return ok({ sides, ...(registers.length > 0 && { ignored: nothing }) });
  }
  if (one.elements !== 'instructions')
    return fail(
      'usage',
      `the traces show ${one.elements} and no instructions, so none can be ignored; leave out functions and ranges`,
    );
  const ignored = await ignoredOf(sides, functions, ranges, task);
  if (!ignored.ok) return ignored;
  const { code, callsKnown } = ignored.value;
  const numbers = await numbersOf(sides, by);
  const read: Side[] = [];
  const counts: { readonly ignored: number; readonly outside: number }[] = [];
  const lists = createRunLists();
  for (const [at, side] of sides.entries()) {
    const numbered = { ...side, numbers: numbers[at]!, ...(isAnyIgnored && { ignored: code[at]! }) };
    const path = await numberedPath(numbered, numbered.numbers, createStraightRuns(lists, numbered), task);
    if (!path.ok) return path;
    read.push({ ...numbered, chunks: path.value.chunks });
    counts.push(path.value);
  }
  const [a, b] = counts as [(typeof counts)[number], (typeof counts)[number]];
  return ok({
    sides: [read[0]!, read[1]!],
    ...(isAnyIgnored || registers.length > 0
      ? { ignored: { ...words, instructionsA: a.ignored, instructionsB: b.ignored, callsKnown } }
      : {}),
    ...(by === 'symbol' && { withoutSymbol: { a: a.outside, b: b.outside } }),
  });
}

async function numbersOf([one, other]: readonly [Side, Side], by: Diff['by']) {
  const shifts = [one.shift, other.shift] as const;
  if (by !== 'symbol') return addressNumbers(shifts);
  return symbolNumbers([one.trace.images, other.trace.images], shifts, await loadDisassembler());
}

async function ignoredOf(
  sides: readonly [Side, Side],
  functions: readonly string[],
  ranges: NonNullable<Wanted['ignoreRanges']>,
  task: Task<FlowProgress>,
): Promise<Result<{ readonly code: readonly IgnoredCode[]; readonly callsKnown: boolean }>> {
  const code: IgnoredCode[] = [];
  let missing = functions;
  let areCallsKnown = true;
  for (const { trace, chunks, shift } of sides) {
    const calls = await ignoredCalls(trace, chunks.cpu, functions, task);
    if (!calls.ok) return calls;
    areCallsKnown &&= calls.value.callsKnown;
    missing = missing.filter((name) => calls.value.missing.includes(name));
    code.push(
      createIgnoredCode([...calls.value.ranges, ...ranges.map((range) => rangeIn(range, shift))], calls.value.stays),
    );
  }
  const [first] = missing;
  if (first !== undefined) return noSuchName(first);
  return ok({ code, callsKnown: areCallsKnown });
}
