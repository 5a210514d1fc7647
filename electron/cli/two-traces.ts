/** Two traces of one command: opens and indexes both. */
import type { Arguments, ImagePlace } from '../../shared/requests/requests.ts';
import { ok, type Result } from '../../shared/base/result.ts';
import type { Context } from './command.ts';
import { withTrace, type OpenTrace } from './trace.ts';

export interface OtherTrace {
  readonly path: string;
  /** By default those of the first trace. */
  readonly images: readonly ImagePlace[] | undefined;
}

/**
 * Runs `work` on the indexed traces. Failures to read the other trace name its file.
 * @param more about the first trace
 */
export async function withBoth(
  context: Context,
  { path, images }: OtherTrace,
  work: (one: OpenTrace, other: OpenTrace) => Promise<Result<void>>,
  more: Pick<Arguments<'open'>, 'notebook'> = {},
): Promise<Result<void>> {
  const common = { ...context.common, ...(images !== undefined && { image: images }) };
  /** Failure to read the other trace. */
  const ofOther: { outcome: Result<void> } = { outcome: ok(undefined) };
  const both = async (one: OpenTrace): Promise<Result<void>> => {
    const indexed = await one.index();
    if (!indexed.ok) return indexed;
    let done: Result<void> = ok(undefined);
    ofOther.outcome = await withTrace({ ...context, common, trace: path }, async (other) => {
      const reached = await other.index();
      if (!reached.ok) return reached;
      done = await work(one, other);
      return ok(undefined);
    });
    return done;
  };
  const first = await withTrace(context, both, more);
  return ofOther.outcome.ok ? first : ofOther.outcome;
}
