// The page while a compressed trace is expanded: progress, and cancelling.
import { expect, test, vi } from 'vitest';
import type {
  Answer,
  Arguments,
  RequestName,
  RequestOptions,
  Client,
  ExpandProgress,
} from '../../shared/requests/requests.ts';
import { fail, type Result } from '../../shared/base/result.ts';
import { startWorkbench } from './start-workbench.ts';

const PROGRESS: ExpandProgress = {
  bytes: 10,
  totalBytes: 100,
  expandedBytes: 50,
  bytesPerSecond: 5,
  secondsLeft: 18,
};

vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined });

/** An engine that expands until it is cancelled: `open` ends only then. */
function expandingClient(): Client & { readonly opened: Promise<RequestOptions<'open'>> } {
  let began: (options: RequestOptions<'open'>) => void;
  const opened = new Promise<RequestOptions<'open'>>((resolve) => (began = resolve));
  return {
    opened,
    request<N extends RequestName>(
      name: N,
      _: Arguments<N>,
      options: RequestOptions<N> = {},
    ): Promise<Result<Answer<N>>> {
      if (name !== 'open') return Promise.resolve(fail('not-asked', `${name} is not part of this test`));
      began(options as RequestOptions<'open'>);
      return new Promise((resolve) => {
        options.signal?.addEventListener('abort', () => resolve(fail('cancelled', 'the request was cancelled')));
      });
    },
  };
}

test('shows the progress of expanding; cancelling opens nothing and is no failure', async () => {
  const client = expandingClient();
  const workbench = startWorkbench(client);
  const opening = workbench.open({ path: '/traces/run.gz', format: 'byu6' });
  const { onEvent } = await client.opened;
  expect(workbench.expanding).toBeNull();
  onEvent?.(PROGRESS);
  expect(workbench.expanding).toMatchObject({ path: '/traces/run.gz', progress: PROGRESS });
  workbench.expanding?.cancel();
  await opening;
  expect([workbench.expanding, workbench.opening, workbench.failure, workbench.traces.length]).toEqual([
    null,
    null,
    null,
    0,
  ]);
  expect(workbench.said.text).toContain('cancelled');
});
