/** Branch events survive the round trip through the index. */
import { expect, test } from 'vitest';
import { decodeFlow, encodeFlow } from '../../electron/engine/index/builders/flow-row.ts';
import { pack } from '../../electron/engine/index/store/packing.ts';
import { IndexDamaged } from '../../electron/engine/collections/varint.ts';
import { createEvents, type Events, type FlowPoint, type FlowRun } from '../../shared/flow/events.ts';
import { createRandom, type Random } from '../laws/random.ts';

const COLUMNS = [
  'kind',
  'flags',
  'cpu',
  'sourceLow',
  'sourceHigh',
  'targetLow',
  'targetHigh',
  'resumeLow',
  'resumeHigh',
  'operandSize',
  'instructions',
] as const;

/** Events in loops, with exits and now and then a unique event. */
function eventsOf(random: Random, count: number, wide: boolean): Events {
  const events = createEvents(count);
  events.count = count;
  const word = (): number => (wide ? random.below(65536) * 65536 + random.below(65536) : random.below(65536));
  let record = 0;
  for (let at = 0; at < count; at++) {
    const back = at === 0 || random.below(50) === 0 ? 0 : Math.min(at, 1 + (Math.floor(at / 300) % 7));
    // Record numbers may decrease.
    record += back === 0 ? random.below(1000) - 100 : events.record[at - back]! - (events.record[at - back - 1] ?? 0);
    events.record[at] = record;
    for (const column of COLUMNS) {
      events[column][at] = back > 0 ? events[column][at - back]! : column === 'cpu' ? random.below(4) - 1 : word();
    }
  }
  return events;
}

const point = (record: number): FlowPoint => ({
  record,
  addressLow: 0xfffffffc,
  addressHigh: 7,
  size: 4,
  branch: -1,
  mark: 3,
  targetLow: 8,
  targetHigh: 9,
});

test.each([
  [1, 0, false],
  [2, 1, true],
  [3, 5000, false],
  [4, 5000, true],
  [5, 70_000, true],
])('events survive encoding and decoding, for any first record (seed %i, %i events)', (seed, count, wide) => {
  const events = eventsOf(createRandom(seed), count, wide);
  const runs: FlowRun[] = [
    { cpu: -1, first: point(0), last: point(-1), since: 3 },
    { cpu: 2, first: point(1), second: point(2), before: point(3), last: point(4), since: 0, gap: true },
  ];
  const first = 2 ** 40;
  const back = decodeFlow(encodeFlow({ events, runs }), first);
  expect(back.events.count).toBe(count);
  for (const column of COLUMNS) expect(back.events[column].slice(0, count)).toEqual(events[column].slice(0, count));
  expect([...back.events.record]).toEqual([...events.record].map((record) => record + first));
  expect(back.runs).toEqual([
    { cpu: -1, first: point(first), last: point(-1), since: 3 },
    {
      cpu: 2,
      ...{ first: point(first + 1), second: point(first + 2), before: point(first + 3), last: point(first + 4) },
      since: 0,
      gap: true,
    },
  ]);
});

test('rows reuse one buffer, and a larger row gets its own', () => {
  const read = (seed: number, count: number, room?: SharedArrayBuffer): readonly [Events, SharedArrayBuffer] => {
    const events = eventsOf(createRandom(seed), count, true);
    const lean = decodeFlow(encodeFlow({ events, runs: [] }), 0, 'lean', room).events;
    expect(Array.from(lean.record)).toEqual(Array.from(events.record));
    expect(Array.from(lean.alike?.numbers ?? [], (number) => lean.alike?.each.sourceLow[number])).toEqual(
      Array.from(events.sourceLow),
    );
    const { buffer } = lean.record;
    expect(lean.alike?.numbers.buffer).toBe(buffer);
    return [lean, buffer as SharedArrayBuffer];
  };
  const [, room] = read(6, 3000);
  expect(read(7, 2999, room)[1]).toBe(room);
  expect(read(8, 0, room)[1]).toBe(room);
  const [, larger] = read(9, 6000, room);
  expect(larger).not.toBe(room);
});

test('a loop with a hundred thousand rounds takes under 300 bytes', () => {
  const events = createEvents(100_000);
  events.count = 100_000;
  for (let at = 0; at < events.count; at++) {
    events.record[at] = 7 * at;
    events.sourceLow[at] = 0x8000 + 4 * (at % 11);
    events.targetLow[at] = 0x9000 + 4 * (at % 11);
  }
  expect(pack(encodeFlow({ events, runs: [] })).length).toBeLessThan(300);
});

test('reads each repeated branch once, at its first occurrence', () => {
  const events = eventsOf(createRandom(10), 5000, true);
  const runs: FlowRun[] = [{ cpu: 2, first: point(1), last: point(4), since: 0 }];
  const once = decodeFlow(encodeFlow({ events, runs }), 700, 'once');
  const key = (its: Events, at: number): string =>
    [its.record[at]! - (at === 0 ? 0 : its.record[at - 1]!), ...COLUMNS.map((column) => its[column][at])].join(' ');
  const wanted = new Set(Array.from({ length: events.count }, (_, at) => key(events, at)));
  const { count, record, alike } = once.events;
  const each = alike!.each;
  const found = Array.from(alike!.numbers, (number) => COLUMNS.map((column) => each[column][number]).join(' '));
  expect(found).toEqual([...wanted].map((its) => its.replace(/^\S+ /, '')));
  expect(count).toBe(wanted.size);
  expect(new Set(record)).toEqual(new Set([700]));
  expect(once.runs).toEqual([{ cpu: 2, first: point(701), last: point(704), since: 0 }]);
});

test('reports impossible bytes as damage', () => {
  // No runs ("[]") and one event that repeats the previous event, but there is none.
  expect(() => decodeFlow(Uint8Array.of(2, 0x5b, 0x5d, 1, 0, 0), 0)).toThrow(IndexDamaged);
  // A reference to an earlier event that does not exist.
  expect(() => decodeFlow(Uint8Array.of(2, 0x5b, 0x5d, 1, 0, 9), 0)).toThrow(IndexDamaged);
  // More unique events than the total.
  expect(() => decodeFlow(Uint8Array.of(2, 0x5b, 0x5d, 3, 4), 0)).toThrow(IndexDamaged);
  // Ends before the unique events.
  expect(() => decodeFlow(Uint8Array.of(2, 0x5b, 0x5d, 3, 1), 0)).toThrow(IndexDamaged);
  // Ends before the last event.
  const whole = encodeFlow({ events: eventsOf(createRandom(11), 300, true), runs: [] });
  expect(() => decodeFlow(whole.subarray(0, whole.length - 1), 0)).toThrow(IndexDamaged);
});
