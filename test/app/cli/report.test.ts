// `report` and `verify` as scripts use them.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInside } from '../run-cli.ts';
import { cli, folder, json, own, traceOf } from './driver.ts';

const TRACE = traceOf('tarmac/arm-sort');

test('report and verify work in every form, and verify names a changed number', async () => {
  for (const form of ['html', 'md', 'json']) {
    const output = join(folder, `plain.${form}`);
    const made = (await json(['report', TRACE, '-o', output, '--title', 'Sorting'])) as {
      readonly path: string;
      readonly bytes: number;
    };
    const text = readFileSync(output, 'utf8');
    expect(made).toMatchObject({ path: output, bytes: Buffer.byteLength(text) });
    expect(text).toContain('Sorting');
    expect(await json(['verify', output, TRACE])).toEqual({ checked: expect.any(Number) as number, differing: [] });
  }
  const text = readFileSync(join(folder, 'plain.html'), 'utf8');
  const altered = text.replace('<dt>Records</dt><dd>200</dd>', '<dt>Records</dt><dd>201</dd>');
  expect(altered).not.toBe(text);
  writeFileSync(join(folder, 'altered.html'), altered);
  const { code, stdout, stderr } = await cli(['verify', join(folder, 'altered.html'), TRACE]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^part \d, Summary: it shows “.*Records 201 .*”, but the trace gives “.*Records 200 .*”\n$/);
  expect(stderr).toMatch(/altered\.html: one part differs from the trace; do not rely on this report\n$/);
});

test('a report in JSON contains escapes for characters that a terminal obeys, and can be verified', async () => {
  const output = join(folder, 'escaped.json');
  const title = 'a\u202eb \u2066c\u2069 \u009b31m \u007f\ufeff é';
  const plan = join(folder, 'escaped-plan.json');
  writeFileSync(plan, JSON.stringify({ title, parts: [{ kind: 'text', text: title }, { kind: 'summary' }] }));
  expect((await cli(['report', TRACE, '--plan', plan, '-o', output])).code).toBe(0);
  const text = readFileSync(output, 'utf8');
  expect(text).not.toMatch(/[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/);
  expect(text).toContain('a\\u202eb \\u2066c\\u2069 \\u009b31m \\u007f\\ufeff é');
  const { plan: kept } = JSON.parse(text) as { readonly plan: { readonly parts: readonly object[] } };
  expect(kept.parts[0]).toMatchObject({ text: title });
  expect(await json(['verify', output, TRACE])).toMatchObject({ differing: [] });
});

test('a plan defines the parts of a report', async () => {
  const plan = join(folder, 'plan.json');
  writeFileSync(
    plan,
    JSON.stringify({
      title: 'Mine',
      sha256: false,
      parts: [{ kind: 'text', text: 'Only *this*.' }, { kind: 'diagnostics' }],
    }),
  );
  const output = join(folder, 'mine.md');
  expect((await cli(['report', TRACE, '--plan', plan, '-o', output])).code).toBe(0);
  const text = readFileSync(output, 'utf8');
  expect(text).toMatch(/^# Mine\n/);
  expect(text).toContain('- **SHA-256:** left out\n');
  expect([...text.matchAll(/^## (.*)$/gm)].map(([, title]) => title)).toEqual([
    'Diagnostics',
    'The trace',
    'How this report was made',
  ]);
});

test.each([
  ['no file to write', ['report', TRACE], 2, /name the output file with -o/],
  ['an unknown form', ['report', TRACE, '-o', 'x.docx'], 2, /must end in \.html, \.md, \.json or \.pdf, not 'x\.docx'/],
  [
    'a missing notebook',
    ['report', TRACE, '-o', join(folder, 'x.html'), '--notebook', join(folder, 'none')],
    1,
    /none/,
  ],
  [
    'a missing plan',
    ['report', TRACE, '-o', join(folder, 'x.html'), '--plan', join(folder, 'none')],
    2,
    /cannot be read/,
  ],
  ['a file that is no report', ['verify', TRACE, TRACE], 1, /this report cannot be verified/],
  ['a missing report', ['verify', join(folder, 'none'), TRACE], 1, /cannot be read/],
  ['only one of the two', ['verify', TRACE], 2, /verify: name/],
])('explains %s in a sentence', async (_, args, code, sentence) => {
  const found = await cli(args);
  expect(found.stdout).toBe('');
  expect(found.code).toBe(code);
  expect(found.stderr).toMatch(sentence);
});

test('a PDF without a browser fails before any work', async () => {
  const output = join(folder, 'none.pdf');
  const env = { TRACEBENCH_BROWSER: join(folder, 'no-browser') };
  const { code, stderr } = await runInside(['report', TRACE, '--quiet', ...own(), '-o', output], { env });
  expect(code).toBe(1);
  expect(stderr).toBe(
    `tracebench: TRACEBENCH_BROWSER names ${env.TRACEBENCH_BROWSER}, which does not exist; set it to a Chromium or Chrome\n`,
  );
  expect(existsSync(output)).toBe(false);
});

test("writes no file if one of a report's files cannot be written", async () => {
  const place = join(folder, 'stuck');
  mkdirSync(join(place, 'x.2.svg'), { recursive: true });
  const { code, stderr } = await cli(['report', TRACE, '-o', join(place, 'x.md'), '--parts', 'summary,figure']);
  expect(code).toBe(1);
  expect(stderr).toMatch(/x\.2\.svg: this is not an ordinary file/);
  expect(readdirSync(place)).toEqual(['x.2.svg']);
});
