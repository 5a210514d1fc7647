// The wire codec restores values however the stream is divided; the layout is the documented one.
import { expect, test } from 'vitest';
import { createFrameReader, encodeFrame } from '../../shared/wire/frames.ts';
import type { Frame } from '../../shared/wire/frames.ts';

const frames: readonly Frame[] = [
  { event: { bytes: 4_294_967_296, records: 9_007_199_254_740_991, secondsLeft: null } },
  { event: { text: 'Grüße \u2028 日本 \ud83d\ude00 "quoted" \\ \u0000' } },
  {
    answer: {
      ok: true,
      value: {
        counts: new Float64Array([0, -0, 1.5, 2 ** 53, Number.POSITIVE_INFINITY, Number.NaN]),
        bytes: new Uint8Array([255, 0, 7]),
        nested: [{ empty: new Float64Array(0) }, { deep: [[new Uint8Array([1]), 2, 'three']] }],
        native: { bulk: 1, answer: 2, constructor: 3 },
      },
    },
  },
  { answer: { ok: false, error: { code: 'usage', message: 'no' } } },
];

test('frames have the documented layout', () => {
  const frame = encodeFrame({ event: { a: new Uint8Array([1, 2, 3]), b: new Float64Array([1]) } });
  const header = '{"event":{"a":null,"b":null},"bulk":[[["a"],"u8",0,3],[["b"],"f64",8,1]]}';
  const expected = [
    ...[header.length, 0, 0, 0],
    ...[16, 0, 0, 0],
    ...new TextEncoder().encode(header),
    ...[1, 2, 3, 0, 0, 0, 0, 0],
    ...[0, 0, 0, 0, 0, 0, 0xf0, 0x3f],
  ];
  expect([...frame]).toEqual(expected);
});

test('gives the same frames for a stream divided at any byte', () => {
  const stream = concatenate(frames.map(encodeFrame));
  for (let cut = 0; cut <= stream.length; cut++) {
    const reader = createFrameReader();
    const got = [...reader.push(stream.subarray(0, cut)), ...reader.push(stream.subarray(cut))];
    expect(got, `cut at ${String(cut)}`).toEqual(frames);
  }
});

test('gives the same frames byte by byte, the last one with its last byte', () => {
  const stream = concatenate(frames.map(encodeFrame));
  const reader = createFrameReader();
  const got: Frame[] = [];
  for (let at = 0; at < stream.length - 1; at++) got.push(...reader.push(stream.subarray(at, at + 1)));
  expect(got).toEqual(frames.slice(0, -1));
  expect(reader.push(stream.subarray(-1))).toEqual(frames.slice(-1));
});

test("sends only the viewed part of a larger buffer and leaves the sender's value unchanged", () => {
  const value = { part: new Float64Array([1, 2, 3, 4]).subarray(1, 3) };
  const [frame] = createFrameReader().push(encodeFrame({ event: value }));
  expect(frame).toEqual({ event: { part: new Float64Array([2, 3]) } });
  expect(value.part).toEqual(new Float64Array([2, 3]));
});

test('sends a value that is itself a typed array', () => {
  const [frame] = createFrameReader().push(encodeFrame({ event: new Uint8Array([9]) }));
  expect(frame).toEqual({ event: new Uint8Array([9]) });
});

test('reports only frames with characters beyond printed ASCII', () => {
  const texts = ['main', 'a "b" \\', 'gr\u00f6sse', 'ma\u200bin', 'a\tb', 'x\u007f', '\u001b[2J', '\ud83d\ude00'];
  const reported: Frame[] = [];
  const reader = createFrameReader({ onOtherText: (frame) => reported.push(frame) });
  const got = texts.flatMap((name) => [...reader.push(encodeFrame({ event: { name } }))]);
  expect(got).toEqual(texts.map((name) => ({ event: { name } })));
  expect(reported).toEqual(texts.slice(2).map((name) => ({ event: { name } })));
  reader.push(encodeFrame({ event: { 'r\u200b1': 1 } }));
  expect(reported).toHaveLength(texts.length - 1);
});

test("leaves the sender's value unchanged", () => {
  const plain = { list: [{ a: 1 }, undefined, null], text: 'x' };
  const value = { plain, deep: [{ plain, bytes: new Uint8Array([1]) }] };
  const before = structuredClone(value);
  const [frame] = createFrameReader().push(encodeFrame({ event: value }));
  expect(frame).toEqual({
    event: {
      plain: { list: [{ a: 1 }, null, null], text: 'x' },
      deep: [{ plain: { list: [{ a: 1 }, null, null], text: 'x' }, bytes: new Uint8Array([1]) }],
    },
  });
  expect(value).toEqual(before);
});

test('sends long lists of flat objects as columns and restores them', () => {
  const list = Array.from({ length: 1000 }, (_, at) => ({
    id: `0x${(at % 40).toString(16)}`,
    count: at * 2 ** 40 - 7.5,
    inferred: at % 3 === 0,
    ...(at % 2 === 0 && { symbol: at % 4 === 0 ? 'gr\u00f6sse' : '' }),
    ...(at === 999 && { unseen: true }),
  }));
  const reported: Frame[] = [];
  const reader = createFrameReader({ onOtherText: (frame) => reported.push(frame) });
  const bytes = encodeFrame({ answer: { ok: true, value: { edges: list, few: list.slice(0, 3) } } });
  const expected: Frame = { answer: { ok: true, value: { edges: list, few: list.slice(0, 3) } } };
  const [frame] = reader.push(bytes);
  expect(frame).toStrictEqual(expected);
  expect(reported).toStrictEqual([expected]);
  // Five columns of numbers, and little text.
  expect(bytes.length).toBeLessThan(5 * 8 * 1000 + 2000);
});

test.each([
  ['a nested list', { aliases: ['a'] }],
  ['another kind of field', { count: 'many' }],
  ['no number', { count: Number.NaN }],
  ['nothing', { count: null }],
  ['a __proto__ key', JSON.parse('{"__proto__":1}') as object],
])('sends a list as text if one object has %s', (_, odd) => {
  const list = [...Array.from({ length: 999 }, (_, count) => ({ count })), odd];
  const [frame] = createFrameReader().push(encodeFrame({ event: { list } }));
  expect(frame).toStrictEqual({ event: JSON.parse(JSON.stringify({ list })) as unknown });
});

test('refuses a stream without frames before allocating for it', () => {
  expect(() => createFrameReader().push(new TextEncoder().encode('<!doctype html>'))).toThrow('no stream of frames');
});

function concatenate(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
