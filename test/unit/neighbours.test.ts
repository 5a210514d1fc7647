// Formats of other tools, by lines worked out by hand from the tools' manuals.
import { describe, expect, test } from 'vitest';
import type { Settings } from '../../shared/format/format.ts';
import { formatById } from '../../shared/formats/index.ts';
import type { RecordFields } from '../../shared/records/record.ts';
import { decodeAll } from '../laws/drive.ts';
import { createRandom } from '../laws/random.ts';

function read(format: string, text: string, settings: Settings = {}, batchRecords = 8192): readonly RecordFields[] {
  const decoder = formatById(format)?.open(settings);
  if (decoder?.ok !== true) throw new Error(`${format} does not open`);
  const driven = decodeAll(decoder.value, new TextEncoder().encode(text), { describe: () => true, batchRecords });
  return driven.records.map(({ fields }) => fields!);
}

function claim(format: string, text: string): ReturnType<NonNullable<ReturnType<typeof formatById>>['sniff']> {
  const bytes = new TextEncoder().encode(text);
  return formatById(format)!.sniff({ bytes, size: bytes.length });
}

/** A byte order mark does not hide the first record of a file. */
test.each([
  ['lackey', 'I  04001090,3\n'],
  ['lackey', '==12== Lackey\n'],
  ['din', '2 40d0c0\n'],
  ['byu6', '001007c8 fc NC_D_READ\n'],
  ['brstack', '0x10/0x20/P/-/-/3\n'],
  ['brstack', '# captured on: x\n'],
])('%s: skips a byte order mark before %j', (format, line) => {
  const settings: Settings = format === 'byu6' ? { dialect: 'ascii' } : {};
  const described = (text: string): unknown =>
    read(format, text, settings).map((fields) => ({ ...fields, text: undefined }));
  expect(described(`\uFEFF${line}`)).toEqual(described(line));
  expect(read(format, line, settings)[0]?.native).not.toBe('TEXT');
});

describe('lackey', () => {
  test('reads hexadecimal addresses and decimal sizes', () => {
    expect(read('lackey', 'I  0400d7d4,8\n L 1ffefff9f8,16\n')).toEqual([
      { kind: 'instruction', native: 'I', address: '0x400d7d4', size: 8 },
      { kind: 'read', native: 'L', address: '0x1ffefff9f8', size: 16 },
    ]);
  });

  test('reads a modification as one marked write', () => {
    expect(read('lackey', ' M 0421c7cc,4\n')).toEqual([
      { kind: 'write', native: 'M', address: '0x421c7cc', size: 4, flags: ['modify'] },
    ]);
  });

  test("keeps Valgrind's own lines without a diagnostic and counts the program's lines", () => {
    const decoder = formatById('lackey')?.open({});
    if (decoder?.ok !== true) throw new Error('lackey does not open');
    const text = [
      '==12== Lackey\n--12-- REDIR\n**12** said\nI  0400,1\nhello\n==12==x\n',
      // With --time-stamp=yes, as Valgrind 3.19 prints them: days, hours, minutes, seconds.
      '==00:00:00:00.000 18450== Lackey\n==00:00:00:01.234 18450== \n==00:00:01.2 18450== no\n==1:2:3:4== no\n',
    ].join('');
    const { diagnostics } = decodeAll(decoder.value, new TextEncoder().encode(text));
    expect(diagnostics.map(({ code, count, firstRecord }) => [code, count, firstRecord])).toEqual([
      ['unknown-line', 1, 4],
      ['unknown-line', 1, 8],
      ['unknown-line', 1, 9],
    ]);
  });

  test('reads superblock lines as entry events, not as unknown text', () => {
    // lk_main.c prints them as `SB %08lx` with --trace-superblocks=yes.
    expect(read('lackey', 'SB 04001090\nI  04001090,3\nSB 4001093,1\nSBX 04001090\n')).toEqual([
      { kind: 'event', native: 'SB', address: '0x4001090' },
      { kind: 'instruction', native: 'I', address: '0x4001090', size: 3 },
      { kind: 'other', native: 'TEXT', text: 'SB 4001093,1' },
      { kind: 'other', native: 'TEXT', text: 'SBX 04001090' },
    ]);
    expect(claim('lackey', 'SB 04001090\nSB 04001093\n'.repeat(4))?.reasons).toEqual([
      '0 of the first 8 lines are accesses: a letter I, L, S or M, an address, a comma and a size',
      '8 are superblocks: SB and an address',
    ]);
  });

  test('detects the format despite program output in between', () => {
    const text = 'some output of the program\n'.repeat(3) + 'I  04001090,3\n L 1ffeffe7e0,8\n'.repeat(4);
    expect(claim('lackey', text)?.confidence).toBeGreaterThan(0.8);
  });
});

