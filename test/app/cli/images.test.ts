// `--image`: what ELF files, raw bytes and lists of symbols tell of a trace.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { writeElf } from '../../unit/elf-writer.ts';
import { runCli } from '../run-cli.ts';
import { cli, folder, json, lines, own } from './driver.ts';

const trace = join(folder, 'trace.txt');
const elf = join(folder, 'program.elf');
const list = join(folder, 'program.nm');
const raw = join(folder, 'rom.bin');

beforeAll(() => {
  writeFileSync(
    trace,
    [
      '1 clk 0 IT (1) 00008000 e3a00001 A svc : mov r0, #1',
      '2 clk 0 IT (2) 00008004 eb000001 A svc : bl #0x8010',
      '2 clk MW4 00009002 00000001',
      '3 clk 0 IT (3) 00008010 e12fff1e A svc : bx lr',
      '4 clk 0 IT (4) 00008020 e3a00001 A svc : mov r0, #1',
      '',
    ].join('\n'),
  );
  writeFileSync(
    elf,
    writeElf({
      bits: 32,
      endian: 'little',
      machine: 40,
      sections: [
        { name: '.text', address: 0x8000, bytes: new Uint8Array(0x24) },
        { name: '.data', address: 0x9000, bytes: new Uint8Array(4), flags: 3 },
        { name: '.bss', address: 0x9004, zeros: 4092, flags: 3 },
      ],
      symbols: [
        { name: 'start', value: 0x8000, size: 8 },
        { name: 'leaf', value: 0x8010, size: 4 },
        { name: 'table', value: 0x9000, size: 4, type: 1, section: '.data' },
      ],
    }),
  );
  writeFileSync(list, '00008010 T leaf\n00008020 T last\n');
  writeFileSync(raw, new Uint8Array(16));
});

async function symbols(...options: readonly string[]): Promise<unknown[]> {
  const records = await lines(['records', trace, ...options]);
  return records.map(({ symbol }) => symbol);
}

test('records have the symbol of their address, none where no symbol reaches', async () => {
  expect(await symbols('--image', elf)).toEqual(['start', 'start+0x4', 'table+0x2', 'leaf', undefined]);
  const { stdout } = await cli(['records', trace, '--image', elf]);
  expect(stdout.split('\n').map((line) => /0x8\S+ +(\S+)/.exec(line)?.[1] ?? '')).toEqual(
    expect.arrayContaining(['start', 'start+0x4', 'leaf']) as string[],
  );
});

test('so have those that are found', async () => {
  const found = await lines(['find', trace, '--image', elf, '--kind', 'write']);
  expect(found).toMatchObject([{ n: 2, address: '0x9002', symbol: 'table+0x2' }]);
  expect(await json(['last-write', trace, '--at', '4', '--address', '0x9003', '--image', elf])).toMatchObject({
    n: 2,
    symbol: 'table+0x2',
  });
});

test('without images records are as they were', async () => {
  expect(await symbols()).toEqual([undefined, undefined, undefined, undefined, undefined]);
});

test('images are asked in their order, and lists of symbols may stand beside them', async () => {
  expect(await symbols('--image', list, '--image', elf)).toEqual(['start', 'start+0x4', 'table+0x2', 'leaf', 'last']);
  expect(await symbols('--image', list)).toEqual([undefined, undefined, undefined, 'leaf', 'last']);
});

test('an image may lie elsewhere than it was linked for', async () => {
  expect(await symbols('--image', `${elf}@0x8010`)).toEqual([undefined, undefined, undefined, 'start', 'leaf']);
  expect(await symbols('--image', `${elf}@+0x10`)).toEqual([undefined, undefined, undefined, 'start', 'leaf']);
  expect(await symbols('--image', `${list}@-16`)).toEqual(['leaf', 'leaf+0x4', undefined, 'last', undefined]);
});

test('info says what the images are', async () => {
  const info = (await json(['info', trace, '--image', `${elf}@0x10000`, '--image', `${raw}@0x8000`])) as {
    images: unknown;
  };
  expect(info.images).toEqual([
    {
      path: elf,
      form: 'elf',
      machine: 'ARM',
      bits: 32,
      endian: 'little',
      shift: '0x8000',
      segments: [
        { address: '0x10000', bytes: 36, memory: 36, flags: 'r-x' },
        { address: '0x11000', bytes: 4, memory: 4, flags: 'rw-' },
        { address: '0x11004', bytes: 0, memory: 4092, flags: 'rw-' },
      ],
      symbols: 3,
      functions: 2,
    },
    { path: raw, form: 'raw', segments: [{ address: '0x8000', bytes: 16, memory: 16 }], symbols: 0, functions: 0 },
  ]);
  const { stdout } = await cli(['info', trace, '--image', elf, '--image', list]);
  expect(stdout).toContain(`${elf} (ELF, ARM, 32 bits, little-endian, 3 symbols, 2 of functions)\n`);
  expect(stdout).toContain(`${list} (list of symbols, 2 symbols, 2 of functions)\n`);
});

test.each([
  ['nothing there', 'missing.elf', /missing\.elf: there is no such file; check the path$/],
  ['a folder', folder, /: this is a folder; choose the program that ran in it$/],
  ['raw bytes without a base', raw, /: this is neither an ELF file nor a list .*; for raw bytes say where .*@0x8000$/],
  ['raw bytes beyond the end', `${raw}@0xfffffffffffffff1`, /: at 0x\S+ it would reach beyond .*; check the base$/],
])('%s is no image: one line that names it, exit code 1', async (_, image, message) => {
  const { code, stdout, stderr } = await cli(['info', trace, '--image', image]);
  expect(stderr.trimEnd()).toMatch(message);
  expect(stderr.startsWith(`tracebench: ${image.replace(/@.*/, '')}: `)).toBe(true);
  expect([code, stdout, stderr.split('\n').length]).toEqual([1, '', 2]);
});

test('a damaged image is used as far as it goes, and that is said', async () => {
  const cut = join(folder, 'cut.elf');
  writeFileSync(
    cut,
    writeElf({ bits: 32, endian: 'little', machine: 40, sections: [{ name: '.text' }] }).subarray(0, 60),
  );
  const { code, stderr } = await runCli(['info', trace, '--image', cut, ...own()]);
  expect(stderr).toContain(`${cut}: its section headers lie outside of the file\n`);
  expect(code).toBe(0);
  const object = join(folder, 'object.o');
  writeFileSync(object, writeElf({ bits: 32, endian: 'little', machine: 40, type: 1, sections: [{ name: '.text' }] }));
  expect((await cli(['info', trace, '--image', object])).stderr).toMatch(
    /object\.o: this is an object file, .*; give the/,
  );
});
