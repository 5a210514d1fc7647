/** The instructions and branches that one capture of an XScale trace proves. */
import type { Answer, Arguments } from '../../../../shared/requests/requests.ts';
import type { CaptureFlow, FlowPlace } from '../../../../shared/requests/flow.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import type { Hex } from '../../../../shared/base/units.ts';
import { toHex } from '../../../../shared/base/units.ts';
import { loadDisassembler, type Disassembler } from '../../image/disassembler.ts';
import type { Images } from '../../image/images.ts';
import { symbolText } from '../../image/symbols.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import type { CaptureContent } from './capture-content.ts';
import { blockOfCapture, visitCaptures } from './captures.ts';
import { has, type Code } from './xscale/code.ts';
import type { Place } from './xscale/findings.ts';
import { DOES } from './xscale/instruction.ts';
import { codeOf, firstBlockFor, followCapture, haltOf, isXscale, pauses } from './trace-captures.ts';

export async function captureFlow(
  trace: Trace,
  args: Pick<Arguments<'captureFlow'>, 'capture' | 'at' | 'places'>,
  task: Task,
): Promise<Result<Answer<'captureFlow'>>> {
  const isOne = isXscale(trace);
  if (!isOne.ok) return isOne;
  const found = await findCapture(trace, args, task);
  if (!found.ok) return found;
  if (task.cancelled()) return task.cancel();
  return found.value === undefined
    ? fail('no-such-capture', missing(args))
    : ok(await flowOf(trace, found.value, args.places === true));
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
    (each) => {
      const reached = capture === undefined ? at < each.first + each.records : each.capture >= capture;
      if (reached) found = each;
      return !reached;
    },
    pauses(task),
  );
  if (!visited.ok || found === undefined) return visited;
  const isIt = capture === undefined ? found.first <= at : found.capture === capture;
  return ok(isIt ? found : undefined);
}

async function flowOf(trace: Trace, capture: CaptureContent, wantPlaces: boolean): Promise<CaptureFlow> {
  const code = codeOf(trace);
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
      // Bit 0 tells Thumb code, and no place.
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

/** Behind this many instructions without a branch there would have been a message. */
const MOST_BEHIND = 15;

/** What ran behind the last message: all up to where the core stopped, if that can be no branch away. */
function tailOf(end: Place | undefined, halt: number | undefined, code: Code | undefined): number[] | undefined {
  if (end === undefined || halt === undefined || code === undefined) return undefined;
  const { thumb } = end;
  const size = thumb ? 2 : 4;
  const pc = end.pc - (end.pc % 2);
  const count = (halt - pc) / size;
  if (!Number.isInteger(count) || count < 0 || count > MOST_BEHIND) return undefined;
  if (count > 0 && code.run(pc, count, thumb).straight !== 'yes') return undefined;
  return Array.from({ length: count }, (_, i) => pc + i * size);
}

/** What images tell of each address. */
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

/** What images tell of an address; `state` as in Followed.thumb. */
export function placeOf(
  images: Images,
  code: Code | undefined,
  disassemble: Disassembler['disassemble'],
  at: number,
  state: number,
): FlowPlace {
  const address = BigInt(at);
  const symbol = images.symbolAt(address);
  const line = images.lineAt(address);
  const text = state === -1 ? undefined : textOf(code, disassemble, at, state === 1);
  return {
    ...(symbol !== undefined && { symbol: symbolText(symbol) }),
    ...(line !== undefined && { line: `${line.file}:${line.line}` }),
    ...(text !== undefined && { text }),
  };
}

/** Of a call in two halves the first one has the whole text. */
function textOf(
  code: Code | undefined,
  disassemble: Disassembler['disassemble'],
  at: number,
  thumb: boolean,
): string | undefined {
  const bytes = code?.bytes(at, thumb);
  if (bytes === undefined) return undefined;
  const does = code?.at(at, thumb);
  if (has(does, DOES.suffix)) return '(2nd half of BL pair)';
  if (has(does, DOES.prefix) && bytes.length === 2) return '(1st half of BL pair)';
  return disassemble({ isa: thumb ? 'thumb' : 'arm', bytes, littleEndian: true, address: BigInt(at) })?.text;
}

/** Where Thumb code begins and ends. */
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
