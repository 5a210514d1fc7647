/** `diff -o FILE.html`: the differences of two runs as a report with one part, so that `verify` computes it again. */
import { basename, extname } from 'node:path';
import type { DiffQuestion } from '../../../shared/requests/diff.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { resultPlace } from '../../result-file.ts';
import type { Context } from '../command.ts';
import { writeReport } from '../commands/report.ts';
import { walkProgress } from '../print/search-progress.ts';
import { filesRead, type OpenTrace } from '../trace.ts';

/** Checks the output before a long trace is indexed. */
export async function pagePlace(context: Context, output: string): Promise<Result<void>> {
  if (extname(output).toLowerCase() !== '.html')
    return fail('usage', `diff: --output must end in .html, not '${output}'`);
  const place = await resultPlace(output, filesIn(context));
  return place.ok ? ok(undefined) : place;
}

/** Writes the page. The exit code is that of `diff`. */
export async function writeDiffPage(
  context: Context,
  one: OpenTrace,
  other: OpenTrace,
  question: DiffQuestion,
  output: string,
): Promise<Result<void>> {
  const title = `${basename(one.opened.file.path)} and ${basename(other.opened.file.path)}`;
  const pair = { trace: one.id, other: other.id };
  const about = { ...pair, plan: { title, parts: [{ kind: 'diff' as const, question }] } };
  const written = await writeReport(context, one, about, { form: 'html', paper: 'A4', output }, filesIn(context));
  if (!written.ok) return written;
  const onEvent = walkProgress(context, one.opened.file.bytes, 'reading branches');
  const first = await one.request('diff', { ...pair, ...question, only: 'first' }, { onEvent });
  context.progress.clear();
  if (!first.ok) return first;
  if (!first.value.same) context.differs();
  return ok(undefined);
}

/** Files that the page must not replace. */
function filesIn(context: Context): ReturnType<typeof filesRead> {
  return [...filesRead(context), { path: context.operands['OTHER'] ?? '', what: 'the other trace' }];
}
