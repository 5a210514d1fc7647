/** Keys of repeated records: which lines share one, so that an export describes only the first of them. The laws compare their fields. */
import { expect, test } from 'vitest';
import { createRepeated } from '../../shared/format/repeated.ts';
import { formatById } from '../../shared/formats/index.ts';
import { createBatch, resetBatch } from '../../shared/records/batch.ts';

interface Keyed {
  readonly key: string;
  readonly value: string;
  readonly words: string;
}

function keysOf(format: string, lines: readonly string[], options: Record<string, string> = {}): readonly Keyed[] {
  const opened = formatById(format)!.open(options);
  if (!opened.ok) throw new Error(opened.error.message);
  const decoder = opened.value;
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const [end, batch, out] = [bytes.length, createBatch(), createRepeated()];
  resetBatch(batch, 0);
  const window = { bytes, length: end, base: 0, position: 0, end, lastLineEnd: end, fileEnd: end };
  decoder.decode(window, decoder.initial, batch);
  return Array.from({ length: batch.count }, (_, i) => {
    if (!decoder.repeats!(bytes, batch.start[i]!, batch.end[i]!, batch, i, out))
      return { key: '', value: '', words: '' };
    const facts = [out.length, batch.native[i], batch.cpu[i], batch.flags[i]].join(' ');
    return {
      key: `${Buffer.from(out.bytes.subarray(0, out.length)).toString('latin1')} ${facts}`,
      value: out.hasValue ? ((BigInt(out.high) << 32n) | BigInt(out.low)).toString(16) : '',
      words: Buffer.from(out.words.subarray(0, out.wordEnds[out.wordCount - 1] ?? 0)).toString(),
    };
  });
}

test.each([
  ['tarmac', ['1 clk MR4 00008000 00000a1b', '22 clk MR4 00009000 12345678'], {}, ['a1b', '12345678'], ['', '']],
  ['tarmac', ['1 clk R r3 00000001', '9 clk R r3 ffffffff'], {}, ['1', 'ffffffff'], ['', '']],
  [
    'tarmac',
    ['8 clk MR4 07ffefd0:000007ffefd0 00000001', '9 clk MR4 07ffefd4:00000000AFD4 00000002'],
    { dialect: 'fastmodels' },
    ['1', '2'],
    ['pa-0x7ffefd0', 'pa-0xafd4'],
  ],
  [
    'tarmac',
    ['500 clk cpu0 IT (1) 00008000 e1a00000 A svc : nop', '750 clk cpu0 IT (2) 00008000 e1a00000 A svc : nop'],
    { dialect: 'gem5' },
    ['', ''],
    ['number-1', 'number-2'],
  ],
  ['armtracer', ['MNR4____ 00008000 E28F8090', 'MNR4____ 00008004 00000001'], {}, ['e28f8090', '1'], ['', '']],
  [
    'armtracer',
    ['R r0=0000000A, cpsr=60000053', 'R r0=00000000, r1=00000002'],
    {},
    ['a', '0'],
    ['"0xa"],["cpsr","0x60000053"]=0000000A, cpsr=60000053', '"0x0"],["r1","0x2"]=00000000, r1=00000002'],
  ],
] as const)('%s: lines of %j share a key, without their values and words', (format, lines, options, values, words) => {
  const [first, second] = keysOf(format, lines, options);
  expect(first!.key).not.toBe('');
  expect(second!.key).toBe(first!.key);
  expect([first!.value, second!.value]).toEqual(values);
  expect([first!.words, second!.words]).toEqual(words);
});

test.each([
  [
    'the number is the time of only one line',
    ['13 clk 0 IT\t(13) 00008000 e1a00000 A svc : nop', '14 clk 0 IT\t(13) 00008000 e1a00000 A svc : nop'],
  ],
  ['another register', ['1 clk R r3 00000001', '1 clk R r4 00000001']],
  ['another size', ['1 clk MR4 00008000 00000001', '1 clk MR2 00008000 0001']],
  [
    'another instruction',
    ['1 clk 0 IT (1) 00008000 e1a00000 A svc : nop', '2 clk 0 IT (2) 00008004 e1a00000 A svc : nop'],
  ],
])('lines have keys of their own: %s', (_, lines) => {
  const [first, second] = keysOf('tarmac', lines);
  expect(second!.key).not.toBe(first!.key);
});
