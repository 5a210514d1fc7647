/** The code of images, read function by function, against images that are asked about every instruction alone. */
import { describe, expect, test } from 'vitest';
import { createRandom } from '../../../electron/sample/random.ts';
import { createCodeStates, type CodeState } from '../../../electron/engine/image/code-states.ts';
import { loadDisassembler } from '../../../electron/engine/image/disassembler.ts';
import type { Image } from '../../../electron/engine/image/image.ts';
import { createImages, type Images } from '../../../electron/engine/image/images.ts';
import { createLineTable } from '../../../electron/engine/image/line-table.ts';
import { machineOf } from '../../../electron/engine/image/machine.ts';
import { createSymbolTable, type ImageSymbol } from '../../../electron/engine/image/symbols.ts';
import { createTraitsReader, IT, TRAIT } from '../../../electron/engine/queries/coverage/instruction-traits.ts';
import { STORED_PROGRAM } from '../../../electron/engine/queries/coverage/known-program.ts';
import { joinedPlaces, placesOf, type CodePlaces } from '../../../electron/engine/queries/coverage/places.ts';
import { functionCode, wholeCode } from '../../../electron/engine/queries/coverage/program-code.ts';
import { joinAddress, toHex } from '../../../shared/base/units.ts';
import type { Trace } from '../../../electron/engine/trace.ts';

const disassembler = await loadDisassembler();

/** Machine, flags, bits, little endian, and the state that mapping symbols give the code. */
const MACHINES: Readonly<Record<string, readonly [number, number, 32 | 64, boolean, CodeState?]>> = {
  arm: [40, 0, 32, true, 'arm'],
  'big-endian arm': [40, 0, 32, false, 'arm'],
  thumb: [40, 0, 32, true, 'thumb'],
  aarch64: [183, 0, 64, true],
  riscv32: [243, 0, 32, true],
  riscv64: [243, 0, 64, true],
  mips: [8, 0, 32, false],
  'x86-32': [3, 0, 32, true],
  'x86-64': [62, 0, 64, true],
};

function imageOf(
  machine: string,
  bytes: Uint8Array,
  functions: readonly (readonly [name: string, address: number, size: number])[],
  more: Partial<Image> = {},
): Image {
  const [number, flags, bits, littleEndian, state] = MACHINES[machine]!;
  const end = BASE + BigInt(bytes.length);
  return {
    path: machine,
    size: bytes.length,
    digest: () => machine,
    form: 'elf',
    shift: 0n,
    machine: machineOf(number, flags, bits, littleEndian),
    segments: [{ address: BASE, bytes, memory: BigInt(bytes.length) }],
    symbols: createSymbolTable(
      functions.map(([name, address, size]): ImageSymbol => {
        const start = BigInt(address);
        return { name, address: start, end: start + BigInt(size), sized: true, kind: 'function', binding: 'global' };
      }),
    ),
    states: createCodeStates(state === undefined ? [] : [{ address: BASE, end, state }]),
    notices: [],
    ...more,
  };
}

const BASE = 0x8000n;

