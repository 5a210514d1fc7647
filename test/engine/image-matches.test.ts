/** Images compared with what a trace shows of the program: the right one, another build, another processor, another place. */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Engine } from '../../electron/engine/engine.ts';
import type { ImageMatch, ImagePlace } from '../../shared/requests/requests.ts';
import { writeElf, type ElfContent } from '../unit/elf-writer.ts';
import { ask, refusal } from './ask.ts';
import { makeFolder } from '../app/journey-driver.ts';
import { sharedEngine } from './shared-engine.ts';

const folder = makeFolder();
let engine: Engine;
beforeAll(() => {
  engine = sharedEngine();
});
afterAll(async () => {
  await engine.close();
  folder.remove();
});

/** `add r1, r2, #N` with another N for each instruction. */
const CODE = Array.from({ length: 64 }, (_, i) => 0xe2821000 + i);

function words(code: readonly number[], endian: 'little' | 'big' = 'little'): Uint8Array {
  const bytes = new DataView(new ArrayBuffer(4 * code.length));
  code.forEach((word, i) => bytes.setUint32(4 * i, word, endian === 'little'));
  return new Uint8Array(bytes.buffer);
}

let files = 0;
function file(content: string | Uint8Array): string {
  const path = folder.path(`file-${files++}`);
  writeFileSync(path, content);
  return path;
}

function elf(bytes: Uint8Array, more: Partial<ElfContent> = {}): string {
  const sections = [{ name: '.text', address: 0x8000, bytes }];
  return file(writeElf({ bits: 32, endian: 'little', machine: 40, sections, ...more }));
}

const digits = (value: number, width = 8): string => value.toString(16).padStart(width, '0');

/** Executes instructions in order, each as often as given, in Tarmac text as Fast Models print it. */
function tarmac(code: readonly number[], { base = 0x8000, times = 1, isa = 'A', size = 4 } = {}): string {
  const once = code.map((word, i) => `IT (0) ${digits(base + size * i)} ${digits(word, 2 * size)} ${isa} svc_s : NOP`);
  const all = Array.from({ length: times }, () => once).flat();
  return file(`${all.map((line, i) => `${i} ns ${line.replace('(0)', `(${i})`)}`).join('\n')}\n`);
}

async function compare(trace: string, ...images: readonly (string | ImagePlace)[]): Promise<readonly ImageMatch[]> {
  const places = images.map((image) => (typeof image === 'string' ? { path: image } : image));
  const opened = await ask(engine, 'open', { path: trace, images: places });
  await ask(engine, 'index', { trace: opened.trace });
  const answer = await ask(engine, 'imageMatches', { trace: opened.trace });
  await ask(engine, 'close', { trace: opened.trace });
  return answer.images;
}

async function verdict(trace: string, image: string | ImagePlace): Promise<ImageMatch> {
  const [match] = await compare(trace, image);
  return match!;
}

test('the right image matches all executed opcodes', async () => {
  expect(await verdict(tarmac(CODE, { times: 3 }), elf(words(CODE)))).toMatchObject({
    evidence: 'opcodes',
    verdict: 'match',
    checked: 192,
    matching: 192,
    share: 1,
    outside: 0,
    distinct: { checked: 64, matching: 64 },
    text: expect.stringMatching(/^file-\d+ matches 100 % of 192 executed opcodes\.$/) as string,
  });
});

test('images are compared with a trace that does not use them', async () => {
  const [right, moved] = [CODE, [...CODE.slice(0, 5), 0xe1a00000, ...CODE.slice(5)]].map((code) => elf(words(code)));
  const { trace } = await ask(engine, 'open', { path: tarmac(CODE) });
  await ask(engine, 'index', { trace });
  const images = [{ path: right! }, { path: moved! }];
  const compared = await ask(engine, 'imageMatches', { trace, images });
  expect(compared.images.map((match) => match.verdict)).toEqual(['match', 'other-build']);
  expect(await ask(engine, 'imageMatches', { trace })).toEqual({ images: [] });
  expect((await refusal(engine, 'imageMatches', { trace, images: [{ path: '/absent' }] })).code).toBe('image');
  await ask(engine, 'close', { trace });
});