describe('din', () => {
  test('reads labels 0, 1, 2 as read, write and instruction fetch without a size', () => {
    expect(read('din', '0 1000\n1 FFFF0\n2 0x40d0c0\n')).toEqual([
      { kind: 'read', native: '0', address: '0x1000' },
      { kind: 'write', native: '1', address: '0xffff0' },
      { kind: 'fetch', native: '2', address: '0x40d0c0' },
    ]);
  });

  test('reads hexadecimal sizes of the extended form', () => {
    expect(read('din', 'r 1000 10\nw 1000 8\ni 40 4\nc 80 20\nv 80 20\nm 9 1\n')).toEqual([
      { kind: 'read', native: 'r', address: '0x1000', size: 16 },
      { kind: 'write', native: 'w', address: '0x1000', size: 8 },
      { kind: 'fetch', native: 'i', address: '0x40', size: 4 },
      { kind: 'special', native: 'c', address: '0x80', size: 32, flags: ['copy-back'] },
      { kind: 'special', native: 'v', address: '0x80', size: 32, flags: ['invalidate'] },
      { kind: 'read', native: 'm', address: '0x9', size: 1, flags: ['miscellaneous'] },
    ]);
  });

  test('reads the third field of the plain form as a size or a comment, as the option says', () => {
    const text = '0 1000 8\n0 1000 ffff\n0 1000 0\n';
    expect(read('din', text, { third: 'comment' }).map(({ size, text: kept }) => [size, kept])).toEqual([
      [undefined, '8'],
      [undefined, 'ffff'],
      [undefined, '0'],
    ]);
    expect(read('din', text, { third: 'size' }).map(({ size, text: kept }) => [size, kept])).toEqual([
      [8, undefined],
      [65535, undefined],
      [undefined, undefined],
    ]);
    expect(read('din', text).map(({ size, text: kept }) => [size, kept])).toEqual([
      [8, undefined],
      [undefined, 'ffff'],
      [undefined, '0'],
    ]);
  });

  test('detects whether third fields are sizes', () => {
    expect(claim('din', '2 400 4\n0 1000 8\n'.repeat(8))?.options).toEqual({ third: 'size' });
    expect(claim('din', '2 400 8fa40000\n0 1000 8\n'.repeat(8))?.options).toEqual({ third: 'comment' });
    expect(claim('din', '2 400\n0 1000\n'.repeat(8))?.options).toEqual({});
  });

  test('keeps all 64 bits of addresses', () => {
    expect(read('din', '0 ffffffff81000040\n1 7ffc12345678\n').map(({ address }) => address)).toEqual([
      '0xffffffff81000040',
      '0x7ffc12345678',
    ]);
  });
});

