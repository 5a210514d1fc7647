/** Returns what program images say about watched memory whose contents no record has shown yet. */
import { KNOWN, type Answer, type Arguments, type RequestEvent } from '../../../../shared/requests/requests.ts';
import type { WatchImage, WatchSubject } from '../../../../shared/requests/watches.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import type { Disassembler } from '../../image/disassembler.ts';
import { answerInSlices, type Steps } from '../../threads/in-slices.ts';
import type { Task } from '../../threads/task.ts';
import { beyond, reachOf, type Trace } from '../../trace.ts';
import { disassemblerFor } from '../images/branch-matches.ts';
import { memoryWithImage } from '../memory/memory.ts';
import { maskOf, textOf } from './contents.ts';

export async function watchImage(
  trace: Trace,
  { at, subjects }: Omit<Arguments<'watchImage'>, 'trace'>,
  task: Task<RequestEvent<'watchImage'>>,
): Promise<Result<Answer<'watchImage'>>> {
  const reach = reachOf(trace);
  if (at !== undefined && at >= reach.records) return beyond(at, reach);
  const disassembler = await disassemblerFor(trace);
  const values: WatchImage[] = [];
  for (const subject of subjects) {
    const steps = imageOf(trace, subject, at, disassembler);
    const found = await answerInSlices(steps, task, (record) => task.progress(() => ({ at: record })));
    if (!found.ok) return found;
    values.push(found.value);
  }
  return ok({ values, reach });
}

function* imageOf(
  trace: Trace,
  { address, bytes: length = 1, mask }: WatchSubject,
  at: RecordNumber | undefined,
  disassembler: Disassembler | undefined,
): Steps<WatchImage> {
  if (address === undefined) return ok({});
  const found = yield* memoryWithImage(trace, { at, address, length }, disassembler);
  if (!found.ok) return found;
  const { bytes, known, unused } = found.value;
  const isKnown = known.map((how) => (how === KNOWN.not ? 0 : 1));
  const reason = unused[0]?.reason;
  return ok({
    ...(known.includes(KNOWN.image) && { contents: textOf(bytes, isKnown, maskOf(length, mask)) }),
    ...(reason !== undefined && { unused: reason }),
  });
}