test('another image is compared with the records that the index kept', async () => {
  const trace = tarmac(CODE, { times: 3 });
  const [right, other] = [CODE, CODE.map((word) => word ^ 1)].map((code) => elf(words(code)));
  const [first] = await compare(trace, right!);
  const [again, different] = await compare(trace, right!, other!);
  expect(again).toEqual(first);
  expect(different).toMatchObject({ verdict: 'other-build', checked: 192, matching: 0, first: { n: 0 } });
});

test('an image whose functions have moved is of another build, with the first difference', async () => {
  const shifted = [...CODE.slice(0, 5), 0xe1a00000, ...CODE.slice(5)];
  const match = await verdict(tarmac(CODE), elf(words(shifted)));
  expect(match).toMatchObject({
    verdict: 'other-build',
    checked: 64,
    matching: 5,
    first: { n: 5, address: '0x8014', trace: '0xe2821005', image: '0xe1a00000' },
  });
  expect(match.text).toMatch(
    /is probably another program or another build: it matches 7\.8 % of 64 executed opcodes\. First difference: record 5 at 0x8014 executes 0xe2821005, and the image has 0xe1a00000\.$/,
  );
});

test('a patched instruction in a hot loop is no other build', async () => {
  // One breakpoint executed 400 times among 64 instructions executed once.
  const patched = CODE.with(10, 0xe1200070);
  const trace = file(
    [...patched.map((word, i) => [i, word]), ...Array.from({ length: 400 }, () => [10, 0xe1200070])]
      .map(([at, word], n) => `${n} ns IT (${n}) ${digits(0x8000 + 4 * at!)} ${digits(word!)} A svc_s : NOP\n`)
      .join(''),
  );
  expect(await verdict(trace, elf(words(CODE)))).toMatchObject({
    verdict: 'differs',
    checked: 464,
    matching: 63,
    distinct: { checked: 64, matching: 63 },
    first: { n: 10, trace: '0xe1200070', image: '0xe282100a' },
  });
});

test('counts only covered instructions, and says how many lie outside', async () => {
  const match = await verdict(tarmac(CODE), elf(words(CODE.slice(0, 48))));
  expect(match).toMatchObject({ verdict: 'match', checked: 48, matching: 48, share: 1, outside: 16 });
  expect(match.text).toMatch(
    /matches 100 % of 48 executed opcodes\. 16 executed opcodes outside it were not compared\.$/,
  );
});

test('memory without bytes in the file is outside', async () => {
  const sections = [
    { name: '.text', address: 0x8000, bytes: words(CODE.slice(0, 60)) },
    { name: '.ramcode', address: 0x80f0, zeros: 16 },
  ];
  expect(await verdict(tarmac(CODE), elf(new Uint8Array(), { sections }))).toMatchObject({
    verdict: 'match',
    checked: 60,
    outside: 4,
  });
});

test('an overlay matches if any of its segments has the instruction', async () => {
  const sections = [
    { name: '.one', address: 0x8000, bytes: words(CODE.slice(0, 32)) },
    { name: '.two', address: 0x8000, bytes: words(CODE.slice(32)) },
  ];
  const both = file(
    CODE.map((word, i) => `${i} ns IT (${i}) ${digits(0x8000 + 4 * (i % 32))} ${digits(word)} A svc_s : NOP\n`).join(
      '',
    ),
  );
  expect(await verdict(both, elf(new Uint8Array(), { sections }))).toMatchObject({ verdict: 'match', checked: 64 });
});

