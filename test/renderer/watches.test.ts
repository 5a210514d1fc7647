import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createImageContents } from '../../renderer/features/watches/watch-values.svelte.ts';
import { createWatches } from '../../renderer/trace/watches/watches.svelte.ts';
import { ok } from '../../shared/base/result.ts';
import type { TraceBase } from '../../renderer/trace/trace-base.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('windows that exchange their watches choose the same one, and keep the watches that both have', () => {
  const [workbench, popup] = [createWatches('little'), createWatches('little')];
  workbench.add({ register: 'r0' });
  popup.restore(workbench.saved);
  const [{ id } = { id: 0 }] = popup.list;
  workbench.add({ address: '0x8000', bytes: 4 });
  popup.restore(workbench.saved);
  expect(popup.list).toMatchObject([{ id, register: 'r0' }, { address: '0x8000' }]);
  expect(popup.chosen).toBe(popup.list[1]?.id);
  workbench.chosen = workbench.list[0]?.id ?? null;
  popup.restore(workbench.saved);
  expect(popup.chosen).toBe(id);
});

test('shows which record is compared with images after half a second, until the answer or a stop', async () => {
  let progress: (event: { readonly at: number }) => void = () => undefined;
  let answer = (): void => undefined;
  const client = {
    request(_name: string, _args: object, options: { readonly onEvent: typeof progress }) {
      progress = options.onEvent;
      return new Promise((settle) => (answer = () => settle(ok({ values: [{ contents: '2a' }] }))));
    },
  };
  const images = createImageContents({ client, id: 't1' } as unknown as TraceBase);
  const subject = { address: '0x8000', bytes: 1 } as const;
  images.question.ask({ at: 9, subjects: [subject] });
  progress({ at: 100 });
  expect(images.reached).toBe(null);
  vi.advanceTimersByTime(501);
  progress({ at: 200 });
  expect(images.reached).toBe(200);
  answer();
  await vi.runAllTimersAsync();
  expect([images.reached, images.question.value?.of(subject)]).toEqual([null, { contents: '2a' }]);

  images.question.ask({ at: 10, subjects: [subject] });
  vi.advanceTimersByTime(501);
  progress({ at: 300 });
  images.stop();
  progress({ at: 400 });
  expect([images.reached, images.question.busy]).toEqual([null, false]);
});
