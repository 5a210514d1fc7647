/** Straight runs of hand-written traces, as the reader of branch events reports them and as a part of the records has them. */
import { describe, expect, test } from 'vitest';
import { createCodeCounter } from '../../../electron/engine/index/builders/code/code-counter.ts';
import type { CodeTable } from '../../../electron/engine/index/builders/code/code-table.ts';
import { createRunReader } from '../../../electron/engine/queries/coverage/run-reader.ts';
import { assert } from '../../../shared/base/result.ts';
import { joinAddress, toHex } from '../../../shared/base/units.ts';
import { formatById } from '../../../shared/formats/index.ts';
import { createBatch, resetBatch, type Batch } from '../../../shared/records/batch.ts';
import type { Window } from '../../../shared/format/format.ts';

const opened = formatById('lackey')?.open({});
assert(opened?.ok === true, 'the format opens with its defaults');
const decoder = opened.value;

const CASES: readonly (readonly [name: string, lines: readonly string[], runs: readonly string[]])[] = [
  ['ends a run where memory has a gap', ['1000,4', '1004,2', '2000,4'], ['0x1000-0x1004 1', '0x2000-0x2000 1']],
  [
    'counts a loop once for each round',
    ['1000,4', '1004,4', '1000,4', '1004,4', '1000,4'],
    ['0x1000-0x1004 2', '0x1000-0x1000 1'],
  ],
  [
    'ends a run where the upper half of addresses changes',
    ['fffffffc,4', '100000000,4', '100000004,4', '5000,4'],
    ['0xfffffffc-0xfffffffc 1', '0x100000000-0x100000004 1', '0x5000-0x5000 1'],
  ],
  [
    'starts at another place after the last instruction below the limit',
    ['fffffff8,4', 'fffffffc,4', '5000,4'],
    ['0xfffffff8-0xfffffffc 1', '0x5000-0x5000 1'],
  ],
  [
    'counts each execution of an instruction without a size',
    ['1000,4', '1004,0', '1004,0', '1004,4', '1008,4'],
    ['0x1000-0x1004 1', '0x1004-0x1004 1', '0x1004-0x1008 1'],
  ],
];

describe.each(CASES)('%s', (_name, lines, runs) => {
  test.each([1, 2, 64])('as branch events are read, in batches of %i records', (records) => {
    const counter = createCodeCounter();
    const reader = decoder.flow?.createReader();
    read(lines, records, (window, batch) => reader?.add(window, batch, counter));
    expect(textOf(counter.finish(reader?.finish(counter).events))).toEqual(runs);
  });

  test('as a part of the records is read', () => {
    const counter = createCodeCounter();
    const reader = createRunReader(counter);
    read(lines, 2, (_window, batch) => reader.add(batch, 0, batch.count));
    reader.finish();
    expect(textOf(counter.finish(undefined))).toEqual(runs);
  });
});

test('counts the part of a run that begins before the records asked for', () => {
  const counter = createCodeCounter();
  const reader = createRunReader(counter);
  read(['1000,4', '1004,4', '1008,4', '100c,4'], 64, (_window, batch) => {
    reader.pass(batch, 0, 2);
    reader.add(batch, 2, 4);
  });
  reader.finish();
  const table = counter.finish(undefined);
  expect(textOf(table)).toEqual(['0x1008-0x100c 1']);
  expect([...table.followed.columns.low.subarray(0, table.followed.count)]).toEqual([0x1004]);
});

function read(lines: readonly string[], records: number, visit: (window: Window, batch: Batch) => void): void {
  const bytes = new TextEncoder().encode(lines.map((line) => `I  ${line}\n`).join(''));
  const size = bytes.length;
  const window = { bytes, length: size, base: 0, position: 0, end: size, lastLineEnd: size, fileEnd: size };
  const batch = createBatch(records);
  let state = decoder.initial;
  for (let first = 0; window.position < window.end; first += batch.count) {
    resetBatch(batch, first);
    state = decoder.decode(window, state, batch);
    visit(window, batch);
  }
}

function textOf({ runs: { count, columns } }: CodeTable): string[] {
  const { high, low, last, times } = columns;
  const place = (row: number, column: Uint32Array): string => toHex(joinAddress(column[row]!, high[row]!));
  return Array.from({ length: count }, (_, row) => `${place(row, low)}-${place(row, last)} ${times[row]}`);
}
