/**
 * Finds the next or previous execution of a line, or of an instruction. An execution of a line begins where control comes to an instruction of the line from elsewhere,
 * or from the same or a higher address of it. When a call that the line made returns, the same execution goes on.
 */
import { BRANCH } from '../../../../shared/flow/events.ts';
import type { Arguments } from '../../../../shared/requests/requests.ts';
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import type { LineStep } from '../../../../shared/requests/source/answers.ts';
import { group } from '../../../../shared/base/numbers.ts';
import { assert, ok, type Result } from '../../../../shared/base/result.ts';
import { highHalf, lowHalf, toHex, type Hex, type RecordNumber } from '../../../../shared/base/units.ts';
import type { ImageCode } from '../../flow/classify/image-code.ts';
import { withoutProgress, type Task } from '../../threads/task.ts';
import { beyond, reachOf, type Trace } from '../../trace.ts';
import { hasMessages } from '../calls/between.ts';
import { find } from '../find/find.ts';
import { countsIn, instructionsOf, lineRow, rowOf, type Counts } from './counts.ts';
import { codeOf } from './describe.ts';
import { functionOf, isSame, lineOf } from './line-step.ts';
import { provedExecution, type Span } from './proved-execution.ts';
import { executedAt, executedBefore, type Executed } from './walk.ts';

/** Records that are looked at together: more than most lines have instructions. */
const AT_ONCE = 32;

export async function lineExecution(
  trace: Trace,
  { at, file, line, address, backwards = false }: Omit<Arguments<'lineExecution'>, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<LineStep>> {
  const reach = reachOf(trace);
  if (at >= reach.records) return beyond(at, reach);
  if (address !== undefined) return addressExecution(trace, { at, address, backwards, reach }, task);
  assert(file !== undefined && line !== undefined, 'the request names a line or an address');
  const counted = await countsIn(trace, {}, task);
  if (!counted.ok) return counted;
  const counts = counted.value;
  const row = lineRow(counts, file, line);
  if (row < 0) return ok({ n: null, reason: `Line ${line} has no code.`, reach });
  if (hasMessages(trace.reader.decoder.format)) {
    const spans = spansOf(counts, instructionsOf(counts, row));
    return provedStep(trace, `line ${line}`, { spans, at, backwards, reach }, task);
  }
  const search: Search = { trace, counts, code: await codeOf(trace), task, backwards };
  let nearest: RecordNumber | undefined;
  for (const span of spansOf(counts, instructionsOf(counts, row))) {
    const found = await beginningIn(search, span, at, nearest);
    if (!found.ok) return found;
    nearest = found.value ?? nearest;
  }
  if (nearest !== undefined) return ok({ n: nearest, reach });
  const never = counts.coverage.lines[row]!.most === 0;
  const where = whereOf({ at, backwards, reach });
  const reason = never ? `Line ${line} never ran.` : `Line ${line} does not begin to run ${where}.`;
  return ok({ n: null, reason, reach });
}

interface Wanted {
  readonly at: RecordNumber;
  readonly backwards: boolean;
  readonly reach: LineStep['reach'];
}

async function addressExecution(
  trace: Trace,
  { address, ...wanted }: Wanted & { readonly address: Hex },
  task: Task<FlowProgress>,
): Promise<Result<LineStep>> {
  const { at, backwards, reach } = wanted;
  const what = `the instruction at ${address}`;
  if (hasMessages(trace.reader.decoder.format)) {
    const low = BigInt(address);
    return provedStep(trace, what, { ...wanted, spans: [{ low, high: low }] }, task);
  }
  const args = {
    address: { low: address, high: address },
    kinds: ['instruction', 'skipped'] as const,
    limit: 1,
    ...(backwards ? { before: at } : { after: at }),
  };
  const found = await find(trace, args, withoutProgress(task));
  if (!found.ok) return found;
  const n = found.value.records[0]?.n;
  const reason = `T${what.slice(1)} does not run ${whereOf(wanted)}.`;
  return ok({ ...(n === undefined ? { n: null, reason } : { n }), reach });
}

/** Answers for a trace of messages. Where the images prove nothing, code may have run as well. */
async function provedStep(
  trace: Trace,
  what: string,
  { spans, ...wanted }: Wanted & { readonly spans: readonly Span[] },
  task: Task<FlowProgress>,
): Promise<Result<LineStep>> {
  const { at, backwards, reach } = wanted;
  const found = await provedExecution({ trace, spans, task }, at, backwards);
  if (!found.ok) return found;
  if (found.value !== undefined) return ok({ n: found.value, isProved: true, reach });
  return ok({ n: null, reason: `The images prove no execution of ${what} ${whereOf(wanted)}.`, reach });
}

function whereOf({ at, backwards }: Wanted): string {
  return `${backwards ? 'before' : 'after'} record ${group(at)}`;
}

interface Search {
  readonly trace: Trace;
  readonly counts: Counts;
  readonly code: ImageCode;
  readonly task: Task<FlowProgress>;
  readonly backwards: boolean;
}

/** Returns the addresses of the instructions of a line: those that follow one another are one span. */
function spansOf({ addresses, code }: Counts, rows: Uint32Array): readonly Span[] {
  const spans: { low: bigint; high: bigint }[] = [];
  for (const row of rows) {
    const low = addresses[row]!;
    const high = low + BigInt(code.size[row]!) - 1n;
    const last = spans.at(-1);
    if (last?.high === low - 1n) last.high = high;
    else spans.push({ low, high });
  }
  return spans;
}

/** Returns the nearest record at which an execution begins in a span, if it is nearer than `nearest`. */
async function beginningIn(
  { trace, counts, code, task, backwards }: Search,
  span: Span,
  at: RecordNumber,
  nearest: RecordNumber | undefined,
): Promise<Result<RecordNumber | undefined>> {
  const address = { low: toHex(span.low), high: toHex(span.high) };
  for (let from = at; ;) {
    const bounds = backwards
      ? { before: from, ...(nearest !== undefined && { from: nearest + 1 }) }
      : { after: from, ...(nearest !== undefined && { to: nearest }) };
    const args = { address, kinds: ['instruction', 'skipped'] as const, limit: AT_ONCE, ...bounds };
    const found = await find(trace, args, withoutProgress(task));
    if (!found.ok) return found;
    const { records } = found.value;
    for (const { n } of records) {
      const one = await executedAt(trace, n, task);
      if (!one.ok) return one;
      const before = one.value && (await executedBefore(trace, one.value, task));
      if (before?.ok === false) return before;
      if (one.value && begins(trace, counts, code, one.value, before?.value, span)) return ok(n);
    }
    const last = records.at(-1);
    if (last === undefined || records.length < AT_ONCE) return ok(undefined);
    from = last.n;
  }
}

function begins(
  trace: Trace,
  counts: Counts,
  code: ImageCode,
  one: Executed,
  before: Executed | undefined,
  { low }: Span,
): boolean {
  const line = lineOf(trace, one);
  if (before === undefined || line === undefined) return true;
  const isSameLine = isSame(line, lineOf(trace, before));
  if (isSameLine && before.address < one.address) return false;
  if (one.address === low) return true;
  // In the middle of the line: the end of a call, or of an interrupt, begins nothing.
  const preceding = rowOf(counts, one.address - 1n);
  const call = preceding < 0 ? undefined : counts.addresses[preceding]!;
  if (call !== undefined && call !== before.address) {
    const read = code.at(lowHalf(call), highHalf(call), undefined);
    if (read?.branch === BRANCH.call) return false;
  }
  return isSameLine || functionOf(trace, one) === functionOf(trace, before);
}
