/**
 * Variables and types from debug information, on small programs of a compiler (test/unit/debug-programs.json). The layouts were worked out
 * from the sources with the rules of each processor, and agree with `readelf --debug-dump=info`.
 */
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readVariables, type DebugVariables } from '../../electron/engine/image/elf/dwarf-types.ts';
import { readElf } from '../../electron/engine/image/elf/elf.ts';
import type { DataType } from '../../shared/requests/variables.ts';
import { createRandom } from '../laws/random.ts';
import { rounds } from '../short-form.ts';
import fixtures from './debug-programs.json' with { type: 'json' };

function bytesOf(name: keyof typeof fixtures.programs): Uint8Array {
  return gunzipSync(Buffer.from(fixtures.programs[name], 'base64'));
}

function variablesOf(bytes: Uint8Array): DebugVariables {
  const elf = readElf(bytes);
  if (!elf.ok) throw new Error(elf.error.message);
  return readVariables(elf.value) ?? { variables: [], types: [], moving: 0, problems: [] };
}

function typeOf({ variables, types }: DebugVariables, name: string): DataType | undefined {
  return types[variables.find((variable) => variable.name === name)?.type ?? -1];
}

const NAMES = ['counter', 'grid', 'head', 'hidden', 'main::calls', 'paint', 'pool', 'ratio'];

test.each(['arm2', 'arm3', 'arm4', 'arm5'] as const)('reads globals, statics and their types: %s', (name) => {
  const found = variablesOf(bytesOf(name));
  expect(found.problems).toEqual([]);
  // The variable `local` is in a stack frame.
  expect(found.moving).toBe(1);
  expect(found.variables.map((variable) => variable.name).sort()).toEqual(NAMES);
  // readelf --symbols: head 0x90b8, grid 0x9104, hidden 0x90c0.
  const places = Object.fromEntries(
    found.variables.map((one) => [one.name, [Number(one.address), one.typeName, one.bytes]]),
  );
  expect(places).toMatchObject({
    head: [0x90b8, 'struct node *', 4],
    grid: [0x9104, 'unsigned char[2][3]', 6],
    hidden: [0x90c0, 'word', 4],
    counter: [expect.any(Number), 'volatile int', 4],
  });
  // The ABI of bare-metal ARM uses the shortest type for an enumeration: one signed byte.
  expect(typeOf(found, 'paint')).toEqual({
    kind: 'enumeration',
    name: 'enum colour',
    bytes: 1,
    signed: true,
    values: [
      { name: 'RED', value: '0' },
      { name: 'GREEN', value: '5' },
      { name: 'BLUE', value: '-2' },
    ],
  });
});

/** Fields of `struct node` that are the same for every compiler: `next` has 4 bytes, `key` 2, `tag` 6, a word of bits, and 4 of the union. */
function nodeOf(found: DebugVariables): Extract<DataType, { kind: 'structure' }> {
  const pool = typeOf(found, 'pool');
  if (pool?.kind !== 'array') throw new Error('pool is no array');
  const node = found.types[pool.element];
  if (node?.kind !== 'structure') throw new Error('no structure');
  expect([pool.count, pool.elementBytes, pool.bytes]).toEqual([3, 20, 60]);
  expect(
    node.members.map(({ name, offset }) => [name, offset]).filter(([name]) => name !== 'low' && name !== 'high'),
  ).toEqual([
    ['next', 0],
    ['key', 4],
    ['tag', 6],
    ['u', 16],
  ]);
  return node;
}

/** Bit-fields as the lowest bit and the number of bits in the word at offset 12. */
function fieldsOf({ members }: ReturnType<typeof nodeOf>, isBig: boolean): Record<string, readonly [number, number]> {
  const fields = members.flatMap(({ name, offset, field }) =>
    field
      ? [[name, [isBig ? field.shift + 8 * (16 - offset - field.bytes) : field.shift + 8 * (offset - 12), field.bits]]]
      : [],
  );
  return Object.fromEntries(fields) as Record<string, readonly [number, number]>;
}

test('bit-fields are at the same bits in every version, and at the other end in big-endian programs', () => {
  for (const name of ['arm2', 'arm3', 'arm4', 'arm5'] as const)
    expect(fieldsOf(nodeOf(variablesOf(bytesOf(name))), false), name).toEqual({ low: [0, 3], high: [3, 5] });
  expect(fieldsOf(nodeOf(variablesOf(bytesOf('big2'))), true)).toEqual({ low: [29, 3], high: [24, 5] });
});

test('names C++ variables with their scopes, and never takes an unread type for another', () => {
  const found = variablesOf(bytesOf('cc5'));
  const types = Object.fromEntries(found.variables.map(({ name, typeName }) => [name, typeName]));
  expect(types).toEqual({
    'app::Box::made': 'int',
    'app::v': 'struct V<long int>',
    'app::alias': 'int &',
    'app::mode': 'enum Mode',
    'app::flag': 'bool',
    'app::letter': 'char',
    'app::d': 'struct D',
    'main::n': 'int',
  });
  // The type units of DWARF 4 are in a section of their own.
  const old = variablesOf(bytesOf('cc4'));
  expect(Object.fromEntries(old.variables.map(({ name, typeName }) => [name, typeName]))).toMatchObject({
    'app::v': 'struct V<long int>',
    'app::d': 'struct D',
    'app::letter': 'char',
  });
  expect([old.problems, typeOf(old, 'app::v'), typeOf(old, 'app::d')]).toEqual([
    [],
    expect.objectContaining({ bytes: 8, members: [expect.objectContaining({ name: 'x', offset: 0 })] }),
    expect.objectContaining({
      members: [expect.objectContaining({ offset: 0 }), expect.objectContaining({ name: 'h', offset: 4 })],
    }),
  ]);
});

test.each(['split4', 'split5'] as const)('says that variables and types are in another file: %s', (name) => {
  const { variables, problems } = variablesOf(bytesOf(name));
  expect(variables).toEqual([]);
  expect(problems).toEqual([
    expect.stringMatching(
      /^1 unit of its debug information keeps .* in other files \(\S+\.dwo\), which are not there or belong to another build$/,
    ),
  ]);
});

test('damaged debug information never throws', () => {
  const whole = bytesOf('arm5');
  const random = createRandom(3);
  for (let i = 0; i < rounds(300, 20_000); i++) {
    const bytes = whole.slice();
    for (let k = 0; k < 1 + random.below(6); k++) bytes[random.below(bytes.length)] = random.below(256);
    const elf = readElf(bytes);
    if (elf.ok) expect(() => readVariables(elf.value)).not.toThrow();
  }
});
