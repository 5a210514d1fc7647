// `--image`: symbols and code from ELF files, raw bytes and symbol lists.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { advancePc, copy, endSequence, setAddress, special, unit } from '../../unit/dwarf-writer.ts';
import { writeArmCode, writeElf } from '../../unit/elf-writer.ts';
import { messagesOf, runInside, type CliResult } from '../run-cli.ts';
import { cli, folder, json, lines, own } from './driver.ts';

const trace = join(folder, 'trace.txt');
const elf = join(folder, 'program.elf');
const list = join(folder, 'program.nm');
const hidden = join(folder, 'kallsyms');
const raw = join(folder, 'rom.bin');
const uf2 = join(folder, 'rom.uf2');

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
  writeFileSync(hidden, '0000000000000000 T _stext\n0000000000000000 t idle\t[module]\n');
  writeFileSync(list, '00008010 T leaf\n00008020 T last\n');
  writeFileSync(raw, new Uint8Array(16));
  const block = Buffer.alloc(512);
  [0x0a324655, 0x9e5d5157, 0, 0x10000000].forEach((word, i) => block.writeUInt32LE(word, 4 * i));
  writeFileSync(uf2, block);
});

async function symbols(...options: readonly string[]): Promise<unknown[]> {
  const records = await lines(['records', trace, ...options]);
  return records.map(({ symbol }) => symbol);
}

test('records have the symbol of their address, or none if no symbol contains it', async () => {
  expect(await symbols('--image', elf)).toEqual(['start', 'start+0x4', 'table+0x2', 'leaf', undefined]);
  const { stdout } = await cli(['records', trace, '--image', elf]);
  expect(stdout.split('\n').map((line) => /0x8\S+ +(\S+)/.exec(line)?.[1] ?? '')).toEqual(
    expect.arrayContaining(['start', 'start+0x4', 'leaf']) as string[],
  );
});

test('found records have symbols too', async () => {
  const found = await lines(['find', trace, '--image', elf, '--kind', 'write']);
  expect(found).toMatchObject([{ n: 2, address: '0x9002', symbol: 'table+0x2' }]);
  expect(await json(['last-write', trace, '--at', '4', '--address', '0x9003', '--image', elf])).toMatchObject({
    n: 2,
    symbol: 'table+0x2',
  });
});

test('records without images have no symbols', async () => {
  expect(await symbols()).toEqual([undefined, undefined, undefined, undefined, undefined]);
});

test('images are searched in order, together with symbol lists', async () => {
  expect(await symbols('--image', list, '--image', elf)).toEqual(['start', 'start+0x4', 'table+0x2', 'leaf', 'last']);
  expect(await symbols('--image', list)).toEqual([undefined, undefined, undefined, 'leaf', 'last']);
});

test('an image may be loaded at another address than linked', async () => {
  expect(await symbols('--image', `${elf}@0x8010`)).toEqual([undefined, undefined, undefined, 'start', 'leaf']);
  expect(await symbols('--image', `${elf}@+0x10`)).toEqual([undefined, undefined, undefined, 'start', 'leaf']);
  expect(await symbols('--image', `${list}@-16`)).toEqual(['leaf', 'leaf+0x4', undefined, 'last', undefined]);
});

test('info describes the images', async () => {
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
      match: {
        evidence: 'opcodes',
        verdict: 'unknown',
        checked: 0,
        matching: 0,
        outside: 4,
        distinct: { checked: 0, matching: 0 },
        text: 'No executed opcode of the trace lies in program.elf: it is another program, or it was loaded at another address.',
      },
    },
    {
      path: raw,
      form: 'raw',
      segments: [{ address: '0x8000', bytes: 16, memory: 16 }],
      symbols: 0,
      functions: 0,
      match: {
        evidence: 'opcodes',
        verdict: 'differs',
        checked: 2,
        matching: 0,
        share: 0,
        outside: 2,
        distinct: { checked: 2, matching: 0 },
        first: { n: 0, address: '0x8000', trace: '0xe3a00001', image: '0x0' },
        text: 'rom.bin matches 0 % of 2 executed opcodes. First difference: record 0 at 0x8000 executes 0xe3a00001, and the image has 0x0. 2 executed opcodes outside it were not compared.',
      },
    },
  ]);
  const { stdout } = await cli(['info', trace, '--image', elf, '--image', list]);
  expect(stdout).toContain(`${elf} (ELF, ARM, 32 bits, little-endian, 3 symbols, 2 of functions)\n`);
  expect(stdout).toContain(`${list} (list of symbols, 2 symbols, 2 of functions)\n`);
});

