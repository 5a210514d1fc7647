// Refusals of the command line: one line each, with its exit code.
import { linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInside } from '../run-cli.ts';
import { BYU, traceOf, cli, folder } from './driver.ts';

test.each([
  ['no command', [], 'name a command; `tracebench help` lists them'],
  [
    'a workbench in an unknown format',
    ['serve', BYU, '--format', 'elf', '--no-open'],
    /^there is no format 'elf'; there are byu6, /,
  ],
  [
    'an option without its trace',
    ['serve', '--option', 'endian=big'],
    'serve: --option needs a trace; name it after the command',
  ],
  [
    'a folder of sources without its trace',
    ['serve', '--sources', '.'],
    'serve: --sources needs a trace; name it after the command',
  ],
  [
    'a file as a folder of sources',
    ['serve', BYU, '--sources', BYU, '--no-open'],
    `serve: --sources ${BYU} is not a folder; name the folder of the source files`,
  ],
  ['an unknown command', ['inof'], "there is no command 'inof', perhaps info; `tracebench help` lists them"],
  ['a command with no similar name', ['xyzzy'], "there is no command 'xyzzy'; `tracebench help` lists them"],
  [
    'a long option with one dash',
    ['records', BYU, '-from=5'],
    'records: there is no option -from, perhaps --from; `tracebench help records` lists them',
  ],
  [
    'an unknown letter',
    ['records', BYU, '-n', '5'],
    'records: there is no option -n; `tracebench help records` lists them',
  ],
  [
    'a misspelled option',
    ['find', BYU, '--adress', '0x10'],
    'find: there is no option --adress, perhaps --address; `tracebench help find` lists them',
  ],
  ['no trace', ['info'], 'info: name a trace file'],
  ['an empty file name', ['info', ''], 'info: name a trace file'],
  ['two traces', ['info', BYU, 'b'], "info: 'b' is one argument too many"],
  [
    'an unknown option',
    ['info', BYU, '--frobnicate'],
    'info: there is no option --frobnicate; `tracebench help info` lists them',
  ],
  ['a value for a switch', ['info', BYU, '--strict=1'], '--strict takes no value'],
  [
    'a negative number',
    ['records', BYU, '--from', '-1'],
    "--from must be a record number such as 1000 or 1,000,000, not '-1'",
  ],
  [
    'an option with two values',
    ['records', BYU, '--from', '1', '--count', '1', '--from=5'],
    "--from is given more than once, as '1' and '5'; give it once",
  ],
  [
    'two lists of kinds',
    ['find', BYU, '--kind', 'read', '--kind', 'write', '--count'],
    "--kind is given more than once, as 'read' and 'write'; give it once",
  ],
  [
    'two output files',
    ['heat', BYU, '-o', 'a.svg', '--output', 'b.svg'],
    "--output is given more than once, as 'a.svg' and 'b.svg'; give it once",
  ],
  [
    'an option of the format with two values',
    ['info', BYU, '--option', 'endian=big', '--option', 'endian=little'],
    "--option must be NAME=VALUE with one value for each name, not 'endian=little'",
  ],
  [
    'two export forms',
    ['export', BYU, '--to', 'csv', '--to', 'jsonl', '-o', 'x'],
    "--to must be csv, jsonl, din, parquet, vcd, slice, or a record number such as 1000, each once, not 'jsonl'",
  ],
  ['an option without its value', ['records', BYU, '--from'], '--from needs a value'],
  [
    'a wrong number',
    ['records', BYU, '--from', 'x'],
    "--from must be a record number such as 1000 or 1,000,000, not 'x'",
  ],
  ['an unknown kind', ['find', BYU, '--kind', 'reads'], /^--kind must be one or more of instruction, .*, not 'reads'$/],
  ['no search criteria', ['find', BYU], 'find: give at least one of --address, --kind, --value, --register and --text'],
  [
    'both directions',
    ['find', BYU, '--kind', 'read', '--after', '1', '--before', '2'],
    'find: give --after or --before, not both',
  ],
  ['a page of 5000 bytes', ['pages', BYU, '--size', '5000'], '--size must be a power of two, at least 4096, not 5000'],
  [
    'an address range that ends before it begins',
    ['heat', BYU, '--low', '0x20', '--high', '0x10'],
    '--low must be less than --high, and 0x20 is not less than 0x10',
  ],
  [
    'a reversed address range, refused before a trace is read',
    ['heat', 'missing', '--low', '0x20', '--high', '0x20'],
    '--low must be less than --high, and 0x20 is not less than 0x20',
  ],
  [
    'a sample too small for one record',
    ['sample', '--format', 'byu6', '--size', '5', '-o', 'x'],
    'sample: not one record fits in 5 bytes; ask for a larger size',
  ],
  [
    'an unknown value of an option of a text format',
    ['info', traceOf('tarmac/seed'), '--option', 'endian=middle'],
    'tarmac cannot read endian=middle: choose little or big',
  ],
  [
    'an invalid column mapping',
    ['info', traceOf('btm/address-appended'), '--format', 'btm', '--option', 'columns=level:2'],
    /^btm cannot read columns=level:2: 'level:2' is not NAME:COLUMN with NAME one of /,
  ],
  [
    'a drawing of an unknown kind',
    ['heat', BYU, '-o', 'x.gif'],
    "--output must end in .svg, .png or .json, not 'x.gif'",
  ],
  [
    'an image beyond the highest address',
    ['info', BYU, '--image', 'a.elf@0x10000000000000000'],
    "--image must be a file such as program.elf or rom.bin@0x8000, not 'a.elf@0x10000000000000000'",
  ],
  ['an unknown format', ['info', BYU, '--format', 'x'], /^there is no format 'x'; there are byu6, /],
  ['an unknown option of the format', ['info', BYU, '--option', 'x=1'], /^byu6 has no option x: it has .*endian/],
  [
    'an unknown value of an option',
    ['info', BYU, '--option', 'endian=x'],
    'byu6 cannot read endian=x: choose auto, big or little',
  ],
])('%s is wrong usage: one line, exit code 2', async (_, args, message) => {
  const { code, stdout, stderr } = await cli(args);
  expect(stderr.replace(/^tracebench: /, '').trimEnd()).toEqual(
    typeof message === 'string' ? message : expect.stringMatching(message),
  );
  expect([code, stdout, stderr.split('\n').length]).toEqual([2, '', 2]);
});

