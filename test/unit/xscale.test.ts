// XScale trace buffers: expectations worked out by hand from the 80200 manual's tables and pages, and a slow oracle written apart.
import { describe, expect, test } from 'vitest';
import { createBatch, type Batch } from '../../shared/batch.ts';
import { xscale } from '../../shared/formats/xscale.ts';
import { entriesOf } from '../../shared/xscale/buffer.ts';
import { instructionsOf, MESSAGE_OF, nativeName } from '../../shared/xscale/messages.ts';
import { decodeAll, type Driven } from '../laws/drive.ts';
import { createRandom } from '../laws/random.ts';

const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));
const full = (text: string): Uint8Array => {
  const bytes = hex(text);
  return Uint8Array.from([...new Uint8Array(256 - bytes.length), ...bytes]);
};
const big = (...words: number[]): number[] =>
  words.flatMap((w) => [w >>> 24, (w >>> 16) & 255, (w >>> 8) & 255, w & 255]);
const little = (...words: number[]): number[] =>
  words.flatMap((w) => [w & 255, (w >>> 8) & 255, (w >>> 16) & 255, w >>> 24]);

const WORKED = full('00 00 80 00 90 83 ff 85 22 81');

function read(bytes: Uint8Array, settings: Record<string, string> = {}): Driven {
  const opened = xscale.open(settings);
  if (!opened.ok) throw new Error(opened.error.message);
  return decodeAll(opened.value, bytes, { describe: () => true });
}

/** `NATIVE count target` per record. */
function brief({ records }: Driven): readonly string[] {
  return records.map(({ native, fields, target }) => {
    const count = fields?.flags?.find((flag) => flag.startsWith('instructions-'))?.slice('instructions-'.length) ?? '';
    return [native, count, target].join(' ').trim();
  });
}

test('every byte is what table 13-17 of the 80200 manual makes of it', () => {
  const table: readonly (readonly [pattern: RegExp, native: string])[] = [
    [/^0001/, 'UNDEFINED'],
    [/^0010/, 'SWI'],
    [/^0011/, 'PREFETCH_ABORT'],
    [/^0100/, 'DATA_ABORT'],
    [/^0110/, 'IRQ'],
    [/^0111/, 'FIQ'],
    [/^1000/, 'DIRECT'],
    [/^1100/, 'DIRECT_CHECKPOINTED'],
    [/^1001/, 'INDIRECT'],
    [/^1101/, 'INDIRECT_CHECKPOINTED'],
    [/^11111111$/, 'ROLL_OVER'],
  ];
  const named = Array.from({ length: 256 }, (_, byte) => nativeName(MESSAGE_OF[byte]!));
  const wanted = Array.from({ length: 256 }, (_, byte) => {
    const bits = byte.toString(2).padStart(8, '0');
    return table.find(([pattern]) => pattern.test(bits))?.[1] ?? 'RESERVED';
  });
  expect(named).toEqual(wanted);
  expect(named.filter((name) => name === 'RESERVED')).toHaveLength(16 + 16 + 3 * 16 + 15);
  expect([0x80, 0x83, 0x9f, 0xff, 0x22].map(instructionsOf)).toEqual([0, 3, 15, 16, 2]);
});

test('the worked example: zeros of an address are no padding', () => {
  expect(brief(read(WORKED))).toEqual([
    'INDIRECT 0 0x8000',
    'DIRECT 3',
    'ROLL_OVER 16',
    'DIRECT 5',
    'SWI 2 0x8',
    'DIRECT 1',
  ]);
  expect(read(WORKED).gaps).toEqual([{ name: 'never-written', start: 0, end: 246 }]);
});

