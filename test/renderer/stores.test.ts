import { expect, test } from 'vitest';
import type { RecordView } from '../../shared/records/record.ts';
import type { Result } from '../../shared/base/result.ts';
import { createCursor } from '../../renderer/trace/cursor.svelte.ts';
import { createHistory } from '../../renderer/trace/history.ts';
import { parsePlace } from '../../renderer/trace/place.ts';
import { createQuestion } from '../../renderer/trace/questions/question.svelte.ts';
import { createRows } from '../../renderer/trace/questions/rows.svelte.ts';
import { createView } from '../../renderer/trace/view.svelte.ts';

/** Answers that the test releases. */
function deferred<K, T>() {
  const requested: { key: K; signal: AbortSignal; answer: (result: Result<T>) => Promise<void> }[] = [];
  return {
    requested: requested,
    run: (key: K, signal: AbortSignal): Promise<Result<T>> =>
      new Promise((resolve) => {
        requested.push({
          key,
          signal,
          answer: async (result) => {
            resolve(result);
            await Promise.resolve();
            await Promise.resolve();
          },
        });
      }),
  };
}

test('goes back and forward through jumps, and a new jump clears the forward history', () => {
  const history = createHistory<number>(3);
  for (const from of [0, 1, 2, 3]) history.push(from);
  expect([history.back(4), history.back(3), history.back(2), history.back(1)]).toEqual([3, 2, 1, undefined]);
  expect(history.forward(1)).toBe(2);
  history.push(2);
  expect(history.canGoForward).toBe(false);
});

test('steps add no history, and going back restores the address of a jump', () => {
  const cursor = createCursor();
  cursor.jump(100, { low: 0x8000n, bytes: 4 });
  cursor.step(101);
  cursor.jump(500);
  expect([cursor.n, cursor.address?.low]).toEqual([500, 0x8000n]);
  cursor.back();
  expect([cursor.n, cursor.canGoForward]).toEqual([101, true]);
  cursor.back();
  expect([cursor.n, cursor.address, cursor.canGoBack]).toEqual([0, null, false]);
  cursor.forward();
  cursor.forward();
  expect(cursor.n).toBe(500);
});

test('remembers the byte of a jump and drops it when the cursor moves', () => {
  const cursor = createCursor();
  cursor.jumpToByte(4_294_967_299, 700);
  expect([cursor.n, cursor.offset, cursor.canGoBack]).toEqual([700, 4_294_967_299, true]);
  cursor.jump(700);
  expect([cursor.n, cursor.offset]).toEqual([700, null]);
  cursor.back();
  expect([cursor.n, cursor.offset]).toEqual([700, 4_294_967_299]);
  cursor.setAddress({ low: 0x10n, bytes: 1 });
  expect(cursor.offset).toBe(4_294_967_299);
  cursor.step(701);
  expect(cursor.offset).toBeNull();
});

test('of several keys requested meanwhile, requests the newest next and keeps the old value until then', async () => {
  const { requested, run } = deferred<number, string>();
  const question = createQuestion(run);
  for (const key of [1, 2, 3]) question.ask(key);
  expect(requested.map(({ key }) => key)).toEqual([1]);
  await requested[0]?.answer({ ok: true, value: 'one' });
  expect([question.value, question.key, question.busy]).toEqual(['one', 1, true]);
  expect(requested.map(({ key }) => key)).toEqual([1, 3]);
  await requested[1]?.answer({ ok: false, error: { code: 'x', message: 'broken' } });
  expect([question.value, question.error?.message, question.busy]).toEqual(['one', 'broken', false]);
});

test('drops an interrupted answer even if it arrives', async () => {
  const { requested, run } = deferred<number, string>();
  const question = createQuestion(run, { interrupt: (running) => running === 1 });
  question.ask(1);
  question.ask(2);
  expect([requested[0]?.signal.aborted, requested[1]?.signal.aborted]).toEqual([true, false]);
  await requested[1]?.answer({ ok: true, value: 'two' });
  await requested[0]?.answer({ ok: true, value: 'one' });
  expect(question.value).toBe('two');
});

