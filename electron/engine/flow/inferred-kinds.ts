/** Which branches of messages without kinds are calls and returns, as the whole trace suggests: found once, and kept. */
import type { FlowProgress } from '../../../shared/flow-answers.ts';
import { ok, type Result } from '../../../shared/result.ts';
import type { Task } from '../task.ts';
import type { Trace } from '../trace.ts';
import { createEvidence, type InferredKinds } from './infer-calls.ts';
import { walkFlow } from './walk.ts';

/** Undefined where messages or an image tell the kinds. */
export async function inferredKinds(
  trace: Trace,
  task: Task<FlowProgress>,
): Promise<Result<InferredKinds | undefined>> {
  const { records } = trace.blocks;
  const hasCode = trace.images.list.some(({ segments }) => segments.length > 0);
  if (trace.reader.decoder.format.branches?.pentium !== true || hasCode) return ok(undefined);
  const { kinds } = trace.flow;
  if (kinds?.records === records) return ok(kinds.inferred);
  const evidence = createEvidence();
  const walked = await walkFlow(trace, { from: 0, to: records }, task, {
    take(events) {
      evidence.add(events);
      return !evidence.full;
    },
  });
  if (!walked.ok) return walked;
  const inferred = evidence.infer();
  trace.flow.kinds = { records, inferred };
  return ok(inferred);
}
