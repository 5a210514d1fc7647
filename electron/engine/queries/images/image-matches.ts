/** The request `imageMatches`: compares the images of a trace with it, in slices and once per state of the index. */
import type { Answer } from '../../../../shared/requests/requests.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { answerInSlices } from '../../threads/in-slices.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { disassemblerFor } from './branch-matches.ts';
import { matchesOf } from './matches.ts';

export async function imageMatches(trace: Trace, task: Task): Promise<Result<Answer<'imageMatches'>>> {
  if (trace.images.list.length === 0) return ok({ images: [] });
  const images = await answerInSlices(matchesOf(trace, trace.images.list, await disassemblerFor(trace)), task);
  return images.ok ? ok({ images: images.value }) : images;
}
