/** The request `captureFlow`: instructions and branches that one capture proves. */
import type { Answer, Arguments } from '../../../../shared/requests/requests.ts';
import type { CaptureFlow, FlowPlace } from '../../../../shared/requests/flow.ts';
import { BEYOND_INDEX } from '../../../../shared/requests/failures.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import type { Hex } from '../../../../shared/base/units.ts';
import { toHex } from '../../../../shared/base/units.ts';
import { loadDisassembler } from '../../image/disassembler.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { codeOf, followCapture, haltOf, requireXscale } from './capture-input.ts';
import type { CaptureContent } from './content.ts';
import { placeOf } from './place.ts';
import { blockOfCapture, firstBlockFor, pauses, visitCaptures } from './visit.ts';
import type { Code } from './xscale/code.ts';
import type { Place } from './xscale/findings.ts';

export async function captureFlow(
  trace: Trace,
  args: Pick<Arguments<'captureFlow'>, 'capture' | 'at' | 'places'>,
  task: Task,
): Promise<Result<Answer<'captureFlow'>>> {
  const required = requireXscale(trace);
  if (!required.ok) return required;
  const reach = reachOf(trace);
  const found = await findCapture(trace, args, task);
  if (!found.ok) return found;
  if (task.cancelled()) return task.cancel();
  if (found.value === undefined && !reach.complete) return fail(BEYOND_INDEX, unreached(args));
  return found.value === undefined
    ? fail('no-such-capture', missing(args))
    : ok(await flowOf(trace, found.value, args.places === true));
}

function unreached({ capture, at }: Pick<Arguments<'captureFlow'>, 'capture' | 'at'>): string {
  const what =
    capture === undefined
      ? `the capture of record ${(at ?? 0).toLocaleString('en')}`
      : `capture ${capture.toLocaleString('en')}`;
  return `${what} is not indexed to its end yet`;
}

function missing({ capture, at }: Pick<Arguments<'captureFlow'>, 'capture' | 'at'>): string {
  return capture === undefined
    ? `record ${(at ?? 0).toLocaleString('en')} is in no capture`
    : `there is no capture ${capture.toLocaleString('en')}; \`tracebench captures\` lists them`;
}

async function findCapture(
  trace: Trace,
  { capture, at = 0 }: Pick<Arguments<'captureFlow'>, 'capture' | 'at'>,
  task: Task,
): Promise<Result<CaptureContent | undefined>> {
  const block = capture === undefined ? await firstBlockFor(trace, at, task) : ok(blockOfCapture(trace, capture));
  if (!block.ok) return block;
  let found: CaptureContent | undefined;
  const visited = await visitCaptures(
    trace,
    block.value,
    (visitedCapture) => {
      const { first, records, capture: number } = visitedCapture;
      const reached = capture === undefined ? at < first + records : number >= capture;
      if (reached) found = visitedCapture;
      return !reached;
    },
    pauses(task),
  );
  if (!visited.ok || found === undefined) return visited;
  const isWanted = capture === undefined ? found.first <= at : found.capture === capture;
  return ok(isWanted ? found : undefined);
}

async function flowOf(trace: Trace, capture: CaptureContent, wantPlaces: boolean): Promise<CaptureFlow> {
  const code = codeOf(trace.images);
  const { knownFrom, before, addresses, thumb, ends, end, gaps, branches } = followCapture(trace, capture, code);
  const tail = tailOf(end, haltOf(trace, capture), code);
  return {
    capture: capture.capture,
    known_from_entry: knownFrom,
    addresses: addresses.map((address) => toHex(address)),
    gaps: gaps.map(({ after, reason, instructions }) => ({
      afterIndex: after,
      reason,
      ...(instructions !== undefined && { instructions }),
    })),
    branches: branches.map(({ source, target, kind }) => ({
      ...(source !== undefined && { source: toHex(source) }),
      // Bit 0 marks Thumb code and is no part of the address.
      ...(target !== undefined && { target: toHex(target - (target % 2)) }),
      kind,
    })),
    ...(before !== undefined && { before }),
    thumb: spansOf(thumb),
    ...(capture.records > 0 && { firstRecord: capture.first }),
    ends,
    ...(tail !== undefined && { tail: tail.map((address) => toHex(address)) }),
    ...(wantPlaces && {
      places: await placesOf(
        trace,
        code,
        [...addresses, ...(tail ?? [])],
        [...thumb, ...(tail ?? []).map(() => (end?.thumb === true ? 1 : 0))],
      ),
    }),
  };
}

/** Largest number of instructions without a message: the next one would have made a roll-over. */
const MOST_TAIL = 15;

/** Returns the instructions after the last message up to the halt address, or undefined if a branch must have come between. */
function tailOf(end: Place | undefined, halt: number | undefined, code: Code | undefined): number[] | undefined {
  if (end === undefined || halt === undefined || code === undefined) return undefined;
  const { thumb } = end;
  const size = thumb ? 2 : 4;
  const pc = end.pc - (end.pc % 2);
  const count = (halt - pc) / size;
  if (!Number.isInteger(count) || count < 0 || count > MOST_TAIL) return undefined;
  if (count > 0 && code.run(pc, count, thumb).straight !== 'yes') return undefined;
  return Array.from({ length: count }, (_, i) => pc + i * size);
}

/** Returns symbol, line and text of each address. `thumb` is parallel to `addresses`. */
async function placesOf(
  { images }: Trace,
  code: Code | undefined,
  addresses: readonly number[],
  thumb: readonly number[],
): Promise<NonNullable<CaptureFlow['places']>> {
  const places: Record<Hex, FlowPlace> = {};
  if (images.list.length === 0) return places;
  const { disassemble } = await loadDisassembler();
  addresses.forEach((number, i) => {
    const hex = toHex(number);
    if (Object.hasOwn(places, hex)) return;
    places[hex] = placeOf(images, code, disassemble, number, thumb[i]!);
  });
  return places;
}

/** Returns the index ranges [start, end) of Thumb code. */
function spansOf(thumb: readonly number[]): CaptureFlow['thumb'] {
  const spans: [number, number][] = [];
  thumb.forEach((state, i) => {
    if (state !== 1) return;
    const last = spans.at(-1);
    if (last?.[1] === i) last[1] = i + 1;
    else spans.push([i, i + 1]);
  });
  return spans;
}
