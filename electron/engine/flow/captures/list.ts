/** The request `captures`: content of each capture, and the entry from which its addresses are known. */
import type { Answer, Arguments } from '../../../../shared/requests/requests.ts';
import { createBatch, resetBatch } from '../../../../shared/records/batch.ts';
import { byCode } from '../../../../shared/format/diagnostics.ts';
import type { Capture } from '../../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { toHex } from '../../../../shared/base/units.ts';
import { BUFFER_BYTES } from '../../../../shared/xscale/messages.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { bufferBytes, codeOf, followCapture, hasWrapped, requireXscale } from './capture-input.ts';
import type { CaptureContent } from './content.ts';
import { blockOfCapture, pauses, visitCaptures } from './visit.ts';
import type { Code } from './xscale/code.ts';

/** Most captures in one answer. */
const MOST = 10_000;

/** Returns at most `count` captures, starting with number `from`. */
export async function captures(
  trace: Trace,
  { from = 0, count }: Pick<Arguments<'captures'>, 'from' | 'count'>,
  task: Task,
): Promise<Result<Answer<'captures'>>> {
  const required = requireXscale(trace);
  if (!required.ok) return required;
  const reach = reachOf(trace);
  const found: CaptureContent[] = [];
  const wanted = Math.min(count, MOST);
  let next: number | null = null;
  const visited = await visitCaptures(
    trace,
    blockOfCapture(trace, from),
    (capture) => {
      if (capture.capture < from) return true;
      if (found.length < wanted) found.push(capture);
      else next = capture.capture;
      return next === null;
    },
    pauses(task),
  );
  if (!visited.ok) return visited;
  const list: Capture[] = [];
  const code = codeOf(trace.images);
  for (const capture of found) {
    const facts = factsOf(trace, capture, code);
    if (!facts.ok) return facts;
    list.push(facts.value);
  }
  return ok({ captures: list, next, reach });
}

function factsOf(trace: Trace, capture: CaptureContent, code: Code | undefined): Result<Capture> {
  const diagnostics = diagnosticsOf(trace, capture);
  if (!diagnostics.ok) return diagnostics;
  const { knownFrom } = followCapture(trace, capture, code);
  return ok({
    capture: capture.capture,
    bytes: bufferBytes(trace, capture),
    entries: capture.entries.length,
    wrapped: hasWrapped(trace, capture),
    checkpoints: registersOf(capture),
    firstKnownEntry: knownFrom,
    diagnostics: diagnostics.value,
    ...(capture.records > 0 && { firstRecord: capture.first }),
  });
}

/** Returns CHKPT0 and CHKPT1 as far as entries use them. A register that no entry uses holds a stale value. */
function registersOf({ checkpoints: [newest, older] }: CaptureContent): Capture['checkpoints'] {
  return [newest, ...(newest === undefined ? [] : [older])]
    .filter((target) => target !== undefined)
    .map((target) => toHex(target));
}

/** Returns the diagnostics of one capture by decoding it again. */
function diagnosticsOf(trace: Trace, { start, end, capture }: CaptureContent): Result<Capture['diagnostics']> {
  const { source, decoder } = trace.reader;
  if (trace.ingest.totals.diagnostics.length === 0 && trace.ingest.complete) return ok([]);
  const bytes = new Uint8Array(end - start);
  const read = source.read(start, bytes, 0, bytes.length);
  if (!read.ok) return read;
  const batch = createBatch(BUFFER_BYTES);
  resetBatch(batch, 0);
  const window = { bytes, length: bytes.length, base: start, position: start, end, lastLineEnd: end, fileEnd: end };
  const { framing, initial } = decoder;
  const phase = framing.kind === 'units' ? start % framing.bytes : 0;
  let state = { ...initial, phase, number: capture };
  while (window.position < end) state = { ...state, ...decoder.decode(window, state, batch) };
  return ok(byCode(batch.diagnostics.list()).map(({ code, count }) => ({ code, count })));
}
