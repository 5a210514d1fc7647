/** Records counted without decoding, compared with the same records decoded. */
import { describe, expect, test } from 'vitest';
import { createBatch, FLAG, resetBatch, type Batch } from '../../shared/records/batch.ts';
import { addressRows, type AddressCells } from '../../shared/format/address-cells.ts';
import type { Decoder, Format, Settings, State, Window } from '../../shared/format/format.ts';
import { btm } from '../../shared/formats/btm/btm.ts';
import { byu6 } from '../../shared/formats/byu6/byu6.ts';
import { tarmac } from '../../shared/formats/tarmac/tarmac.ts';
import { KIND, READS, WRITES } from '../../shared/records/record.ts';
import { nastyBtm, nastyByu, nastyTarmac } from '../engine/traces.ts';
import { createRandom } from '../laws/random.ts';

const LOW = 0x400;
const TOP = 3217;
/** Rows of 107 and 108 bytes, since bounds are rounded. */
const BOUNDS = Float64Array.from({ length: 31 }, (_, row) => Math.floor((TOP * row) / 30));
const READS_AND_WRITES = [...READS, ...WRITES, 'branch' as const].reduce((bits, kind) => bits | (1 << KIND[kind]), 0);

interface Counted {
  readonly counts: readonly number[];
  readonly records: number;
  readonly exit: State;
  readonly position: number;
  readonly diagnostics: readonly unknown[];
  readonly gaps: readonly unknown[];
  /** Number of records that were not decoded. */
  readonly plain: number;
}

interface Case {
  readonly name: string;
  readonly decoder: Decoder;
  readonly bytesOf: (seed: number) => Uint8Array;
  /** Counting leaves out what is carried from record to record for marks and targets, and so the diagnostics about it. */
  readonly countsOnly?: true;
}

const CASES: readonly Case[] = [
  {
    name: 'byu6, big-endian',
    decoder: opened(byu6, { endian: 'big' }),
    bytesOf: (seed) => nastyByu(20_000, seed, 2 ** 14),
  },
  { name: 'byu6, little-endian', decoder: opened(byu6, { endian: 'little' }), bytesOf: littleEndian },
  {
    name: 'qemu4v',
    decoder: opened(tarmac, { dialect: 'qemu4v' }),
    bytesOf: (seed) => text(nastyTarmac(5000, seed)),
  },
  { name: 'btm', decoder: opened(btm, {}), bytesOf: (seed) => text(nastyBtm(10_000, seed)), countsOnly: true },
  { name: 'btm, damaged', decoder: opened(btm, {}), bytesOf: damagedBtm, countsOnly: true },
  { name: 'qemu4v, damaged', decoder: opened(tarmac, { dialect: 'qemu4v' }), bytesOf: damagedTarmac },
];

describe.each(CASES)('$name', ({ decoder, bytesOf, countsOnly }) => {
  test.each([1, 2, 3, 4])('counts plain records as decoding does (seed %i)', (seed) => {
    const bytes = bytesOf(seed);
    const wanted = readAll(decoder, bytes, 8192, () => 0);
    expect(wanted.counts.reduce((sum, count) => sum + count)).toBeGreaterThan(100);

    const random = createRandom(seed);
    let counted = 0;
    const read = readAll(decoder, bytes, 1 + random.below(40), () => {
      counted++;
      return random.below(200);
    });
    expect(counted).toBeGreaterThan(100);
    expect(read.plain).toBeGreaterThan(100);
    if (countsOnly === true) expect(countsOf(read)).toEqual(countsOf(wanted));
    else expect(read).toEqual({ ...wanted, plain: read.plain });
  });
});

function countsOf({ counts, records, position, gaps }: Counted): Partial<Counted> {
  return { counts, records, position, gaps };
}

function littleEndian(seed: number): Uint8Array {
  const bytes = nastyByu(20_000, seed, 2 ** 14);
  for (let at = 0; at + 4 <= bytes.length; at += 6) bytes.subarray(at, at + 4).reverse();
  return bytes;
}

