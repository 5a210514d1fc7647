/** Tracks below the overview: their names in a view, and what they say about records. */
import { expect, test } from 'vitest';
import {
  columnOf,
  depthWords,
  functionWords,
  phaseAt,
  phaseName,
  ratesOf,
  scaled,
  valueWords,
} from '../../present/overview/track-words.ts';
import { shownFigure } from '../../renderer/trace/shown-figures.ts';
import { memoryTrack, registerTrack, trackOf, trackTitle } from '../../shared/report/time-tracks.ts';
import type { FunctionTimeline } from '../../shared/requests/flow.ts';
import type { Overview } from '../../shared/requests/requests.ts';

const reach = { records: 40, bytes: 0, complete: true } as unknown as FunctionTimeline['reach'];
const timeline: FunctionTimeline = {
  of: 'functions',
  edges: Float64Array.of(0, 10, 20, 30, 40),
  functions: [
    { id: '0x1', name: 'main' },
    { id: '0x2', name: 'sort' },
  ],
  top: Float64Array.of(0, 1, 1, -1),
  share: Float64Array.of(0.5, 1, 0.25, 0),
  low: Float64Array.of(0, 1, 2, Number.NaN),
  high: Float64Array.of(3, 1, 2, Number.NaN),
  phases: [
    { from: 0, to: 10, functions: [{ function: 0, share: 0.5 }] },
    {
      from: 10,
      to: 40,
      functions: [
        { function: 1, share: 0.42 },
        { function: 0, share: 0.1 },
      ],
    },
  ],
  cpus: [0],
  prominent: [],
  notes: [],
  reach,
};

test('names tracks so that a view can keep them', () => {
  for (const register of [{ name: 'r1', cpu: 3 }, { name: 'xmm0 low' }]) {
    expect(trackOf(registerTrack(register))).toMatchObject({ kind: 'register', register });
  }
  const address = { low: 0xffff_ffff_0000_1000n, bytes: 8 };
  expect(trackOf(memoryTrack(address))).toMatchObject({ kind: 'memory', address });
  expect(trackTitle(trackOf('register 1 r0')!)).toBe('r0 of CPU 1');
  for (const wrong of ['', 'else', 'register x r0', 'register 1 ', 'memory 0x10 9', 'memory 10 4'])
    expect(trackOf(wrong)).toBeUndefined();
});

test('figures of the overview have the tracks of the page, with the CPU and byte order that they show', () => {
  const trace = {
    view: { tracks: ['phases', 'memory 0x1000 4', 'nothing'] },
    calls: { timeline: { value: { cpu: 1, cpus: [0, 1] } } },
    watches: { endian: 'big' },
    cursor: { range: { from: 4.5, to: 20 } },
  } as unknown as Parameters<typeof shownFigure>[0];
  expect(shownFigure(trace, 'overview', [])).toEqual({
    figure: 'overview',
    from: 4,
    to: 20,
    tracks: ['phases', 'memory 0x1000 4'],
    cpu: 1,
    bigEndian: true,
  });
});

test('finds the column of a record', () => {
  expect([0, 9, 10, 39, 400].map((n) => columnOf(timeline.edges, n))).toEqual([0, 0, 1, 3, 3]);
});

test('describes functions, depths and phases of records', () => {
  expect(functionWords(timeline, 25)).toBe('sort for 25 %');
  expect(functionWords(timeline, 35)).toBe('no known function');
  expect(depthWords(timeline, 0, 20)).toBe('0 to 3');
  expect(depthWords(timeline, 20, 40)).toBe('2');
  expect(depthWords(timeline, 30, 40)).toBe('unknown');
  expect(phaseName(timeline, phaseAt(timeline, 10)!)).toBe('sort 42 %, main 10 %');
});

test('scales values between the least and the greatest, and leaves unknown ones out', () => {
  const { shares, least, most } = scaled(['0x10', null, '0x18', '0x20']);
  expect([shares, least, most]).toEqual([[0, Number.NaN, 0.5, 1], '0x10', '0x20']);
  expect(scaled(['0x7', '0x7']).shares).toEqual([0.5, 0.5]);
  expect(scaled([null]).least).toBeUndefined();
  const sampled = { edges: Float64Array.of(0, 5, 10), values: ['0x10', null], reach } as const;
  expect(valueWords(sampled, 2)).toBe('0x10 after record 4');
  expect(valueWords(sampled, 9)).toBe('unknown after record 9');
});

test('counts reads and writes of each record', () => {
  const overview = {
    from: 0,
    to: 20,
    columns: 2,
    edges: Float64Array.of(0, 10, 20),
    kinds: ['read', 'io-write', 'write', 'instruction'],
    counts: Float64Array.of(5, 1, 1, 3, 0, 0, 0, 10),
    bad: Float64Array.of(0, 0),
    reach,
  } as unknown as Overview;
  const { reads, writes, most } = ratesOf(overview);
  expect([reads(0), writes(0), reads(1), most]).toEqual([0.5, 0.2, 0, 0.5]);
});
