// One open trace against an engine controlled by the test: an index that grows, pauses, fails and completes.
import { expect, test } from 'vitest';
import type {
  Answer,
  RequestName,
  RequestOptions,
  Client,
  IndexReport,
  Opened,
  Progress,
  TraceInfo,
} from '../../shared/requests/requests.ts';
import { fail, type Result } from '../../shared/base/result.ts';
import { createTrace } from '../../renderer/trace/trace.svelte.ts';

const opened: Opened = {
  trace: 't9',
  file: { path: '/traces/run.txt', bytes: 1000 },
  format: { id: 'tarmac', name: 'Tarmac', confidence: 1, reasons: [], options: {} },
  reach: { records: 0, bytes: 0, complete: false },
  notices: [],
};
const report: IndexReport = {
  records: 42,
  bytes: 1000,
  seconds: 1,
  bytesPerSecond: 1000,
  indexBytes: 10,
  peakRssBytes: 0,
  jobs: 1,
  reader: 'mapped',
  complete: true,
  built: true,
};

interface Building {
  readonly args: { readonly rebuild?: boolean };
  readonly options: RequestOptions<'index'>;
  readonly end: (result: Result<IndexReport>) => void;
}

/** An engine whose builds the test controls; `info` returns the given notices, and every other request fails. */
function engine(notices?: readonly string[]) {
  const builds: Building[] = [];
  const client: Client = {
    request<N extends RequestName>(name: N, args: object, options: RequestOptions<N> = {}): Promise<Result<Answer<N>>> {
      if (name === 'info' && notices !== undefined) {
        const info: TraceInfo = {
          ...opened,
          records: 42,
          kinds: {},
          native: {},
          diagnostics: [],
          index: { path: '', bytes: 10, complete: true, seconds: 1 },
          notices,
        };
        return Promise.resolve({ ok: true, value: info as never });
      }
      if (name !== 'index') return Promise.resolve(fail('not-played', `${name} is not played`));
      return new Promise((resolve) => {
        const end = (result: Result<IndexReport>) => resolve(result);
        options.signal?.addEventListener('abort', () => end(fail('cancelled', 'cancelled')));
        builds.push({ args, options: options as RequestOptions<'index'>, end });
      });
    },
  };
  return { client, builds };
}

function progress(records: number, bytes: number): Progress {
  return { records, bytes, totalBytes: 1000, bytesPerSecond: 500, secondsLeft: 1 };
}

test('estimates the total from the bytes read while the index grows, and knows it at the end', async () => {
  const { client, builds } = engine();
  const trace = createTrace(client, { path: '/traces/run.txt' }, opened, () => undefined);
  expect([trace.name, trace.indexing, trace.extent]).toEqual(['run.txt', 'building', 0]);
  const built = trace.build();
  builds[0]?.options.onEvent?.(progress(10, 200));
  expect([trace.reach.records, trace.extent, trace.shown]).toEqual([10, 50, { from: 0, to: 50 }]);
  builds[0]?.end({ ok: true, value: report });
  await built;
  expect([trace.indexing, trace.progress, trace.reach, trace.extent]).toEqual([
    'complete',
    null,
    { records: 42, bytes: 1000, complete: true },
    42,
  ]);
});

test('a stopped build keeps its part and can continue', async () => {
  const { client, builds } = engine();
  const trace = createTrace(client, { path: 'run.txt' }, opened, () => undefined);
  const first = trace.build();
  builds[0]?.options.onEvent?.(progress(10, 200));
  trace.pause();
  await first;
  expect([trace.indexing, trace.reach.records, trace.failure]).toEqual(['paused', 10, null]);
  const second = trace.build();
  expect(trace.indexing).toBe('building');
  builds[1]?.end({ ok: true, value: report });
  await second;
  expect(trace.indexing).toBe('complete');
});

test('a failed build shows why, and a rebuild is requested explicitly', async () => {
  const { client, builds } = engine();
  const trace = createTrace(client, { path: 'run.txt' }, opened, () => undefined);
  const first = trace.build();
  builds[0]?.end(fail('no-space', 'The disk is full; free some space and try again.'));
  await first;
  expect([trace.indexing, trace.failure?.message]).toEqual([
    'failed',
    'The disk is full; free some space and try again.',
  ]);
  void trace.build(true);
  expect([builds[1]?.args.rebuild, trace.failure]).toEqual([true, null]);
});

test('announces each new notice once', async () => {
  const { client, builds } = engine(['read without a map', 'the file has grown']);
  const announced: string[] = [];
  const trace = createTrace(client, { path: 'run.txt' }, { ...opened, notices: ['read without a map'] }, (text) =>
    announced.push(text),
  );
  for (let times = 0; times < 2; times++) {
    const built = trace.build();
    builds[times]?.end({ ok: true, value: report });
    await built;
  }
  expect(announced).toEqual(['the file has grown']);
});
