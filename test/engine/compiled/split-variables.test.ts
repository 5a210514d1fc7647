/** Variables of programs with split debug information, against the same program without splitting. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readVariables, type DebugVariables } from '../../../electron/engine/image/elf/dwarf-types.ts';
import { readElf } from '../../../electron/engine/image/elf/elf.ts';
import { splitFiles } from '../../../electron/engine/image/elf/split-files.ts';
import { assert } from '../../../shared/base/result.ts';
import type { TypeId } from '../../../shared/requests/variables.ts';
import { scratch } from '../traces.ts';
import { ARM } from './compile.ts';

const place = scratch();
afterAll(() => place.dispose());

const SOURCES = {
  'list.c': `
enum colour { RED, BLUE = 7 };
struct item { int id; struct item *next; enum colour colour; unsigned ready : 3; };
struct item items[4];
static volatile long total;
int main(void) { static char calls; total += items[1].id; return ++calls; }
`,
  'table.c': `
typedef struct { short low, high; } range;
const range ranges[2][3] = {{{1, 2}}};
range *const chosen = (range *)&ranges[1][2];
`,
};

function compiled(name: string, how: string): string {
  const folder = path.join(place.folder, name);
  fs.mkdirSync(folder);
  const options = `${how} -marm -ffreestanding -nostdlib -Wl,-Ttext=0x8000 -Wl,-emain -o program.elf`.split(' ');
  for (const [file, text] of Object.entries(SOURCES)) fs.writeFileSync(path.join(folder, file), text);
  execFileSync(`${ARM.prefix}gcc`, [...options, ...Object.keys(SOURCES)], { cwd: folder });
  return path.join(folder, 'program.elf');
}

function variablesOf(file: string): DebugVariables {
  const read = readElf(fs.readFileSync(file));
  assert(read.ok, 'the compiler writes sound files');
  return readVariables(read.value, undefined, splitFiles(file))!;
}

/** Describes variables with the contents of their types, whatever the numbers of these are. */
function described({ variables, types }: DebugVariables): readonly { readonly name: string }[] {
  const shape = (id: TypeId | null, depth: number): unknown => {
    const type = id === null || depth > 4 ? undefined : types[id];
    if (type?.kind === 'structure')
      return { ...type, members: type.members.map((one) => ({ ...one, type: shape(one.type, depth + 1) })) };
    if (type?.kind === 'array') return { ...type, element: shape(type.element, depth + 1) };
    return type?.kind === 'pointer' ? { ...type, target: shape(type.target, depth + 1) } : type;
  };
  return variables
    .map((one) => ({ ...one, type: shape(one.type, 0) }))
    .sort((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)));
}

describe.skipIf(ARM.missing !== undefined)('variables of programs with split debug information', () => {
  test.each(['-gdwarf-5', '-gdwarf-4'])('are those of the program without splitting, with %s', (how) => {
    const whole = variablesOf(compiled(`whole${how}`, how));
    expect(whole.variables.map(({ name, typeName }) => `${typeName} ${name}`).sort()).toEqual([
      'char main::calls',
      'const range[2][3] ranges',
      'range *const chosen',
      'struct item[4] items',
      'volatile long int total',
    ]);
    const program = compiled(`split${how}`, `${how} -gsplit-dwarf`);
    const split = variablesOf(program);
    expect(split.problems).toEqual([]);
    expect(described(split)).toEqual(described(whole));

    const objects = fs.readdirSync(path.dirname(program)).filter((name) => name.endsWith('.dwo'));
    fs.rmSync(
      path.join(
        path.dirname(program),
        objects.find((name) => name.includes('table'))!,
      ),
    );
    const part = variablesOf(program);
    expect(described(part)).toEqual(described(whole).filter(({ name }) => !['ranges', 'chosen'].includes(name)));
    expect(part.problems).toEqual([
      expect.stringMatching(/^1 unit .*table.*, which are not there or belong to another/),
    ]);
  });
});
