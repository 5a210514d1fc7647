/**
 * Lists the instructions that ran between a branch message and the preceding message, using the program's image. For a trace buffer these
 * are the instructions that it proves. For other messages they are the straight run from the previous target to this source. A run is
 * omitted if it is not certain.
 */
import type { Between, BetweenArguments, FlowProgress, RanInstruction } from '../../../../shared/requests/flow.ts';
import { BRANCH, EVENT, NO_BRANCH, type Events } from '../../../../shared/flow/events.ts';
import type { Format } from '../../../../shared/format/format.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { joinAddress, toHex, type RecordNumber } from '../../../../shared/base/units.ts';
import { pentiumIsa } from '../../flow/classify/by-image.ts';
import { createImageCode, type ImageCode } from '../../flow/classify/image-code.ts';
import { walkFlow, type WalkedRange } from '../../flow/events/walk.ts';
import type { ImageFlow } from '../../flow/events/image-flow.ts';
import { imageFlowOf } from '../../flow/events/image-flows.ts';
import { MOST_INSTRUCTION_BYTES } from '../../image/capstone.ts';
import { loadDisassembler } from '../../image/disassembler.ts';
import type { Images } from '../../image/images.ts';
import type { Isa } from '../../image/machine.ts';
import { symbolText } from '../../image/symbols.ts';
import type { Task } from '../../threads/task.ts';
import { beyond, reachOf, type Trace } from '../../trace.ts';

type Runs = Between['runs'];
type Request = Omit<BetweenArguments, 'trace'>;

/** Longest run that is reported, in bytes. A typical straight run has about ten instructions. */
const MOST_BYTES = 1 << 14;
/** Maximum number of reported instructions per run. The last ones are kept. */
const MOST_REPORTED = 100;

export async function between(trace: Trace, request: Request, task: Task<FlowProgress>): Promise<Result<Between>> {
  const reach = reachOf(trace);
  if (request.from >= reach.records) return beyond(request.from, reach);
  const hasBytes = trace.images.list.some(({ segments }) => segments.length > 0);
  const { format } = trace.reader.decoder;
  if (!hasBytes || !hasMessages(format)) return ok({ runs: [], reach });
  const flow = imageFlowOf(format);
  const runs = await (flow === undefined
    ? straightRuns(trace, request, task)
    : followedRuns(trace, flow, request, task));
  return runs.ok ? ok({ runs: runs.value, reach }) : runs;
}

/** Returns true if the trace consists of branch messages and omits the instructions between them. */
export function hasMessages({ branches }: Format): boolean {
  return branches?.as === 'messages';
}

async function followedRuns(
  trace: Trace,
  flow: ImageFlow,
  request: Request,
  task: Task<FlowProgress>,
): Promise<Result<Runs>> {
  const runs = await flow.runsBetween(trace, request, task);
  if (!runs.ok) return runs;
  return ok(
    runs.value.map(({ n, instructions, unknown }) => ({
      ...runOf(n, instructions),
      ...(unknown !== undefined && { unknown }),
    })),
  );
}

/** Target of the last message of a CPU. `known` is false if no run can start there. */
interface Place {
  readonly known: boolean;
  readonly low: number;
  readonly high: number;
}

async function straightRuns(trace: Trace, { from, count }: Request, task: Task<FlowProgress>): Promise<Result<Runs>> {
  const runs: Runs[number][] = [];
  const visited = await visitStraightRuns(trace, { from, to: from + count }, task, ({ n, instructions }) => {
    runs.push(runOf(n, instructions));
    return true;
  });
  return visited.ok ? ok(runs) : visited;
}

/** A straight run that the images prove, and the message that ends it. */
export interface ProvedRun {
  readonly n: RecordNumber;
  readonly instructions: readonly RanInstruction[];
}

/**
 * Visits the runs that end with messages in [from, to), in order, until `visit` returns false. Not for traces whose messages are followed.
 * @param mayMatter returns false for runs that are to be skipped, given the addresses of the first instruction and of the last byte, or a
 *   higher one
 */
