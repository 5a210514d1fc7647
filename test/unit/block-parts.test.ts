/** Parts of blocks: decoding can begin at each, and equal fingerprints mean equal code and registers, as a slow reading of the text shows. */
import { expect, test } from 'vitest';
import { createPartCounter, decodeParts, type BlockPart } from '../../electron/engine/index/builders/block-parts.ts';
import { btm } from '../../shared/formats/btm/btm.ts';
import { tarmac } from '../../shared/formats/tarmac/tarmac.ts';
import { createBatch, FLAG, PART_RECORDS, resetBatch, type Batch } from '../../shared/records/batch.ts';
import type { Decoder, Format, Settings, Window } from '../../shared/format/format.ts';
import { createRandom } from '../laws/random.ts';
import { nastyBtm, nastyTarmac } from '../engine/traces.ts';
import { longLoops } from '../engine/why/long-loops.ts';

function openDecoder(format: Format = tarmac, settings: Settings = { dialect: 'qemu4v' }): Decoder {
  const decoder = format.open(settings);
  if (!decoder.ok) throw new Error(decoder.error.message);
  return decoder.value;
}

function windowOf(bytes: Uint8Array, position: number): Window {
  const end = bytes.length;
  return { bytes, length: end, base: 0, position, end, lastLineEnd: end, fileEnd: end };
}

interface Row {
  readonly start: number;
  readonly end: number;
  readonly columns: readonly number[];
}

function rowsOf(batch: Batch): readonly Row[] {
  return Array.from({ length: batch.count }, (_, row) => ({
    start: batch.start[row]!,
    end: batch.end[row]!,
    columns: [
      ...[batch.kind, batch.cpu, batch.native, batch.flags].map((column) => column[row]!),
      (batch.flags[row]! & FLAG.address) === 0 ? 0 : batch.addressLow[row]!,
      (batch.flags[row]! & FLAG.target) === 0 ? 0 : batch.targetLow[row]!,
    ],
  }));
}

/** Decodes a block from its start, and returns its rows with its parts as they lie in the index. */
function wholeBlock(
  bytes: Uint8Array,
  decoder = openDecoder(),
): { readonly rows: readonly Row[]; readonly parts: readonly BlockPart[] } {
  const counter = createPartCounter();
  const batch = createBatch();
  const window = windowOf(bytes, 0);
  const rows: Row[] = [];
  for (let state = decoder.initial; window.position < window.end;) {
    resetBatch(batch, rows.length);
    state = decoder.decode(window, state, batch);
    counter.add(batch);
    rows.push(...rowsOf(batch));
  }
  return { rows, parts: decodeParts(counter.finish(0, bytes.length), 0) };
}

const TEXTS = {
  'long loops': longLoops(40, createRandom(11)),
  'lines of all kinds': nastyTarmac(20_000, 5),
  'several processors': longLoops(20, createRandom(2)).replace(/clk 0 (I.) \((\d*[05])\)/g, 'clk 1 $1 ($2)'),
};

test.each(Object.entries(TEXTS))('decoding that begins at a part gives the records of the block: %s', (_, text) => {
  expectPlaces(Buffer.from(text), openDecoder());
});

test.each(['cycles', 'clocks'])(
  'decoding that begins at a part of a bus capture gives its records, with rows=%s',
  (rows) => {
    expectPlaces(Buffer.from(nastyBtm(30_000, 3)), openDecoder(btm, { rows }));
  },
);

function expectPlaces(bytes: Uint8Array, decoder: Decoder): void {
  const { rows, parts } = wholeBlock(bytes, decoder);
  const places = parts.flatMap(({ state, position }, part) => (state === undefined ? [] : [{ state, position, part }]));
  expect(parts).toHaveLength(Math.ceil(rows.length / PART_RECORDS));
  expect(places.length).toBeGreaterThan(parts.length / 2);
  for (const { state, position, part } of places.reverse()) {
    const batch = createBatch(PART_RECORDS);
    resetBatch(batch, 0);
    decoder.decode(windowOf(bytes, position), state, batch);
    expect(rowsOf(batch)).toEqual(rows.slice(part * PART_RECORDS, part * PART_RECORDS + batch.count));
  }
}

/** Returns the distinct instructions and register names of a part's lines, as text. */
function contentOf(text: string, rows: readonly Row[]): string {
  const content = rows.flatMap(({ start, end }) => {
    const line = text.slice(start, end).trim();
    return (
      /I[ST] \(\d+\) .*/.exec(line)?.map((each) => each.replace(/\(\d+\)/, '')) ?? / R (\w+) /.exec(line)?.[1] ?? []
    );
  });
  return [...new Set(content)].sort().join('\n');
}

test('fingerprints are equal if and only if the code and registers of parts are', () => {
  const text = TEXTS['long loops'];
  const { rows, parts } = wholeBlock(Buffer.from(text));
  const known = parts.flatMap(({ first, second }, part) => {
    const own = rows.slice(part * PART_RECORDS, (part + 1) * PART_RECORDS);
    return first === 0 && second === 0 ? [] : [{ mark: `${first} ${second}`, content: contentOf(text, own) }];
  });
  expect(known.length).toBeGreaterThan(parts.length / 3);
  const byMark = Map.groupBy(known, ({ mark }) => mark);
  const byContent = Map.groupBy(known, ({ content }) => content);
  for (const alike of byMark.values()) expect(new Set(alike.map(({ content }) => content)).size).toBe(1);
  for (const alike of byContent.values()) expect(new Set(alike.map(({ mark }) => mark)).size).toBe(1);
  expect(byMark.size).toBeGreaterThan(2);
  expect(byMark.size).toBeLessThan(known.length);
});

test('a part that blank lines cut is not known', () => {
  const line = (n: number): string => `${n} clk 0 IT (${n}) 00008000 e3a00011 A svc_s : mov r0, #0x11\n`;
  const text = Array.from({ length: 9000 }, (_, n) => line(n) + '\n'.repeat(n >= 1500 && n < 1510 ? 1000 : 0)).join('');
  const { parts } = wholeBlock(Buffer.from(text));
  expect(parts.map(({ first }) => first !== 0)).toEqual([
    ...Array.from({ length: Math.floor(1500 / PART_RECORDS) }, () => true),
    false,
  ]);
});
