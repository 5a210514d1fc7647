/** Calls over time, as in the flame graph: a call is not shown while another stack runs, nor before its function was seen. */
import { afterAll, describe, expect, test } from 'vitest';
import type { Arguments } from '../../shared/requests/requests.ts';
import { ask } from './ask.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const place = scratch();
const engine = sharedEngine();
afterAll(async () => {
  await engine.close();
  place.dispose();
});

const symbols = place.file(
  'symbols.txt',
  ['8000 main', '8020 switch', '8040 task', '8060 yield', '8080 work']
    .map((line) => line.replace(' ', ' 00000020 T '))
    .map((line) => `0000${line}\n`)
    .join(''),
);

/** Calls as `function depth from to`, by start. */
async function spansOf(opening: Omit<Arguments<'open'>, 'images'>, from?: number): Promise<readonly string[]> {
  const { trace } = await ask(engine, 'open', { ...opening, images: [{ path: symbols }] });
  await ask(engine, 'index', { trace });
  const { spans } = await ask(engine, 'spans', { trace, ...(from === undefined ? {} : { from }) });
  await ask(engine, 'close', { trace });
  return spans
    .toSorted((a, b) => a.from - b.from || a.depth - b.depth)
    .map(({ function: name, depth, from: first, to, since }) =>
      [name, depth, first, to, ...(since === undefined ? [] : [`since ${since ?? '?'}`])].join(' '),
    );
}

/** Lines with number, address, opcode from `arm-none-eabi-as`, and text. */
function asQemu(lines: readonly string[]): string {
  return lines
    .map((line) => {
      const [, id, code, text] = /(\d+) (\S+ \S+) (.*)/.exec(line)!;
      return `${id} clk 0 IT (${id}) 0000${code} A svc : ${text}\n`;
    })
    .join('');
}

test('ranks functions by their cost in the whole trace, in answers about any range', async () => {
  const file = place.file(
    'ranks.txt',
    asQemu([
      '1 8000 e1a00000 nop',
      '2 8004 eb000005 bl 8020 <switch>',
      '3 8020 e1a00000 nop',
      '4 8024 e12fff1e bx lr',
      '5 8008 eb00001c bl 8080 <work>',
      ...Array.from({ length: 6 }, (_, at) => `${6 + at} 80${(0x80 + 4 * at).toString(16)} e1a00000 nop`),
    ]),
  );
  const { trace } = await ask(engine, 'open', { path: file, images: [{ path: symbols }] });
  await ask(engine, 'index', { trace });
  const answers = await Promise.all(
    [{}, { from: 1, to: 4 }].flatMap((range) => [
      ask(engine, 'tree', { trace, ...range }),
      ask(engine, 'spans', { trace, ...range }),
    ]),
  );
  await ask(engine, 'close', { trace });
  for (const { prominent } of answers) expect(prominent).toEqual(['0x8000', '0x8080', '0x8020']);
});

test('shows calls of a suspended stack while it runs, and calls of the other stack in between', async () => {
  const file = place.file(
    'threads.txt',
    asQemu([
      '1 8000 eb000006 bl 8020 <switch>',
      '2 8020 e1a0d001 mov sp, r1',
      // To a thread that called `switch` before the trace.
      '3 8024 e8bd8000 ldmfd sp!, {pc}',
      '4 8064 e8bd8000 ldmfd sp!, {pc}',
      '5 8048 eb000004 bl 8060 <yield>',
      '6 8060 ebffffee bl 8020 <switch>',
      '7 8020 e1a0d001 mov sp, r1',
      '8 8024 e8bd8000 ldmfd sp!, {pc}',
      '9 8004 e1a00000 nop',
      '10 8008 eb00001c bl 8080 <work>',
      '11 8080 e1a00000 nop',
    ]),
  );
  expect(await spansOf({ path: file })).toEqual([
    'main 1 0 3',
    'switch 2 1 3',
    'task 0 3 8',
    'yield 1 3 4',
    'yield 1 5 8',
    'switch 2 6 8',
    'main 1 8 11',
    'work 2 10 11',
  ]);
  // Calls open at the start of a range are clipped to it and keep the record of their entry.
  expect(await spansOf({ path: file }, 4)).toEqual([
    'task 0 4 8 since ?',
    'yield 1 5 8',
    'switch 2 6 8',
    'main 1 8 11',
    'work 2 10 11',
  ]);
  expect(await spansOf({ path: file }, 7)).toEqual([
    'task 0 7 8 since ?',
    'yield 1 7 8 since 5',
    'switch 2 7 8 since 6',
    'main 1 8 11',
    'work 2 10 11',
  ]);
});

