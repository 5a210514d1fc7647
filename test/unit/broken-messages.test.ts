/** Branches next to damaged messages keep every known end, and nothing is claimed about the code between them. */
import { expect, test } from 'vitest';
import { createJoiner } from '../../electron/engine/flow/events/join.ts';
import { createBatch, resetBatch } from '../../shared/records/batch.ts';
import { EVENT, type Events } from '../../shared/flow/events.ts';
import { formatById } from '../../shared/formats/index.ts';

/** Record, source and target of each event, with `|` before an event that follows a gap; stretches are `stretch` records long. */
function reported(id: string, text: string, stretch: number): readonly string[] {
  const opened = formatById(id)?.open({});
  if (opened?.ok !== true || opened.value.flow === undefined) throw new Error(`${id} has no branches`);
  const bytes = new TextEncoder().encode(text);
  const size = bytes.length;
  const window = { bytes, length: size, base: 0, position: 0, end: size, lastLineEnd: size, fileEnd: size };
  const reader = opened.value.flow.createReader();
  const joiner = createJoiner(opened.value.flow);
  const batch = createBatch(stretch);
  const all: string[] = [];
  let state = opened.value.initial;
  let records = 0;
  while (window.position < window.end) {
    resetBatch(batch, records);
    state = opened.value.decode(window, state, batch);
    records += batch.count;
    reader.add(window, batch);
    all.push(...asText(joiner.add(reader.finish())));
  }
  return [...all, ...asText(joiner.end())];
}

function asText({ count, record, flags, sourceLow, targetLow }: Events): readonly string[] {
  return Array.from({ length: count }, (_, k) => {
    const mark = flags[k]!;
    const end = (flag: number, column: Uint32Array): string => ((mark & flag) === 0 ? '-' : column[k]!.toString(16));
    const ends = `${end(EVENT.source, sourceLow)}>${end(EVENT.target, targetLow)}`;
    return `${(mark & EVENT.gap) === 0 ? '' : '| '}${String(record[k])} ${ends}`;
  });
}

test('a damaged branch within a perf sample leaves a gap between its neighbours', () => {
  const sample = (tokens: string): string => `sh 9 [002] 1.000002: ${tokens} \n`;
  // In the file, the newest branch comes first.
  const whole = sample('0x70/0x80/P/-/-/1/RET/-  0x50/0x60/P/-/-/1/CALL/-  0x30/0x40/P/-/-/1/CALL/-');
  const broken = sample('0x70/0x80/P/-/-/1/RET/-  0x50:0x60/P/-/-/1/CALL/-  0x30/0x40/P/-/-/1/CALL/-');
  expect(reported('brstack', `${whole}${broken}junk\n${whole}`, 64)).toEqual([
    '| 2 30>40',
    '1 50>60',
    '0 70>80',
    '| 5 30>40',
    '| 3 70>80',
    '| 9 30>40',
    '8 50>60',
    '7 70>80',
  ]);
});

test('skips speculative branches on the wrong path and branches not taken', () => {
  const sample = [
    'sh 9 [002] 1.000002: 0x70/0x80/P/-/-/1/RET/SPEC_CORRECT_PATH ',
    ' 0x90/0xa0/P/-/-/1/CALL/SPEC_WRONG_PATH  0xb0/0xc0/M/-/-/1//SPEC_WRONG_PATH/x ',
    ' 0x60/0x68/PN/-/-/1/COND/NON_SPEC_CORRECT_PATH  0x30/0x40/P/-/-/1/CALL/NON_SPEC_CORRECT_PATH \n',
  ].join('');
  expect(reported('brstack', sample, 64)).toEqual(['| 4 30>40', '0 70>80']);
});

test.each([64, 1])(
  'leaves a first cycle without a pair if damaged rows follow, in stretches of %i records',
  (stretch) => {
    const rows = [
      '1,0,0,1,DF,00401008,0000000000000000',
      '2,0,0,1,DF,00400108,0800000000000000',
      '3,0,0,1,DF,00402008,0000000000000000',
      '4,0,0,1,DF,00400208,08000##00',
      '5,0,0,1,DF,00400308,0800000000000000',
      '6,0,0,1,DF,00403008,0000000000000000',
      '7,0,0,1,DF,00402018,0800000000000000',
    ];
    const text = ['time_ns,M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]', ...rows, ''].join('\n');
    expect(reported('btm', text, stretch)).toEqual(['1 400100>401000', '2 ->402000', '4 400300>-', '6 402010>403000']);
  },
);
