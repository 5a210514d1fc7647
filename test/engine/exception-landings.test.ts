/** C++ exceptions end calls by a computed jump to a handler or cleanup code; these tests check the remaining frames. */
import { afterAll, expect, test } from 'vitest';
import { ask } from './ask.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const place = scratch();
const engine = sharedEngine();
afterAll(async () => {
  await engine.close();
  place.dispose();
});

/** Symbols as `nm -S` prints them. */
const SYMBOLS = `00008000 00000100 T main
00008100 00000100 T catcher
00008200 00000100 T thrower
00008300 00000100 T unwind
00008400 00000010 T restore
00008500 00000100 T sort
00008600 00000040 t sort.cold
`;

// ARM Architecture Reference Manual: BL, BX, LDR of the program counter.
const BL = (from: number, to: number): readonly [number, number] => [
  from,
  0xeb000000 + (((to - from - 8) >> 2) & 0xffffff),
];
const BX_IP = 0xe12fff1c;
const BX_LR = 0xe12fff1e;
const LDR_PC = 0xe79ff101;
const NOP = 0xe1a00000;

async function stacksOf(
  name: string,
  steps: readonly (readonly [number, number])[],
  symbols = SYMBOLS,
): Promise<readonly string[]> {
  const lines = steps.map(([address, opcode]) => {
    const [at, code] = [address, opcode >>> 0].map((value) => value.toString(16).padStart(8, '0'));
    return `IT ${at!} ${code!}\n`;
  });
  const { trace } = await ask(engine, 'open', {
    path: place.file(`${name}.txt`, lines.join('')),
    format: 'armtracer',
    images: symbols === '' ? [] : [{ path: place.file(`${name}.nm`, symbols) }],
  });
  await ask(engine, 'index', { trace });
  const stacks: string[] = [];
  for (let at = 0; at < steps.length; at++) {
    const { frames } = await ask(engine, 'stack', { trace, at });
    stacks.push(
      frames
        .toReversed()
        .map((frame) => frame.function + (frame.inferred === true ? '?' : ''))
        .join(' '),
    );
  }
  await ask(engine, 'close', { trace });
  return stacks;
}

test('closes the calls above an open function in which a C++ exception lands', async () => {
  const stacks = await stacksOf('caught', [
    BL(0x8010, 0x8100),
    BL(0x8100, 0x8200),
    BL(0x8200, 0x8300),
    BL(0x8300, 0x8400),
    [0x8400, BX_IP],
    [0x8180, NOP],
    [0x8184, BX_LR],
    [0x8014, NOP],
  ]);
  expect(stacks.slice(4)).toEqual(['main catcher thrower unwind restore', 'main catcher?', 'main catcher?', 'main']);
});

test('marks frames as inferred after a landing without symbols', async () => {
  const steps = [
    BL(0x8010, 0x8100),
    BL(0x8100, 0x8200),
    BL(0x8200, 0x8400),
    [0x8400, BX_IP],
    [0x8180, NOP],
    [0x8184, BX_LR],
    [0x8014, NOP],
  ] as const;
  const stacks = await stacksOf('nameless', steps, '');
  expect(stacks.slice(3)).toEqual([
    '(unknown) 0x8100 0x8200 0x8400',
    ...Array<string>(2).fill('(unknown)? 0x8100? 0x8200? 0x8400?'),
    '(unknown)',
  ]);
});

test('marks frames as inferred after a landing in a function not known to be open', async () => {
  const stacks = await stacksOf('deep', [
    BL(0x8200, 0x8300),
    BL(0x8300, 0x8400),
    [0x8400, BX_IP],
    [0x8180, NOP],
    [0x8184, BX_LR],
    [0x8014, NOP],
  ]);
  expect(stacks[3]).toBe('thrower? unwind? catcher?');
  expect(stacks[5]).toMatch(/main\??$/);
});

test('follows a jump table into the cold part of a function and back', async () => {
  const stacks = await stacksOf('cold', [
    BL(0x8010, 0x8500),
    BL(0x8500, 0x8500),
    [0x8500, LDR_PC],
    [0x8620, LDR_PC],
    [0x8530, BX_LR],
    [0x8504, NOP],
  ]);
  expect(stacks.slice(2)).toEqual(['main sort sort', 'main sort sort.cold', 'main sort sort', 'main sort']);
});
