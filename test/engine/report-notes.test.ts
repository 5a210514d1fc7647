/** Notes and figures in reports, worked out by hand from the sample; `verify` detects every change in them. */
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEngine, type Engine } from '../../electron/engine/engine.ts';
import type { NoteDraft } from '../../shared/requests/notes.ts';
import type { ReportForm } from '../../shared/requests/reports.ts';
import type { ReportPlan } from '../../shared/report/plan.ts';
import { ask, refusal } from './ask.ts';
import { scratch } from './traces.ts';

const SAMPLE = readFileSync(fileURLToPath(new URL('../samples/tarmac/arm-sort/trace.txt', import.meta.url)));
const NOTES: readonly NoteDraft[] = [
  {
    id: 'value',
    title: 'Where the limit comes from',
    text: 'It is `0x7d000`.',
    colour: 'teal',
    tags: ['limit', 'rom'],
    place: { n: 4, address: '0x806c', length: 4 },
  },
  { id: 'range', title: '', text: '', colour: 'red', tags: [], place: { n: 60, to: 160 } },
];
const PLAN: ReportPlan = {
  title: 'Limits',
  made: '2026-01-31T12:00:00Z',
  parts: [
    { kind: 'note', note: 'value', around: 2 },
    { kind: 'note', note: 'range', around: 0 },
    { kind: 'figure', figure: { figure: 'overview' } },
    { kind: 'figure', figure: { figure: 'heat', from: 10, to: 90 }, caption: 'What *it* touches' },
    { kind: 'figure', figure: { figure: 'graph' } },
    { kind: 'figure', figure: { figure: 'flame', order: 'time' } },
  ],
};

const place = scratch();
let engine: Engine;
let trace: string;

beforeAll(async () => {
  engine = startEngine({ indexDirectory: place.folder, dataDirectory: place.folder, jobs: 1 });
  trace = await open(place.file('sort.log', SAMPLE));
  await ask(engine, 'changeNotebook', { trace, put: NOTES });
});

afterAll(async () => {
  await engine.close();
  place.dispose();
});

async function open(file: string, images: readonly string[] = []): Promise<string> {
  const opened = await ask(engine, 'open', {
    path: file,
    images: images.map((image) => ({ path: image, base: '0x8000' })),
    notebook: path.join(place.folder, 'own.notebook'),
  });
  await ask(engine, 'index', { trace: opened.trace });
  return opened.trace;
}

interface Made {
  readonly text: string;
  readonly files: readonly { readonly name: string; readonly text: string }[];
}

async function make(as: ReportForm, from = trace): Promise<Made> {
  const { files } = await ask(engine, 'report', { trace: from, plan: PLAN, as, name: 'limits' });
  const [main, ...beside] = files.map(({ name, bytes }) => ({ name, text: new TextDecoder().decode(bytes) }));
  return { text: main?.text ?? '', files: beside };
}

function partOf(report: string, part: number): string {
  const found = new RegExp(`<!-- part ${String(part)} .*?-->\n(.*)<!-- end of part ${String(part)} `, 's').exec(report);
  return found?.[1] ?? '';
}

/** Visible text of a part, one line per row. */
function shown(html: string): string {
  return html
    .replaceAll(/<\/t[dh]>|<\/dt>/g, ' | ')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&gt;', '>')
    .replaceAll(/( \| )+\n/g, '\n')
    .replaceAll(/\n+/g, '\n')
    .trim();
}

