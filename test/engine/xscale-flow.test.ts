/**
 * Captures of open traces: real ones compared with their emulator logs, and buffers of generated programs in every container, divided
 * into blocks anywhere. Branches of a capture equal its flow.
 */
import fs from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../electron/engine/engine.ts';
import type { ImagePlace } from '../../shared/requests/requests.ts';
import type { BranchEvent, Capture, CaptureFlow } from '../../shared/requests/flow.ts';
import { createRandom } from '../laws/random.ts';
import { findSamples } from '../laws/samples.ts';
import { few, NIGHTLY } from '../short-form.ts';
import { writeElf } from '../unit/elf-writer.ts';
import { encode, type Encoded } from '../unit/xscale-encoder.ts';
import { createProgram, runProgram, type Program } from '../unit/xscale-program.ts';
import { ask, refusal } from './ask.ts';
import { sharedEngine } from './shared-engine.ts';
import { nastyTarmac, scratch } from './traces.ts';

const place = scratch();
const engine = sharedEngine();
/** They divide a trace into blocks. */
const [divided, dividedAgain] = [sharedEngine(240), sharedEngine(480)];
afterAll(async () => {
  await Promise.all([engine, divided, dividedAgain].map((one) => one.close()));
  place.dispose();
});

interface Opening {
  readonly options?: Readonly<Record<string, string>>;
  readonly images?: readonly ImagePlace[];
}

async function open(engine: Engine, file: string, { options, images }: Opening): Promise<string> {
  const settings = { ...(options && { options }), ...(images && { images }) };
  const { trace } = await ask(engine, 'open', { path: file, format: 'xscale', ...settings });
  await ask(engine, 'index', { trace });
  return trace;
}

/** All captures, requested `count` at a time. */
async function capturesOf(engine: Engine, trace: string, count = 10_000): Promise<readonly Capture[]> {
  const all: Capture[] = [];
  for (let from: number | null = 0; from !== null;) {
    const part: { readonly captures: readonly Capture[]; readonly next: number | null } = await ask(
      engine,
      'captures',
      {
        trace,
        from,
        count,
      },
    );
    all.push(...part.captures);
    from = part.next;
  }
  return all;
}

async function eventsOf(engine: Engine, trace: string): Promise<readonly BranchEvent[]> {
  return (await ask(engine, 'branchEvents', { trace, from: 0, count: 10_000 })).events;
}

/** Number of calls in the whole trace, and in its second half. */
async function callsOf(engine: Engine, trace: string): Promise<readonly unknown[]> {
  const all = await ask(engine, 'calls', { trace });
  return [all, await ask(engine, 'tree', { trace, from: all.reach.records >> 1 })];
}

interface RealCapture {
  readonly id: string;
  readonly wrapped: boolean;
  readonly checkpoints: readonly [string, string];
  readonly used: number;
  readonly entries: number;
  readonly knownFrom: number;
  readonly buffer: string;
  /** Runs as `address+instructions`, of ARM code. */
  readonly addresses: string;
  readonly enabledAt?: string;
  readonly addressesFromEnabled?: string;
}

interface Real {
  readonly image: readonly { readonly address: string; readonly bytes: string }[];
  readonly captures: readonly RealCapture[];
}

