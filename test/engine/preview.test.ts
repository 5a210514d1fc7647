/** A preview shows and refuses the same as opening, and leaves nothing behind. */
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEngine, type Engine } from '../../electron/engine/engine.ts';
import { findSamples } from '../laws/samples.ts';
import { ask, refusal } from './ask.ts';
import { scratch } from './traces.ts';
import { few } from '../short-form.ts';

const place = scratch();
const indexDirectory = path.join(place.folder, 'index');
let engine: Engine;

beforeAll(() => {
  engine = startEngine({ indexDirectory });
});

afterAll(async () => {
  await engine.close();
  place.dispose();
});

test.each(few(findSamples(), 60).map((sample) => [`${sample.format}/${sample.name}`, sample] as const))(
  'shows the records that opening %s shows',
  async (_, { format, options, bytes }) => {
    const file = place.file('trace', bytes);
    fs.rmSync(indexDirectory, { recursive: true, force: true });
    const shown = await ask(engine, 'preview', { path: file, format, options });
    expect(fs.existsSync(indexDirectory)).toBe(false);

    const { trace, format: facts } = await ask(engine, 'open', { path: file, format, options });
    await ask(engine, 'index', { trace });
    const { records } = await ask(engine, 'records', { trace, from: 0, count: 12 });
    expect(shown.records).toEqual(records);
    expect(shown.format).toEqual(facts);
    const { diagnostics } = await ask(engine, 'info', { trace });
    for (const row of shown.diagnostics) {
      const whole = diagnostics.find(({ code }) => code === row.code);
      expect(whole).toMatchObject({ firstOffset: row.firstOffset, firstRecord: row.firstRecord, text: row.text });
      expect(whole?.count).toBeGreaterThanOrEqual(row.count);
    }
    await ask(engine, 'close', { trace });
  },
);

test.each([
  ['din', 'third', 'comment', '0 100 4\n1 200 8\n2 300 note\n0 400 8\n1 500 4\n'],
  [
    'btm',
    'mode',
    'fast',
    `time_ns,M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]\n${[1, 2, 3, 4, 5].map((k) => `${k},0,0,1,DF,0040${k}108,0800000000000000\n`).join('')}`,
  ],
] as const)(
  "of %s, prefers the user's %s=auto to %s, which the file suggests",
  async (format, name, suggested, text) => {
    const file = place.file(`auto-${format}`, text);
    const optionsOf = async (options: Record<string, string>): Promise<string | undefined> =>
      (await ask(engine, 'preview', { path: file, format, options })).format.options[name];
    expect(await optionsOf({})).toBe(suggested);
    expect(await optionsOf({ [name]: 'auto' })).toBe('auto');
    const { trace, format: facts } = await ask(engine, 'open', { path: file, format, options: { [name]: 'auto' } });
    expect(facts.options[name]).toBe('auto');
    await ask(engine, 'close', { trace });
  },
);

test('refuses files with the same sentence as opening', async () => {
  const file = place.file('any', 'anything at all\n');
  const refused = [
    { path: path.join(place.folder, 'none'), format: 'byu6' },
    { path: file, format: 'none' },
    { path: file, format: 'byu6', options: { endian: 'middle' } },
    { path: place.file('empty', ''), format: 'byu6' },
  ];
  for (const args of refused)
    expect(await refusal(engine, 'preview', args)).toEqual(await refusal(engine, 'open', args));
});

test('skips lines before the first record, including many blank ones', async () => {
  const file = place.file('late.txt', `${'\n'.repeat(100)}1 clk R r0 00000001\n`);
  const { records } = await ask(engine, 'preview', { path: file, format: 'tarmac' });
  expect(records.map(({ offset }) => offset)).toEqual([100]);
});

test.each(['openocd', 'hex'])('refuses a file that is too large to be read whole, as %s', async (dialect) => {
  const file = place.file('large', '');
  fs.truncateSync(file, 64 * 1024 * 1024 + 1);
  const args = { path: file, format: 'xscale', options: { dialect } };
  const refused = await refusal(engine, 'preview', args);
  expect(refused).toEqual(await refusal(engine, 'open', args));
  expect(refused).toEqual({
    code: 'too-large',
    message: `${file}: in this format and dialect a file may have at most 67108864 bytes, and this one has 67108865; cut it or choose another format or dialect`,
  });
});
