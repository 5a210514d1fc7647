/** The caller of a function whose call is before the trace is certain once the function has saved the address of its return. */
import { afterAll, expect, test } from 'vitest';
import { ask } from './ask.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const place = scratch();
const engines = [60, 1_200_000].map((blockBytes) => sharedEngine(blockBytes));
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  place.dispose();
});

const SYMBOLS = ['00001000 T task', '00001100 T leaf', '00001200 T main', '00001300 T other', '00001400 T end'];
let files = 0;

/** Functions of the stack at each record, innermost first. `?` follows those that are marked as inferred. */
async function stacksOf(lines: readonly string[], at: readonly number[]): Promise<readonly string[]> {
  const text = lines.map((line, i) => `${i} clk ${line}`).join('\n');
  const file = place.file(`trace-${++files}.tarmac`, `${text}\n`);
  const images = [{ path: place.file(`names-${files}.sym`, `${SYMBOLS.join('\n')}\n`) }];
  const answers: (readonly string[])[] = [];
  for (const engine of engines) {
    const options = { dialect: 'fastmodels' };
    const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac', options, images });
    await ask(engine, 'index', { trace });
    const stacks: string[] = [];
    for (const n of at) {
      const { frames } = await ask(engine, 'stack', { trace, at: n });
      stacks.push(frames.map(({ function: name, inferred }) => (inferred === true ? `${name}?` : name)).join(' '));
    }
    answers.push(stacks);
    await ask(engine, 'close', { trace });
  }
  expect(answers[1]).toEqual(answers[0]);
  return answers[0]!;
}

const PUSH = ['IT (1) 00001000 b500 T thread : PUSH {lr}', 'MW4 20001ffc 00001205'];
const CALL = ['IT (2) 00001002 f000f87d T thread : BL 0x1100', 'IT (3) 00001100 4770 T thread : BX lr'];
const POP = [
  'IT (4) 00001006 bd00 T thread : POP {pc}',
  'MR4 20001ffc 00001205',
  'IT (5) 00001204 bf00 T thread : NOP',
];

test('a saved address shows the caller from the record that saves it', async () => {
  expect(await stacksOf([...PUSH, ...CALL, ...POP], [0, 1, 3])).toEqual(['task main?', 'task main', 'leaf task main']);
});

test('the address of another return shows nothing', async () => {
  const other = POP.map((line) => line.replace('MR4 20001ffc', 'MR4 20002ffc'));
  expect(await stacksOf([...PUSH, ...CALL, ...other], [1, 3])).toEqual(['task main?', 'leaf task main?']);
});

test('an address that was saved before the trace leaves the caller inferred', async () => {
  expect(await stacksOf([...CALL, ...POP], [0, 1])).toEqual(['task main?', 'leaf task main?']);
});

test('an address that is overwritten before the return shows the caller from then on', async () => {
  const written = [...PUSH, CALL[0]!, 'MW4 20001ffc 00001205', CALL[1]!, ...POP];
  expect(await stacksOf(written, [1, 4])).toEqual(['task main?', 'leaf task main']);
});

test('an address that another thread saved does not show the caller of this one', async () => {
  // The task switches to `other` by a return, and `other` switches back by a return to the task.
  const there = [
    'IT (6) 00001006 bd00 T thread : POP {pc}',
    'MR4 20002ffc 00001305',
    'IT (7) 00001304 bf00 T thread : NOP',
  ];
  const back = ['IT (8) 00001306 bd00 T thread : POP {pc}', 'MR4 20001ff8 00001007'];
  expect(await stacksOf([...PUSH, 'MW4 20001ff8 00001007', ...CALL, ...there, ...back, ...POP], [1, 7])).toEqual([
    'task other? task? main?',
    'other? task? main?',
  ]);
});