describe('real captures', () => {
  const file = new URL('fixtures/xscale-real.json', import.meta.url);
  const { image, captures } = JSON.parse(fs.readFileSync(file, 'utf8')) as Real;
  const images = image.map(({ address, bytes }, i): ImagePlace => ({
    path: place.file(`real-${i}.bin`, Buffer.from(bytes, 'hex')),
    base: address as `0x${string}`,
  }));
  const addressesOf = (runs: string): string[] =>
    runs.split(' ').flatMap((run) => {
      const [start = '', many = ''] = run.split('+');
      return Array.from({ length: Number(many) }, (_, i) => `0x${(Number.parseInt(start, 16) + 4 * i).toString(16)}`);
    });

  test.each(captures.map((each) => [each.id, each] as const))('%s', async (id, each) => {
    const trace = place.file(`${id}.bin`, Buffer.from(each.buffer, 'hex'));
    const given = { dialect: 'raw', state: 'arm', checkpoints: each.checkpoints.join(',') };
    const opened = await open(engine, trace, { options: given, images });
    const flow = await ask(engine, 'captureFlow', { trace: opened, capture: 0 });
    expect(flow.addresses).toEqual(addressesOf(each.addresses));
    expect([flow.known_from_entry, flow.gaps]).toEqual([each.knownFrom, []]);
    expect(await capturesOf(engine, opened)).toEqual([
      {
        capture: 0,
        bytes: 256,
        entries: each.entries,
        wrapped: each.wrapped,
        checkpoints: each.checkpoints.slice(0, each.used),
        firstKnownEntry: each.knownFrom,
        diagnostics: [],
        firstRecord: 0,
      },
    ]);
    if (each.enabledAt === undefined) return;
    const enabled = await open(engine, trace, { options: { ...given, 'enable-pc': each.enabledAt }, images });
    const more = await ask(engine, 'captureFlow', { trace: enabled, capture: 0 });
    expect(more.addresses).toEqual(addressesOf(each.addressesFromEnabled ?? ''));
    expect(more.known_from_entry).toBe(0);
  });

  test('follows a raw image of big-endian code', async () => {
    const [each] = captures;
    const swapped = image.map(({ address, bytes }, i): ImagePlace => ({
      path: place.file(`big-${i}.bin`, Buffer.from(bytes, 'hex').swap32()),
      base: address as `0x${string}`,
    }));
    const trace = place.file('big.bin', Buffer.from(each!.buffer, 'hex'));
    const options = { dialect: 'raw', state: 'arm', checkpoints: each!.checkpoints.join(',') };
    const opened = await open(engine, trace, { options, images: swapped });
    const { addresses } = await ask(engine, 'captureFlow', { trace: opened, capture: 0 });
    expect(addresses).toEqual(addressesOf(each!.addresses));
  });

  test.each([1, 2, 3])('follows raw images that begin %i bytes before a word', async (before) => {
    const [each] = captures;
    const moved = image
      .filter(({ address }) => Number(address) > 0)
      .map(({ address, bytes }, i): ImagePlace => {
        const content = Buffer.concat([Buffer.alloc(before), Buffer.from(bytes, 'hex')]);
        return {
          path: place.file(`${before}-${i}.bin`, content),
          base: `0x${(Number(address) - before).toString(16)}`,
        };
      });
    const trace = place.file('before.bin', Buffer.from(each!.buffer, 'hex'));
    const options = { dialect: 'raw', state: 'arm', checkpoints: each!.checkpoints.join(',') };
    const opened = await open(engine, trace, { options, images: moved });
    const { addresses } = await ask(engine, 'captureFlow', { trace: opened, capture: 0 });
    expect(addresses).toEqual(addressesOf(each!.addresses));
  });

  test('follows a program in an ELF file with mapping symbols, from a capture without its registers', async () => {
    const wrapped = captures.find(({ id }) => id === 'wrap11');
    const trace = place.file('without.bin', Buffer.from(wrapped?.buffer ?? '', 'hex'));
    const sections = image.map(({ address, bytes }, i) => ({
      name: `.text${i}`,
      address: Number(address),
      bytes: Buffer.from(bytes, 'hex'),
    }));
    const symbols = sections.map(({ name, address }) => ({ name: '$a', value: address, type: 0, section: name }));
    const elf = writeElf({ bits: 32, endian: 'little', machine: 40, sections, symbols });
    const opened = await open(engine, trace, { images: [{ path: place.file('real.elf', elf) }] });
    const { addresses, thumb, places } = await ask(engine, 'captureFlow', { trace: opened, at: 3, places: true });
    const all = addressesOf(wrapped?.addresses ?? '');
    expect(all.slice(-addresses.length)).toEqual(addresses);
    expect(addresses.length).toBeGreaterThan(500);
    expect(thumb).toEqual([]);
    expect(Object.keys(places ?? {}).length).toBe(new Set(addresses).size);
    expect(Object.values(places ?? {}).every(({ text }) => text !== undefined)).toBe(true);
  });
});

