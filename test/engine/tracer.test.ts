/** Searches find everything in a Tracer line: any register in its list, and an event by a name that the line omits. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '../../electron/engine/engine.ts';
import type { RecordView } from '../../shared/records/record.ts';
import { ask } from './ask.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const SAMPLE = fileURLToPath(new URL('../samples/armtracer/real-swi/trace.txt', import.meta.url));
const place = scratch();
let engine: Engine;
let trace: string;

beforeAll(async () => {
  engine = sharedEngine();
  ({ trace } = await ask(engine, 'open', { path: SAMPLE, format: 'armtracer' }));
  await ask(engine, 'index', { trace });
});

afterAll(async () => {
  await engine.close();
  place.dispose();
});

test('finds a value anywhere in the list of registers', async () => {
  const { records } = await ask(engine, 'find', { trace, kinds: ['register'], value: '0x60000053', limit: 9 });
  expect(records.map(linesOf)).toEqual([
    'R cpsr=60000053',
    'R r14=00008360, cpsr=600000d3, spsr=60000053',
    'R r4=60000053',
  ]);
});

test('finds an event by its name, which the line has only as a number', async () => {
  const { records } = await ask(engine, 'find', { trace, text: 'SWI', limit: 9 });
  expect(records.map(linesOf)).toEqual(['E 0000835C 00000042 3']);
});

// BL f000 f802 at 0x800a leads to 0x800e + 2 * 2, and 4770 is BX LR.
test.each(['', '0000'])(
  'recognises Thumb branches in architectural lines, with %o before their digits',
  async (zeros) => {
    const opcodes = ['800a f000', '800c f802', '8012 4770', '800e 2002'].map((each) => each.replace(' ', ` ${zeros}`));
    const file = place.file(`thumb${zeros}`, opcodes.map((each) => `ITP 0000${each} text\n`).join(''));
    const thumb = await ask(engine, 'open', { path: file, format: 'armtracer', options: { dialect: 'eis' } });
    await ask(engine, 'index', { trace: thumb.trace });
    const { edges } = await ask(engine, 'branches', { trace: thumb.trace });
    expect(edges.map(({ source, target, kind }) => `${kind} ${String(source)} ${String(target)}`)).toEqual([
      'call 0x800c 0x8012',
      'return 0x8012 0x800e',
    ]);
  },
);

function linesOf({ offset, bytes }: RecordView): string {
  return readFileSync(SAMPLE)
    .subarray(offset, offset + bytes)
    .toString('latin1')
    .trimEnd();
}