describe('a note', () => {
  test('shows its records, registers and memory', async () => {
    const { text } = await make('html');
    expect(shown(partOf(text, 1)).split('\n').slice(0, 17)).toEqual([
      'Where the limit comes from',
      expect.stringMatching(/^Record 4Address 0x806c, 4 bytesWritten .* UTClimitrom$/),
      'It is 0x7d000.',
      'Context: records 2 to 6',
      'Record | Time | Address | Text and effects | Marks',
      '2 | 1 |  | ↳ r0 = 0x7c000',
      '3 | 2 | 0x8004 | ldr r1, [pc, #0x60] | svc',
      '4 | 2 | 0x806c | ↳ read 4 bytes: 0x7d000',
      '5 | 2 |  | ↳ r1 = 0x7d000',
      '6 | 3 | 0x8008 | ldr r2, [pc, #0x60] | svc',
      'Registers of CPU 0 after record 4',
      'r0 | 0x7c000 since 2',
      'Memory after record 4; ?? is unknown',
      'Address | Bytes | Text',
      '0x8060 | ?? ?? ?? ?? ?? ?? ?? ?? 00 c0 07 00 00 d0 07 00 | ················',
      'Call stack of CPU 0 at record 4, innermost first',
      'Function',
    ]);
  });

  test('names the commands, records and bytes of its data', async () => {
    const { text } = await make('html');
    const lines = SAMPLE.toString().split('\n');
    const offset = (record: number): number => lines.slice(0, record).join('\n').length + (record > 0 ? 1 : 0);
    const grouped = (n: number): string => n.toLocaleString('en');
    expect(partOf(text, 1)).toContain(
      `<code>tracebench records TRACE --from 2 --count 5</code><br>Records 2 to 6 (bytes ${grouped(offset(2))} to ${grouped(offset(7) - 1)})`,
    );
    expect(partOf(text, 1)).toContain(
      '<code>tracebench registers TRACE --at 4 --cpu 0</code><br>Records 0 to 4 (bytes 0 to',
    );
    expect(partOf(text, 1)).toContain('<code>tracebench memory TRACE --at 4 --address 0x8060 --length 16</code>');
  });

  test('on a long range shows both ends', async () => {
    const rows = shown(partOf((await make('html')).text, 2)).split('\n');
    expect(rows[0]).toBe('Record 60');
    expect(rows).toContain('Context: records 60 to 159');
    const numbers = rows.flatMap((row) => /^(\d+) \|/.exec(row)?.[1] ?? []).map(Number);
    expect(numbers.slice(0, 40)).toEqual([...count(60, 20), ...count(140, 20)]);
    expect(rows.filter((row) => row.includes('60 records are left out here'))).toHaveLength(1);
  });
});

function count(from: number, number: number): number[] {
  return Array.from({ length: number }, (_, i) => from + i);
}