describe('captures of made-up programs', () => {
  const random = createRandom(7);
  const program = createProgram(random, 4);
  const made = Array.from({ length: 9 }, (_, i): Encoded => {
    const events = runProgram(program, random, 40 + 300 * i, { interrupts: 4, aborts: 2 });
    return encode(events, program.start, {
      mode: i % 3 === 0 ? 'fill' : 'wrap',
      fromDebugger: i % 2 === 0,
      marksThumb: false,
      checkpoints: i === 4 ? 0 : 128,
    });
  });
  // An empty capture, and one that was not read to its end.
  const empty: Encoded = { buffer: new Uint8Array(256), checkpoints: [0, 0], entries: [] };
  const broken: Encoded = { buffer: made[2]!.buffer.slice().fill(0xa5, 255), checkpoints: [0, 0], entries: [] };
  const all = [...made.slice(0, 3), empty, ...made.slice(3, 6), broken, ...made.slice(6)];
  const elf = (): ImagePlace => ({ path: place.file('program.elf', elfOf(program)) });
  const registers = all.flatMap(({ checkpoints }) => checkpoints.map((value) => `0x${value.toString(16)}`)).join(',');
  const containers: readonly (readonly [
    dialect: string,
    content: Uint8Array | string,
    options: Record<string, string>,
  ])[] = [
    ['raw', join(all.map(({ buffer }) => buffer)), { checkpoints: registers }],
    [
      'checkpoints',
      join(all.map(({ buffer, checkpoints }) => join([buffer, words(checkpoints, true)]))),
      { endian: 'little' },
    ],
    ['words', join(all.map(({ buffer }) => words([...buffer], false))), { checkpoints: registers, endian: 'big' }],
    ['words-checkpoints', join(all.map(({ buffer, checkpoints }) => words([...buffer, ...checkpoints], true))), {}],
    ['hex', all.map(({ buffer, checkpoints }) => hexText(buffer, checkpoints)).join('\n'), {}],
  ];
  const WAYS = [
    { way: divided, count: 2 },
    { way: dividedAgain, count: 10_000 },
    { way: engine, count: 10_000 },
  ];

  test.each(few(containers, 3).map((container, i) => [...container, i] as const))(
    'give the same answers as %s, for every division into blocks',
    async (dialect, content, options, i) => {
      const file = place.file(`captures.${dialect}`, content);
      const answers = [];
      // The short form compares each container in one block with one of the divisions.
      for (const { way, count } of WAYS.filter((_, k) => NIGHTLY || k === 2 || k === i % 2)) {
        const trace = await open(way, file, { options: { dialect, ...options }, images: [elf()] });
        const captures = await capturesOf(way, trace, count);
        const flows: CaptureFlow[] = [];
        for (const { capture } of captures) flows.push(await ask(way, 'captureFlow', { trace, capture }));
        for (const { firstRecord, capture, entries } of captures) {
          if (firstRecord === undefined) continue;
          for (const at of [firstRecord, firstRecord + Math.max(1, entries) - 1]) {
            expect((await ask(way, 'captureFlow', { trace, at })).capture).toBe(capture);
          }
        }
        answers.push({ captures, flows, events: await eventsOf(way, trace), calls: await callsOf(way, trace) });
      }
      const [first, ...others] = answers;
      for (const other of others) expect(other).toEqual(first);
      const { captures, flows, events } = first!;
      expect(captures.map(({ capture }) => capture)).toEqual(all.map((_, i) => i));
      expect(captures.map(({ entries }) => entries)).toEqual(all.map(({ entries }) => entries.length));
      expect(captures.map(({ wrapped }) => wrapped)).toEqual(all.map(({ entries }) => entries[0]?.wrapped ?? false));
      expect(captures.map(({ diagnostics }) => diagnostics)).toEqual(
        all.map((each) => (each === broken ? [{ code: 'no-last-message', count: 1 }] : [])),
      );
      for (const [i, { entries }] of all.entries()) {
        const ran = entries.flatMap((entry) => entry.ran.map(({ address }) => `0x${address.toString(16)}`));
        expect(ran.slice(-flows[i]!.addresses.length || ran.length), `capture ${i}`).toEqual(flows[i]!.addresses);
        expect(flows[i]!.gaps).toEqual([]);
      }
      // The answers about single records equal the flow of their capture.
      const reported = flows.flatMap(({ branches }) => branches.filter(({ source }) => source !== undefined));
      const listed = events.filter(({ source }) => source !== undefined);
      expect(listed.map(({ source, target, kind }) => ({ source, ...(target && { target }), kind }))).toEqual(
        reported.map(({ source, target, kind }, i) => ({
          source,
          ...((target ?? listed[i]?.target) && { target: target ?? listed[i]!.target! }),
          kind,
        })),
      );
      expect(reported.length).toBeGreaterThan(100);
    },
  );

  test('give the same answers if bytes are lost, for every division into blocks', async () => {
    const [, content] = containers.find(([dialect]) => dialect === 'raw')!;
    const bytes = Buffer.from(content);
    const file = place.file('lost.raw', Buffer.concat([bytes.subarray(0, 1000), bytes.subarray(1011)]));
    const answers = [];
    for (const { way } of WAYS) {
      const trace = await open(way, file, { options: { dialect: 'raw' }, images: [elf()] });
      const { records } = (await ask(way, 'info', { trace })).reach;
      const events = await eventsOf(way, trace);
      for (const from of [1, records >> 2, records >> 1, records - 2]) {
        const part = await ask(way, 'branchEvents', { trace, from, to: from + 30, count: 10_000 });
        expect(part.events).toEqual(events.filter(({ n }) => n >= from && n < from + 30));
      }
      answers.push({ events, calls: await callsOf(way, trace) });
    }
    const [first, ...others] = answers;
    for (const other of others) expect(other).toEqual(first);
    expect(first!.events.length).toBeGreaterThan(100);
  });

  test('a capture chosen by an option is the only one reported', async () => {
    const file = place.file('chosen.bin', join(all.map(({ buffer }) => buffer)));
    const trace = await open(engine, file, { options: { dialect: 'raw', capture: '4' }, images: [elf()] });
    expect((await capturesOf(engine, trace)).map(({ capture }) => capture)).toEqual([4]);
    expect((await ask(engine, 'captureFlow', { trace, capture: 4 })).addresses.length).toBeGreaterThan(0);
    expect(await refusal(engine, 'captureFlow', { trace, capture: 5 })).toMatchObject({ code: 'no-such-capture' });
  });
});