test('an image of another processor is named as such', async () => {
  const match = await verdict(tarmac(CODE), elf(words(CODE), { machine: 3 }));
  expect(match).toMatchObject({ verdict: 'other-machine' });
  expect(match.text).toMatch(/is x86 code, and the trace is of another processor\.$/);
  const wide = { bits: 64, machine: 183 } as const;
  expect(await verdict(tarmac(CODE), elf(words(CODE), wide))).toMatchObject({ verdict: 'other-machine' });
});

test('an image of another processor is noticed without any opcode', async () => {
  // A start address and a direct branch, a return address and an indirect branch.
  const capture = file(Buffer.concat([Buffer.alloc(246), Buffer.from('00008000908100008008', 'hex')]));
  const verdicts: string[] = [];
  for (const machine of [3, 40]) {
    const images = [{ path: elf(words(CODE), { machine }) }];
    const opened = await ask(engine, 'open', { path: capture, format: 'xscale', images });
    await ask(engine, 'index', { trace: opened.trace });
    const answer = await ask(engine, 'imageMatches', { trace: opened.trace });
    verdicts.push(...answer.images.map((match) => match.verdict));
    await ask(engine, 'close', { trace: opened.trace });
  }
  expect(verdicts).toEqual(['other-machine', 'unknown']);
});

test('an image that was loaded elsewhere is offered at the address at which it matches', async () => {
  const trace = tarmac(CODE, { base: 0x20000 });
  const image = elf(words(CODE));
  const match = await verdict(trace, image);
  const place = { path: image, base: '0x20000' } as const;
  expect(match).toMatchObject({
    verdict: 'elsewhere',
    checked: 0,
    outside: 64,
    moved: { place, checked: 64, matching: 64 },
  });
  expect(match.text).toMatch(/As file-\d+@0x20000 it matches 100 % of 64 executed opcodes\.$/);
  expect(await verdict(trace, place)).toMatchObject({ verdict: 'match', checked: 64 });
});

test('a place is offered too if the image covers the executed addresses with other code', async () => {
  const image = elf(words([...CODE, ...CODE.map((word) => word + 0x1000)]));
  const match = await verdict(tarmac(CODE, { base: 0x8100 }), image);
  expect(match).toMatchObject({ verdict: 'elsewhere', checked: 64, matching: 0, moved: { place: { base: '0x8100' } } });
});

test('code that lies a few bytes off is of another build', async () => {
  const image = elf(words([0xe1a00000, ...CODE]));
  expect(await verdict(tarmac(CODE), image)).toMatchObject({ verdict: 'other-build', checked: 64, matching: 0 });
});

test('no place is offered if the code occurs nowhere in the image', async () => {
  const other = CODE.map((word) => word + 0x2000);
  expect(await verdict(tarmac(CODE, { base: 0x20000 }), elf(words(other)))).toMatchObject({
    verdict: 'unknown',
    checked: 0,
    outside: 64,
    text: expect.stringMatching(/^No executed opcode of the trace lies in file-\d+: /) as string,
  });
});

test('Thumb instructions of two and four bytes are compared as halfwords', async () => {
  const short = Array.from({ length: 32 }, (_, i) => 0x3000 + i);
  const long = Array.from({ length: 8 }, (_, i) => 0xf1000000 + i);
  const lines = [
    ...short.map((word, i) => `${digits(0x8000 + 2 * i)} ${digits(word, 4)} T`),
    ...long.map((word, i) => `${digits(0x8040 + 4 * i)} ${digits(word)} T`),
  ];
  const trace = file(lines.map((line, n) => `${n} ns IT (${n}) ${line} svc_s : NOP\n`).join(''));
  const halves = [...short, ...long.flatMap((word) => [word >>> 16, word & 0xffff])];
  const bytes = (big: boolean): Uint8Array =>
    Uint8Array.from(halves.flatMap((half) => (big ? [half >> 8, half & 255] : [half & 255, half >> 8])));
  expect(await verdict(trace, elf(bytes(false)))).toMatchObject({ verdict: 'match', checked: 40 });
  expect(await verdict(trace, elf(bytes(true), { endian: 'big' }))).toMatchObject({ verdict: 'match', checked: 40 });
  expect(await verdict(trace, elf(bytes(true)))).toMatchObject({ verdict: 'other-build', matching: 0 });
});