test('the figure of the seed: a lone target[7:0], then an indirect, a direct and a checkpointed direct message', () => {
  const middle = '81'.repeat(256 - 4 - 8);
  const bytes = hex(`44 93 85 c2 ${middle} ff 00008160 d7 ff 81`);
  const driven = read(bytes, { checkpoints: '0x8160,0x8544' });
  expect(brief(driven).slice(0, 3)).toEqual(['INDIRECT 3', 'DIRECT 5', 'DIRECT_CHECKPOINTED 2 0x8544']);
  expect(brief(driven).slice(-4)).toEqual([
    'ROLL_OVER 16',
    'INDIRECT_CHECKPOINTED 7 0x8160',
    'ROLL_OVER 16',
    'DIRECT 1',
  ]);
  expect(driven.records[0]?.fields?.text).toBe(
    'indirect branch after 3 instructions, of its target only the end 44 is left',
  );
  expect(driven.gaps).toEqual([]);
});

test.each([
  ['', 'its target is lost'],
  ['44', 'of its target only the end 44 is left'],
  ['85 44', 'of its target only the end 8544 is left'],
  ['00 85 44', 'of its target only the end 008544 is left'],
  ['00 00 85 44', ''],
])('a wrapped buffer that begins with [%s] of an address', (left, rest) => {
  const address = hex(left);
  const bytes = Uint8Array.from([...address, 0x97, ...new Uint8Array(255 - address.length).fill(0x81)]);
  const { records, gaps, diagnostics } = read(bytes);
  expect(records[0]?.fields?.text).toBe(`indirect branch after 7 instructions${rest === '' ? '' : `, ${rest}`}`);
  expect(records[0]?.target).toBe(rest === '' ? '0x8544' : '');
  expect(records[0]?.end).toBe(address.length + 1);
  expect([gaps, diagnostics]).toEqual([[], []]);
});

describe('checkpoints are told from the newest entry on', () => {
  const given = { checkpoints: '0x1000,0x2000' };

  test('one has CHKPT0', () => {
    expect(brief(read(full('81 c2 83'), given))).toEqual(['DIRECT 1', 'DIRECT_CHECKPOINTED 2 0x1000', 'DIRECT 3']);
  });

  test('of two the older one has CHKPT1', () => {
    expect(brief(read(full('c1 c2 83'), given))).toEqual([
      'DIRECT_CHECKPOINTED 1 0x2000',
      'DIRECT_CHECKPOINTED 2 0x1000',
      'DIRECT 3',
    ]);
  });

  test('of three the oldest one has none', () => {
    const driven = read(full('c0 c1 c2 83'), given);
    expect(brief(driven).slice(0, 3)).toEqual([
      'DIRECT_CHECKPOINTED 0',
      'DIRECT_CHECKPOINTED 1 0x2000',
      'DIRECT_CHECKPOINTED 2 0x1000',
    ]);
    expect(driven.diagnostics).toMatchObject([
      { code: 'surplus-checkpoint', shape: 'c.', count: 1, firstOffset: 252, firstRecord: 0 },
    ]);
  });

  test('CHKPT1 that is not given stays unknown', () => {
    expect(brief(read(full('c1 c2'), { checkpoints: '0x1000' }))).toEqual([
      'DIRECT_CHECKPOINTED 1',
      'DIRECT_CHECKPOINTED 2 0x1000',
    ]);
  });

  test('a cut target is completed where its end fits, and only there', () => {
    const rest = '81'.repeat(253);
    expect(brief(read(hex(`10 00 d1 ${rest}`), given))[0]).toBe('INDIRECT_CHECKPOINTED 1 0x1000');
    const differs = read(hex(`10 04 d1 ${rest}`), given);
    expect(brief(differs)[0]).toBe('INDIRECT_CHECKPOINTED 1');
    expect(differs.diagnostics).toMatchObject([
      { code: 'checkpoint-differs', shape: 'CHKPT0, 2 of 4 address bytes', count: 1, firstOffset: 0 },
    ]);
  });

  test('where address bytes disagree they win', () => {
    const driven = read(full('00 00 10 04 d1'), given);
    expect(brief(driven)).toEqual(['INDIRECT_CHECKPOINTED 1 0x1004']);
    expect(driven.diagnostics).toMatchObject([{ code: 'checkpoint-differs', shape: 'CHKPT0, 4 of 4 address bytes' }]);
    const older = read(full('00 00 10 04 d1 c2'), given);
    expect(older.diagnostics).toMatchObject([{ code: 'checkpoint-differs', shape: 'CHKPT1, 4 of 4 address bytes' }]);
  });

  test('captures take pairs in their order, the one chosen takes the first', () => {
    const two = Uint8Array.from([...full('c1'), ...full('c2')]);
    expect(brief(read(two, { checkpoints: '0x10,0x20,0x30' }))).toEqual([
      'DIRECT_CHECKPOINTED 1 0x10',
      'DIRECT_CHECKPOINTED 2 0x30',
    ]);
    expect(brief(read(two, { checkpoints: '0x10,0x20', capture: '1' }))).toEqual(['DIRECT_CHECKPOINTED 2 0x10']);
  });
});

