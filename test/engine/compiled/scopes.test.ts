/** Inlined functions and compilation directories, against addr2line of the compiler. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readElf } from '../../../electron/engine/image/elf/elf.ts';
import { readScopes, type DebugScopes } from '../../../electron/engine/image/elf/dwarf-scopes.ts';
import { few } from '../../short-form.ts';
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

describe.skipIf(ARM.missing !== undefined)('compiled programs', () => {
  test.each(few(['-gdwarf-5 -O2', '-gdwarf-4 -O2', '-gdwarf-3 -O1', '-gdwarf-2 -Os'], 2))(
    'names the functions inlined at every address, with %s',
    (how) => {
      place.file('inlined.c', SOURCE);
      const elf = path.join(place.folder, 'inlined.elf');
      const link = '-marm -ffreestanding -nostdlib -Wl,-Ttext=0x8000 -Wl,-emain'.split(' ');
      execFileSync(`${ARM.prefix}gcc`, [...how.split(' '), ...link, 'inlined.c', '-o', elf], { cwd: place.folder });
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