describe('verify', () => {
  test.each(['html', 'md', 'json'] as const)('accepts an unchanged report as %s', async (form) => {
    const { text, files } = await make(form);
    expect(await ask(engine, 'verify', { trace, report: text, files })).toEqual({ checked: 6, differing: [] });
  });

  test('names each altered figure of HTML, in both themes', async () => {
    const { text } = await make('html');
    for (const part of [3, 4, 5, 6]) {
      for (const theme of ['light', 'dark']) {
        const start = text.indexOf(`<div class="${theme}">`, text.indexOf(`<!-- part ${String(part)} `));
        const end = text.indexOf('</svg>', start);
        const drawing = text.slice(start, end);
        const altered = [
          drawing.replace(
            / (width|x|y|d)="(\D?)(\d)(?=[^"]*"[^>]*\/>)/,
            (_, name: string, lead: string, digit: string) => ` ${name}="${lead}${digit === '9' ? '8' : '9'}`,
          ),
          drawing.replace('</svg', '').replace(/<rect[^>]*\/>(?!.*<rect)/s, ''),
          drawing.replace(/fill="#/, 'fill="none" data-fill="#'),
        ];
        for (const other of altered) {
          expect(other).not.toBe(drawing);
          const report = text.slice(0, start) + other + text.slice(end);
          const { differing } = await ask(engine, 'verify', { trace, report });
          expect(differing.map((each) => each.part)).toEqual([part]);
        }
      }
    }
  });

  test('names an altered or missing figure of Markdown', async () => {
    const { text, files } = await make('md');
    expect(files.map(({ name }) => name)).toEqual(['limits.3.svg', 'limits.4.svg', 'limits.5.svg', 'limits.6.svg']);
    const altered = files.map((file) =>
      file.name === 'limits.4.svg' ? { ...file, text: file.text.replace('record', 'recird') } : file,
    );
    const one = await ask(engine, 'verify', { trace, report: text, files: altered });
    expect(one.differing).toEqual([
      {
        part: 4,
        what: 'Heatmap of records 10 to 89',
        how: expect.stringMatching(/^limits\.4\.svg: it shows “.*recird/) as string,
      },
    ]);
    const missing = await ask(engine, 'verify', { trace, report: text, files: files.slice(0, 3) });
    expect(missing.differing).toEqual([
      { part: 6, what: expect.any(String) as string, how: 'its drawing, limits.6.svg, is not next to the report' },
    ]);
  });

  test('names an altered figure of JSON', async () => {
    const { text } = await make('json');
    const report = text.replace(/("light": "<svg.*?width=\\")(\d)/s, '$18');
    expect(report).not.toBe(text);
    const { differing } = await ask(engine, 'verify', { trace, report });
    expect(differing.map(({ part }) => part)).toEqual([3]);
  });

  test('needs neither the notebook nor the original file name', async () => {
    const { text, files } = await make('md');
    const moved = await open(place.file('renamed.txt', SAMPLE));
    expect((await ask(engine, 'verify', { trace: moved, report: text, files })).differing).toEqual([]);
    const { text: html } = await make('html');
    expect((await ask(engine, 'verify', { trace: moved, report: html })).differing).toEqual([]);
  });

  test('reports the size and the SHA-256 of another file', async () => {
    const { text } = await make('html');
    expect(/<dt>SHA-256<\/dt><dd><code[^>]*>([0-9a-f]{64})</.exec(text)?.[1]).toBe(
      createHash('sha256').update(SAMPLE).digest('hex'),
    );
    const other = Buffer.from(SAMPLE);
    other[other.length - 4] = other[other.length - 4] === 0x30 ? 0x31 : 0x30;
    const found = await ask(engine, 'verify', { trace: await open(place.file('other.log', other)), report: text });
    expect(found.differing[0]).toMatchObject({ part: 0, how: expect.stringContaining('trace.sha256') as string });
  });

  test('requests the image of the report by name and digest', async () => {
    const image = place.file('rom.bin', new Uint8Array(64).fill(7));
    const file = place.file('with-image.log', SAMPLE);
    const { text } = await make('html', await open(file, [image]));
    expect(text).toContain('rom.bin');
    const without = await refusal(engine, 'verify', { trace: await open(file), report: text });
    expect(without.message).toMatch(
      /^the report was made with the image rom\.bin \(64 bytes, SHA-256 [0-9a-f]{64}.*\); name it with --image$/,
    );
    const moved = await ask(engine, 'open', { path: file, images: [{ path: image, base: '0x9000' }] });
    await ask(engine, 'index', { trace: moved.trace });
    expect((await refusal(engine, 'verify', { trace: moved.trace, report: text })).message).toMatch(
      /^the report was made with the image rom\.bin \(64 bytes, SHA-256 [0-9a-f]{64}, at 0x8000\)/,
    );
    writeFileSync(image, new Uint8Array(64).fill(8));
    expect((await refusal(engine, 'verify', { trace: await open(file, [image]), report: text })).code).toBe('images');
    writeFileSync(image, new Uint8Array(64).fill(7));
    const again = await ask(engine, 'verify', { trace: await open(file, [image]), report: text });
    expect(again.differing).toEqual([]);
  });

  test('reports the image as opened, even if its file has changed', async () => {
    const bytes = new Uint8Array(64).fill(7);
    const image = place.file('rom.bin', bytes);
    const file = place.file('rebuilt.log', SAMPLE);
    const opened = await open(file, [image]);
    writeFileSync(image, new Uint8Array(80).fill(8));
    const { text } = await make('md', opened);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(text).toContain(`rom.bin, 64 bytes, at 0x8000, SHA-256 ${sha256}`);
    rmSync(image);
    expect((await make('md', opened)).text).toBe(text);
  });

  test('quotes file names and options for a shell', async () => {
    const image = place.file("my rom's.bin", new Uint8Array(64).fill(7));
    const { text } = await make('md', await open(place.file('my run.log', SAMPLE), [image]));
    expect(text).toContain(String.raw`tracebench verify REPORT 'my run.log' --image 'my rom'\''s.bin@0x8000'`);
    expect(text).toContain(String.raw` --option unit=clk --image 'my rom'\''s.bin@0x8000'`);
  });
});

