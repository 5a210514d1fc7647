/** Table columns: optional columns are dropped before a number would be truncated. */
import { expect, test } from 'vitest';
import { fitTracks } from '../../renderer/widgets/tracks.ts';

// Characters are 7.25 pixels wide, with 12 pixels between columns and 36 around them: 36 + 7.25 * (10 + 12 + 10) + 2 * 12 = 292.
const TRACKS = [
  { id: 'count', width: 10 },
  { id: 'name', width: 12, grows: true },
  { id: 'last', width: 10 },
];

test('shows all columns if they fit, or if the width is not known yet', () => {
  for (const room of [0, 292, 2000]) {
    const { template, has } = fitTracks(TRACKS, ['last'], room);
    expect([template, has('last')]).toEqual(['10ch minmax(12ch, 1fr) 10ch', true]);
  }
});

test('drops optional columns in order, and then narrows the growing column', () => {
  const narrow = fitTracks(TRACKS, ['last', 'count'], 291);
  expect([narrow.template, narrow.has('last'), narrow.has('count')]).toEqual(['10ch minmax(12ch, 1fr)', false, true]);
  // 36 + 7.25 * 12 = 123.
  expect(fitTracks(TRACKS, ['last', 'count'], 123).template).toBe('minmax(12ch, 1fr)');
  expect(fitTracks(TRACKS, ['last'], 123).template).toBe('10ch minmax(0ch, 1fr)');
});
