/** Finds what the names of ignored functions stand for in one trace: the code of these functions, and the records of their calls. */
import { CANCELLED } from '../../../../../shared/requests/failures.ts';
import type { FlowProgress } from '../../../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../../../shared/base/result.ts';
import { highHalf, lowHalf, type RecordNumber } from '../../../../../shared/base/units.ts';
import { callsOf, knownCalls } from '../../../flow/calls.ts';
import { UNKNOWN } from '../../../flow/functions/functions.ts';
import type { Images } from '../../../image/images.ts';
import type { ImageSymbol } from '../../../image/symbols.ts';
import { answerInSlices } from '../../../threads/in-slices.ts';
import { withoutProgress, type Task } from '../../../threads/task.ts';
import type { Trace } from '../../../trace.ts';
import { unionOf, type AddressRange, type Stays } from './ignored-code.ts';

export interface IgnoredCalls {
  /** Code of the functions. */
  readonly ranges: readonly AddressRange[];
  /** Records from entering one of the functions until it returns, with all that it called and all interrupts meanwhile. */
  readonly stays: Stays;
  /** False if the calls of the trace cannot be found. There are no stays then. */
  readonly callsKnown: boolean;
  /** Names that no image of the trace has. */
  readonly missing: readonly string[];
}

/** @param names all functions with one of these names are meant */
export async function ignoredCalls(
  trace: Trace,
  cpu: number,
  names: readonly string[],
  task: Task<FlowProgress>,
): Promise<Result<IgnoredCalls>> {
  const symbols: ImageSymbol[] = [];
  const missing: string[] = [];
  for (const name of names) {
    const found = await answerInSlices(codeNamed(trace.images, name), withoutProgress(task));
    if (!found.ok) return found;
    if (found.value.length === 0) missing.push(name);
    symbols.push(...found.value);
  }
  const ranges = symbols.map(({ address, end }) => ({ low: address, high: end - 1n }));
  const stays = await staysIn(trace, cpu, symbols, task);
  if (!stays.ok && stays.error.code === CANCELLED) return stays;
  return ok({ ranges, stays: stays.ok ? stays.value : unionOf([]), callsKnown: stays.ok, missing });
}

function* codeNamed(images: Images, name: string): Generator<undefined, Result<readonly ImageSymbol[]>, undefined> {
  const found = yield* images.symbolsNamed(name);
  return ok(found.filter(({ kind }) => kind !== 'object'));
}

async function staysIn(
  trace: Trace,
  cpu: number,
  symbols: readonly ImageSymbol[],
  task: Task<FlowProgress>,
): Promise<Result<Stays>> {
  if (symbols.length === 0) return ok(unionOf([]));
  const known = await knownCalls(trace, task);
  if (!known.ok) return known;
  const { functions, records } = known.value;
  const wanted = new Set(symbols.map(({ address }) => functions.owner(lowHalf(address), highHalf(address))));
  wanted.delete(UNKNOWN);
  const found: (readonly [RecordNumber, RecordNumber])[] = [];
  const spans = (its: number) =>
    its === cpu
      ? {
          add(fn: number, _depth: number, from: number, to: number): void {
            if (wanted.has(fn)) found.push([Math.max(0, from), to]);
          },
        }
      : undefined;
  const walked = await callsOf(trace, { from: 0, to: records }, task, { spans });
  return walked.ok ? ok(unionOf(found)) : walked;
}