test('handlers lie at the base of the vectors, which is marked as assumed', () => {
  const all = full('10 20 30 40 60 70 81');
  const targets = (base: string): readonly string[] =>
    read(all, { base })
      .records.slice(0, 6)
      .map(({ target }) => target);
  expect(targets('0')).toEqual(['0x4', '0x8', '0xc', '0x10', '0x18', '0x1c']);
  expect(targets('0xffff0000')).toEqual([
    '0xffff0004',
    '0xffff0008',
    '0xffff000c',
    '0xffff0010',
    '0xffff0018',
    '0xffff001c',
  ]);
  expect(read(all).records[0]?.fields?.flags).toContain('vector-base-assumed');
});

test.each([
  ['0f', 'reset-message'],
  ['00', 'reset-message'],
  ['57', 'reserved-vector'],
  ['a0', 'reserved-message'],
  ['be', 'reserved-message'],
  ['e9', 'reserved-message'],
  ['f0', 'broken-roll-over'],
  ['fe', 'broken-roll-over'],
])('the reserved byte %s between messages is kept and named %s', (byte, code) => {
  const driven = read(full(`81 ${byte} 82`));
  expect(brief(driven)).toEqual(['DIRECT 1', 'RESERVED', 'DIRECT 2']);
  expect(driven.diagnostics).toMatchObject([{ code, shape: byte, count: 1, firstOffset: 254, firstRecord: 1 }]);
});

describe('buffers that cannot be read', () => {
  test('an empty one is no error', () => {
    const driven = read(new Uint8Array(512));
    expect(driven.records).toEqual([]);
    expect(driven.diagnostics).toEqual([]);
    expect(driven.gaps.map(({ name }) => name)).toEqual(['empty', 'empty']);
  });

  test('without a message at its end it stays in one piece', () => {
    const driven = read(Uint8Array.from([...full('81 82 a5'), ...WORKED]));
    expect(brief(driven).slice(0, 2)).toEqual(['BUFFER', 'INDIRECT 0 0x8000']);
    expect(driven.diagnostics).toMatchObject([{ code: 'no-last-message', shape: 'ends in a5' }]);
  });

  test('one that was stored newest first is named', () => {
    const driven = read(WORKED.slice().reverse());
    expect(brief(driven)).toEqual(['BUFFER']);
    expect(driven.diagnostics).toMatchObject([{ code: 'reversed-buffer', count: 1 }]);
  });

  test('a last one that is cut is left out', () => {
    const driven = read(Uint8Array.from([...WORKED, ...WORKED.subarray(0, 255)]));
    expect(driven.records).toHaveLength(6);
    expect(driven.gaps.at(-1)).toEqual({ name: 'tail', start: 256, end: 511 });
    expect(driven.diagnostics).toMatchObject([
      { code: 'cut-buffer', shape: '255 of 256 bytes', firstOffset: 256, firstRecord: 6 },
    ]);
  });
});

