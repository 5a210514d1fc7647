/** Two traces of one command: opens and indexes both. */
import type { ImagePlace } from '../../shared/requests/requests.ts';
import { ok, type Result } from '../../shared/base/result.ts';
import type { Context } from './command.ts';
import { withTrace, type OpenTrace } from './trace.ts';

export interface OtherTrace {
  readonly path: string;
  /** By default those of the first trace. */
  readonly images: readonly ImagePlace[] | undefined;
}

/** Runs `work` on the indexed traces. Failures to read the other trace name its file, and so do failures of `work`. */
export async function withBoth(
  context: Context,
  { path, images }: OtherTrace,
  work: (one: OpenTrace, other: OpenTrace) => Promise<Result<void>>,
): Promise<Result<void>> {
  let outcome: Result<void> = ok(undefined);
  const first = await withTrace(context, async (one) => {
    const indexed = await one.index();
    if (!indexed.ok) return indexed;
    const common = { ...context.common, ...(images !== undefined && { image: images }) };
    outcome = await withTrace({ ...context, common, trace: path }, async (other) => {
      const reached = await other.index();
      return reached.ok ? work(one, other) : reached;
    });
    return ok(undefined);
  });
  return first.ok ? outcome : first;
}