/** A loop with registers, accesses and other processors, in which some lines are damaged. */
function damagedTarmac(seed: number): Uint8Array {
  const random = createRandom(seed);
  const lines = Array.from({ length: 5000 }, (_, at) => {
    const time = 9_990 + at;
    const address = (0x400 + 4 * (at % 40)).toString(16).padStart(8, '0');
    const line = [
      `${time} clk ${random.below(9) === 0 ? 12 : 0} I${at % 7 === 0 ? 'S' : 'T'} (${time}) ${address} e5803080 A svc_ns : str r3, [r0, #0x80]`,
      `${time} clk MW4 00000480 000000ff`,
      `${time} clk MR${[1, 2, 4, 8][random.below(4)]!} 000004a0 ${'0123456789abcdef'.slice(0, 2 * [1, 2, 4, 8][random.below(4)]!)}`,
      `${time} clk R ${['r1', 'cpsr', 'x3', '=', 'r12'][random.below(5)]!} ${'0123456789abcdef'.slice(random.below(2) * 8)}`,
    ][random.below(4)]!;
    const characters = line.split('');
    if (random.below(20) === 0)
      characters[random.below(line.length)] = ['', ' ', '0', 'f', 'R', '(', ':', '\n', '\r', '12 clk R r1 00000000'][
        random.below(10)
      ]!;
    return characters.join('');
  });
  return text(lines.join(random.below(2) === 0 ? '\n' : '\r\n'));
}

/** Messages and accesses to few addresses, in which some rows are damaged. */
function damagedBtm(seed: number): Uint8Array {
  const random = createRandom(seed);
  const address = () => (0x400 + 8 * random.below(300)).toString(16).padStart(8, '0');
  const data = () => Array.from({ length: 16 }, () => random.below(16).toString(16)).join('');
  const rows = Array.from({ length: 5000 }, (_, at) => {
    const cycle = ['0,0,1,DF', '1,0,0,00', '1,1,1,F0', '1,1,0,7e', '0,1,1,FE', '0,0,1,FB', '1,0,1,00'][
      random.below(7)
    ]!;
    const row = `${9900 + at},${cycle},${address()},${data()}`.split('');
    if (random.below(20) === 0)
      row[random.below(row.length)] = [
        '',
        ' ',
        '0',
        'f',
        ',',
        '"',
        '-',
        '\n',
        '\r',
        ' 9,1,1,0,00,00000400,0000000000000000',
      ][random.below(9)]!;
    return row.join('');
  });
  const ends = random.below(2) === 0 ? '\n' : '\r\n';
  return text(['time_ns,M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]', ...rows].join(ends));
}

test('stops after the requested number of records and before a record that is not plain', () => {
  const plain = [0x00, 0x00, 0x04, 0x00, 0xf0, 0x90];
  const halt = [0x00, 0x00, 0x00, 0x00, 0xfb, 0x30];
  const bytes = Uint8Array.from([...plain, ...plain, ...plain, ...halt, ...plain, 0, 0]);
  const decoder = opened(byu6, { endian: 'big' });
  const window = windowOf(bytes);
  const rows = addressRows([{ low: 0x400, bounds: Float64Array.of(0, 4), firstRow: 0 }]);
  const cells = { rows, kinds: -1, counts: new Uint32Array(3), firstCell: 2 };
  const first = decoder.countPlain!(window, decoder.initial, 2, cells);
  expect([first.records, window.position, cells.counts[2]]).toEqual([2, 12, 2]);
  const { records, state } = decoder.countPlain!(window, first.state, 100, cells);
  expect([records, window.position, cells.counts[2]]).toEqual([1, 18, 3]);
  window.position = 24;
  decoder.countPlain!(window, state, 100, { ...cells, kinds: 0 });
  expect([window.position, [...cells.counts]]).toEqual([30, [0, 0, 3]]);
});

