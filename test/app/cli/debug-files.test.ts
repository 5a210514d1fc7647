// Separate debug files beside an image: `.gnu_debuglink` and build ids.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { advancePc, copy, endSequence, setAddress, unit } from '../../unit/dwarf-writer.ts';
import { writeElf, type SectionContent } from '../../unit/elf-writer.ts';
import { runInside } from '../run-cli.ts';
import { folder, json, lines, own } from './driver.ts';

const trace = join(folder, 'trace.txt');
const program = join(folder, 'program.elf');
const ID = 'ab0123456789cdef';
const OTHER_ID = 'ab0123456789cdee';

/** Files that a test puts beside the program. */
const beside = ['program.debug', '.debug', '.build-id'].map((name) => join(folder, name));

beforeAll(() => {
  writeFileSync(trace, '1 clk 0 IT (1) 00008004 e3a00001 A svc : mov r0, #1\n');
});
afterEach(() => {
  for (const path of beside) rmSync(path, { recursive: true, force: true });
});

/** `.note.gnu.build-id`: sizes of name and content, type 3, name, content. */
function idSection(id: string): SectionContent {
  const bytes = [4, 0, 0, 0, id.length / 2, 0, 0, 0, 3, 0, 0, 0, ...Buffer.from(`GNU\0`), ...Buffer.from(id, 'hex')];
  return { name: '.note.gnu.build-id', flags: 2, type: 7, address: 0x7000, bytes };
}

/** `.gnu_debuglink`: name, zero byte, padding, CRC. */
function linkSection(name: string, crc: number): SectionContent {
  const text = Buffer.from(`${name}\0`);
  const padded = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4)]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(crc);
  return { name: '.gnu_debuglink', flags: 0, bytes: Buffer.concat([padded, sum]) };
}

const SHAPE = { bits: 32, endian: 'little', machine: 40 } as const;

function writeProgram(...sections: readonly SectionContent[]): void {
  const text = { name: '.text', address: 0x8000, bytes: new Uint8Array(16) };
  writeFileSync(program, writeElf({ ...SHAPE, sections: [text, ...sections] }));
}

/** A debug file: its code section has no bytes. */
function debugFile(name: string, ...sections: readonly SectionContent[]): Uint8Array {
  const sort = { version: 3, bits: 32, endian: 'little', wide: false } as const;
  const debugLine = unit(sort, [...setAddress(sort, 0x8000), ...copy, ...advancePc(4), ...endSequence]);
  return writeElf({
    ...SHAPE,
    sections: [
      { name: '.text', address: 0x8000, zeros: 16 },
      { name: '.debug_line', flags: 0, bytes: debugLine },
      ...sections,
    ],
    symbols: [{ name, value: 0x8000, size: 16 }],
  });
}

async function symbol(): Promise<unknown> {
  const [record] = await lines(['records', trace, '--image', program]);
  return record!['symbol'];
}

/** Output of `info`, notices first. */
async function info(): Promise<string> {
  const { stdout, stderr } = await runInside(['info', trace, '--image', program, ...own()]);
  return `${stderr}${stdout}`;
}

test.each(['program.debug', '.debug/program.debug'])('%s gives symbols and lines if its CRC is right', async (name) => {
  const debug = debugFile('main');
  mkdirSync(join(folder, '.debug'), { recursive: true });
  writeFileSync(join(folder, name), debug);
  writeProgram(linkSection('program.debug', crc32(debug)));
  expect(await symbol()).toBe('main+0x4');
  expect(await json(['info', trace, '--image', program])).toMatchObject({
    images: [{ path: program, symbols: 1, debug: join(folder, name), lines: { rows: 1 }, segments: [{ bytes: 16 }] }],
  });
  expect(await info()).toContain(`debug file  ${join(folder, name)}\n`);
});

test('a file in .build-id gives symbols if its build id is the same, before the file that .gnu_debuglink names', async () => {
  const linked = debugFile('linked', idSection(ID));
  const path = join(folder, '.build-id', 'ab', '0123456789cdef.debug');
  mkdirSync(join(folder, '.build-id', 'ab'), { recursive: true });
  writeFileSync(join(folder, 'program.debug'), linked);
  writeProgram(idSection(ID), linkSection('program.debug', crc32(linked)));
  expect(await symbol()).toBe('linked+0x4');
  writeFileSync(path, debugFile('by_id', idSection(ID)));
  expect(await symbol()).toBe('by_id+0x4');
  writeFileSync(path, debugFile('by_id', idSection(OTHER_ID)));
  expect(await symbol()).toBe('linked+0x4');
  expect(await info()).toContain(
    `${program}: its debug file ${path} is not used: it is of another build, with the build id ${OTHER_ID} instead of ${ID}`,
  );
});

test.each([
  ['a wrong CRC', debugFile('main'), 1, [], /another build, with the CRC 0x[0-9a-f]+ instead of 0x1\b/],
  [
    'another build id',
    debugFile('main', idSection(OTHER_ID)),
    0,
    [idSection(ID)],
    /with the build id ab\S+ee instead of/,
  ],
  ['no ELF header', Buffer.from('not an ELF file'), 0, [], /is not used: this is not an ELF file \(byte 0\)/],
])('a debug file with %s is named and not used', async (_, debug, wrong, sections, message) => {
  const path = join(folder, 'program.debug');
  writeFileSync(path, debug);
  writeProgram(...sections, linkSection('program.debug', wrong === 0 ? crc32(debug) : wrong));
  expect(await symbol()).toBeUndefined();
  const text = await info();
  expect(text).toContain(`${program}: its debug file ${path} is not used: `);
  expect(text).toMatch(message);
});

test('a name with folders leads to no file outside the folder of the program', async () => {
  const debug = debugFile('main');
  mkdirSync(join(folder, 'elsewhere'), { recursive: true });
  writeFileSync(join(folder, 'elsewhere', 'program.debug'), debug);
  writeProgram(linkSection('elsewhere/program.debug', crc32(debug)));
  expect(await symbol()).toBeUndefined();
});

test('a debug link to the program itself is ignored', async () => {
  writeProgram(linkSection('program.elf', 1));
  expect(await symbol()).toBeUndefined();
  expect(await info()).not.toContain('debug file');
});
