/** Figures of the samples: well-formed SVG, the same bytes from every engine, and PNG of the same size. */
import path from 'node:path';
import { PNG } from 'pngjs';
import { afterAll, describe, expect, test } from 'vitest';
import { startEngine, type Engine } from '../../electron/engine/engine.ts';
import { FORMATS } from '../../shared/formats/index.ts';
import { FLAME_ORDERS, type FigureRequest } from '../../shared/report/plan.ts';
import { assert } from '../../shared/base/result.ts';
import { findSamples, openSample, type Sample } from '../laws/samples.ts';
import { assertWellFormed } from '../unit/figure-texts.ts';
import { ask } from './ask.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';
import { rounds } from '../short-form.ts';

const place = scratch();
const engines = [1, 3].map((jobs) =>
  startEngine({ jobs, blockBytes: 2000, indexDirectory: path.join(place.folder, String(jobs)) }),
);
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  place.dispose();
});

/** Maximum samples per format: two engines draw each one in seven ways. */
const MOST_SAMPLES = rounds(1, 3);

const FIGURE_OPTIONS: readonly FigureRequest[] = [
  { figure: 'heat' },
  { figure: 'heat', folded: false, from: 1, to: 20 },
  { figure: 'overview' },
  { figure: 'overview', tracks: ['phases', 'depth', 'accesses', 'memory 0x8000 4', 'register - r0'] },
  ...FLAME_ORDERS.map((order) => ({ figure: 'flame', order }) as const),
  { figure: 'graph' },
];

describe.each(FORMATS.map((format) => [format.id, format] as const))('samples of %s', (id, format) => {
  const samples = findSamples()
    .filter((sample) => sample.format === id)
    .slice(0, MOST_SAMPLES);

  test('two engines draw every figure the same', async () => {
    for (const sample of samples) {
      const wanted = openSample(format, sample).flow === undefined ? FIGURE_OPTIONS.slice(0, 3) : FIGURE_OPTIONS;
      const drawn = [];
      for (const engine of engines) drawn.push(await draw(engine, sample, wanted));
      const [figures = [], again] = drawn;
      expect(again, sample.name).toEqual(figures);
      expect(figures.length, sample.name).toBe(wanted.length);
      for (const svg of figures) {
        assertWellFormed(svg);
        expect(svg).toMatch(
          /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" [^>]*role="img"[^>]*>\n<title>[^<]+<\/title>\n<desc>[^<]+<\/desc>/,
        );
        expect(svg.length).toBeLessThan(400_000);
        expect(svg).not.toContain('NaN');
      }
    }
  });
});

test('a PNG has the size of the SVG, or twice that, and its background', async () => {
  const engine = sharedEngine();
  const [sample] = findSamples();
  assert(sample !== undefined, 'there are samples');
  const trace = await open(engine, sample);
  const requested = { trace, figure: { figure: 'overview' }, theme: 'dark' } as const;
  const svg = new TextDecoder().decode((await ask(engine, 'figure', { ...requested, as: 'svg' })).bytes);
  const [, width, height] = /width="(\d+)" height="(\d+)"/.exec(svg)!.map(Number);
  for (const scale of [1, 2] as const) {
    const { name, bytes } = await ask(engine, 'figure', { ...requested, as: 'png', scale });
    const png = PNG.sync.read(Buffer.from(bytes));
    expect([png.width, png.height]).toEqual([scale * width!, scale * height!]);
    expect([...png.data.subarray(0, 4)]).toEqual([0x12, 0x17, 0x1f, 255]);
    expect(name).toMatch(scale === 1 ? /\.overview\.png$/ : /\.overview@2x\.png$/);
  }
  await engine.close();
});

test('refuses invalid figure options in a sentence', async () => {
  const engine = sharedEngine();
  const sample = findSamples().find((one) => one.format === 'byu6');
  assert(sample !== undefined, 'there is a sample');
  const trace = await open(engine, sample);
  const refused = async (figure: FigureRequest): Promise<string | undefined> => {
    const answer = await engine.request('figure', { trace, figure, as: 'svg' });
    return answer.ok ? undefined : answer.error.message;
  };
  expect(await refused({ figure: 'heat', columns: 1000, rows: 1000 })).toBe(
    'columns times rows of a figure must be at most 360000; request fewer',
  );
  expect(await refused({ figure: 'heat', low: '0x20', high: '0x10' })).toMatch(/0x20 is not less than 0x10$/);
  await engine.close();
});

async function draw(engine: Engine, sample: Sample, wanted: readonly FigureRequest[]): Promise<readonly string[]> {
  const trace = await open(engine, sample);
  const drawn = [];
  for (const figure of wanted) {
    const { bytes } = await ask(engine, 'figure', { trace, figure, as: 'svg' });
    drawn.push(new TextDecoder().decode(bytes));
  }
  return drawn;
}

async function open(engine: Engine, sample: Sample): Promise<string> {
  const format = FORMATS.find(({ id }) => id === sample.format);
  assert(format !== undefined, 'the format of the sample exists');
  const file = place.file(`${sample.format}-${sample.name}`, sample.bytes);
  const options = openSample(format, sample).settings;
  const { trace } = await ask(engine, 'open', { path: file, format: format.id, options });
  await ask(engine, 'index', { trace });
  return trace;
}
