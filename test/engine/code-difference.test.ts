/** The code of two runs. The other run is the first one without its records after the 40th instruction, so it lacks `copy` and `show`. */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { ask } from './ask.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const SAMPLE = fileURLToPath(new URL('../samples/tarmac/fault-off-by-one/', import.meta.url));

const engine = sharedEngine();
const place = scratch();
afterAll(async () => {
  await engine.close();
  place.dispose();
});

async function opened(file: string): Promise<string> {
  const images = [{ path: path.join(SAMPLE, 'program.elf') }];
  const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac', images });
  await ask(engine, 'index', { trace });
  return trace;
}

test('pairs functions with their places, and lists lines with another count', async () => {
  const text = fs.readFileSync(path.join(SAMPLE, 'trace.txt'), 'utf8');
  const cut = text.indexOf('\n', text.indexOf('IT (40)')) + 1;
  const trace = await opened(path.join(SAMPLE, 'trace.txt'));
  const other = await opened(place.file('other.txt', text.slice(0, cut)));
  const found = await ask(engine, 'codeDifference', { trace, other });
  const at = (address: string, line: number) => ({ address, file: 'fault-off-by-one.c', line });
  const copy = { name: 'copy', onlyA: 2, onlyB: 0, placeA: at('0x815c', 19), placeB: at('0x815c', 19) };
  expect(found.functions.find(({ name }) => name === 'copy')).toMatchObject({
    ...copy,
    // Three instructions before its loop of four, which runs five times, and the return.
    a: { count: 1, self: 24, instructions: { covered: 8, total: 8 } },
    b: { count: 0, self: 0, instructions: { covered: 0, total: 8 } },
  });
  expect(found.lines[0]).toMatchObject({ a: { line: 21, count: 5 }, b: { line: 21, count: 0 } });
  expect(found).toMatchObject({ shift: '0', left: 0, totals: { both: 5, onlyA: 6, onlyB: 0, neither: 1 } });
  const back = await ask(engine, 'codeDifference', { trace: other, other: trace });
  expect(back.totals).toMatchObject({ both: 5, onlyA: 0, onlyB: 6, neither: 1 });
  expect(await ask(engine, 'codeDifference', { trace, other: trace })).toMatchObject({ lines: [] });
});