test('reports notes past the end of a truncated trace without context', async () => {
  const notebook = path.join(place.folder, 'cut.notebook');
  const file = place.file('cut.log', SAMPLE.subarray(0, 1000));
  const bare = { text: '', colour: 'blue', tags: [] } as const;
  const noted = async (put: readonly NoteDraft[]): Promise<string> => {
    const opened = await ask(engine, 'open', { path: file, notebook });
    await ask(engine, 'index', { trace: opened.trace });
    await ask(engine, 'changeNotebook', { trace: opened.trace, put });
    return opened.trace;
  };
  await noted([{ id: 'first', title: 'First', ...bare, place: { n: 0 } }]);
  writeFileSync(file, SAMPLE);
  await noted([
    { id: 'behind', title: 'Behind', ...bare, place: { n: 150 } },
    { id: 'across', title: 'Across', ...bare, place: { n: 10, to: 160 } },
  ]);
  writeFileSync(file, SAMPLE.subarray(0, 1000));
  const cut = await noted([]);
  const { records } = await ask(engine, 'info', { trace: cut });
  expect(records).toBeLessThan(150);
  const plan: ReportPlan = { title: 'x', parts: ['behind', 'across'].map((note) => ({ kind: 'note', note })) };
  const { files } = await ask(engine, 'report', { trace: cut, plan, as: 'html' });
  const html = new TextDecoder().decode(files[0]?.bytes);
  const behind = shown(partOf(html, 1));
  expect(behind).toContain('Record 150');
  expect(behind).toContain('The note points past the last record of the trace.');
  expect(behind).not.toContain('Context:');
  const across = shown(partOf(html, 2));
  expect(across).toContain('Records 10 to 159');
  expect(across).toContain(
    `The note extends past the last record of the trace, which is record ${String(records - 1)}.`,
  );
  expect((await ask(engine, 'verify', { trace: cut, report: html })).differing).toEqual([]);
});

test.each(['html', 'md'] as const)(
  'shows bidirectional controls in %s by name, however they were written',
  async (as) => {
    const plan: ReportPlan = {
      title: 'x',
      parts: [{ kind: 'text', text: 'a &#x202e;b&rlm; \u2066c `d\u202e` &#12;e' }],
    };
    const { files } = await ask(engine, 'report', { trace, plan, as });
    const [text = ''] = new TextDecoder().decode(files[0]?.bytes).split(/tracebench-report[^:]/);
    expect(text.replaceAll('\\[', '[').replaceAll('\\]', ']')).toMatch(
      /a \[U\+202E\]b\u200f \[U\+2066\]c .*d\[U\+202E\].* \[U\+000C\]e/,
    );
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\f]/);
  },
);

test('refuses a plan with a missing note', async () => {
  const plan: ReportPlan = { title: 'x', parts: [{ kind: 'note', note: 'gone' }] };
  expect(await refusal(engine, 'report', { trace, plan, as: 'html' })).toEqual({
    code: 'no-such-note',
    message: 'there is no note gone in the notebook; remove it from the plan',
  });
});

test('includes the first notes of very many and says how many are left out', async () => {
  const opened = await ask(engine, 'open', {
    path: place.file('many.log', SAMPLE),
    notebook: path.join(place.folder, 'many.notebook'),
  });
  await ask(engine, 'index', { trace: opened.trace });
  const put = count(0, 502).map((n): NoteDraft => {
    return { id: `n${String(n)}`, title: '', text: '', colour: 'grey', tags: [], place: { n: n % 200 } };
  });
  await ask(engine, 'changeNotebook', { trace: opened.trace, put });
  const { parts } = await ask(engine, 'reportPlan', { trace: opened.trace });
  expect(parts.filter(({ kind }) => kind === 'note')).toHaveLength(500);
  expect(parts.filter(({ kind }) => kind === 'text')).toEqual([
    { kind: 'text', text: 'The notebook has 2 more notes, which this report leaves out.' },
  ]);
});

test('names the omitted bytes of a note and the range of a table', async () => {
  const long: NoteDraft = { ...NOTES[0]!, id: 'long', place: { n: 4, address: '0x8068', length: 1000 } };
  await ask(engine, 'changeNotebook', { trace, put: [long] });
  const plan: ReportPlan = {
    title: 'Parts',
    made: '2026-01-31T12:00:00Z',
    sha256: false,
    parts: [
      { kind: 'note', note: 'long' },
      { kind: 'note', note: 'value' },
      { kind: 'table', table: 'functions', from: 10, to: 90 },
      { kind: 'table', table: 'branches', from: 0, to: 1_000_000 },
      { kind: 'table', table: 'pages' },
    ],
  };
  const { files } = await ask(engine, 'report', { trace, plan, as: 'md', name: 'parts' });
  const text = new TextDecoder().decode(files[0]!.bytes);
  // 16 rows starting at 0x8060, of a range that ends at 0x8068 + 1000.
  expect(text.match(/^[\d,]+ more bytes.*$/gm)).toEqual(['752 more bytes, starting at 0x8160, are left out.']);
  expect(text.match(/^## .*$/gm)?.slice(2, -2)).toEqual([
    '## Hottest functions: records 10 to 89',
    '## Hottest branches',
    '## Busiest pages',
  ]);
  expect((await ask(engine, 'verify', { trace, report: text })).differing).toEqual([]);
});