test.each([
  ['lost', 30],
  ['lost', 100],
  ['surplus', 30],
])('behind %s bytes (%i) the buffers are found again', (how, bytes) => {
  const captures = Array.from({ length: 12 }, (_, k) => [
    ...full(`0000${(0x8000 + 64 * k).toString(16)}90 83 ff 85 0000900497 22 81 8${k.toString(16)}`),
  ]);
  const whole = Uint8Array.from(captures.flat());
  const at = 2 * 256 + 250;
  const damaged =
    how === 'lost'
      ? [...whole.subarray(0, at - bytes), ...whole.subarray(at)]
      : [...whole.subarray(0, at), ...new Uint8Array(bytes).fill(0xa5), ...whole.subarray(at)];
  const driven = read(Uint8Array.from(damaged));
  expect(driven.diagnostics.map(({ code }) => code)).toContain('phase-slip');
  const last = brief(driven).slice(-8 * 9);
  expect(last).toEqual(brief(read(whole)).slice(-8 * 9));
});

const digits = (value: number, width: number): string => value.toString(16).padStart(width, '0');

describe('containers are recognised, with the same entries in each', () => {
  const ENTRIES = '00 00 85 44 97 89 c0 00 00 81 60 d3 ff 85 00 00 85 44 97 89 80 22 81 83 85';
  const bytes = full(ENTRIES);
  const own = hex(ENTRIES);
  const expected = brief(read(bytes, { checkpoints: '0x8160,0x8130' }));
  const types = [1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0];
  const openocd = big(0x8160, 0x8130, 0x8550, own.length, ...Array.from(own, (byte, i) => (types[i]! << 16) | byte));
  const lines = Buffer.from(bytes)
    .toString('hex')
    .match(/.{32}/g)!
    .map((line) => line.match(/../g)!.join(' '));
  const text = (of: string): number[] => [...Buffer.from(of)];

  test.each<readonly [name: string, content: readonly number[], dialect: string, endian: string | undefined]>([
    ['checkpoint registers behind, little', [...bytes, ...little(0x8160, 0x8130)], 'checkpoints', 'little'],
    ['checkpoint registers behind, big', [...bytes, ...big(0x8160, 0x8130)], 'checkpoints', 'big'],
    ['words and registers, little', little(...bytes, 0x8160, 0x8130), 'words-checkpoints', 'little'],
    ['words and registers, big', big(...bytes, 0x8160, 0x8130), 'words-checkpoints', 'big'],
    ['dumped by OpenOCD', openocd, 'openocd', undefined],
    ['dumped by OpenOCD twice', [...openocd, ...openocd], 'openocd', undefined],
    ['text', text(`${lines.join('\n')}\n00008160 00008130\n`), 'hex', undefined],
    [
      'text with offsets',
      text(lines.map((line, i) => `${(16 * i).toString(16)}: ${line}\r\n`).join('') + '0x00008160,0x00008130'),
      'hex',
      undefined,
    ],
    [
      'text of 0x',
      text(`${Array.from(bytes, (byte) => `0x${byte.toString(16)}`).join(',')}\n# registers\n00008160 00008130`),
      'hex',
      undefined,
    ],
    [
      'words of TBREG in text',
      text([...bytes, 0x8160, 0x8130].map((word) => `0x${digits(word, 8)}\n`).join('')),
      'hex',
      undefined,
    ],
    ['text without blanks', text(`${Buffer.from(bytes).toString('hex')}\n00008160\n00008130\n`), 'hex', undefined],
  ])('%s', (_, content, dialect, endian) => {
    const file = Uint8Array.from(content);
    const claim = xscale.sniff({ bytes: file, size: file.length });
    expect(claim?.dialect).toBe(dialect);
    expect(claim?.options['endian']).toBe(endian);
    expect(claim?.confidence).toBeGreaterThan(0.5);
    const driven = read(file, { ...claim?.options, dialect });
    expect(brief(driven).slice(0, expected.length)).toEqual(expected);
    expect(driven.records.length % expected.length).toBe(0);
    expect(driven.diagnostics).toEqual([]);
  });

  const drawn = (line: string): string =>
    Buffer.from(line.replaceAll(' ', ''), 'hex')
      .toString('latin1')
      .replaceAll(/[^ -~]/g, '.');

  // The bytes 20 41 42 20 are drawn as ` AB `, which is a byte of two hexadecimal digits as well.
  test.each([
    ['xxd -g1', (line: string, k: number) => `${digits(16 * k, 8)}: ${line}  ${drawn(line)}`, ''],
    [
      'xxd',
      (line: string, k: number) => `${digits(16 * k, 8)}: ${line.replaceAll(/(..) (..)/g, '$1$2')}  ${drawn(line)}`,
      '',
    ],
    [
      'hexdump -C',
      (line: string, k: number) => `${digits(16 * k, 8)}  ${line.slice(0, 23)}  ${line.slice(24)}  |${drawn(line)}|`,
      '00000100\n',
    ],
    ['od -A x -t x1', (line: string, k: number) => `${digits(16 * k, 6)} ${line}`, '000100\n'],
    ['od -t x1', (line: string, k: number) => `${(16 * k).toString(8).padStart(7, '0')} ${line}`, '0000400\n'],
    ['a debugger', (line: string, k: number) => `0x${digits(0x1000 + 16 * k, 8)}: ${line}`, ''],
  ])('a dump by %s: neither its numbers nor what it draws are bytes', (_, print, end) => {
    const own = full(`20 41 42 20 ${ENTRIES}`);
    const printed = Buffer.from(own)
      .toString('hex')
      .match(/.{32}/g)!
      .map((line, k) => `${print(line.match(/../g)!.join(' '), k)}\n`)
      .join('');
    const file = Buffer.from(printed + end);
    const claim = xscale.sniff({ bytes: file, size: file.length });
    expect(claim?.dialect).toBe('hex');
    const driven = read(file, { dialect: 'hex' });
    expect(brief(driven)).toEqual(brief(read(own)));
    expect(driven.diagnostics).toEqual([]);
    expect(driven.gaps.map(({ name }) => name)).not.toContain('checkpoints');
    // Two buffers in one dump, and two dumps one after the other.
    expect(brief(read(Buffer.from((printed + end).repeat(2)), { dialect: 'hex' }))).toHaveLength(
      2 * driven.records.length,
    );
  });

  test.each([
    ['big', big],
    ['little', little],
  ])('words alone, %s', (endian, words) => {
    const file = Uint8Array.from(words(...bytes));
    const claim = xscale.sniff({ bytes: file, size: file.length });
    expect(claim).toMatchObject({ dialect: 'words', options: { endian } });
    expect(brief(read(file, { dialect: 'words' }))).toEqual(brief(read(bytes)));
  });

  test('dumps of OpenOCD are found again behind a broken one', () => {
    const broken = openocd.slice();
    broken[15] = 0;
    const driven = read(Uint8Array.from([...openocd, ...broken, ...openocd]), { dialect: 'openocd' });
    expect(driven.records).toHaveLength(2 * expected.length);
    expect(driven.gaps.filter(({ name }) => name === 'slip')).toEqual([
      { name: 'slip', start: openocd.length, end: 2 * openocd.length },
    ]);
    expect(driven.diagnostics).toMatchObject([
      { code: 'bad-depth', shape: 'depth 0', count: 1, firstOffset: openocd.length },
    ]);
  });

  test.each<readonly [name: string, content: readonly number[], dialect: string, code: string, shape: string]>([
    ['a depth that no buffer has', [...openocd, ...big(0, 0, 0, 257)], 'openocd', 'bad-depth', 'depth above 256'],
    ['a dump without its last word', openocd.slice(0, -4), 'openocd', 'cut-buffer', '112 of 116 bytes'],
    ['a header that is cut', [...openocd, 0, 0, 0], 'openocd', 'cut-buffer', '3 of 16 bytes'],
    ['text of a part of a buffer', text('81 82 83'), 'hex', 'cut-buffer', '3 of 256 bytes'],
    ['words of a part of a buffer', little(1, 2, 3), 'words', 'cut-buffer', '12 of 1024 bytes'],
  ])('%s', (_, content, dialect, code, shape) => {
    const { diagnostics } = read(Uint8Array.from(content), { dialect });
    expect(diagnostics).toMatchObject([{ code, shape, count: 1 }]);
  });

  test('bits that words must not have are told by the bytes they fill', () => {
    const shapes = (content: readonly number[], settings: Record<string, string>): readonly string[] =>
      read(Uint8Array.from(content), settings).diagnostics.map(
        ({ code, shape, count }) => `${code} ${shape} x${String(count)}`,
      );
    const odd = [...bytes].map((byte, i) => (i === 0 || i === 1 ? 0xffffff00 : i === 2 ? 0x80000000 : 0) + byte);
    expect(shapes(big(...odd), { dialect: 'words', endian: 'big' })).toEqual([
      'high-bits ff ff ff .. x2',
      'high-bits .. 00 00 .. x1',
    ]);
    expect(shapes(little(...odd), { dialect: 'words', endian: 'little' })).toEqual([
      'high-bits .. ff ff ff x2',
      'high-bits .. 00 00 .. x1',
    ]);
    // The third byte of the last entry.
    const dump = openocd.with(-2, 0x12);
    expect(shapes(dump, { dialect: 'openocd' })).toEqual(['high-bits 00 00 .. .. x1']);
  });

  test('words of a text that are no bytes are told by their shape', () => {
    const { diagnostics } = read(Uint8Array.from(text(`${lines.join(' ')} 123 trace: 45678 trace:`)), {
      dialect: 'hex',
    });
    expect(diagnostics).toMatchObject([
      { code: 'unknown-text', shape: '#', count: 2 },
      { code: 'unknown-text', shape: 'trace:', count: 2 },
    ]);
  });
});

