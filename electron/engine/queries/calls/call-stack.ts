/** Returns the calls that are open after a record took effect, innermost first. */
import {
  AGAINST_TIME,
  type CallStack,
  type CallStackArguments,
  type FlowProgress,
  type StackFrame,
} from '../../../../shared/requests/flow.ts';
import { NO_CPU } from '../../../../shared/records/batch.ts';
import { isInstruction, type RecordView } from '../../../../shared/records/record.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { joinAddress, toHex, type RecordNumber } from '../../../../shared/base/units.ts';
import { knownCalls, statesAt, type KnownCalls } from '../../flow/calls.ts';
import { BELOW_UNCERTAIN, FRAME, type Frames } from '../../flow/stack/frames.ts';
import { ENTERED, UNKNOWN } from '../../flow/functions/functions.ts';
import { symbolText } from '../../image/symbols.ts';
import type { Task } from '../../threads/task.ts';
import { beyond, reachOf, type Trace } from '../../trace.ts';
import type { StackState } from '../../flow/stack/shadow-stack.ts';
import { savedReturn } from './saved-return.ts';
import type { LateCaller } from '../../flow/history/late-callers.ts';
import { functionNames, type NameOf } from './function-names.ts';
import { records } from '../records/records.ts';

export async function callStack(
  trace: Trace,
  { at, cpu: wanted }: Omit<CallStackArguments, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<CallStack>> {
  const reach = reachOf(trace);
  if (at >= reach.records) return beyond(at, reach);
  const known = await knownCalls(trace, task);
  if (!known.ok) return known;
  if (known.value.backwards) return ok({ frames: [], notes: [AGAINST_TIME], reach });
  const states = await statesAt(trace, known.value, at + 1, task);
  if (!states.ok) return states;
  const record = recordAt(trace, at);
  const own = wanted ?? record?.cpu;
  const cpu =
    own !== undefined && states.value.has(own) ? own : wanted === undefined ? [...states.value.keys()][0] : own;
  const state = cpu === undefined ? undefined : states.value.get(cpu);
  if (state !== undefined && !known.value.messages && cpu === (record?.cpu ?? NO_CPU))
    followFallThrough(state, known.value, lastInstruction(trace, at, state.last.record, record));
  const frames = state?.frames;
  const name = functionNames(trace.images, known.value.functions);
  const open = frames === undefined ? [] : framesOf(trace, frames, name);
  const later =
    frames === undefined || cpu === undefined
      ? ok([])
      : await callersKnownLater(trace, known.value, { cpu, begun: frames.begun, at }, name, task);
  if (!later.ok) return later;
  return ok({
    ...(cpu === undefined || cpu < 0 ? {} : { cpu }),
    frames: [...open, ...later.value],
    notes: notesOf([...open, ...later.value]),
    reach,
  });
}

function recordAt(trace: Trace, at: RecordNumber): RecordView | undefined {
  const found = records(trace, { from: at, count: 1 });
  return found.ok ? found.value.records[0] : undefined;
}

/** Records before the wanted one among which the last instruction is searched: more than the effects of any. */
const REACH = 64;

/**
 * Returns the last instruction of the record's CPU up to the record: at its effects, and at fetches after it, execution is still in its
 * function. Only instructions after the last event are known to have run straight on.
 */
function lastInstruction(
  trace: Trace,
  at: RecordNumber,
  event: RecordNumber,
  record: RecordView | undefined,
): RecordView | undefined {
  if (record === undefined || isInstruction(record.kind)) return record;
  const from = Math.max(event + 1, at - REACH, 0);
  if (from >= at) return undefined;
  const found = records(trace, { from, count: at - from });
  return found.ok
    ? found.value.records.findLast(({ cpu, kind }) => cpu === record.cpu && isInstruction(kind))
    : undefined;
}

/** Replaces the innermost function if execution has run into the next function without a branch since the last event. */
function followFallThrough(
  { frames, last }: StackState,
  { functions }: KnownCalls,
  record: RecordView | undefined,
): void {
  if (record?.address === undefined) return;
  const address = BigInt(record.address);
  const here = functions.owner(Number(address & 0xffff_ffffn), Number(address >> 32n));
  const top = frames.count - 1;
  if (top < 0 || here === UNKNOWN || here === frames.columns.fn[top]) return;
  frames.columns.fn[top] = here;
  frames.columns.since[top] = last.record;
}

function framesOf({ images }: Trace, { columns, count }: Frames, name: NameOf): StackFrame[] {
  let [mayBeOver, mayBeJumped] = [false, false];
  return Array.from({ length: count }, (_, i): StackFrame => {
    const frame = count - 1 - i;
    const known = columns.known[frame]!;
    const isInferred = mayBeOver || mayBeJumped || (known & FRAME.inferred) !== 0;
    mayBeJumped = (known & FRAME.maybeJumped) !== 0;
    mayBeOver ||= (known & BELOW_UNCERTAIN) !== 0;
    const { id, name: text, symbol: raw, address } = name(columns.fn[frame]!);
    const hasSite = (known & FRAME.site) !== 0;
    const site = hasSite ? joinAddress(columns.siteLow[frame]!, columns.siteHigh[frame]!) : undefined;
    const symbol = site === undefined ? undefined : images.symbolAt(site);
    const entered = ENTERED[columns.entered[frame]!]!;
    const since = columns.since[frame]!;
    return {
      function: text,
      ...(raw === undefined ? {} : { symbol: raw }),
      id,
      ...(address === undefined ? {} : { address }),
      ...(since < 0 ? {} : { since }),
      ...(site === undefined ? {} : { site: toHex(site) }),
      ...(symbol === undefined ? {} : { siteSymbol: symbolText(symbol) }),
      ...(isInferred ? { inferred: true } : {}),
      ...(entered === 'interrupt' || entered === 'exception' ? { entered } : {}),
    };
  });
}

/** A record, and the stack of a CPU at it. */
interface Place {
  readonly cpu: number;
  readonly begun: number;
  readonly at: RecordNumber;
}

/** Returns callers below the start of the stack, known only from later returns, up to the outermost caller with a name. */
async function callersKnownLater(
  trace: Trace,
  known: KnownCalls,
  place: Place,
  name: NameOf,
  task: Task<FlowProgress>,
): Promise<Result<StackFrame[]>> {
  const callers = known.history.callersOf(place.cpu, place.begun, place.at);
  const outermost = callers.findLastIndex(({ fn }) => fn !== UNKNOWN);
  if (outermost < 0) return ok([]);
  const isSaved = await isFirstSaved(trace, known, place, callers, task);
  if (!isSaved.ok) return isSaved;
  return ok(
    callers.slice(0, outermost + 1).map(({ fn }, i) => {
      const { id, name: text, symbol, address } = name(fn);
      return {
        function: text,
        ...(symbol !== undefined && { symbol }),
        id,
        ...(address === undefined ? {} : { address }),
        ...(i === 0 && isSaved.value ? {} : { inferred: true }),
      };
    }),
  );
}

/**
 * True if the return to the first of `callers` reads an address that was written before the record, while the outermost function of the
 * stack was open.
 */
async function isFirstSaved(
  trace: Trace,
  known: KnownCalls,
  { cpu, begun, at }: Place,
  callers: readonly LateCaller[],
  task: Task<FlowProgress>,
): Promise<Result<boolean>> {
  const saved = await savedReturn(trace, callers[0]!.record, task);
  if (!saved.ok) return saved;
  if (saved.value === undefined || saved.value > at) return ok(false);
  // No return to another caller may lie between the write and the record.
  if (known.history.callersOf(cpu, begun, saved.value).length !== callers.length) return ok(false);
  if (saved.value >= begun) return ok(true);
  // The records before the first branch of a CPU belong to the outermost function of its first stack.
  const before = await statesAt(trace, known, begun, task);
  return before.ok ? ok((before.value.get(cpu)?.frames.count ?? 0) === 0) : before;
}

function notesOf(frames: readonly StackFrame[]): string[] {
  const last = frames.at(-1);
  if (last === undefined) return ['No calls are known at this record.'];
  if (last.since !== undefined) return [];
  const isNamed = last.address !== undefined;
  return [
    isNamed ? `The caller of ${last.function} is unknown.` : 'The outermost function and its caller are unknown.',
  ];
}