export async function visitStraightRuns(
  trace: Trace,
  { from, to }: WalkedRange,
  task: Task<FlowProgress>,
  visit: (run: ProvedRun) => boolean,
  mayMatter: (low: number, last: number, high: number) => boolean = () => true,
): Promise<Result<unknown>> {
  const { blocks, images, reader } = trace;
  const isPentium = reader.decoder.format.branches?.pentium === true;
  const disassembler = await loadDisassembler();
  const code = createImageCode(images, disassembler);
  const places = new Map<number, Place>();
  // The message before `from` is usually in the preceding block. An older one is not worth a longer search.
  const start = blocks.firstRecord(Math.max(0, blocks.blockOfRecord(from) - 1));
  return walkFlow(trace, { from: start, to: Math.min(blocks.records, to) }, task, {
    take(events) {
      for (let at = 0; at < events.count; at++) {
        const cpu = events.cpu[at]!;
        const place = places.get(cpu);
        const n = events.record[at]!;
        // An instruction of unknown operand size has an unknown length.
        const isSized = !isPentium || events.operandSize[at] !== 0;
        const last = events.sourceLow[at]! + LONGEST_END;
        if (n >= from && place?.known === true && isSized && mayMatter(place.low, last, place.high)) {
          const isa = isPentium ? pentiumIsa(events, at) : undefined;
          const instructions = runTo(code, images, place, events, at, isa);
          if (instructions.length > 0 && !visit({ n, instructions })) return false;
        }
        places.set(cpu, {
          known: (events.flags[at]! & (EVENT.target | EVENT.granular)) === EVENT.target,
          low: events.targetLow[at]!,
          high: events.targetHigh[at]!,
        });
      }
      return true;
    },
  });
}

/** Bytes of the source of a message, and of an instruction that ran paired with it. */
const LONGEST_END = 2 * MOST_INSTRUCTION_BYTES;

/** Returns the run from a place to the source of an event, or an empty list if the image does not connect the two. */
function runTo(
  code: ImageCode,
  images: Images,
  { low, high }: Place,
  events: Events,
  at: number,
  isa: Isa | undefined,
): readonly RanInstruction[] {
  const source = events.sourceLow[at]!;
  const isKnown = (events.flags[at]! & (EVENT.source | EVENT.gap | EVENT.granular)) === EVENT.source;
  if (!isKnown || events.sourceHigh[at] !== high || source < low || source - low > MOST_BYTES) return [];
  const ran: RanInstruction[] = [];
  const kind = events.kind[at]!;
  const isInferred = (events.flags[at]! & EVENT.inferred) !== 0;
  const isDoubtful = kind === BRANCH.interrupt || kind === BRANCH.unknown || isInferred;
  let address = low;
  for (;;) {
    const instruction = code.at(address, high, isa);
    if (instruction === undefined) return [];
    // An interrupted instruction did not run, and a branch of unknown kind may be an interrupt.
    const isLast = address === source;
    if (isLast && isDoubtful) return ran;
    ran.push({
      address: toHex(joinAddress(address, high)),
      text: instruction.text,
      ...placesOf(images, address, high),
    });
    if (isLast && (instruction.branch !== NO_BRANCH || kind === BRANCH.sequential)) return ran;
    // The Pentium reports the preceding instruction as the source if that instruction ran paired with the branch.
    if (address > source) return instruction.branch === NO_BRANCH ? ran.slice(0, -1) : ran;
    if (instruction.ends) return [];
    address += instruction.size;
    if (address > source && ran.at(-1)?.address !== toHex(joinAddress(source, high))) return [];
  }
}

function placesOf(images: Images, low: number, high: number): { readonly symbol?: string; readonly line?: string } {
  const address = joinAddress(low, high);
  const [symbol, line] = [images.symbolAt(address), images.lineAt(address)];
  return {
    ...(symbol === undefined ? {} : { symbol: symbolText(symbol) }),
    ...(line === undefined ? {} : { line: `${line.file}:${line.line}` }),
  };
}

function runOf(n: number, instructions: readonly RanInstruction[]): Runs[number] {
  const left = instructions.length - MOST_REPORTED;
  return left > 0 ? { n, instructions: instructions.slice(left), left } : { n, instructions };
}
