/** Inlined functions and compilation directories, against addr2line of the compiler. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readElf, sectionBytes } from '../../../electron/engine/image/elf/elf.ts';
import { splitFiles } from '../../../electron/engine/image/elf/split-files.ts';
import { assert } from '../../../shared/base/result.ts';
import { readScopes, type DebugScopes } from '../../../electron/engine/image/elf/dwarf-scopes.ts';
import { few } from '../../short-form.ts';
import { writeElf } from '../../unit/elf-writer.ts';
import { scratch } from '../traces.ts';
import { ARM } from './compile.ts';

const place = scratch();
afterAll(() => place.dispose());

const SOURCE = `
static inline __attribute__((always_inline)) int square(volatile int *x) { return *x * *x; }
static inline __attribute__((always_inline)) int twice(volatile int *x) {
  int first = square(x);
  return first + square(x + 1);
}
volatile int out[9];
int other(int n) { return n > 3 ? twice(out) : square(out + n); }
int main(void) {
  for (int i = 0; i < 9; i++) out[i] = twice(out + i);
  return other(out[1]);
}
`;

/** Returns the inlined functions around an address with the lines of their calls, the innermost first. */
function around({ inlined }: DebugScopes, address: number): readonly string[] {
  return inlined
    .filter(({ start, end }) => Number(start) <= address && address < Number(end))
    .sort((a, b) => b.depth - a.depth)
    .map(({ name, line }) => `${name} ${String(line)}`);
}

/** Compiles the source, in two files with `-gsplit-dwarf`, and returns the program. */
function compiled(name: string, how: string): string {
  const folder = place.folder;
  place.file('inlined.c', SOURCE);
  const link = '-marm -ffreestanding -nostdlib -Wl,-Ttext=0x8000 -Wl,-emain'.split(' ');
  execFileSync(
    `${ARM.prefix}gcc`,
    [...how.split(' '), '-marm', '-ffreestanding', '-c', 'inlined.c', '-o', `${name}.o`],
    {
      cwd: folder,
    },
  );
  execFileSync(`${ARM.prefix}gcc`, [...link, `${name}.o`, '-o', `${name}.elf`], { cwd: folder });
  return path.join(folder, `${name}.elf`);
}

function scopesOf(elf: string): DebugScopes | undefined {
  const read = readElf(fs.readFileSync(elf));
  return read.ok ? readScopes(read.value, undefined, splitFiles(elf)) : undefined;
}

/** Numbers of sections in the index of a package (DWARF 5, table 7.1, and GNU's form before it). */
const NUMBERS = { info: 1, abbrev: 3, line: 4, str_offsets: 6, rnglists: 8 } as const;

/** Packs an object as a package with a unit that nobody asks for before it. */
function packed(object: string, version: 2 | 5, id: bigint): Uint8Array {
  const read = readElf(fs.readFileSync(object));
  assert(read.ok, 'the object is an ELF file');
  const bytesOf = (name: string): Uint8Array | undefined => {
    const section = read.value.sections.find((one) => one.name === `.debug_${name}.dwo`);
    const bytes = section && sectionBytes(read.value, section);
    return bytes?.ok === true ? bytes.value : undefined;
  };
  const parts = Object.entries(NUMBERS).flatMap(([name, number]) => {
    const bytes = bytesOf(name);
    return bytes === undefined ? [] : [{ name, number, bytes }];
  });
  const rows = 2;
  const slots = 4;
  const index = new DataView(new ArrayBuffer(16 + 12 * slots + 4 * parts.length * (1 + 2 * rows)));
  [version, parts.length, rows, slots].forEach((word, at) => index.setUint32(4 * at, word, true));
  index.setBigUint64(16 + 8, id ^ 1n, true);
  index.setBigUint64(16 + 24, id, true);
  index.setUint32(16 + 8 * slots + 4, 1, true);
  index.setUint32(16 + 8 * slots + 12, 2, true);
  const table = 16 + 12 * slots;
  parts.forEach(({ number, bytes }, at) => {
    const put = (row: number, word: number) => index.setUint32(table + 4 * (parts.length * row + at), word, true);
    put(0, number);
    put(2, BEFORE);
    put(3, BEFORE);
    put(4, bytes.length);
  });
  const sections = parts.map(({ name, bytes }) => ({
    name: `.debug_${name}.dwo`,
    bytes: [...new Uint8Array(BEFORE).fill(0xaa), ...bytes],
    flags: 0,
  }));
  const texts = { name: '.debug_str.dwo', bytes: bytesOf('str') ?? [], flags: 0 };
  const cuIndex = { name: '.debug_cu_index', bytes: new Uint8Array(index.buffer), flags: 0 };
  return writeElf({ bits: 32, endian: 'little', machine: 40, type: 1, sections: [...sections, texts, cuIndex] });
}

