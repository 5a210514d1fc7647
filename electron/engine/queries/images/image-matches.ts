/** The request `imageMatches`: compares images with a trace, in slices and once per state of the index. */
import type { Answer, Arguments, ImageProgress } from '../../../../shared/requests/requests.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { openImages } from '../../image/read-images.ts';
import { answerInSlices } from '../../threads/in-slices.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { disassemblerFor } from './branch-matches.ts';
import { matchesOf } from './matches.ts';

export async function imageMatches(
  trace: Trace,
  args: Pick<Arguments<'imageMatches'>, 'images'>,
  task: Task<ImageProgress>,
): Promise<Result<Answer<'imageMatches'>>> {
  const images = args.images === undefined ? ok(trace.images) : await openImages(args.images, task);
  if (!images.ok) return images;
  const { list } = images.value;
  if (list.length === 0) return ok({ images: [] });
  const matches = await answerInSlices(matchesOf(trace, list, await disassemblerFor(trace)), task);
  return matches.ok ? ok({ images: matches.value }) : matches;
}