test('leaves instructions to the decoder until it has decoded them', () => {
  const line = (time: number) => `${time} clk 3 IT (${time}) 00000410 e1a00000 A svc : nop\n`;
  const bytes = text(`${line(98)}98 clk R r0 00000000\n${line(99)}${line(100)}${'100 clk R r0 00000000\n'.repeat(9)}`);
  const decoder = opened(tarmac, { dialect: 'qemu4v' });
  const window = windowOf(bytes);
  const rows = addressRows([{ low: 0x400, bounds: Float64Array.of(0, 0x10, 0x20), firstRow: 0 }]);
  const cells = { rows, kinds: -1, counts: new Uint32Array(2), firstCell: 0 };
  expect(decoder.countPlain!(window, decoder.initial, 9, cells)).toEqual({ records: 0, state: decoder.initial });
  const batch = createBatch(1);
  const state = decoder.decode(window, decoder.initial, batch);
  expect(decoder.countPlain!(window, state, 3, cells)).toEqual({ records: 3, state: { cpu: 3, rest: -1 } });
  expect([...cells.counts]).toEqual([0, 2]);
});

function opened(format: Format, settings: Settings): Decoder {
  const decoder = format.open(settings);
  if (!decoder.ok) throw new Error(decoder.error.message);
  return decoder.value;
}

function text(characters: string): Uint8Array {
  return new TextEncoder().encode(characters);
}

function windowOf(bytes: Uint8Array): Window {
  const end = bytes.length;
  return { bytes, length: end, base: 0, position: 0, end, lastLineEnd: end, fileEnd: end };
}

/** Decodes `most` records at a time, and before each time counts up to `skim` plain records instead. */
function readAll(decoder: Decoder, bytes: Uint8Array, most: number, skim: () => number): Counted {
  const window = windowOf(bytes);
  const batch = createBatch(most);
  const counts = new Uint32Array(BOUNDS.length - 1);
  const rows = addressRows([{ low: LOW, bounds: BOUNDS, firstRow: 0 }]);
  const cells: AddressCells = { rows, kinds: READS_AND_WRITES, counts, firstCell: 0 };
  const diagnostics: unknown[] = [];
  const gaps: unknown[] = [];
  let state = decoder.initial;
  let records = 0;
  let plain = 0;
  while (window.position < window.end) {
    const counted = decoder.countPlain!(window, state, skim(), cells);
    records += counted.records;
    plain += counted.records;
    ({ state } = counted);
    resetBatch(batch, records);
    state = decoder.decode(window, state, batch);
    records += batch.count;
    countDecoded(batch, counts);
    diagnostics.push(...batch.diagnostics.list());
    gaps.push(...batch.gaps);
  }
  return {
    counts: [...counts],
    records,
    exit: state,
    position: window.position,
    diagnostics: summed(diagnostics),
    gaps,
    plain,
  };
}

/** Row of a record, found by testing every bound. */
function countDecoded(batch: Batch, counts: Uint32Array): void {
  for (let i = 0; i < batch.count; i++) {
    if ((batch.flags[i]! & FLAG.address) === 0 || (READS_AND_WRITES & (1 << batch.kind[i]!)) === 0) continue;
    if (batch.addressHigh[i] !== 0) continue;
    const distance = batch.addressLow[i]! - LOW;
    const row = BOUNDS.findIndex((bound, at) => bound <= distance && distance < (BOUNDS[at + 1] ?? -1));
    if (row >= 0) counts[row] = counts[row]! + 1;
  }
}

/** Per code, how often a diagnostic was counted over all batches, and its first record. */
function summed(list: readonly unknown[]): readonly unknown[] {
  const sums = new Map<string, { count: number; first: number }>();
  for (const { code, count, firstRecord } of list as { code: string; count: number; firstRecord: number }[]) {
    const known = sums.get(code) ?? { count: 0, first: firstRecord };
    sums.set(code, { count: known.count + count, first: Math.min(known.first, firstRecord) });
  }
  return [...sums].sort();
}