test('loads rows in chunks, requests a short chunk again, and cancels unneeded ones', async () => {
  const { requested, run } = deferred<number, readonly RecordView[]>();
  const rows = createRows((from, _count, signal) => run(from, signal));
  const record = (n: number): RecordView => ({ n, offset: n, bytes: 1, kind: 'read', native: 'R' });
  const records = (from: number, count: number) => Array.from({ length: count }, (_, index) => record(from + index));

  rows.want('list', 0, 50);
  await requested[0]?.answer({ ok: true, value: records(0, 30) });
  expect([rows.at(29)?.n, rows.at(30), rows.known]).toEqual([29, undefined, 30]);

  rows.want('list', 0, 30);
  expect(requested.length).toBe(1);
  rows.want('list', 0, 50);
  await requested[1]?.answer({ ok: true, value: records(0, 200) });
  expect(rows.at(49)?.n).toBe(49);

  rows.want('list', 5_000_000_000, 5_000_000_010);
  rows.want('bytes', 3, 4);
  expect(requested.map(({ key }) => key)).toEqual([0, 0, 5_000_000_000]);
  rows.want('list', 0, 10);
  expect(requested[2]?.signal.aborted).toBe(true);
});

test('zooming keeps the record under the pointer in place', () => {
  const cursor = createCursor();
  const view = createView(cursor, () => 4_000_000_000);
  view.zoom({ time: 4, address: 2 }, { x: 0.25, y: 0.5 });
  expect(cursor.range).toEqual({ from: 750_000_000, to: 1_750_000_000 });
  expect(view.stretch).toEqual({ bottom: 0.25, top: 0.75 });
  view.zoom({ time: 1 / 8, address: 1 / 8 }, { x: 0.5, y: 0.5 });
  expect([cursor.range, view.stretch]).toEqual([null, { bottom: 0, top: 1 }]);
});

test('panning stops at the ends without shrinking the range, and the range follows the cursor', () => {
  const cursor = createCursor();
  const view = createView(cursor, () => 1000);
  cursor.range = { from: 100, to: 200 };
  view.pan(-5, 0);
  expect(cursor.range).toEqual({ from: 0, to: 100 });
  view.reveal(50);
  expect(cursor.range).toEqual({ from: 0, to: 100 });
  view.reveal(500);
  expect(cursor.range).toEqual({ from: 450, to: 550 });
  view.reveal(999);
  expect(cursor.range).toEqual({ from: 900, to: 1000 });
});

test('clips the chosen address range at the end of the address space', () => {
  const cursor = createCursor();
  cursor.jump(5, { low: 0xffff_ffff_ffff_fffcn, bytes: 8 });
  expect(cursor.address).toEqual({ low: 0xffff_ffff_ffff_fffcn, bytes: 4 });
  cursor.setAddress({ low: 0xffff_ffff_ffff_ffffn, bytes: 2 });
  expect(cursor.address?.bytes).toBe(1);
  cursor.setAddress({ low: 0xffff_ffff_ffff_fff8n, bytes: 8 });
  expect(cursor.address?.bytes).toBe(8);
});

test('reads typed places', () => {
  expect(parsePlace(' 1,200,000 ')).toEqual({ kind: 'record', n: 1_200_000 });
  expect(parsePlace('#7')).toEqual({ kind: 'record', n: 7 });
  expect(parsePlace('t:-5')).toEqual({ kind: 'time', time: -5 });
  expect(parsePlace('0xFFFF_FFFF_FFFF_FFFF')).toEqual({ kind: 'address', low: 0xffff_ffff_ffff_ffffn, bytes: 1 });
  expect(parsePlace('0x8000+0x10')).toEqual({ kind: 'address', low: 0x8000n, bytes: 16 });
  expect(parsePlace(' main ')).toEqual({ kind: 'symbol', text: 'main', offset: 0n });
  expect(parsePlace('main+0x10')).toEqual({ kind: 'symbol', text: 'main', offset: 16n });
  expect(parsePlace('std::operator+')).toEqual({ kind: 'symbol', text: 'std::operator+', offset: 0n });
  expect(parsePlace('f(int, char)+12')).toEqual({ kind: 'symbol', text: 'f(int, char)', offset: 12n });
  expect(parsePlace('0xfffffffffffffff8+8')).toMatchObject({ kind: 'address', bytes: 8 });
  for (const text of ['', '0xfffffffffffffff8+9', '+0x10', '8000h', '0x8000+0', '99999999999999999999'])
    expect(parsePlace(text).kind, text).toBe('unclear');
  // Text with a time prefix is a time. Text that no symbol can have is not looked up.
  for (const text of ['t:', 't:abc', 'T: 5x', 'x'.repeat(1001), 'ma\u0000in'])
    expect(parsePlace(text).kind, text).toBe('unclear');
  expect(parsePlace('t::main')).toEqual({ kind: 'symbol', text: 't::main', offset: 0n });
});
