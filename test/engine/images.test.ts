// Programs built by the installed compiler: the readers must agree with the output of binutils.
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadDisassembler } from '../../electron/engine/image/disassembler.ts';
import type { Image } from '../../electron/engine/image/image.ts';
import { openImage } from '../../electron/engine/image/open-image.ts';
import { scratch } from './traces.ts';
import { allSymbols } from '../unit/all-symbols.ts';

const place = scratch();
afterAll(() => place.dispose());

const SOURCE = `
#include "part.h"
int table[4] = { 1, 2, 3, 4 };
static int inner(int n) { int s = 0; for (int i = 0; i < n; i++) s += table[i & 3]; return s; }
__attribute__((noinline)) int work(int n) {
  return inner(n) + twice(n);
}
int same(int n) __attribute__((alias("work")));
int main(int argc, char **argv) { (void)argv; return work(argc); }
void _start(void) { main(1, 0); for (;;) ; }
`;
const HEADER = `static inline int twice(int n) {
  return n * 2 +
    n / 3;
}
`;

interface Sort {
  readonly name: string;
  readonly flags: readonly string[];
}

const SORTS: readonly Sort[] = [
  { name: 'DWARF 5', flags: ['-gdwarf-5', '-O1'] },
  { name: 'DWARF 4, not optimised', flags: ['-gdwarf-4', '-O0'] },
  { name: 'DWARF 3', flags: ['-gdwarf-3', '-gstrict-dwarf', '-O2'] },
  { name: 'DWARF 2', flags: ['-gdwarf-2', '-gstrict-dwarf', '-O2'] },
  { name: 'compressed sections', flags: ['-gdwarf-5', '-gz=zlib', '-O1'] },
  { name: 'sections compressed in the older GNU form', flags: ['-gdwarf-4', '-gz=zlib-gnu', '-O1'] },
  { name: 'position independent', flags: ['-gdwarf-5', '-O1', '-fPIE', '-pie'] },
  { name: '32 bits', flags: ['-gdwarf-5', '-O1', '-m32'] },
];

/** A program without libraries; undefined if the installed tools cannot build it. */
function build({ name, flags }: Sort): string | undefined {
  const folder = place.folder;
  writeFileSync(join(folder, 'part.h'), HEADER);
  writeFileSync(join(folder, 'main.c'), SOURCE);
  const out = join(folder, `${name.replaceAll(/\W+/g, '-')}.elf`);
  const fixed = flags.includes('-pie') ? [] : ['-fno-pie', '-no-pie'];
  const args = [
    ...flags,
    ...fixed,
    '-nostdlib',
    '-static',
    '-ffreestanding',
    '-fno-stack-protector',
    'main.c',
    '-o',
    out,
  ];
  const made = spawnSync('gcc', args, { cwd: folder, encoding: 'utf8' });
  const tools = ['nm', 'objdump', 'objcopy'].every((tool) => spawnSync(tool, ['--version']).status === 0);
  return made.status === 0 && tools ? out : undefined;
}

function open(path: string): Image {
  const image = openImage({ path });
  if (!image.ok) throw new Error(image.error.message);
  return image.value;
}

