// Answers as the page receives them, and the arguments it sends.
import { afterEach, expect, test, vi } from 'vitest';
import { createClient } from '../../renderer/client/client.ts';
import { encodeFrame, FRAMES_TYPE } from '../../shared/wire/frames.ts';

afterEach(() => vi.unstubAllGlobals());

/** A wire that gives one answer and records the request bodies. */
function wire(...frames: Parameters<typeof encodeFrame>[0][]): { readonly bodies: string[] } {
  const bodies: string[] = [];
  vi.stubGlobal('fetch', (_: string, { body }: { body: string }) => {
    bodies.push(body);
    const bytes = Buffer.concat(frames.map((frame) => encodeFrame(frame)));
    return Promise.resolve(new Response(bytes, { headers: { 'content-type': FRAMES_TYPE } }));
  });
  return { bodies };
}

test('shows hidden characters of trace text by name in every pane, including keys', async () => {
  wire({
    answer: {
      ok: true,
      value: {
        functions: [{ id: '0x8000', name: 'a\u202eb', counts: new Float64Array([1, 2]) }],
        by: { 'r\u200b1': 'x' },
      },
    },
  });
  const answer: unknown = await createClient('./').request('calls', { trace: 't1' });
  expect(answer).toEqual({
    ok: true,
    value: {
      functions: [{ id: '0x8000', name: 'a[U+202E]b', counts: new Float64Array([1, 2]) }],
      by: { 'r[U+200B]1': 'x' },
    },
  });
});

test('shows hidden characters in events and error messages by name', async () => {
  const seen: unknown[] = [];
  wire(
    { event: { records: [{ n: 1, text: '\u001b[2J' }] } },
    { answer: { ok: false, error: { code: 'x', message: 'tr\u202eace: no' } } },
  );
  const answer = await createClient('./').request(
    'findAll',
    { trace: 't1' },
    {
      onEvent: (event) => seen.push(event),
    },
  );
  expect(seen).toEqual([{ records: [{ n: 1, text: '[U+001B][2J' }] }]);
  expect(answer).toEqual({ ok: false, error: { code: 'x', message: 'tr[U+202E]ace: no' } });
});

test('delivers a large answer in a task of its own, so that queued input comes first', async () => {
  const parse = vi.spyOn(JSON, 'parse');
  const wasBetween = async (text: string): Promise<boolean> => {
    wire({ answer: { ok: true, value: { text } } });
    let between = false;
    parse.mockClear();
    parse.mockImplementationOnce((header: string) => {
      setTimeout(() => (between = true));
      return JSON.parse(header) as unknown;
    });
    const answer: unknown = await createClient('./').request('calls', { trace: 't1' });
    expect(answer).toEqual({ ok: true, value: { text } });
    return between;
  };
  expect(await wasBetween('small')).toBe(false);
  expect(await wasBetween('x'.repeat(2_000_000))).toBe(true);
  parse.mockRestore();
});

test("sends the trace's own spelling of a shown name, and leaves paths and user texts unchanged", async () => {
  const client = createClient('./');
  wire({ answer: { ok: true, value: { registers: { 'r\u200b1': { value: '0x1' } } } } });
  await client.request('registers', { trace: 't1', at: 0 });
  const { bodies } = wire({ answer: { ok: true, value: { file: { path: '/tr\u202eace' } } } });
  const opened: unknown = await client.request('detect', { path: 'r[U+200B]1' });
  expect(JSON.parse(bodies[0] ?? '')).toEqual({ path: 'r\u200b1' });
  expect(opened).toEqual({ ok: true, value: { file: { path: '/tr\u202eace' } } });
  wire({ answer: { ok: true, value: { notes: [{ title: '❤\ufe0f' }] } } });
  const notes: unknown = await client.request('notebook', { trace: 't1' });
  expect(notes).toEqual({ ok: true, value: { notes: [{ title: '❤\ufe0f' }] } });
});

test('a page that is left has its traces closed after it is gone, and no other request outlives it', async () => {
  const kept: Record<string, boolean | undefined> = {};
  vi.stubGlobal('fetch', (address: string, { keepalive }: RequestInit) => {
    kept[address] = keepalive;
    const bytes = Buffer.from(encodeFrame({ answer: { ok: true, value: {} } }));
    return Promise.resolve(new Response(bytes, { headers: { 'content-type': FRAMES_TYPE } }));
  });
  const client = createClient('./');
  await client.request('close', { trace: 't1' });
  await client.request('info', { trace: 't1' });
  expect(kept).toEqual({ './api/close': true, './api/info': false });
});