test.each([
  ['a missing file', 'missing.elf', /missing\.elf: there is no such file; check the path$/],
  ['a folder', folder, /: this is a folder; choose a program image inside it$/],
  [
    'raw bytes without a base',
    raw,
    /: this is neither an ELF, Intel HEX or S-record file nor a list .*; for raw bytes, add their base, .*@0x8000$/,
  ],
  ['a symbol list without addresses', hidden, /: all symbols are at address 0: .*; list them as root, or/],
  ['a list of symbols with a base', `${list}@0x8000`, /: this is a list of symbols with .*; leave out the base, or/],
  [
    'raw bytes beyond the highest address',
    `${raw}@0xfffffffffffffff1`,
    /: at 0x\S+ the image would extend past .*; check the base$/,
  ],
  ['UF2 without a base', uf2, /: this is a UF2 file, .*\(uf2conv\.py -c .*, as in program\.bin@0x10000000$/],
  ['UF2 with a base', `${uf2}@0x8000`, /: this is a UF2 file, /],
])('%s is refused as an image: one line that names it, exit code 1', async (_, image, message) => {
  const { code, stdout, stderr } = await cli(['info', trace, '--image', image]);
  expect(stderr.trimEnd()).toMatch(message);
  expect(stderr.startsWith(`tracebench: ${image.replace(/@.*/, '')}: `)).toBe(true);
  expect([code, stdout, stderr.split('\n').length]).toEqual([1, '', 2]);
});

test('a damaged image is used as far as it is intact, with a notice', async () => {
  const cut = join(folder, 'cut.elf');
  writeFileSync(
    cut,
    writeElf({ bits: 32, endian: 'little', machine: 40, sections: [{ name: '.text' }] }).subarray(0, 60),
  );
  const { code, stderr } = await runInside(['info', trace, '--image', cut, ...own()]);
  expect(stderr).toContain(`${cut}: its section headers are outside the file
`);
  expect(code).toBe(0);
  const object = join(folder, 'object.o');
  writeFileSync(object, writeElf({ bits: 32, endian: 'little', machine: 40, type: 1, sections: [{ name: '.text' }] }));
  expect((await cli(['info', trace, '--image', object])).stderr).toMatch(
    /object\.o: this is an object file without addresses; choose the/,
  );
});

describe('instructions without text', () => {
  const bare = join(folder, 'bare.txt');
  const lackey = join(folder, 'trace.lackey');

  interface Code {
    readonly machine: number;
    readonly bytes: readonly number[];
    readonly marks?: readonly (readonly [name: string, address: number])[];
    readonly flags?: number;
    readonly endian?: 'little' | 'big';
  }

  function image({ machine, bytes, marks = [], flags = 0, endian = 'little' }: Code): string {
    const path = join(folder, `code-${machine}-${endian}-${marks.length}.elf`);
    const content = writeElf({
      bits: 32,
      endian,
      machine,
      flags,
      sections: [{ name: '.text', address: 0x8000, bytes }],
      symbols: marks.map(([name, value]) => ({ name, value, type: 0, binding: 0 })),
    });
    writeFileSync(path, content);
    return path;
  }

  async function texts(trace: string, ...options: readonly string[]): Promise<unknown[]> {
    const records = await lines(['records', trace, ...options]);
    return records.map(({ text, flags }) => [
      text,
      ((flags ?? []) as string[]).filter((flag) => /dis|image/.test(flag)).join(),
    ]);
  }

  const none = [undefined, ''];

  beforeAll(() => {
    writeFileSync(
      bare,
      [
        '1 clk 0 IT (1) 00008000 e3a00001 A svc',
        '2 clk 0 IT (2) 00008004 b510 T svc',
        '3 clk 0 IS (3) 00008006 e1a0f00e A svc',
        '',
      ].join('\n'),
    );
    writeFileSync(
      lackey,
      ['I  00008000,5', 'I  00008005,1', 'I  00008006,3', 'I  00009000,1', ' L 00008000,4', ''].join('\n'),
    );
  });

  test('get text from their opcode if the trace is of an ARM program', async () => {
    const arm = image({ machine: 40, bytes: new Array<number>(16).fill(0) });
    expect(await texts(bare, '--format', 'tarmac', '--image', arm)).toEqual([
      ['mov r0, #1', 'disassembled'],
      ['push {r4, lr}', 'disassembled'],
      ['mov pc, lr', 'disassembled'],
    ]);
    const fast = ['--format', 'tarmac', '--option', 'dialect=fastmodels'];
    expect(await texts(bare, ...fast)).toEqual(await texts(bare, '--format', 'tarmac', '--image', arm));
  });

  test('get no text if the opcode letter may belong to another processor, unless an image proves the processor', async () => {
    expect(await texts(bare, '--format', 'tarmac')).toEqual([none, ['push {r4, lr}', 'disassembled'], none]);
    const mips = image({ machine: 8, bytes: new Array<number>(16).fill(0) });
    expect((await texts(bare, '--format', 'tarmac', '--image', mips))[1]).toEqual(none);
    const lui = join(folder, 'lui.txt');
    writeFileSync(lui, '1 clk 0 IT (1) 00008000 3c080001 A svc\n');
    expect(await texts(lui, '--format', 'tarmac', '--image', mips)).toEqual([['lui $t0, 1', 'disassembled']]);
  });

  test('get text from an image if the trace has no opcode and the length matches', async () => {
    // call 0x8005; nop; mov eax, imm32 is five bytes, not the three in the trace; nothing at 0x9000.
    const x86 = image({ machine: 3, bytes: [0xe8, 0, 0, 0, 0, 0x90, 0xb8, 1, 0, 0, 0] });
    expect(await texts(lackey, '--image', x86)).toEqual([
      ['call 0x8005', 'disassembled,from-image'],
      ['nop', 'disassembled,from-image'],
      none,
      none,
      none,
    ]);
  });

  test('get text as ARM or Thumb only from a mapping symbol', async () => {
    const trace = join(folder, 'halves.lackey');
    writeFileSync(trace, ['I  00008000,4', 'I  00008004,2', 'I  00008006,2', 'I  00008008,4', ''].join('\n'));
    const bytes = [1, 0, 0xa0, 0xe3, 0x10, 0xb5, 0x70, 0x47, 1, 0, 0xa0, 0xe3];
    const marks = [
      ['$a', 0x8000],
      ['$t', 0x8004],
      ['$d', 0x8008],
    ] as const;
    expect(await texts(trace, '--image', image({ machine: 40, bytes, marks }))).toEqual([
      ['mov r0, #1', 'disassembled,from-image'],
      ['push {r4, lr}', 'disassembled,from-image'],
      ['bx lr', 'disassembled,from-image'],
      none,
    ]);
    expect(await texts(trace, '--image', image({ machine: 40, bytes }))).toEqual([none, none, none, none]);
    // Code of a BE8 image is little-endian; code of an older big-endian image is not.
    const [first] = await texts(
      trace,
      '--image',
      image({ machine: 40, bytes, marks, endian: 'big', flags: 0x80_0000 }),
    );
    expect(first).toEqual(['mov r0, #1', 'disassembled,from-image']);
    const turned = [0xe3, 0xa0, 0, 1, 0xb5, 0x10, 0x47, 0x70];
    const old = await texts(trace, '--image', image({ machine: 40, bytes: turned, marks, endian: 'big' }));
    expect(old.map((each) => (each as unknown[])[0])).toEqual(['mov r0, #1', 'push {r4, lr}', 'bx lr', undefined]);
  });

  test('keep the text in the trace', async () => {
    const arm = image({ machine: 40, bytes: new Array<number>(16).fill(0) });
    expect((await texts(trace, '--image', arm))[0]).toEqual(['mov r0, #1', '']);
  });
});

test('instructions and branches have their source line', async () => {
  const sort = { version: 4, endian: 'little', bits: 32 } as const;
  const program = [...setAddress(sort, 0x8000), ...copy, ...special(1, 3), ...advancePc(1), ...endSequence];
  const image = join(folder, 'lines.elf');
  const sections = [
    { name: '.text', address: 0x8000, bytes: new Uint8Array(0x24) },
    { name: '.debug_line', bytes: unit(sort, program), flags: 0 },
  ];
  writeFileSync(image, writeElf({ bits: 32, endian: 'little', machine: 40, sections }));
  const records = await lines(['records', trace, '--image', image]);
  expect(records.map(({ line }) => line)).toEqual(['main.c:1', 'main.c:4', undefined, undefined, undefined]);
  expect(await json(['info', trace, '--image', image])).toMatchObject({ images: [{ lines: { rows: 2, files: 1 } }] });
  const { stdout } = await cli(['info', trace, '--image', image]);
  expect(stdout).toContain('2 lines of 1 file)\n');
});

test('a heatmap shows symbol names next to the addresses', async () => {
  const out = join(folder, 'named.svg');
  const { code } = await cli(['heat', trace, '--image', elf, '--low', '0x8000', '--high', '0x8024', '--output', out]);
  expect(code).toBe(0);
  const svg = readFileSync(out, 'utf8');
  expect(svg).toContain('>start</text>');
  expect(svg).toContain('>leaf</text>');
  expect(svg).not.toContain('>last</text>');
});

describe('addresses by name', () => {
  const program = ['--image', elf];

  test('a symbol, an offset, all bytes of an object, a range of symbols', async () => {
    const found = async (address: string): Promise<unknown[]> =>
      (await lines(['find', trace, '--limit', '9', '--address', address, ...program])).map(({ n }) => n);
    expect(await found('start')).toEqual([0]);
    expect(await found('start+0x4')).toEqual([1]);
    expect(await found('start+4')).toEqual([1]);
    expect(await found('table')).toEqual([2]);
    expect(await found('table+1')).toEqual([]);
    expect(await found('start-leaf')).toEqual([0, 1, 3]);
    expect(await found('start+4-0x8010')).toEqual([1, 3]);
  });

  test('every command with an address accepts them', async () => {
    expect(await json(['memory', trace, '--at', '4', '--address', 'table+2', '--length', '2', ...program])).toEqual({
      at: 4,
      address: '0x9002',
      length: 2,
      bytes: '0100',
      writers: [2, 2],
      touched: [2, 2],
    });
    for (const [command, n] of [
      ['last-write', '4'],
      ['last-access', '4'],
      ['next-write', '0'],
      ['next-access', '0'],
    ] as const)
      expect(await json([command, trace, '--at', n, '--address', 'table', ...program])).toMatchObject({ n: 2 });
    expect(await json(['last-read', trace, '--at', '4', '--address', 'table', ...program])).toBeNull();
    expect(
      await json(['heat', trace, '--low', 'start', '--high', 'leaf+4', '--rows', '5', '--columns', '1', ...program]),
    ).toMatchObject({ low: '0x8000', high: '0x8014', counts: [[1], [1], [0], [0], [1]] });
    const notebook = ['--notebook', join(folder, 'named.notebook')];
    expect(
      await json(['notes', 'add', trace, '--at', '2', '--address', 'table', ...notebook, ...program]),
    ).toMatchObject({
      at: 2,
      address: '0x9000',
    });
  });

  test('a number stays a number, even if a symbol has that name', async () => {
    const numbers = join(folder, 'numbers.nm');
    writeFileSync(numbers, '00008010 T 0x8000\n00008020 T 32768\n00008004 T add\n00008004 T operator-\n');
    const found = async (address: string): Promise<unknown[]> =>
      (await lines(['find', trace, '--address', address, '--image', numbers])).map(({ n }) => n);
    expect(await found('0x8000')).toEqual([0]);
    expect(await found('32768')).toEqual([0]);
    expect(await found('add')).toEqual([1]);
    expect(await found('operator-')).toEqual([1]);
    expect(await found('0x8000-add')).toEqual([0]);
  });

  test('the first image with the name decides, and images may be moved', async () => {
    const at = async (...images: string[]): Promise<unknown> =>
      (
        (await json(['memory', trace, '--at', '0', '--address', 'leaf', '--length', '1', ...images])) as {
          address: string;
        }
      ).address;
    const other = join(folder, 'other.nm');
    writeFileSync(other, '00008020 T leaf\n');
    expect(await at('--image', other, '--image', elf)).toBe('0x8020');
    expect(await at('--image', elf, '--image', other)).toBe('0x8010');
    expect(await at('--image', `${elf}@+0x100`)).toBe('0x8110');
  });

  test('explains in one sentence what is wrong with a name, before indexing', async () => {
    const twice = join(folder, 'twice.nm');
    writeFileSync(twice, '00008000 t init\n00008010 t init\n00008020 T start_up\nffffffffffffff00 T top\n');
    const ask = async (address: string, ...images: string[]) => {
      const { code, stdout, stderr } = await cli(['last-write', trace, '--at', '99', '--address', address, ...images]);
      return [code, stdout, stderr];
    };
    expect(await ask('start')).toEqual([
      2,
      '',
      "tracebench: last-write: 'start' is not a number (hexadecimal numbers begin with 0x); to use it as a symbol, give the program with --image\n",
    ]);
    expect(await ask('begin', ...program)).toEqual([1, '', "tracebench: no image has a symbol 'begin'\n"]);
    expect(await ask('Start', '--image', twice)).toEqual([
      1,
      '',
      "tracebench: no image has a symbol 'Start'; similar: start_up\n",
    ]);
    expect(await ask('start_up-end', '--image', twice)).toEqual([1, '', "tracebench: no image has a symbol 'end'\n"]);
    expect(await ask('init+4', '--image', twice)).toEqual([
      1,
      '',
      "tracebench: several symbols are called 'init', at 0x8000, 0x8010; give the address\n",
    ]);
    expect(await ask('start_up-0x8000', '--image', twice)).toEqual([
      2,
      '',
      'tracebench: last-write: the span ends at 0x8000, before its start at 0x8020\n',
    ]);
    expect(await ask('top+0x100', '--image', twice)).toEqual([
      2,
      '',
      'tracebench: top+0x100 is beyond the highest address\n',
    ]);
  });
});

test.each([
  [
    'Intel HEX',
    'le.hex',
    ':108000000100A0E3000000EBFEFFFFEA04109FE583\r\n:0C801000001080E51EFF2FE178563412AE\r\n:040000030000800079\r\n:00000001FF\r\n',
  ],
  [
    'S-records',
    'le.srec',
    'S00A00006C652E7372656349\r\nS11380000100A0E3000000EBFEFFFFEA04109FE57F\r\nS10F8010001080E51EFF2FE178563412AA\r\nS90380007C\r\n',
  ],
])('%s give the code that an XScale capture executed', async (kind, name, text) => {
  const image = join(folder, name);
  writeFileSync(image, text);
  // Messages end the buffer: start address and direct branch, return address and indirect branch, two more branches.
  const capture = join(folder, 'capture.bin');
  writeFileSync(capture, Buffer.concat([Buffer.alloc(244), Buffer.from('000080009081000080089280', 'hex')]));
  const options = ['--format', 'xscale', '--option', 'state=arm', '--image'];
  const addresses = ['0x8000', '0x8004', '0x800c', '0x8010', '0x8014', '0x8008'];
  expect(await json(['flow', capture, '--capture', '0', ...options, image])).toMatchObject({ addresses });
  // A base does not make its text the program.
  expect(await json(['flow', capture, '--capture', '0', ...options, `${image}@0x8000`])).toMatchObject({ addresses });
  const { stdout } = await cli(['info', capture, ...options, image]);
  expect(stdout).toContain(`${image} (${kind.replace(/s$/, '')})\n`);

  writeFileSync(image, text.replace('E51EFF', 'E51EFE'));
  const damaged = await cli(['flow', capture, '--capture', '0', ...options, image]);
  expect([damaged.code, damaged.stdout]).toEqual([1, '']);
  expect(damaged.stderr).toMatch(
    /^tracebench: \S+: line [23] of this \S+( HEX)? file has the checksum .*; export the image again\n$/,
  );
});

test.each([
  [
    'Intel HEX with linear addresses',
    0x80008000,
    [
      ':0200000480007A',
      ':1C8000000100A0E3000000EBFEFFFFEA04109FE5001080E51EFF2FE178563412C1',
      ':0400000580008000F7',
      ':00000001FF',
    ],
  ],
  [
    'Intel HEX with segments',
    0x18000,
    [
      ':020000021000EC',
      ':0C801000001080E51EFF2FE178563412AE',
      ':108000000100A0E3000000EBFEFFFFEA04109FE583',
      ':00000001FF',
    ],
  ],
  [
    'S-records of 24 bits',
    0x18000,
    ['S00400007883', 'S2200180000100A0E3000000EBFEFFFFEA04109FE5001080E51EFF2FE178563412BB', 'S8040180007A'],
  ],
  [
    'S-records of 32 bits',
    0x80008000,
    ['S311800080000100A0E3000000EBFEFFFFEA99', 'S3158000800C04109FE5001080E51EFF2FE17856341290', 'S70580008000FA'],
  ],
])('%s give the code that an XScale capture executed far away', async (name, base, text) => {
  const image = join(folder, `${name}.image`);
  writeFileSync(image, `${text.join('\n')}\n`);
  const capture = join(folder, `${name}.bin`);
  const address = (offset: number): string => (base + offset).toString(16).padStart(8, '0');
  writeFileSync(capture, Buffer.concat([Buffer.alloc(244), Buffer.from(`${address(0)}9081${address(8)}9280`, 'hex')]));
  const chosen = [capture, '--format', 'xscale', '--option', 'state=arm', '--image', image];
  expect(await json(['flow', ...chosen, '--capture', '0'])).toMatchObject({
    addresses: [0, 4, 0xc, 0x10, 0x14, 8].map((offset) => `0x${(base + offset).toString(16)}`),
  });
});

describe('an image of another build', () => {
  const code = Array.from({ length: 16 }, (_, i) => 0xe2821000 + i);
  const ran = join(folder, 'ran.txt');
  const right = join(folder, 'right.elf');
  const wrong = join(folder, 'wrong.elf');
  const image = (words: readonly number[]): Uint8Array => writeArmCode(words, 'start');

  beforeAll(() => {
    writeFileSync(
      ran,
      code
        .map(
          (word, i) =>
            `${i} clk 0 IT (${i}) ${(0x8000 + 4 * i).toString(16).padStart(8, '0')} ${word.toString(16)} A svc : NOP\n`,
        )
        .join(''),
    );
    writeFileSync(right, image(code));
    writeFileSync(wrong, image([0xe1a00000, ...code]));
  });

  test('causes a warning that names the option to leave out', async () => {
    const { stderr, code: exit } = await runInside(['pages', ran, ...own(), '--image', wrong]);
    expect(messagesOf(stderr)).toBe(
      `tracebench: wrong.elf is probably another program or another build: it matches 0 % of 16 executed opcodes. First difference: record 0 at 0x8000 executes 0xe2821000, and the image has 0xe1a00000. Leave out --image ${wrong} to work without it.\n`,
    );
    expect(exit).toBe(0);
    expect(messagesOf((await runInside(['pages', ran, ...own(), '--image', right])).stderr)).toBe('');
  });

  test('causes a warning that names its true place', async () => {
    const { stderr } = await runInside(['pages', ran, ...own(), '--image', `${right}@0x20000`]);
    expect(messagesOf(stderr)).toBe(
      `tracebench: right.elf was loaded at another address: it contains no executed opcode at this address. As right.elf@0x8000 it matches 100 % of 16 executed opcodes. Replace --image ${right}@0x20000 by --image ${right}@0x8000.\n`,
    );
  });

  describe('--image auto', () => {
    const beside = join(folder, 'beside');
    const copy = join(beside, 'ran.txt');
    const auto = (): Promise<CliResult> =>
      runInside(['records', copy, ...own(), '--image', 'auto', '--count', '1', '--json']);

    beforeAll(() => {
      mkdirSync(beside);
      writeFileSync(copy, readFileSync(ran));
    });

    test('takes no file if none matches', async () => {
      writeFileSync(join(beside, 'wrong.elf'), image([0xe1a00000, ...code]));
      const { stdout, stderr, code: exit } = await auto();
      expect(messagesOf(stderr)).toMatch(
        /^tracebench: --image auto: No ELF file beside the trace is proved to be its program\. wrong\.elf is probably another program/,
      );
      expect([exit, JSON.parse(stdout)]).toMatchObject([0, { n: 0, address: '0x8000' }]);
    });

    test('takes the file that matches and names its share', async () => {
      writeFileSync(join(beside, 'right.elf'), image(code));
      const { stdout, stderr } = await auto();
      expect(messagesOf(stderr)).toBe(
        `tracebench: --image ${join(beside, 'right.elf')}: right.elf matches 100 % of 16 executed opcodes.\n`,
      );
      expect(JSON.parse(stdout)).toMatchObject({ symbol: 'start' });
    });

    test('takes none of several files with different code that match equally well', async () => {
      writeFileSync(join(beside, 'also.elf'), image([...code, 1]));
      expect(messagesOf((await auto()).stderr)).toBe(
        'tracebench: --image auto: Several ELF files beside the trace match equally well: also.elf, right.elf. Name one of them.\n',
      );
    });
  });

  test('is noticed by branches, too', async () => {
    const only = join(folder, 'only-branches');
    mkdirSync(only);
    // Sixteen times three NOP, a jump to the next sixteen bytes, eleven NOP; the other build has one more NOP before the fifth.
    const step = [0x90, 0x90, 0x90, 0xeb, 11, ...new Array<number>(11).fill(0x90)];
    const bytes = Array.from({ length: 16 }, () => step).flat();
    const [stack, old, built] = ['stack.txt', 'old.elf', 'built.elf'].map((name) => join(only, name)) as [
      string,
      string,
      string,
    ];
    const jumps = Array.from(
      { length: 16 },
      (_, i) => `0x10${i.toString(16)}3/0x${(0x1010 + 16 * i).toString(16)}/P/-/-/1`,
    );
    writeFileSync(stack, `prog 7 [000] 1.000000: cycles:u: ${jumps.join(' ')}\n`);
    const program = (content: readonly number[]): Uint8Array =>
      writeElf({
        bits: 64,
        endian: 'little',
        machine: 62,
        sections: [{ name: '.text', address: 0x1000, bytes: content }],
        symbols: [{ name: 'main', value: 0x1000, size: 256 }],
      });
    writeFileSync(old, program([...bytes.slice(0, 64), 0x90, ...bytes.slice(64)]));
    writeFileSync(built, program(bytes));
    const text =
      'old.elf is probably another program or another build: it matches 25.0 % of 16 branch sources. First difference: record 4 branches from 0x1043 to 0x1050, and the image has "nop" there.';
    const { stdout, stderr } = await runInside(['info', stack, ...own(), '--image', old, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      images: [
        {
          match: {
            evidence: 'branches',
            verdict: 'other-build',
            checked: 16,
            matching: 4,
            share: 0.25,
            outside: 0,
            distinct: { checked: 16, matching: 4 },
            first: { n: 4, address: '0x1043', target: '0x1050', instruction: 'nop' },
            text,
          },
        },
      ],
    });
    expect(messagesOf(stderr)).toBe(`tracebench: ${text} Leave out --image ${old} to work without it.\n`);
    const auto = await runInside(['branches', stack, ...own(), '--image', 'auto', '--json']);
    expect(messagesOf(auto.stderr)).toBe(
      `tracebench: --image ${built}: built.elf matches 100 % of 16 branch sources.\n`,
    );
  });

  test('is described by info', async () => {
    const { stdout } = await cli(['info', ran, '--image', right]);
    expect(stdout).toContain('\n  match     right.elf matches 100 % of 16 executed opcodes.\n');
  });
});