describe('samples', () => {
  const samples = few(
    findSamples().filter(({ format }) => format === 'xscale'),
    8,
  );

  test('have the same captures and flow for every block size', async () => {
    const image = { path: place.file('nothing.bin', new Uint8Array(0x10000)), base: '0x0' as const };
    let seen = 0;
    for (const sample of samples) {
      const answers = [];
      const file = place.file(`sample-${sample.name}`, sample.bytes);
      for (const way of [divided, engine]) {
        const trace = await open(way, file, { options: sample.options, images: [image] });
        const list = await capturesOf(way, trace);
        const flows: CaptureFlow[] = [];
        for (const { capture } of list) flows.push(await ask(way, 'captureFlow', { trace, capture }));
        answers.push({ list, flows, events: await eventsOf(way, trace) });
        await ask(way, 'close', { trace });
      }
      const [small, large] = answers;
      expect(small, sample.name).toEqual(large);
      const numbers = small!.list.map(({ capture }) => capture);
      expect(numbers, sample.name).toEqual([...new Set(numbers)].sort((a, b) => a - b));
      seen += numbers.length;
    }
    expect(seen).toBeGreaterThan(samples.length);
  });
});

test('explains that a trace has no captures', async () => {
  const { trace } = await ask(engine, 'open', { path: place.file('trace.txt', nastyTarmac(200, 1)) });
  await ask(engine, 'index', { trace });
  const { code, message } = await refusal(engine, 'captures', { trace, count: 1 });
  expect(code).toBe('no-captures');
  expect(message).toContain('only XScale trace buffers have captures');
  expect((await refusal(engine, 'captureFlow', { trace, capture: 0 })).code).toBe('no-captures');
});

