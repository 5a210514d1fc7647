// `memory --from-image`: bytes of program images for memory that no record wrote or read before.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { writeElf, type ElfContent } from '../../unit/elf-writer.ts';
import { cli, folder, json } from './driver.ts';

const trace = join(folder, 'accesses.txt');
const liar = join(folder, 'late-read.txt');
const elf = join(folder, 'data.elf');

const CONTENT: ElfContent = {
  bits: 32,
  endian: 'little',
  machine: 40,
  sections: [
    { name: '.text', address: 0x8000, bytes: [1, 0, 0xa0, 0xe3, 0x1e, 0xff, 0x2f, 0xe1] },
    { name: '.data', address: 0x9000, bytes: [0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88], flags: 3 },
    { name: '.bss', address: 0x9008, zeros: 8, flags: 3 },
  ],
};

/** Record 1 writes 0x9002, record 2 reads what the image has at 0x9004, record 3 reads what record 1 left. */
const LINES = [
  '1 clk 0 IT (1) 00008000 e3a00001 A svc : mov r0, #1',
  '2 clk MW1 00009002 ee',
  '3 clk MR2 00009004 6655',
  '4 clk MR1 00009002 ee',
  '5 clk 0 IT (2) 00008004 e12fff1e A svc : bx lr',
];

beforeAll(() => {
  writeFileSync(trace, `${LINES.join('\n')}\n`);
  // The last record reads another value than the image has, long after other accesses.
  writeFileSync(liar, `${[...LINES, '6 clk MR1 00009007 89'].join('\n')}\n`);
  writeFileSync(elf, writeElf(CONTENT));
});

interface Memory {
  readonly bytes: string;
  readonly known: readonly (string | null)[];
  readonly unused: readonly Readonly<Record<string, unknown>>[];
}

async function memory(file: string, at: number, address: string, length: number, ...options: readonly string[]) {
  const place = ['--at', String(at), '--address', address, '--length', String(length)];
  return (await json(['memory', file, ...place, ...options])) as Memory;
}

test('an image gives the bytes before the first access, and only these are marked', async () => {
  const images = ['--image', elf, '--from-image'];
  expect(await memory(trace, 0, '0x9000', 10, ...images)).toMatchObject({
    bytes: '1122334455667788????',
    known: [...Array.from({ length: 8 }, () => 'image'), null, null],
    unused: [],
  });
  expect(await memory(trace, 3, '0x8ffe', 8, ...images)).toMatchObject({
    bytes: '????1122ee445566',
    known: [null, null, 'image', 'image', 'data', 'image', 'data', 'data'],
  });
  expect((await memory(trace, 4, '0x8004', 4, ...images, '--opcodes')).known).toEqual(
    Array.from({ length: 4 }, () => 'opcode'),
  );
  const { stdout } = await cli([
    ...['memory', trace, '--at', '3', '--address', '0x9000', '--length', '4', '--image', elf, '--from-image'],
  ]);
  expect(stdout).toContain('11 22 ee 44');
  expect(stdout).toMatch(/0x9000 +0x9001 +2 +image\n0x9002 +0x9002 +1 +data +1 +3\n0x9003 +0x9003 +1 +image\n/);
});

test('no byte comes from an image without --from-image', async () => {
  const plain = await memory(trace, 0, '0x9000', 8, '--image', elf);
  expect(plain).toMatchObject({ bytes: '????????????????' });
  expect(Object.keys(plain)).not.toEqual(expect.arrayContaining(['known']));
  const place = ['--at', '0', '--address', '0x9000', '--length', '8'];
  const { code, stderr } = await cli(['memory', trace, ...place, '--from-image']);
  expect([code, stderr]).toEqual([
    2,
    'tracebench: memory: --from-image needs the program; give it with --image FILE\n',
  ]);
});

test('a segment is not used if any record reads another value before the first write', async () => {
  const unused = [
    {
      path: elf,
      address: '0x9000',
      bytes: 8,
      reason: 'a read at 0x9007 returned another value than the image has',
      record: 5,
    },
  ];
  // Even before that record, and for other bytes of the segment.
  expect(await memory(liar, 0, '0x9000', 4, '--image', elf, '--from-image')).toMatchObject({
    bytes: '????????',
    unused,
  });
  // Other segments stay in use.
  expect(await memory(liar, 0, '0x8000', 4, '--image', elf, '--from-image')).toMatchObject({
    bytes: '0100a0e3',
    unused: [],
  });
  const { stdout } = await cli([
    ...['memory', liar, '--at', '0', '--address', '0x9000', '--length', '4', '--image', elf, '--from-image'],
  ]);
  expect(stdout).toContain(
    'The 8 bytes of data.elf at 0x9000 are not used: a read at 0x9007 returned another value than the image has (record 5).',
  );
});

test.each([
  ['a core file', { ...CONTENT, type: 4 }, '0x9000', /^the file is not a program$/],
  [
    'writable data of a dynamically linked program',
    { ...CONTENT, sections: [...CONTENT.sections, { name: '.dynamic', flags: 0, type: 6 }] },
    '0x9000',
    /^the dynamic linker changes them before the program starts$/,
  ],
  [
    'data that the program copies from another address',
    { ...CONTENT, sections: CONTENT.sections.map((each) => ({ ...each, physical: 0x100 })) },
    '0x9000',
    /^the program starts with them at 0x100 and copies them$/,
  ],
])('%s is not used', async (name, content, address, reason) => {
  const image = join(folder, `${name.replaceAll(' ', '-')}.elf`);
  writeFileSync(image, writeElf(content));
  const answer = await memory(trace, 0, address, 8, '--image', image, '--from-image');
  expect(answer.bytes).toBe('????????????????');
  expect(answer.unused).toMatchObject([{ reason: expect.stringMatching(reason) as string }]);
});

test('reserved memory of an image hides the bytes of later images', async () => {
  const raw = join(folder, 'module.bin');
  writeFileSync(
    raw,
    Uint8Array.from({ length: 12 }, (_, i) => i),
  );
  const images = ['--image', elf, '--image', `${raw}@0x9008`, '--from-image'];
  expect((await memory(trace, 0, '0x9004', 16, ...images)).bytes).toBe('55667788????????????????08090a0b');
});

test('a segment is not used if the program executed another opcode than it has', async () => {
  const patched = join(folder, 'patched.txt');
  writeFileSync(patched, `${LINES.join('\n').replace('e12fff1e', 'e1a0f00e')}\n`);
  const images = ['--image', elf, '--from-image'];
  expect(await memory(patched, 0, '0x8000', 8, ...images)).toMatchObject({
    bytes: '????????????????',
    unused: [
      { address: '0x8000', reason: 'the program executed another opcode at 0x8004 than the image has', record: 4 },
    ],
  });
  expect((await memory(patched, 0, '0x9000', 4, ...images)).bytes).toBe('11223344');
});

test('no segment of an image of another build is used', async () => {
  const other = join(folder, 'other-build.txt');
  const code = Array.from(
    { length: 8 },
    (_, i) => `${i} clk 0 IT (${i}) 0000800${(i % 2) * 4} e3a0${i}0ff A svc : mov`,
  );
  writeFileSync(other, `${code.join('\n')}\n`);
  expect(await memory(other, 0, '0x9000', 4, '--image', elf, '--from-image')).toMatchObject({
    bytes: '????????',
    unused: [{ address: '0x9000', reason: expect.stringMatching(/^the image is probably not the program/) as string }],
  });
});
