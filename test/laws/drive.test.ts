/** The driver of the laws itself: windows are cut as shared/format.ts says, and decoders that break a law are caught. */
import { expect, test } from 'vitest';
import { FLAG } from '../../shared/batch.ts';
import type { Batch } from '../../shared/batch.ts';
import { LONG_LINE } from '../../shared/format.ts';
import type { Decoder, Framing, State, Window } from '../../shared/format.ts';
import { KIND } from '../../shared/record.ts';
import { decodeAll } from './drive.ts';

const LINES: Framing = { kind: 'lines' };
const PAIRS: Framing = { kind: 'units', bytes: 2, lookahead: 4 };

test.each([1, 2, 3, 5, 7, 8, 100])('lines belong to the block of %i bytes in which they start', (blockBytes) => {
  const text = 'ab\n\nc\r\nlonger than a block\nlast';
  const driven = decodeAll(lineDecoder(), bytesOf(text), { blockBytes });
  expect(driven.records.map(({ start, end }) => text.slice(start, end))).toEqual([
    'ab\n',
    '\n',
    'c\r\n',
    'longer than a block\n',
    'last',
  ]);
});

test('the window ends LONG_LINE bytes into the last line of its block and says where the line ends', () => {
  const seen: string[] = [];
  const decoder = lineDecoder((window) => {
    seen.push([window.position, window.base + window.length, window.end, window.lastLineEnd].join(' '));
  });
  decodeAll(decoder, bytesOf(`first\n${'x'.repeat(LONG_LINE + 50)}\nlast\n`), { blockBytes: 100 });
  const end = 6 + LONG_LINE + 51;
  expect(seen).toEqual([
    `0 ${String(6 + LONG_LINE)} 100 ${String(end)}`,
    `${String(end)} ${[end + 5, end + 5, end + 5].join(' ')}`,
  ]);
});

test('units are aligned, and a window holds the lookahead past its end', () => {
  const held: number[] = [];
  decodeAll(
    pairDecoder((window) => held.push(window.base + window.length - window.end)),
    new Uint8Array(20),
    { blockBytes: 7 },
  );
  expect(held).toEqual([4, 4, 0]);
});

test('a guess that does not hold is decoded again, one that holds is not', () => {
  const bytes = new Uint8Array(20);
  expect(decodeAll(pairDecoder(), bytes, { blockBytes: 7, guess: () => ({ phase: 1 }) }).redone).toBe(2);
  expect(decodeAll(pairDecoder(), bytes, { blockBytes: 7, guess: () => ({ phase: 0 }) }).redone).toBe(0);
});

test.each([
  ['stands still', /decode moves on from byte 0/, (): void => undefined],
  [
    'leaves bytes out',
    /record 1 starts where the bytes before it end/,
    (window: Window, batch: Batch) => {
      take(window, batch, 2);
      window.position += 1;
      take(window, batch, 2);
    },
  ],
  [
    'overlaps',
    /record 1 starts where the bytes before it end/,
    (window: Window, batch: Batch) => {
      take(window, batch, 2);
      window.position -= 1;
      take(window, batch, 2);
    },
  ],
  [
    'leaves the end out',
    /reach the end of the file/,
    (window: Window, batch: Batch) => {
      take(window, batch, 2);
      window.position = window.fileEnd;
    },
  ],
  ['leaves the file', /stays inside the file/, (window: Window, batch: Batch) => take(window, batch, 31)],
])('a decoder that %s is caught', (_, complaint, step) => {
  const decoder: Decoder = {
    ...pairDecoder(),
    decode(window, state, batch) {
      step(window, batch);
      return state;
    },
  };
  expect(() => decodeAll(decoder, new Uint8Array(30))).toThrow(complaint);
});

test('a description that differs from the columns is caught', () => {
  const decoder: Decoder = { ...pairDecoder(), describe: () => ({ kind: 'other', native: 'PAIR', address: '0x1' }) };
  expect(() => decodeAll(decoder, new Uint8Array(2), { describe: () => true })).toThrow(/record 0: address/);
});

test('a field outside its record is caught', () => {
  const decoder: Decoder = { ...pairDecoder(), fields: () => [{ name: 'whole', start: 0, end: 3, text: '' }] };
  expect(() => decodeAll(decoder, new Uint8Array(2), { describe: () => true })).toThrow(/field whole lies in order/);
});

function take(window: Window, batch: Batch, length: number): void {
  const n = batch.count++;
  batch.start[n] = window.position;
  window.position += length;
  batch.end[n] = window.position;
  batch.kind[n] = KIND.other;
  batch.flags[n] = FLAG.address;
}

/** One record per line, whatever is in it. */
function lineDecoder(look: (window: Window) => void = () => undefined): Decoder {
  return toy(LINES, (window, state, batch) => {
    look(window);
    while (window.position < window.end && batch.count < batch.start.length) {
      const at = window.bytes.subarray(0, window.length).indexOf(10, window.position - window.base);
      const end = at === -1 ? window.lastLineEnd : window.base + at + 1;
      take(window, batch, end - window.position);
    }
    return state;
  });
}

/** One record per two bytes. */
function pairDecoder(look: (window: Window) => void = () => undefined): Decoder {
  return toy(PAIRS, (window, state, batch) => {
    look(window);
    while (window.position < window.end) take(window, batch, Math.min(2, window.fileEnd - window.position));
    return state;
  });
}

function toy(framing: Framing, decode: (window: Window, state: State, batch: Batch) => State): Decoder {
  return {
    format: {
      id: 'toy',
      name: 'Toy',
      dialects: [],
      extensions: [],
      options: [],
      sniff: () => undefined,
      open: () => ({ ok: false, error: { code: 'toy', message: 'A toy is not opened.' } }),
      diagnostics: {},
    },
    framing,
    settings: {},
    initial: { phase: 0 },
    decode,
    agrees: (guess, entry) => guess['phase'] === entry['phase'],
    join: (_, exit) => exit,
    align: (offset, state) => offset + ((offset + state['phase']!) % 2),
    describe: () => ({ kind: 'other', native: 'PAIR', address: '0x0' }),
    fields: () => [],
    nativeName: () => 'PAIR',
  };
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
