/** Of samples of every format a report can be made that says nothing but what the trace gives. */
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startEngine } from '../../electron/engine/engine.ts';
import { pageRows } from '../../shared/requests/addresses.ts';
import { FORMATS } from '../../shared/formats/index.ts';
import { findSamples, openSample } from '../laws/samples.ts';
import { few } from '../short-form.ts';
import { ask } from './ask.ts';
import { scratch } from './traces.ts';

const place = scratch();
const engine = startEngine({
  indexDirectory: path.join(place.folder, 'index'),
  dataDirectory: place.folder,
  jobs: 1,
});
afterAll(async () => {
  await engine.close();
  place.dispose();
});

test.each(FORMATS.map((format) => [format.id, format] as const))('samples of %s', async (id, format) => {
  const samples = findSamples().filter((sample) => sample.format === id);
  for (const sample of few(samples, 2)) {
    const file = place.file(`${id}-${sample.name}`, sample.bytes);
    const options = openSample(format, sample).settings;
    const { trace } = await ask(engine, 'open', { path: file, format: id, options, notebook: `${file}.own` });
    const { records } = await ask(engine, 'index', { trace });
    const numbers = [...new Set([Math.floor(records / 2), records - 1])].filter((n) => n >= 0);
    const [found] = pageRows(await ask(engine, 'pages', { trace, size: 4096 }));
    const put = numbers.map((n) => ({
      id: `note-${String(n)}`,
      title: `Note ${String(n)}`,
      text: 'Text',
      colour: 'blue' as const,
      tags: [],
      place: { n, ...(found === undefined ? {} : { address: found.page, length: 32 }) },
    }));
    await ask(engine, 'changeNotebook', { trace, put });
    const plan = await ask(engine, 'reportPlan', { trace });
    expect(plan.parts.filter(({ kind }) => kind === 'note').length, sample.name).toBe(numbers.length);
    const { files } = await ask(engine, 'report', { trace, plan, as: 'html' });
    const report = new TextDecoder().decode(files[0]?.bytes);
    expect(report.length, sample.name).toBeGreaterThan(5000);
    const verified = await ask(engine, 'verify', { trace, report });
    expect(verified, sample.name).toEqual({ checked: plan.parts.length, differing: [] });
    await ask(engine, 'close', { trace });
  }
});