test('does not show code after a gap before the gap', async () => {
  const file = place.file(
    'gap.txt',
    asQemu([
      '1 8000 eb000006 bl 8020 <switch>',
      '2 8020 e1a0d001 mov sp, r1',
      '90 8080 e1a00000 nop',
      '91 8084 e1a00000 nop',
    ]),
  );
  expect(await spansOf({ path: file })).toEqual(['main 0 0 2', 'switch 1 1 2', 'work 0 2 4']);
});

describe('a straight run into the next functions', () => {
  const main = ['8018', '801c'];
  const switched = ['8028', '802c', '8030', '8034', '8038', '803c'];
  const steps = [
    ...[...main, '8020'].map((address) => `${address} e1a00000 nop`),
    '8024 eb000015 bl 8080 <work>',
    '8080 e1a00000 nop',
    '8084 e12fff1e bx lr',
    ...[...switched, '8040', '8044'].map((address) => `${address} e1a00000 nop`),
  ];
  /** Innermost function at each record. */
  const truth = 'main main switch switch work work switch switch switch switch switch switch task task'.split(' ');
  const path = (): string => place.file('runs.txt', asQemu(steps.map((step, n) => `${n + 1} ${step}`)));

  test('is a call of an unknown function between its first record and the record after it', async () => {
    expect(await spansOf({ path: path() })).toEqual([
      'main 0 0 1',
      '(unknown) 0 1 4',
      'switch 0 4 7',
      'work 1 4 6',
      '(unknown) 0 7 13',
      'task 0 13 14',
    ]);
  });

  test('has the function of the call stack, or an unknown one, at each record of the timeline of each range', async () => {
    const { trace } = await ask(engine, 'open', { path: path(), images: [{ path: symbols }] });
    await ask(engine, 'index', { trace });
    for (let n = 0; n < truth.length; n++) {
      const { frames } = await ask(engine, 'stack', { trace, at: n });
      expect(frames[0]?.function).toBe(truth[n]);
    }
    const known: Record<string, string> = {};
    for (let from = 0; from < truth.length; from++) {
      for (let to = from + 1; to <= truth.length; to++) {
        const { edges, top, share, functions } = await ask(engine, 'timeline', { trace, from, to });
        for (const [column, at] of top.entries()) {
          const n = edges[column]!;
          const name = functions[at]?.name ?? '(unknown)';
          if (share[column] !== 1 || edges[column + 1] !== n + 1 || name === '(unknown)') continue;
          expect(name, `record ${n} of ${from} to ${to}`).toBe(truth[n]);
          known[n] = name;
        }
      }
    }
    await ask(engine, 'close', { trace });
    // A range that ends within a run shows its last instruction.
    expect(Object.values(known)).toEqual(truth);
  });
});

test('shows a function without a known entry from its first message', async () => {
  // Fast messages: A31-A4 and D63-D60 are the source, A3 its operand size, D59 is set.
  const rows = [0x8010, 0x8090, 0x8094, 0x8050].map((source) =>
    ['0', '0', '1', 'DF', ((source & ~15) | 8).toString(16), `${(source & 15).toString(16)}800000000000000`].join(','),
  );
  const file = place.file('fast.csv', `M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]\n${rows.join('\n')}\n`);
  const opening = { path: file, format: 'btm', options: { mode: 'fast' } };
  expect(await spansOf(opening)).toEqual(['main 0 0 1', 'work 0 1 3', 'task 0 3 4']);
  expect(await spansOf(opening, 2)).toEqual(['work 0 2 3 since 1', 'task 0 3 4']);
});