/** Bytes of the other unit in each section. */
const BEFORE = 12;

describe.skipIf(ARM.missing !== undefined)('programs with split debug information', () => {
  test.each([
    [5, '-gdwarf-5 -O2'],
    [2, '-gdwarf-4 -O2'],
  ] as const)(
    'names inlined functions as without splitting, from objects and packages of version %i',
    (version, how) => {
      const expected = scopesOf(compiled(`whole-${version}`, how));
      expect(expected?.inlined.length).toBeGreaterThan(3);
      const split = compiled(`split-${version}`, `${how} -gsplit-dwarf`);
      expect(scopesOf(split)).toEqual(expected);
      // The ids are in the object: at the end of the header of its unit, or in an attribute of 8 bytes that readelf prints.
      const object = path.join(place.folder, `split-${version}.dwo`);
      const text = execFileSync(`${ARM.prefix}readelf`, ['-wi', object], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const id = BigInt(/(?:DWO ID:|DW_AT_GNU_dwo_id\s*:)\s*(0x[0-9a-f]+)/.exec(text)![1]!);
      const pack = packed(object, version, id);
      fs.rmSync(object);
      expect(scopesOf(split)?.inlined).toEqual([]);
      fs.writeFileSync(`${split}.dwp`, pack);
      expect(scopesOf(split)).toEqual(expected);
      // An object of another build has another id.
      fs.rmSync(`${split}.dwp`);
      compiled(`other-${version}`, `${how.replace('-O2', '-O1')} -gsplit-dwarf`);
      fs.renameSync(path.join(place.folder, `other-${version}.dwo`), object);
      expect(scopesOf(split)?.inlined).toEqual([]);
    },
  );
});

describe.skipIf(ARM.missing !== undefined)('compiled programs', () => {
  test.each(few(['-gdwarf-5 -O2', '-gdwarf-4 -O2', '-gdwarf-3 -O1', '-gdwarf-2 -Os'], 2))(
    'names the functions inlined at every address, with %s',
    (how) => {
      const elf = compiled('inlined', how);
      const read = readElf(fs.readFileSync(elf));
      const scopes = (read.ok && readScopes(read.value)) || { inlined: [], units: [] };
      expect(scopes.inlined.length).toBeGreaterThan(3);
      expect(scopes.units).toEqual([{ name: 'inlined.c', directory: fs.realpathSync(place.folder) }]);
      const code = read.ok ? read.value.sections.find(({ name }) => name === '.text')! : undefined;
      const addresses = Array.from({ length: Number(code!.size) / 4 }, (_, i) => Number(code!.address) + 4 * i);
      const wanted = addresses.map((address) => `0x${address.toString(16)}`);
      const text = execFileSync(`${ARM.prefix}addr2line`, ['-a', '-i', '-f', '-e', elf, ...wanted], {
        encoding: 'utf8',
      });
      const expected = text
        .split(/^0x[0-9a-f]+\n/m)
        .slice(1)
        .map((answer) => {
          const lines = answer.trim().split('\n');
          const names = lines.filter((_, i) => i % 2 === 0);
          const places = lines.filter((_, i) => i % 2 === 1).map((at) => Number(/:(\d+)/.exec(at)?.[1]));
          // The line of a frame's own place is that of the call of the frame inside of it.
          return names.slice(0, -1).map((name, i) => `${name} ${String(places[i + 1])}`);
        });
      expect(addresses.map((address) => around(scopes, address))).toEqual(expected);
    },
  );
});