function join(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

function words(values: readonly number[], little: boolean): Uint8Array {
  return Uint8Array.from(
    values.flatMap((value) => {
      const bytes = [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
      return little ? bytes.reverse() : bytes;
    }),
  );
}

function hexText(buffer: Uint8Array, checkpoints: readonly number[]): string {
  const bytes = [...buffer].map((byte) => byte.toString(16).padStart(2, '0'));
  const lines = Array.from(
    { length: 16 },
    (_, i) => `${(16 * i).toString(16)}: ${bytes.slice(16 * i, 16 * i + 16).join(' ')}`,
  );
  return [...lines, checkpoints.map((value) => value.toString(16).padStart(8, '0')).join(' ')].join('\n');
}

function elfOf({ segments, marks }: Program): Uint8Array {
  const sections = segments.map(({ address, bytes }) => ({ name: `.text${address.toString(16)}`, address, bytes }));
  const symbols = sections.flatMap(({ name, address, bytes }) => {
    const mark = marks.find((each) => each.address < address + bytes.length && each.end > address);
    return mark === undefined
      ? []
      : [{ name: mark.thumb ? '$t' : '$a', value: Math.max(address, mark.address), type: 0, section: name }];
  });
  return writeElf({ bits: 32, endian: 'little', machine: 40, sections, symbols });
}

test('does not follow checkpoint registers that the image contradicts, and marks branches after them as inferred', async () => {
  const words = new Array<number>(0x400).fill(0xe1a00000);
  // Branches at 0x800c, to 0x8100, and at 0x8108, to 0x8200; BX LR at 0x8100.
  for (const [at, word] of [
    [0x800c, 0xea00003b],
    [0x8100, 0xe12fff1e],
    [0x8108, 0xea00003c],
  ] as const)
    words[(at - 0x8000) / 4] = word;
  const images = [
    { path: place.file('registers.bin', Buffer.from(Uint32Array.from(words).buffer)), base: '0x8000' as const },
  ];
  const entries = 'c08300008104 90 c1ff00008000 90 83'.replaceAll(' ', '');
  const file = place.file('registers.xsc', Buffer.from(entries.padStart(512, '0'), 'hex'));
  const reported = async (checkpoints: string) => {
    const options = { dialect: 'raw', state: 'arm', checkpoints };
    const trace = await open(engine, file, { options, images });
    const flow = await ask(engine, 'captureFlow', { trace, capture: 0 });
    const { events } = await ask(engine, 'branchEvents', { trace, count: 100 });
    return [
      flow.addresses,
      events.map(({ source, target, inferred }) => `${source ?? '?'} ${target ?? '?'} ${inferred}`),
    ];
  };
  const newest = ['0x8000', '0x8004', '0x8008', '0x800c'];
  expect(await reported('0x8300,0x8000')).toEqual([
    newest,
    ['? ? false', '? ? false', '? 0x8104 false', '? ? false', '? 0x8000 false', '0x800c 0x8100 true'],
  ]);
});

test('reports function cost in instructions, as the entries count them', async () => {
  // The example of the documentation: 31 instructions, and the branch that led to the first of them.
  const entries = [0x00, 0x00, 0x80, 0x00, 0x90, 0x83, 0xff, 0x85, 0x22, 0x81];
  const file = place.file('counted.bin', Buffer.from([...new Array<number>(246).fill(0), ...entries]));
  const trace = await open(engine, file, { options: { dialect: 'raw' } });
  const { unit, evidence, functions } = await ask(engine, 'calls', { trace });
  expect([unit, evidence]).toEqual(['instructions', 'branch messages']);
  expect(functions.reduce((sum, { self }) => sum + self, 0)).toBe(32);
  const part = await ask(engine, 'calls', { trace, from: 2, to: 4 });
  expect([part.unit, part.functions.reduce((sum, { self }) => sum + self, 0)]).toEqual(['instructions', 22]);
});

test.each([
  [0x8018, ['0x8010', '0x8014']],
  [0x8010, []],
  // A branch to itself lies in between, the address is half an instruction, code leads elsewhere, or the distance exceeds the longest
  // silence of a buffer.
  [0x801c, undefined],
  [0x8012, undefined],
  [0x8008, undefined],
  [0x8054, undefined],
])('reports the instructions up to a halt at %i only if they are certain', async (halt, tail) => {
  const word = (value: number): number[] => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
  const buffer = [0x1_0000, 0x1_0000, 0x1_0080, 0x1_0000, 0x90, 0x81];
  const file = place.file(`halt-${halt}.bin`, Buffer.from([0, 0, halt, buffer.length, ...buffer].flatMap(word)));
  const nop = 0xe1a00000;
  const code = [nop, 0xea000001, nop, nop, nop, nop, 0xeafffffe, ...new Array<number>(20).fill(nop)];
  const bytes = Buffer.from(code.flatMap((one) => word(one).reverse()));
  const images = [{ path: place.file('halted.bin', bytes), base: '0x8000' as const }];
  const trace = await open(engine, file, { options: { dialect: 'openocd', state: 'arm' }, images });
  const flow = await ask(engine, 'captureFlow', { trace, capture: 0, places: true });
  expect(flow.addresses).toEqual(['0x8000', '0x8004']);
  expect(flow.tail).toEqual(tail);
  expect(Object.keys(flow.places ?? {})).toEqual(['0x8000', '0x8004', ...(tail ?? [])]);
});

describe('texts of the executed addresses', () => {
  const bufferOf = (name: string, text: string): string => {
    const bytes = Buffer.from(text.replaceAll(' ', ''), 'hex');
    return place.file(name, Buffer.concat([Buffer.alloc(256 - bytes.length), bytes]));
  };
  const rawOf = (name: string, words: readonly number[], bytes: 2 | 4, littleEndian: boolean): ImagePlace => {
    const view = new DataView(new ArrayBuffer(words.length * bytes));
    words.forEach((word, i) =>
      bytes === 4 ? view.setUint32(4 * i, word, littleEndian) : view.setUint16(2 * i, word, littleEndian),
    );
    return { path: place.file(name, Buffer.from(view.buffer)), base: '0x8000' };
  };
  const textsOf = async (file: string, ...images: readonly ImagePlace[]): Promise<readonly string[]> => {
    const trace = await open(engine, file, { images });
    const { addresses, places } = await ask(engine, 'captureFlow', { trace, capture: 0, places: true });
    return addresses.map((address) => `${address} ${places?.[address]?.text ?? ''}`);
  };
  const ARM_CODE = [0xe1a00000, 0xe3a00001, 0xeb000000, 0xeafffffe, 0xe12fff1e];
  const ARM_TEXT = ['0x8000 mov r0, r0', '0x8004 mov r0, #1', '0x8008 bl #0x8010', '0x8010 bx lr'];
  const ARM_RUN = '00 00 80 00 90 82 00 00 80 0c 90';

  test('decodes big-endian raw ARM code in its byte order', async () => {
    const file = bufferOf('big.xsc', ARM_RUN);
    expect(await textsOf(file, rawOf('big.bin', ARM_CODE, 4, false))).toEqual(ARM_TEXT);
  });

  const THUMB_CODE = [0xb500, 0xf000, 0xf801, 0xbd00, 0xb500, 0xf000, 0xbd00];
  const THUMB_RUN = '00 00 80 01 90 82 00 00 80 07 92';

  test('shows the second half of a Thumb call as an instruction of its own', async () => {
    const file = bufferOf('thumb.xsc', THUMB_RUN);
    expect(await textsOf(file, rawOf('thumb.bin', THUMB_CODE, 2, true))).toEqual([
      '0x8000 push {lr}',
      '0x8002 bl #0x8008',
      '0x8004 (2nd half of BL pair)',
      '0x8008 push {lr}',
      '0x800a (1st half of BL pair)',
      '0x800c pop {pc}',
    ]);
  });

  test('decodes big-endian raw Thumb code in its byte order', async () => {
    const file = bufferOf('thumb-big.xsc', THUMB_RUN);
    const [little, big] = [true, false].map((each) => rawOf(`thumb-${each}.bin`, THUMB_CODE, 2, each));
    const texts = await textsOf(file, big!);
    expect(texts).toHaveLength(6);
    expect(texts).toEqual(await textsOf(file, little!));
  });

  describe('overlapping images', () => {
    const elfFile = (name: string, endian: 'little' | 'big', state: '$a' | '$t', bytes: Uint8Array): ImagePlace => {
      const sections = [{ name: '.text', address: 0x8000, bytes }];
      const symbols = [{ name: state, value: 0x8000, type: 0, binding: 0 }];
      return { path: place.file(name, writeElf({ bits: 32, endian, machine: 40, sections, symbols })) };
    };

    test('a second image with other bytes does not decide instruction set and byte order', async () => {
      const file = bufferOf('first.xsc', ARM_RUN);
      const raw = rawOf('first.bin', ARM_CODE, 4, true);
      const other = elfFile('other.elf', 'big', '$t', new Uint8Array(20));
      expect(await textsOf(file, raw, other)).toEqual(ARM_TEXT);
    });

    test('a second image with the same bytes does', async () => {
      // Two of ADDS R0, R0, #0 in Thumb code, STCNE in ARM code: 16 of either ran.
      const file = bufferOf('same.xsc', '00 00 80 00 90 ff');
      const raw = rawOf('same.bin', new Array<number>(20).fill(0x1c001c00), 4, true);
      expect(await textsOf(file, raw)).toEqual(['0x8000 ']);
      const same = elfFile('same.elf', 'little', '$a', fs.readFileSync(raw.path));
      expect((await textsOf(file, raw, same)).map((each) => each.split(' ')[0])).toEqual(
        Array.from({ length: 16 }, (_, i) => `0x${(0x8000 + 4 * i).toString(16)}`),
      );
    });
  });
});