test.each([
  ['missing.byu', /^missing\.byu: there is no such file/],
  ['folder', /^folder: this is a folder/],
  ['empty.byu', /^empty\.byu: the file is empty, .*; check /],
  ['text.txt', /^text\.txt: no known trace format fits, at byte 0 /],
  ['packed.gz', /^packed\.gz: it breaks off at byte 16, /],
  ['packed.tar', /^packed\.tar: this is a tar archive, at byte 257; unpack it with tar -xf /],
  ['utf-16.txt', /^utf-16\.txt: this is UTF-16 text, at byte 0; convert it to UTF-8 /],
  [
    'returns.txt',
    /^returns\.txt: its lines end in CR alone, starting at byte \d+; convert them to LF \(tr '\\r' '\\n'\) /,
  ],
])('%s fails: one line that names it, exit code 1', async (name, message) => {
  mkdirSync(join(folder, 'folder'), { recursive: true });
  writeFileSync(join(folder, 'empty.byu'), '');
  writeFileSync(join(folder, 'text.txt'), 'once upon a time\n');
  const text = readFileSync(traceOf('tarmac/arm-sort'), 'utf8');
  writeFileSync(join(folder, 'utf-16.txt'), Buffer.from(text, 'utf16le'));
  writeFileSync(join(folder, 'returns.txt'), text.replaceAll('\n', '\r'));
  const header = Buffer.alloc(512);
  header.write('trace.byu');
  header.write('ustar', 257);
  writeFileSync(join(folder, 'packed.tar'), Buffer.concat([header, readFileSync(BYU)]));
  writeFileSync(join(folder, 'packed.gz'), Buffer.from('1f8b0800000000000003030000000000', 'hex'));
  const { code, stdout, stderr } = await runInside(['info', name, '--json', '--quiet'], { cwd: folder });
  expect(stderr).toMatch(/^tracebench: [^\n]*\n$/);
  expect(stderr.slice('tracebench: '.length)).toMatch(message);
  expect([code, stdout]).toEqual([1, '']);
});

const SYMBOLS = '00400000 T start\n';
const PLAN = '{"parts": [{"kind": "summary"}]}';

test.each([
  ['an image', 'symbols.svg', SYMBOLS, ['heat', BYU, '--image', 'symbols.svg', '-o', 'symbols.svg']],
  ['an image at a base', 'rom.csv', SYMBOLS, ['export', BYU, '--to', 'csv', '--image', 'rom.csv@0x0', '-o', 'rom.csv']],
  ['the second image', 'b.svg', SYMBOLS, ['tree', BYU, '--image', 'symbols.svg', '--image', 'b.svg', '-o', 'b.svg']],
  ['an image', 'c.txt', SYMBOLS, ['notes', 'export', BYU, 'c.txt', '--image', 'c.txt']],
  ['an image', 'd.html', SYMBOLS, ['report', BYU, '--image', 'd.html', '-o', 'd.html']],
  ['the plan', 'plan.json', PLAN, ['report', BYU, '--plan', 'plan.json', '-o', 'plan.json']],
  ['an image by another name', 'e.txt', SYMBOLS, ['export', BYU, '--to', 'csv', '--image', 'e.txt', '-o', 'link.csv']],
])('%s does not overwrite an input file: %s', async (_, name, content, args) => {
  writeFileSync(join(folder, 'symbols.svg'), SYMBOLS);
  writeFileSync(join(folder, name), content);
  if (args.includes('link.csv')) linkSync(join(folder, name), join(folder, 'link.csv'));
  const { code, stdout, stderr } = await runInside([...args, '--index-dir', folder, '--quiet'], { cwd: folder });
  const what = name === 'plan.json' ? 'the plan' : 'an image';
  expect(stderr).toBe(
    `tracebench: ${args.at(-1) ?? ''}: this is ${what}, which is never written to; name another file\n`,
  );
  expect([code, stdout, readFileSync(join(folder, name), 'utf8')]).toEqual([1, '', content]);
});

test.skipIf(process.platform === 'win32')(
  'a file name cannot control the terminal (Windows has no such names)',
  async () => {
    const { stderr } = await cli(['info', 'a\u001b[31m\nb']);
    expect(stderr).toBe('tracebench: a[U+001B][31m b: there is no such file; check the path\n');
  },
);