test('text without blanks: four bytes of a cut entry are no checkpoint register', () => {
  const buffer = Uint8Array.from([0x00, 0x85, 0x44, 0x97, ...new Uint8Array(252).fill(0x81)]);
  const { records } = read(Buffer.from(Buffer.from(buffer).toString('hex')), { dialect: 'hex' });
  expect(records[0]).toMatchObject({ start: 0, end: 8, native: 'INDIRECT' });
  expect(records[0]?.fields?.text).toBe(
    'indirect branch after 7 instructions, of its target only the end 008544 is left',
  );
  expect(records[0]?.spans?.map(({ start, end }) => [start, end])).toEqual([
    [0, 2],
    [2, 4],
    [4, 6],
    [6, 8],
  ]);
});

test('the bytes of an entry by their bits', () => {
  const { records } = read(WORKED);
  expect(records[0]?.spans).toEqual([
    { name: 'target[31:24]', start: 0, end: 1, text: '00: bits 31 to 24 of the target' },
    { name: 'target[23:16]', start: 1, end: 2, text: '00: bits 23 to 16 of the target' },
    { name: 'target[15:8]', start: 2, end: 3, text: '80: bits 15 to 8 of the target' },
    { name: 'target[7:0]', start: 3, end: 4, text: '00: bits 7 to 0 of the target' },
    { name: 'message', start: 4, end: 5, text: '1001 0000: indirect branch, 0 instructions' },
  ]);
});