describe('brstack', () => {
  test('reads a line as a sample with the newest branch first', () => {
    expect(read('brstack', 'sh 9 [002] 1.000002: 0x30/0x40/P/-/-/5/CALL/-  0x10/0x20/M/X/A/0/RET/- \n')).toEqual([
      {
        kind: 'branch',
        native: 'CALL',
        time: 1_000_002_000,
        cpu: 2,
        address: '0x30',
        source: '0x30',
        target: '0x40',
        text: 'sh 9 [002] 1.000002:',
        flags: ['newest-first', '0-newer', 'predicted', 'cycles-5'],
      },
      {
        kind: 'branch',
        native: 'RET',
        cpu: 2,
        address: '0x10',
        source: '0x10',
        target: '0x20',
        flags: [
          'cpu-assumed',
          'newest-first',
          '1-newer',
          'mispredicted',
          'in-transaction',
          'transaction-abort',
          'cycles-0',
        ],
      },
    ]);
  });

  test('reads the fields of every kernel version: without cycles, with type, with speculation, with unknown fields', () => {
    const tokens = [
      '0x1/0x2/P/-/-',
      '0x1/0x2/P/-/-/7',
      '0x1/0x2/P/-/-/7/COND',
      '0x1/0x2/PN/-/-/7/COND/SPEC_WRONG_PATH/x',
    ];
    const fields = read('brstack', tokens.map((token) => `${token} \n`).join(''));
    expect(fields.map(({ native, flags }) => [native, ...(flags ?? []).slice(2)].join(' '))).toEqual([
      'BRANCH predicted',
      'BRANCH predicted cycles-7',
      'COND predicted cycles-7',
      'COND predicted not-taken cycles-7 spec-wrong-path x',
    ]);
  });

  test('reads times with nanoseconds exactly beyond 2^53', () => {
    const fields = read('brstack', 'a 1 5.000000001: 0x1/0x2/P/-/-/7 \na 1 9007199254.740993: 0x1/0x2/P/-/-/7 \n');
    expect(fields.map(({ time }) => time)).toEqual([5_000_000_001, '9007199254740993000']);
  });

  test('a batch may end inside a sample, also at the end of a block', () => {
    const random = createRandom(5);
    const lines = Array.from({ length: 40 }, (_, line) => {
      const tokens = Array.from({ length: 1 + random.below(40) }, (_unused, k) => `0x${line + 1}${k}1/0xff/P/-/-/1`);
      return `p ${line} [001] ${line}.000000: ${tokens.join('  ')} \n`;
    });
    const text = lines.join('');
    const decoder = formatById('brstack')?.open({});
    if (decoder?.ok !== true) throw new Error('brstack does not open');
    const bytes = new TextEncoder().encode(text);
    const whole = decodeAll(decoder.value, bytes);
    expect(whole.records.map(({ address }) => address)).toEqual(
      [...text.matchAll(/(0x\w+)\/0xff/g)].map(([, source]) => source),
    );
    for (const blockBytes of [1, 50, 1000]) {
      for (const batchRecords of [1, 2, 7]) {
        const cut = decodeAll(decoder.value, bytes, { blockBytes, batchRecords });
        expect(cut.records).toEqual(whole.records);
      }
    }
  });

  test('counts a damaged first branch, so that the next ones are not taken for the newest', () => {
    const newer = (line: string): readonly unknown[] =>
      read('brstack', `${line} \n`).map(({ text, time, flags }) => [text, time, flags?.[1]]);
    expect(newer('sh 9 1.000002: 0x50/0x6!/P/-/-/5/CALL/-  0x30/0x40/P/-/-/5/CALL/-  0x10/0x20/P/-/-/5/RET/-')).toEqual(
      [
        ['sh 9 1.000002: 0x50/0x6!/P/-/-/5/CALL/-', 1_000_002_000, '1-newer'],
        [undefined, undefined, '2-newer'],
      ],
    );
    // A file that begins within a line, two damaged lines, and symbol names with slashes.
    expect(newer('060/P/-/-/5/COND/-  0x30/0x40/P/-/-/5')).toEqual([['060/P/-/-/5/COND/-', undefined, '1-newer']]);
    expect(newer('a x/0x6/P 0y5/1/P/-/-/5 0x30/0x40/P/-/-/5')[0]).toEqual([
      'a x/0x6/P 0y5/1/P/-/-/5',
      undefined,
      '2-newer',
    ]);
    expect(newer('kworker/0:1 9 7f12 main+0x10 (/lib/x86-64/libc-2.so) 0x30/0x40/P/-/-/5')[0]).toContain('0-newer');

    const decoder = formatById('brstack')?.open({});
    if (decoder?.ok !== true) throw new Error('brstack does not open');
    const broken = new TextEncoder().encode('0x1/0x2/P/-/-/1 \nsh 9 0x50/0x6!/P/-/-/5 0x30/0x40/P/-/-/5 \n');
    expect(decodeAll(decoder.value, broken).diagnostics).toMatchObject([
      { code: 'unknown-word', count: 1, firstOffset: 22, firstRecord: 1 },
    ]);
  });

  test('reads branches with symbols instead of addresses as text and does not claim them', () => {
    const text = 'main+0x10/foo+0x0/P/-/-/0 \n'.repeat(4);
    expect(claim('brstack', text)).toBeUndefined();
    expect(new Set(read('brstack', text).map(({ kind }) => kind))).toEqual(new Set(['other']));
  });
});
