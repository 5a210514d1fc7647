// XScale trace buffers, worked out by hand from the 80200 manual's tables and pages, and compared with a slow independent oracle.
import { describe, expect, test } from 'vitest';
import { createBatch, type Batch } from '../../shared/records/batch.ts';
import { xscale } from '../../shared/formats/xscale/xscale.ts';
import { entriesOf } from '../../shared/xscale/buffer.ts';
import { instructionsOf, MESSAGE_OF, nativeName } from '../../shared/xscale/messages.ts';
import { createRandom } from '../laws/random.ts';
import type { Driven } from '../laws/drive.ts';
import { summaries, full, hex, little, read, WORKED } from './xscale-buffers.ts';

test('reads every byte as table 13-17 of the 80200 manual says', () => {
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

test('reads the worked example, in which address zeros are no padding', () => {
  expect(summaries(read(WORKED))).toEqual([
    'INDIRECT 0 0x8000',
    'DIRECT 3',
    'ROLL_OVER 16',
    'DIRECT 5',
    'SWI 2 0x8',
    'DIRECT 1',
  ]);
  expect(read(WORKED).gaps).toEqual([{ name: 'never-written', start: 0, end: 246 }]);
});

test('reads the entries of the format description: a lone target[7:0], then indirect, direct and checkpointed direct messages', () => {
  const middle = '81'.repeat(256 - 4 - 8);
  const bytes = hex(`44 93 85 c2 ${middle} ff 00008160 d7 ff 81`);
  const driven = read(bytes, { checkpoints: '0x8160,0x8544' });
  expect(summaries(driven).slice(0, 3)).toEqual(['INDIRECT 3', 'DIRECT 5', 'DIRECT_CHECKPOINTED 2 0x8544']);
  expect(summaries(driven).slice(-4)).toEqual([
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
])('reads a wrapped buffer that begins with [%s] of an address', (left, rest) => {
  const address = hex(left);
  const bytes = Uint8Array.from([...address, 0x97, ...new Uint8Array(255 - address.length).fill(0x81)]);
  const { records, gaps, diagnostics } = read(bytes);
  expect(records[0]?.fields?.text).toBe(`indirect branch after 7 instructions${rest === '' ? '' : `, ${rest}`}`);
  expect(records[0]?.target).toBe(rest === '' ? '0x8544' : '');
  expect(records[0]?.end).toBe(address.length + 1);
  expect([gaps, diagnostics]).toEqual([[], []]);
});

describe('assigns checkpoint registers from the newest entry back', () => {
  const given = { checkpoints: '0x1000,0x2000' };

  test('a single entry has CHKPT0', () => {
    expect(summaries(read(full('81 c2 83'), given))).toEqual(['DIRECT 1', 'DIRECT_CHECKPOINTED 2 0x1000', 'DIRECT 3']);
  });

  test('the older of two entries has CHKPT1', () => {
    expect(summaries(read(full('c1 c2 83'), given))).toEqual([
      'DIRECT_CHECKPOINTED 1 0x2000',
      'DIRECT_CHECKPOINTED 2 0x1000',
      'DIRECT 3',
    ]);
  });

  test('the oldest of three entries has no register', () => {
    const driven = read(full('c0 c1 c2 83'), given);
    expect(summaries(driven).slice(0, 3)).toEqual([
      'DIRECT_CHECKPOINTED 0',
      'DIRECT_CHECKPOINTED 1 0x2000',
      'DIRECT_CHECKPOINTED 2 0x1000',
    ]);
    expect(driven.diagnostics).toMatchObject([
      { code: 'surplus-checkpoint', shape: 'c.', count: 1, firstOffset: 252, firstRecord: 0 },
    ]);
  });

  test('keeps the target unknown without a given CHKPT1', () => {
    expect(summaries(read(full('c1 c2'), { checkpoints: '0x1000' }))).toEqual([
      'DIRECT_CHECKPOINTED 1',
      'DIRECT_CHECKPOINTED 2 0x1000',
    ]);
  });

  test("completes a truncated target only if the register's end matches", () => {
    const rest = '81'.repeat(253);
    expect(summaries(read(hex(`10 00 d1 ${rest}`), given))[0]).toBe('INDIRECT_CHECKPOINTED 1 0x1000');
    const differs = read(hex(`10 04 d1 ${rest}`), given);
    expect(summaries(differs)[0]).toBe('INDIRECT_CHECKPOINTED 1');
    expect(differs.diagnostics).toMatchObject([
      { code: 'checkpoint-differs', shape: 'CHKPT0, 2 of 4 address bytes', count: 1, firstOffset: 0 },
    ]);
  });

  test('takes a register for the target of its entry if only bit 0 differs, which may mark Thumb code', () => {
    const rest = '81'.repeat(253);
    for (const [target, register] of [
      ['84 e2', '0x84e3'],
      ['84 e3', '0x84e2'],
    ] as const) {
      const whole = read(full(`00 00 ${target} d1`), { checkpoints: register });
      const cut = read(hex(`${target} d1 ${rest}`), { checkpoints: register });
      expect(summaries(whole)).toEqual([`INDIRECT_CHECKPOINTED 1 0x${target.replace(' ', '')}`]);
      expect(summaries(cut)[0]).toBe(`INDIRECT_CHECKPOINTED 1 ${register}`);
      expect([...whole.diagnostics, ...cut.diagnostics]).toEqual([]);
    }
  });

  test('marks registers as uncertain if a byte without a message may have been a checkpoint', () => {
    const two = { checkpoints: '0x1000,0x2000' };
    const flags = (driven: Driven): readonly unknown[] => driven.records.map(({ fields }) => fields?.flags);
    const broken = read(full('c1 81 e2 c3 81'), two);
    expect(summaries(broken)).toEqual([
      'DIRECT_CHECKPOINTED 1',
      'DIRECT 1',
      'RESERVED',
      'DIRECT_CHECKPOINTED 3 0x1000',
      'DIRECT 1',
    ]);
    const before = read(full('e2 c1 81 c3'), two);
    expect(summaries(before)).toEqual([
      'RESERVED',
      'DIRECT_CHECKPOINTED 1 0x2000',
      'DIRECT 1',
      'DIRECT_CHECKPOINTED 3 0x1000',
    ]);
    const own = read(full('00 00 10 04 d1 e2 c3'), two);
    expect(summaries(own)[0]).toBe('INDIRECT_CHECKPOINTED 1 0x1004');
    expect(flags(own)[0]).toEqual(['first-of-capture', 'instructions-1', 'checkpoint-uncertain']);
    expect(own.diagnostics.map(({ code }) => code)).toEqual(['reserved-message']);
    expect(flags(read(full('c1 e2 c3 c4'), two))[0]).toContain('checkpoint-not-kept');
  });

  test('prefers address bytes to a register that differs', () => {
    const driven = read(full('00 00 10 04 d1'), given);
    expect(summaries(driven)).toEqual(['INDIRECT_CHECKPOINTED 1 0x1004']);
    expect(driven.diagnostics).toMatchObject([{ code: 'checkpoint-differs', shape: 'CHKPT0, 4 of 4 address bytes' }]);
    const older = read(full('00 00 10 04 d1 c2'), given);
    expect(older.diagnostics).toMatchObject([{ code: 'checkpoint-differs', shape: 'CHKPT1, 4 of 4 address bytes' }]);
  });

  test('gives register pairs to captures in order, and the first pair to a chosen capture', () => {
    const two = Uint8Array.from([...full('c1'), ...full('c2')]);
    expect(summaries(read(two, { checkpoints: '0x10,0x20,0x30' }))).toEqual([
      'DIRECT_CHECKPOINTED 1 0x10',
      'DIRECT_CHECKPOINTED 2 0x30',
    ]);
    expect(summaries(read(two, { checkpoints: '0x10,0x20', capture: '1' }))).toEqual(['DIRECT_CHECKPOINTED 2 0x10']);
  });

  test.each([
    ['raw', [...full('c1'), ...full('c2')]],
    ['hex', [...Buffer.from('81 '.repeat(256) + '\n' + '82 '.repeat(256))]],
  ])('reports a capture number that the file does not have (%s)', (dialect, content) => {
    const codes = (capture: string): readonly string[] =>
      read(Uint8Array.from(content), { dialect, capture }).diagnostics.map(({ code }) => code);
    expect(codes('0')).toEqual([]);
    expect(codes('1')).toEqual([]);
    expect(codes('2')).toEqual(['no-such-capture']);
    expect(codes('999999')).toEqual(['no-such-capture']);
  });
});

test('places handlers at the vector base and marks an assumed base', () => {
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
])('keeps the reserved byte %s between messages and names it %s', (byte, code) => {
  const driven = read(full(`81 ${byte} 82`));
  expect(summaries(driven)).toEqual(['DIRECT 1', 'RESERVED', 'DIRECT 2']);
  expect(driven.diagnostics).toMatchObject([{ code, shape: byte, count: 1, firstOffset: 254, firstRecord: 1 }]);
});

describe('unreadable buffers', () => {
  test('reads an empty buffer without a diagnostic', () => {
    const driven = read(new Uint8Array(512));
    expect(driven.records).toEqual([]);
    expect(driven.diagnostics).toEqual([]);
    expect(driven.gaps.map(({ name }) => name)).toEqual(['empty', 'empty']);
  });

  test('keeps a buffer without a last message in one piece', () => {
    const driven = read(Uint8Array.from([...full('81 82 a5'), ...WORKED]));
    expect(summaries(driven).slice(0, 2)).toEqual(['BUFFER', 'INDIRECT 0 0x8000']);
    expect(driven.diagnostics).toMatchObject([{ code: 'no-last-message', shape: 'ends in a5' }]);
  });

  test('recognises a buffer stored newest first', () => {
    const driven = read(WORKED.slice().reverse());
    expect(summaries(driven)).toEqual(['BUFFER']);
    expect(driven.diagnostics).toMatchObject([{ code: 'reversed-buffer', count: 1 }]);
  });

  test('leaves out a truncated last buffer', () => {
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
])('after %s bytes (%i), finds the buffers again', (how, bytes) => {
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
  const last = summaries(driven).slice(-8 * 9);
  expect(last).toEqual(summaries(read(whole)).slice(-8 * 9));
});

test('names the bytes of an entry by their bits', () => {
  const { records } = read(WORKED);
  expect(records[0]?.spans).toEqual([
    { name: 'target[31:24]', start: 0, end: 1, text: '00: bits 31 to 24 of the target' },
    { name: 'target[23:16]', start: 1, end: 2, text: '00: bits 23 to 16 of the target' },
    { name: 'target[15:8]', start: 2, end: 3, text: '80: bits 15 to 8 of the target' },
    { name: 'target[7:0]', start: 3, end: 4, text: '00: bits 7 to 0 of the target' },
    { name: 'message', start: 4, end: 5, text: '1001 0000: indirect branch, 0 instructions' },
  ]);
});

test('divides random buffers as a search from the end does', () => {
  const random = createRandom(5);
  for (let round = 0; round < 300; round++) {
    const buffer = random.bytes(256);
    if (round % 3 === 0) buffer.fill(0, 0, random.below(256));
    buffer[255] = 0x80 + random.below(32);
    expect(entriesOf(buffer).map(({ start, end }) => [start, end])).toEqual(oracle(buffer));
  }
});

/** Divides the digits of the buffer, newest first, with an expression: 9x and Dx with up to four bytes, any other byte alone. */
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

test('gives the same columns without record positions', () => {
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
  // Digits as dumps print them must not be read as decimal, which gives another address.
  [{ checkpoints: '00008160,00008130' }, 'checkpoints=00008160,00008130'],
  [{ 'enable-pc': '00008000' }, 'enable-pc=00008000'],
  [{ capture: '-1' }, 'capture=-1'],
  [{ 'enable-pc': 'main' }, 'enable-pc=main'],
  [{ base: '0x8000' }, 'base=0x8000'],
])('refuses %j in one sentence', (settings, quoted) => {
  const opened = xscale.open(settings);
  expect(opened.ok ? '' : opened.error.message).toContain(quoted);
});

test('does not claim text, zeros or other numbers as buffers', () => {
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

test('does not claim random bytes and foreign text', () => {
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

test('claims one buffer without entries as a guess with a reason', () => {
  const claim = (bytes: Uint8Array): string | undefined => xscale.sniff({ bytes, size: bytes.length })?.reasons[0];
  expect(claim(new Uint8Array(256))).toContain('all zero');
  expect(claim(full('83 85').reverse())).toContain('newest first');
  expect(claim(new Uint8Array(255))).toBeUndefined();
});
