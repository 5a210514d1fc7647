/** Which branches without kinds are calls and returns, as the whole trace suggests: of messages found once, and kept. */
import type { Events } from '../../../../shared/flow/events.ts';
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { createEvidence, type InferredKinds } from './infer-calls.ts';
import { walkFlow } from '../events/walk.ts';
import { createWholeTraceResult } from '../whole-trace.ts';

const KNOWN = createWholeTraceResult<InferredKinds>();

/** Evidence is taken from the beginnings of so many parts of a trace: what runs late in it is other code than what runs first. */
const PARTS = 32;

/** Undefined where messages or an image tell the kinds. */
export async function inferredKinds(
  trace: Trace,
  task: Task<FlowProgress>,
): Promise<Result<InferredKinds | undefined>> {
  const { records } = trace.blocks;
  const hasCode = trace.images.list.some(({ segments }) => segments.length > 0);
  if (trace.reader.decoder.format.branches?.pentium !== true || hasCode) return ok(undefined);
  const known = KNOWN.get(trace);
  if (known !== undefined) return ok(known);
  const inferred = await inferFrom(trace, task, (events) => events);
  if (inferred.ok) KNOWN.set(trace, records, inferred.value);
  return inferred;
}

/** The same of any trace; `told` answers what else is known of events. */
export async function inferFrom(
  trace: Trace,
  task: Task<FlowProgress>,
  told: (events: Events) => Events,
): Promise<Result<InferredKinds>> {
  const { records } = trace.blocks;
  const evidence = createEvidence();
  for (let part = 0; part < PARTS; part++) {
    const [from = 0, to = 0] = [part, part + 1].map((n) => Math.floor((records * n) / PARTS));
    evidence.begin();
    const walked = await walkFlow(trace, { from, to }, task, {
      reading: 'lean',
      take(events) {
        evidence.add(told(events));
        return !evidence.isFull();
      },
    });
    if (!walked.ok) return walked;
  }
  return ok(evidence.infer());
}