test('big-endian images are compared in the byte order of their instructions', async () => {
  const trace = tarmac(CODE);
  const big = { endian: 'big' } as const;
  expect(await verdict(trace, elf(words(CODE, 'big'), big))).toMatchObject({ verdict: 'match', checked: 64 });
  // BE8: data are big-endian, instructions are not.
  expect(await verdict(trace, elf(words(CODE), { ...big, flags: 0x0080_0000 }))).toMatchObject({ verdict: 'match' });
  expect(await verdict(trace, elf(words(CODE, 'big'), { ...big, flags: 0x0080_0000 }))).toMatchObject({
    verdict: 'other-build',
  });
});

test('AArch64 instructions are little-endian in every image', async () => {
  const trace = tarmac(CODE, { isa: 'O' });
  const wide = { bits: 64, machine: 183 } as const;
  expect(await verdict(trace, elf(words(CODE), wide))).toMatchObject({ verdict: 'match', checked: 64 });
  expect(await verdict(trace, elf(words(CODE), { ...wide, endian: 'big' }))).toMatchObject({ verdict: 'match' });
});

test('raw bytes match in either byte order', async () => {
  const trace = tarmac(CODE);
  for (const order of ['little', 'big'] as const) {
    const place = { path: file(words(CODE, order)), base: '0x8000' } as const;
    expect(await verdict(trace, place)).toMatchObject({ verdict: 'match', checked: 64 });
  }
});

test('a few differing instructions are no verdict', async () => {
  const match = await verdict(tarmac(CODE.slice(0, 4)), elf(words([1, 2, 3, 4])));
  expect(match).toMatchObject({ verdict: 'differs', checked: 4, matching: 0 });
});

test('a list of symbols cannot be compared', async () => {
  const match = await verdict(tarmac(CODE), file('00008000 T start\n'));
  expect(match).toMatchObject({ evidence: 'none', verdict: 'unknown', checked: 0 });
  expect(match.text).toMatch(/contains no code that could be compared\.$/);
});

test('traces of addresses say what can be checked and what cannot', async () => {
  const lackey = file('I  00008000,4\nI  00008004,4\n S 00009000,4\nI  00008200,4\n');
  const match = await verdict(lackey, elf(words(CODE)));
  expect(match).toMatchObject({ evidence: 'addresses', verdict: 'unknown', checked: 3, matching: 2, outside: 1 });
  expect(match.text).toMatch(
    /^66\.6 % of 3 executed addresses lie in the code of file-\d+\. The format \(.*\) has no opcodes, so another build of file-\d+ would not be noticed\.$/,
  );
  const din = file('2 8000\n2 8004\n0 9000\n');
  expect(await verdict(din, elf(words(CODE)))).toMatchObject({ evidence: 'fetches', checked: 2, matching: 2 });
});

test('before anything is indexed, the first block is compared', async () => {
  const opened = await ask(engine, 'open', {
    path: tarmac(CODE, { base: 0x8000, times: 2 }),
    images: [{ path: elf(words(CODE)) }],
  });
  const { images } = await ask(engine, 'imageMatches', { trace: opened.trace });
  expect(images).toMatchObject([{ verdict: 'match', checked: 128 }]);
  await ask(engine, 'close', { trace: opened.trace });
});

test('each image is judged on its own', async () => {
  const matches = await compare(tarmac(CODE), elf(words(CODE)), elf(words(CODE.map((word) => word + 1))));
  expect(matches.map((match) => match.verdict)).toEqual(['match', 'other-build']);
});