test('random buffers read as a search from their end reads them', () => {
  const random = createRandom(5);
  for (let round = 0; round < 300; round++) {
    const buffer = random.bytes(256);
    if (round % 3 === 0) buffer.fill(0, 0, random.below(256));
    buffer[255] = 0x80 + random.below(32);
    expect(entriesOf(buffer).map(({ start, end }) => [start, end])).toEqual(oracle(buffer));
  }
});

/** The digits of the buffer, newest first, taken apart by an expression: 9x and Dx with up to four bytes, anything else alone. */
function oracle(buffer: Uint8Array): readonly (readonly number[])[] {
  const reversed = Buffer.from(buffer.slice().reverse()).toString('hex');
  const entries: string[] = reversed.match(/[9d].(?:..){0,4}|[^9d]./g) ?? [];
  while (entries.at(-1) === '00') entries.pop();
  let end = 256;
  return entries
    .map((entry) => {
      const range = [end - entry.length / 2, end];
      end = range[0]!;
      return range;
    })
    .reverse();
}

test('a batch whose records need no places has all else the same', () => {
  const random = createRandom(11);
  const captures = random.bytes(256 * 40);
  for (let at = 0; at < captures.length; at += 256) {
    if (at % 768 === 0) captures.fill(0, at, at + random.below(200));
    captures[at + 255] = at % 2048 === 0 ? 0xa0 : 0x80 + random.below(32);
  }
  for (const settings of [{}, { dialect: 'checkpoints' }, { dialect: 'words' }]) {
    const columns = ({ placed }: { placed: boolean }): unknown[] =>
      batchesOf(captures, settings, placed).map(({ count, kind, native, flags, addressLow, targetLow, ...others }) => ({
        count,
        columns: [kind, native, flags, addressLow, targetLow].map((column) => [...column.subarray(0, count)]),
        gaps: others.gaps,
        diagnostics: others.diagnostics.list(),
      }));
    expect(columns({ placed: false })).toEqual(columns({ placed: true }));
  }
});

