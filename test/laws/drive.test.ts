/** The driver of the laws: it cuts windows as shared/format/format.ts says, and rejects decoders that break a law. */
import { describe, expect, test } from 'vitest';
import { FLAG } from '../../shared/records/batch.ts';
import type { Batch } from '../../shared/records/batch.ts';
import { LONG_LINE } from '../../shared/format/format.ts';
import type { Decoder, Framing, State, Window } from '../../shared/format/format.ts';
import { KIND, READS, type Kind, type RecordFields } from '../../shared/records/record.ts';
import { decodeAll } from './drive.ts';

const LINES: Framing = { kind: 'lines' };
const PAIRS: Framing = {
  kind: 'units',
  bytes: 2,
  lookahead: 4,
  align: (offset, state) => offset + ((offset + state['phase']!) % 2),
};

test.each([1, 2, 3, 5, 7, 8, 100])('assigns lines to the block of %i bytes in which they start', (blockBytes) => {
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

test("ends the window LONG_LINE bytes into the block's last line and reports the end of that line", () => {
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

test('aligns units and extends the window by the lookahead', () => {
  const held: number[] = [];
  decodeAll(
    pairDecoder((window) => held.push(window.base + window.length - window.end)),
    new Uint8Array(20),
    { blockBytes: 7 },
  );
  expect(held).toEqual([4, 4, 0]);
});

test('decodes a block again only if its guessed state is wrong', () => {
  const bytes = new Uint8Array(20);
  expect(decodeAll(pairDecoder(), bytes, { blockBytes: 7, guess: () => ({ phase: 1 }) }).redone).toBe(2);
  expect(decodeAll(pairDecoder(), bytes, { blockBytes: 7, guess: () => ({ phase: 0 }) }).redone).toBe(0);
});

test.each([
  ['stands still', /decode moves on from byte 0/, (): void => undefined],
  [
    'skips bytes',
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
    'skips the end',
    /reach the end of the file/,
    (window: Window, batch: Batch) => {
      take(window, batch, 2);
      window.position = window.fileEnd;
    },
  ],
  ['reads beyond the file', /stays inside the file/, (window: Window, batch: Batch) => take(window, batch, 31)],
])('rejects a decoder that %s', (_, complaint, step) => {
  const decoder: Decoder = {
    ...pairDecoder(),
    decode(window, state, batch) {
      step(window, batch);
      return state;
    },
  };
  expect(() => decodeAll(decoder, new Uint8Array(30))).toThrow(complaint);
});

test('rejects a description that differs from the columns', () => {
  const decoder: Decoder = { ...pairDecoder(), describe: () => ({ kind: 'other', native: 'PAIR', address: '0x1' }) };
  expect(() => decodeAll(decoder, new Uint8Array(2), { describe: () => true })).toThrow(/record 0: address/);
});

describe('bytes moved by an access', () => {
  /** One record of two bytes whose value columns `fill` writes; `fields` describe it. */
  function accessing(kind: Kind, fill: (batch: Batch) => void, fields: Partial<RecordFields>): Decoder {
    return {
      ...pairDecoder(),
      decode(window, state, batch) {
        take(window, batch, 2);
        batch.kind[0] = KIND[kind];
        batch.size[0] = 2;
        fill(batch);
        return state;
      },
      describe: () => ({ kind, native: 'PAIR', address: '0x0', size: 2, ...fields }),
    };
  }

  function put(batch: Batch, ...bytes: number[]): void {
    batch.valueAt[0] = batch.values.length;
    for (const byte of bytes) batch.values.bytes[batch.values.length++] = byte;
    batch.flags[0]! |= FLAG.value;
  }

  const run = (decoder: Decoder): unknown => decodeAll(decoder, Uint8Array.of(0x34, 0x12), { describe: () => true });

  test('agree with the described value in the current byte order', () => {
    const little = accessing('read', (batch) => put(batch, 0x34, 0x12), { value: '0x1234' });
    const big = {
      ...accessing('read', (batch) => put(batch, 0x12, 0x34), { value: '0x1234' }),
      settings: { endian: 'big' },
    };
    run(little);
    run(big);
    expect(() => run({ ...little, settings: { endian: 'big' } })).toThrow(/bytes of 0x1234/);
    expect(() => run({ ...big, settings: {} })).toThrow(/bytes of 0x1234/);
  });

  test.each([
    [
      'of a record that is no access',
      /a special moves no bytes/,
      accessing('special', (batch) => put(batch, 0, 0), { value: '0x0' }),
    ],
    ['without a described value', /a value is described/, accessing('write', (batch) => put(batch, 0, 0), {})],
    [
      'outside of the bytes in use',
      /among the bytes in use/,
      accessing('write', (batch) => put(batch, 0), { value: '0x0' }),
    ],
    [
      'of a kind without values',
      /a special says no value/,
      { ...accessing('special', () => undefined, { value: '0x34' }), valuedKinds: READS },
    ],
    [
      'that do not occur in its own bytes',
      /0x56 lies in its bytes/,
      accessing('special', () => undefined, { value: '0x56' }),
    ],
    ['that are left out', /the bytes of 0x1 are/, accessing('write', () => undefined, { value: '0x1' })],
    [
      'of an access without effect',
      /did not happen/,
      accessing(
        'read',
        (batch) => {
          put(batch, 0, 0);
          batch.flags[0]! |= FLAG.noEffect;
        },
        { value: '0x0' },
      ),
    ],
  ])('%s are rejected', (_, complaint, decoder) => {
    expect(() => run(decoder)).toThrow(complaint);
  });
});

test('rejects a number for two sets of registers', () => {
  const decoder: Decoder = {
    ...pairDecoder(),
    decode(window, state, batch) {
      while (window.position < window.end) {
        const n = batch.count;
        take(window, batch, 2);
        batch.kind[n] = KIND.register;
        batch.registers[n] = 7;
      }
      return state;
    },
    describe: (_, batch, index) => ({
      kind: 'register',
      native: 'PAIR',
      address: '0x0',
      register: batch.start[index] === 0 ? 'r0' : 'r1',
    }),
  };
  decodeAll(decoder, new Uint8Array(2), { describe: () => true });
  expect(() => decodeAll(decoder, new Uint8Array(4), { describe: () => true })).toThrow(/registers of its number/);
});

test('rejects a field outside its record', () => {
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

/** One record per line, whatever it contains. */
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
    describe: () => ({ kind: 'other', native: 'PAIR', address: '0x0' }),
    fields: () => [],
    nativeName: () => 'PAIR',
  };
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