describe.each(SORTS)('$name', (sort) => {
  const path = build(sort);
  const made = test.skipIf(path === undefined);
  const why = path === undefined ? ' (no gcc and binutils here that make it)' : '';
  const image = (): Image => open(path ?? '');

  made(`symbols and sizes are those of nm${why}`, () => {
    const listed = execFileSync('nm', ['-S', path ?? ''], { encoding: 'utf8' });
    const expected = [...listed.matchAll(/^([0-9a-f]+) ([0-9a-f]+) [TtDdBbRr] (\S+)$/gm)].map(
      ([, address = '', size = '', name = '']) => `${name} ${BigInt(`0x${address}`)} ${BigInt(`0x${size}`)}`,
    );
    expect(expected.length).toBeGreaterThanOrEqual(5);
    const { symbols, notices } = image();
    expect(notices).toEqual([]);
    const found = allSymbols(symbols).flatMap(({ name, address, end, sized }) =>
      sized ? [`${name} ${address} ${end - address}`] : [],
    );
    expect(found.sort()).toEqual(expected.sort());
    const work = symbols.named('work')[0]!;
    expect(symbols.startingAt(work.address).map(({ name }) => name)).toEqual(['same', 'work']);
    expect(symbols.at(work.end - 1n)?.symbol.address).toBe(work.address);
  });

  made(`what is kept apart for debuggers has the symbols and lines, and no bytes${why}`, () => {
    const apart = join(place.folder, 'apart.debug');
    execFileSync('objcopy', ['--only-keep-debug', path ?? '', apart]);
    const [whole, debug] = [image(), open(apart)];
    expect(debug.symbols.columns).toEqual(whole.symbols.columns);
    expect(debug.lines?.().rows).toBe(whole.lines?.().rows);
    expect(debug.segments.map(({ address, bytes }) => [address, bytes.length])).toEqual(
      debug.segments.map(({ address }) => [address, 0]),
    );
    expect(debug.segments.some(({ address }) => address === whole.segments[0]!.address)).toBe(true);
  });

  made(`a list that nm prints names the same addresses${why}`, () => {
    const list = join(place.folder, 'list.nm');
    writeFileSync(list, execFileSync('nm', ['-S', path ?? '']));
    const own = image().symbols;
    const other = open(list).symbols;
    for (const { address, end, sized } of allSymbols(own).filter((symbol) => symbol.sized)) {
      expect(sized).toBe(true);
      expect(other.at(address)?.symbol.name).toBe(own.at(address)?.symbol.name);
      expect(other.at(end - 1n)?.offset).toBe(own.at(end - 1n)?.offset);
    }
  });

  made(`lines are those that objdump decodes${why}`, () => {
    const printed = execFileSync('objdump', ['--dwarf=decodedline', path ?? ''], { encoding: 'utf8' });
    // Name, line, address; the last of several at one address wins.
    const rows = new Map<bigint, string>();
    for (const [, name = '', line = '', address = ''] of printed.matchAll(
      /^(\S+\.[ch]) +(\d+|-) +(0x[0-9a-f]+|0) /gm,
    )) {
      if (line === '-') continue;
      rows.set(BigInt(address), `${name}:${line}`);
    }
    expect(rows.size).toBeGreaterThan(8);
    const lines = image().lines?.();
    expect(lines?.problems).toEqual([]);
    const found = [...rows.keys()].map((address) => {
      const { file = '', line = 0 } = lines?.at(address) ?? {};
      return `${file.split('/').at(-1)}:${line}`;
    });
    expect(found).toEqual([...rows.values()]);
  });

  made(`instructions are where objdump has them, with its names${why}`, async () => {
    const printed = execFileSync('objdump', ['-d', '-w', '-M', 'intel', '-j', '.text', path ?? ''], {
      encoding: 'utf8',
    });
    const expected = [
      ...printed.matchAll(/^ +([0-9a-f]+):\t((?:[0-9a-f]{2} )+) *\t(?:(?:cs|ds|data16|repz?|notrack|bnd) )*(\S+)/gm),
    ].map(([, address = '', bytes = '', name = '']) => ({
      address: BigInt(`0x${address}`),
      size: bytes.trim().split(' ').length,
      name,
    }));
    expect(expected.length).toBeGreaterThan(20);
    const { disassemble } = await loadDisassembler();
    const { segments, machine } = image();
    const isa = machine?.isa;
    if (isa === undefined) throw new Error(`no instruction set is known for ${machine?.name ?? 'this file'}`);
    for (const { address, size, name } of expected) {
      const segment = segments.find((each) => address >= each.address && address < each.address + each.memory)!;
      const bytes = segment.bytes.subarray(Number(address - segment.address));
      const found = disassemble({ isa, bytes, littleEndian: true, address });
      // Padding: objdump and the manual name 66 90 differently.
      const wanted = name === 'xchg' ? 'nop' : name;
      expect([found?.size, found?.text.split(' ')[0]]).toEqual([size, wanted]);
    }
  });
});