function batchesOf(bytes: Uint8Array, settings: Record<string, string>, placed: boolean): readonly Batch[] {
  const opened = xscale.open(settings);
  if (!opened.ok) throw new Error(opened.error.message);
  const size = bytes.length;
  const window = { bytes, length: size, base: 0, position: 0, end: size, lastLineEnd: size, fileEnd: size };
  const batches: Batch[] = [];
  for (let state = opened.value.initial; window.position < window.end;) {
    const batch = createBatch(700);
    batch.placed = placed;
    state = opened.value.decode(window, state, batch);
    batches.push(batch);
  }
  return batches;
}

test.each([
  [{ checkpoints: '0x1000;0x2000' }, 'checkpoints=0x1000;0x2000'],
  [{ checkpoints: '0x100000000' }, 'checkpoints=0x100000000'],
  [{ checkpoints: '0x1000,' }, 'checkpoints=0x1000,'],
  [{ capture: '-1' }, 'capture=-1'],
  [{ 'enable-pc': 'main' }, 'enable-pc=main'],
  [{ base: '0x8000' }, 'base=0x8000'],
])('refuses %j in one sentence', (settings, quoted) => {
  const opened = xscale.open(settings);
  expect(opened.ok ? '' : opened.error.message).toContain(quoted);
});

test('does not take text, zeros or other numbers for buffers', () => {
  const random = createRandom(9);
  const others: readonly (readonly [string, Uint8Array])[] = [
    ['text', Uint8Array.from({ length: 4096 }, (_, i) => 'these are words in a line, 0 to 9\n'.charCodeAt(i % 34))],
    ['zeros', new Uint8Array(4096)],
    ['ones', new Uint8Array(4096).fill(255)],
    ['random', random.bytes(4096)],
    ['counters', Uint8Array.from(little(...Array.from({ length: 1024 }, (_, i) => i * 4)))],
  ];
  for (const [name, bytes] of others) {
    expect(xscale.sniff({ bytes, size: bytes.length })?.confidence ?? 0, name).toBeLessThan(0.5);
  }
});

test('what is no better than chance is not claimed', () => {
  const random = createRandom(5);
  for (let round = 0; round < 50; round++) {
    const bytes = random.bytes(1024);
    expect(xscale.sniff({ bytes, size: bytes.length })).toBeUndefined();
  }
  const text = new TextEncoder().encode(
    'Вот дом, который построил Джек. А это пшеница, которая в тёмном чулане хранится. '.repeat(8),
  );
  expect(xscale.sniff({ bytes: text, size: text.length })).toBeUndefined();
});

test('one buffer without entries is a guess that says why', () => {
  const claim = (bytes: Uint8Array): string | undefined => xscale.sniff({ bytes, size: bytes.length })?.reasons[0];
  expect(claim(new Uint8Array(256))).toContain('all zero');
  expect(claim(full('83 85').reverse())).toContain('newest first');
  expect(claim(new Uint8Array(255))).toBeUndefined();
});
