// XScale trace buffers: expectations worked out by hand from the 80200 manual's tables and pages, and a slow oracle written apart.
import { describe, expect, test } from 'vitest';
import { createBatch, type Batch } from '../../shared/records/batch.ts';
import { xscale } from '../../shared/formats/xscale/xscale.ts';
import { entriesOf } from '../../shared/xscale/buffer.ts';
import { instructionsOf, MESSAGE_OF, nativeName } from '../../shared/xscale/messages.ts';
import { createRandom } from '../laws/random.ts';
import type { Driven } from '../laws/drive.ts';
import { brief, full, hex, little, read, WORKED } from './xscale-buffers.ts';

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
    'indirect branch after 3 instructions, only the end 44 of its target is left',
  );
  expect(driven.gaps).toEqual([]);
});

test.each([
  ['', 'its target is lost'],
  ['44', 'only the end 44 of its target is left'],
  ['85 44', 'only the end 8544 of its target is left'],
  ['00 85 44', 'only the end 008544 of its target is left'],
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

describe('checkpoints are reported from the newest entry on', () => {
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

  test('behind a byte that is no message, which may have been checkpointed, nothing reports whose a register is', () => {
    const two = { checkpoints: '0x1000,0x2000' };
    const flags = (driven: Driven): readonly unknown[] => driven.records.map(({ fields }) => fields?.flags);
    const broken = read(full('c1 81 e2 c3 81'), two);
    expect(brief(broken)).toEqual([
      'DIRECT_CHECKPOINTED 1',
      'DIRECT 1',
      'RESERVED',
      'DIRECT_CHECKPOINTED 3 0x1000',
      'DIRECT 1',
    ]);
    const before = read(full('e2 c1 81 c3'), two);
    expect(brief(before)).toEqual([
      'RESERVED',
      'DIRECT_CHECKPOINTED 1 0x2000',
      'DIRECT 1',
      'DIRECT_CHECKPOINTED 3 0x1000',
    ]);
    const own = read(full('00 00 10 04 d1 e2 c3'), two);
    expect(brief(own)[0]).toBe('INDIRECT_CHECKPOINTED 1 0x1004');
    expect(flags(own)[0]).toEqual(['first-of-capture', 'instructions-1', 'checkpoint-uncertain']);
    expect(own.diagnostics.map(({ code }) => code)).toEqual(['reserved-message']);
    expect(flags(read(full('c1 e2 c3 c4'), two))[0]).toContain('checkpoint-not-kept');
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

  test.each([
    ['raw', [...full('c1'), ...full('c2')]],
    ['hex', [...Buffer.from('81 '.repeat(256) + '\n' + '82 '.repeat(256))]],
  ])('a capture that a file of two does not have is reported (%s)', (dialect, content) => {
    const codes = (capture: string): readonly string[] =>
      read(Uint8Array.from(content), { dialect, capture }).diagnostics.map(({ code }) => code);
    expect(codes('0')).toEqual([]);
    expect(codes('1')).toEqual([]);
    expect(codes('2')).toEqual(['no-such-capture']);
    expect(codes('999999')).toEqual(['no-such-capture']);
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
  // Digits as dumps have them were taken for decimal: another address.
  [{ checkpoints: '00008160,00008130' }, 'checkpoints=00008160,00008130'],
  [{ 'enable-pc': '00008000' }, 'enable-pc=00008000'],
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
