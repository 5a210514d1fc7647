/** A new format is one folder and one line in a list: only a format's own files use its id. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { FORMATS } from '../../shared/formats/index.ts';

const root = path.resolve(import.meta.dirname, '../..');
/** Code for one format: decoders, followers of trace buffers, and sample writers. */
const OWN = ['shared/formats/', 'electron/engine/flow/captures/', 'electron/sample/writers/'];
/** An export form has the same name as the format. */
const EXPORT_FORM = 'din';
const FORMS = [
  'shared/requests/records.ts',
  'electron/engine/queries/records/export-part.ts',
  'electron/cli/commands/export.ts',
];

const ids = FORMATS.map(({ id }) => id);
const QUOTED = new RegExp(`(['"\`])(${ids.join('|')})\\1`, 'g');

function namesIn(file: string): readonly string[] {
  const names = [
    ...fs
      .readFileSync(path.join(root, file), 'utf8')
      .replaceAll(/\/\*[^]*?\*\//g, '')
      .matchAll(QUOTED),
  ];
  return names.map(([, , id]) => id!).filter((id) => id !== EXPORT_FORM || !FORMS.includes(file));
}

test("no file outside of a format's own files names the format", () => {
  const files = ['shared', 'electron', 'renderer', 'present'].flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => `${folder}/${file.replaceAll(path.sep, '/')}`)
      .filter((file) => /\.(ts|svelte)$/.test(file) && !file.includes('/build/')),
  );
  expect(files).toContain('electron/engine/flow/events/read-ahead.ts');
  const found = files
    .filter((file) => !OWN.some((folder) => file.startsWith(folder)))
    .flatMap((file) => namesIn(file).map((id) => `${file}: ${id}`));
  expect(found).toEqual([]);
});

test('finds a quoted name but not one in a comment', () => {
  expect(namesIn('electron/sample/writers/btm.ts')).toEqual(['btm']);
  expect(namesIn('electron/sample/writers/byu6-ascii.ts')).toEqual([]);
});