function finished<T>(work: Generator<undefined, T, undefined>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

function codeOf(images: Images) {
  return finished(functionCode(images, createTraitsReader(disassembler)));
}

/** Address, size, sort, whether it ends a run, and whether a trace may show that it was skipped. */
function rowsOf(images: Images): readonly string[] {
  const code = wholeCode(images, createTraitsReader(disassembler), codeOf(images));
  const { low, high, size, sort, ends, skips } = code.columns;
  return Array.from({ length: code.count }, (_, row) =>
    [toHex(joinAddress(low[row]!, high[row]!)), size[row], SORTS[sort[row]!], ends[row], skips[row]].join(' '),
  );
}

const SORTS = ['plain', 'conditional', 'branch', 'conditional branch'];

describe('reads the traits of instructions', () => {
  test('of ARM (DDI 0406C, A5)', () => {
    const words = [0xe3a00001, 0x03a00001, 0xeb000010, 0x0affffff, 0xeafffffe, 0xe12fff1e, 0x112fff1e, 0xef000000];
    const bytes = new Uint8Array(Uint32Array.from(words).buffer);
    expect(rowsOf(createImages([imageOf('arm', bytes, [['all', 0x8000, 32]])]))).toEqual([
      '0x8000 4 plain 0 0', // mov r0, #1
      '0x8004 4 conditional 0 1', // moveq r0, #1
      '0x8008 4 branch 1 0', // bl
      '0x800c 4 conditional branch 0 1', // beq
      '0x8010 4 branch 1 0', // b
      '0x8014 4 branch 1 0', // bx lr
      '0x8018 4 conditional branch 0 1', // bxne lr
      '0x801c 4 plain 0 0', // svc #0: its handler returns to the next instruction
    ]);
  });

  test('of Thumb, with an IT block that data ends', () => {
    // itt eq; moveq r1, #1; data; movs r1, #2; cbz r0; bl; udf
    const halves = [0xbf04, 0x2101, 0xffff, 0x2102, 0xb100, 0xf000, 0xf810, 0x4770];
    const bytes = new Uint8Array(Uint16Array.from(halves).buffer);
    const states = createCodeStates([
      { address: 0x8000n, end: 0x8004n, state: 'thumb' },
      { address: 0x8004n, end: 0x8006n, state: 'data' },
      { address: 0x8006n, end: 0x8010n, state: 'thumb' },
    ]);
    expect(rowsOf(createImages([imageOf('thumb', bytes, [['all', 0x8000, 16]], { states })]))).toEqual([
      '0x8000 2 plain 0 0',
      '0x8002 2 conditional 0 1',
      '0x8006 2 plain 0 0',
      '0x8008 2 conditional branch 0 0',
      '0x800a 4 branch 1 0',
      '0x800e 2 branch 1 0',
    ]);
  });

  test('of x86-64, in functions that overlap', () => {
    // je +2; call +0x100; ret; the second function begins inside of the call.
    const bytes = Uint8Array.of(0x74, 0x02, 0xe8, 0x00, 0x01, 0x00, 0x00, 0xc3);
    const images = createImages([
      imageOf('x86-64', bytes, [
        ['outer', 0x8000, 8],
        ['inner', 0x8003, 5],
      ]),
    ]);
    expect(rowsOf(images)).toEqual([
      '0x8000 2 conditional branch 0 0', // je
      '0x8002 5 branch 1 0', // call
      '0x8003 2 plain 0 0', // add byte ptr [rcx], al
      '0x8005 2 plain 0 0', // add byte ptr [rax], al
      '0x8007 1 branch 1 0', // ret
    ]);
  });
});

test.each(Object.keys(MACHINES))('reads code of %s as it reads each instruction alone', (name) => {
  const random = createRandom(7);
  const bytes = Uint8Array.from({ length: 6000 }, () => random.below(256));
  // Many equal opcodes with different distances: BL and B of ARM, AArch64 and Thumb.
  for (let at = 0; at + 4 <= bytes.length; at += 4) {
    if (random.below(3) > 0) continue;
    if (name === 'arm') bytes[at + 3] = 0xea + random.below(2);
    if (name === 'aarch64') bytes[at + 3] = random.below(2) === 0 ? 0x14 : 0x97;
    if (name !== 'thumb') continue;
    bytes[at + 1] = 0xf0 + random.below(8);
    bytes[at + 3] = 0xd0 + random.below(48);
  }
  const images = createImages([imageOf(name, bytes, [])]);
  const code = images.codeAt(BASE)!;
  const shared = createTraitsReader(disassembler);
  const found: (readonly [number, number])[] = [];
  const alone: (readonly [number, number])[] = [];
  for (let at = 0; at < bytes.length;) {
    const rest = bytes.subarray(at);
    const stopped = shared.read(code, rest, BASE + BigInt(at), rest.length, (offset, traits) => {
      found.push([at + offset, traits]);
    });
    at += stopped + 1 + (stopped & 1);
  }
  for (const [at] of found)
    createTraitsReader(disassembler).read(code, bytes.subarray(at), 0x1234_5670n, 1, (offset, traits) => {
      alone.push([at + offset, traits]);
    });
  expect(found.length).toBeGreaterThan(300);
  expect(found).toEqual(alone);
  expect(found.every(([, traits]) => (traits & TRAIT.size) > 0 && traits < 5 * IT)).toBe(true);
});

describe('finds lines and functions', () => {
  const bytes = new Uint8Array(0x200);
  const random = createRandom(11);
  const writer = createLineTable();
  for (let sequence = 0; sequence < 12; sequence++) {
    const length = 4 + 4 * random.below(24);
    for (let offset = 0; offset < length; offset += 4 * (1 + random.below(4)))
      writer.row(offset, writer.file(`file${random.below(2)}.c`), random.below(6));
    writer.end(BASE + BigInt(4 * random.below(100)), length, true);
  }
  const lines = writer.finish([]);
  const functions = Array.from(
    { length: 30 },
    (_, at) => [`f${at}`, 0x8000 + 4 * ((at * 37) % 0x70), 4 * random.below(12)] as const,
  );
  const images = createImages([
    imageOf('arm', bytes, functions, { lines: () => lines }),
    imageOf('arm', bytes, [['other', 0x8102, 0x180]], { shift: 0x20n }),
  ]);
  const all = Array.from({ length: 0xa0 }, (_, at) => 0x8000 + 4 * at);

  test('as they are asked for address by address', () => {
    const places = placesAt(images, all);
    expect(new Set(places.functionOf).size).toBeGreaterThan(10);
    expect(new Set(places.lineOf).size).toBeGreaterThan(5);
    expectPlaces(images, all, places);
  });

  test('joined from those of two lists', () => {
    for (const step of [2, 3, 7]) {
      const [one, other] = [all.filter((_, at) => at % step > 0), all.filter((_, at) => at % step === 0)];
      const order = all.map((_, at) => (at % step > 0 ? one.indexOf(all[at]!) : one.length + other.indexOf(all[at]!)));
      const joined = joinedPlaces(placesAt(images, one), placesAt(images, other), Uint32Array.from(order));
      expect(joined).toEqual(placesAt(images, all));
    }
  });

  test('again from the form that the index keeps', () => {
    const own = codeOf(images);
    const places = finished(placesOf(images, own));
    const known = STORED_PROGRAM.fromTable(STORED_PROGRAM.toTable({ own, places }), {} as Trace);
    expect(known).toEqual({ own, places });
  });
});

function placesAt(images: Images, addresses: readonly number[]): CodePlaces {
  return finished(placesOf(images, { low: addresses, high: addresses.map(() => 0) }));
}

function expectPlaces(
  images: Images,
  addresses: readonly number[],
  { lines, functions, lineOf, functionOf }: CodePlaces,
) {
  addresses.forEach((address, row) => {
    const hit = images.symbolAt(BigInt(address));
    expect([row, lines[lineOf[row]!]]).toEqual([row, images.lineAt(BigInt(address))]);
    expect([row, functions[functionOf[row]!]?.name]).toEqual([row, hit?.symbol.name]);
    if (hit?.offset !== 0n) return;
    const line = images.lineAt(BigInt(address));
    expect(functions[functionOf[row]!]).toEqual({ name: hit.symbol.name, address: toHex(address), ...line });
  });
  const sorted = lines.toSorted((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.line - b.line));
  expect(lines).toEqual(sorted);
  const firsts = functions.map((_, at) => functionOf.indexOf(at));
  expect(firsts).toEqual(firsts.toSorted((a, b) => a - b));
}
