// Containers of trace buffers (checkpoint registers, words, OpenOCD dumps and text) have the same entries.
import { describe, expect, test } from 'vitest';
import { xscale } from '../../shared/formats/xscale/xscale.ts';
import { big, summaries, full, hex, little, read } from './xscale-buffers.ts';

const digits = (value: number, width: number): string => value.toString(16).padStart(width, '0');

describe('recognises the byte order of checkpoint registers', () => {
  const stale = 0x5a5a5a5a;

  test.each([
    ['Thumb code without another address', 'c3 81 82 83 84 85 86 87 88 81 82 83', 0x84e2, stale],
    ['Thumb code, with bit 0', 'c3 81 82 83 84 85 86 87 88 81 82 83', 0x84e3, stale],
    ['two registers in high memory', 'c3 81 82 83 84 c5 86 87 88 81 82 83', 0xa00084e2, 0xa0008004],
    ['code far from a target in the same region', 'c3 81 82 00 a0 00 91 00 97 83 81 82 83', 0xa00084e2, stale],
    ['the target of its entry', '81 82 a0 00 84 e2 d4 83 84 85 86 81 82 83', 0xa00084e2, stale],
    ['the target of its entry, with bit 0', '81 82 a0 00 84 e2 d4 83 84 85 86 81 82 83', 0xa00084e3, stale],
    ['an unused register that would be code', 'c3 81 82 83 84 85 86 87 88 81 82 83', 0x84e2, 0x00840000],
  ])('%s', (_, entries, ...registers) => {
    for (const [endian, words] of [
      ['little', little(...registers)],
      ['big', big(...registers)],
    ] as const) {
      const file = Uint8Array.from([...full(entries), ...words]);
      expect(xscale.sniff({ bytes: file, size: file.length })).toMatchObject({
        dialect: 'checkpoints',
        options: { endian },
      });
    }
  });
});

describe('recognises containers with the same entries', () => {
  const ENTRIES = '00 00 85 44 97 89 c0 00 00 81 60 d3 ff 85 00 00 85 44 97 89 80 22 81 83 85';
  const bytes = full(ENTRIES);
  const own = hex(ENTRIES);
  const expected = summaries(read(bytes, { checkpoints: '0x8160,0x8130' }));
  const types = [1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0];
  const openocd = big(0x8160, 0x8130, 0x8550, own.length, ...Array.from(own, (byte, i) => (types[i]! << 16) | byte));
  const lines = Buffer.from(bytes)
    .toString('hex')
    .match(/.{32}/g)!
    .map((line) => line.match(/../g)!.join(' '));
  const text = (of: string): number[] => [...Buffer.from(of)];

  test.each<readonly [name: string, content: readonly number[], dialect: string, endian: string | undefined]>([
    ['trailing checkpoint registers, little', [...bytes, ...little(0x8160, 0x8130)], 'checkpoints', 'little'],
    ['trailing checkpoint registers, big', [...bytes, ...big(0x8160, 0x8130)], 'checkpoints', 'big'],
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
      'text with 0x prefixes',
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
    expect(summaries(driven).slice(0, expected.length)).toEqual(expected);
    expect(driven.records.length % expected.length).toBe(0);
    expect(driven.diagnostics).toEqual([]);
  });

  const drawn = (line: string): string =>
    Buffer.from(line.replaceAll(' ', ''), 'hex')
      .toString('latin1')
      .replaceAll(/[^ -~]/g, '.');

  // The bytes 20 41 42 20 are drawn as ` AB `, which also looks like a byte of two hexadecimal digits.
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
    ['od -A x -t x1z', (line: string, k: number) => `${digits(16 * k, 6)} ${line}  >${drawn(line)}<`, '000100\n'],
    ['od -A n -t x1z', (line: string) => ` ${line}  >${drawn(line)}<`, ''],
    [
      'gdb',
      (line: string, k: number) =>
        `0x${(0x1000 + 16 * k).toString(16)} <buffer+${String(16 * k)}>:${line.replaceAll(/^| /g, '\t0x')}`,
      '',
    ],
    ['a debugger', (line: string, k: number) => `0x${digits(0x1000 + 16 * k, 8)}: ${line}`, ''],
  ])('reads a dump by %s without its offsets and drawn text', (_, print, end) => {
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
    expect(summaries(driven)).toEqual(summaries(read(own)));
    expect(driven.diagnostics).toEqual([]);
    expect(driven.gaps.map(({ name }) => name)).not.toContain('checkpoints');
    // Two buffers in one dump, the second with such bytes in its first line, and two dumps in a row.
    const wrapped = Uint8Array.from([...hex('20 41 42 20'), ...new Uint8Array(252).fill(0x81)]);
    const both = Buffer.concat([own, wrapped])
      .toString('hex')
      .match(/.{32}/g)!
      .map((line, k) => `${print(line.match(/../g)!.join(' '), k)}\n`);
    const pair = read(Buffer.from(both.join('')), { dialect: 'hex' });
    expect(summaries(pair)).toEqual([...summaries(read(own)), ...summaries(read(wrapped))]);
    expect(pair.diagnostics).toEqual([]);
    expect(summaries(read(Buffer.from((printed + end).repeat(2)), { dialect: 'hex' }))).toHaveLength(
      2 * driven.records.length,
    );
  });

  test.each([
    ['big', big],
    ['little', little],
  ])('reads words alone, %s', (endian, words) => {
    const file = Uint8Array.from(words(...bytes));
    const claim = xscale.sniff({ bytes: file, size: file.length });
    expect(claim).toMatchObject({ dialect: 'words', options: { endian } });
    expect(summaries(read(file, { dialect: 'words' }))).toEqual(summaries(read(bytes)));
  });

  test.each([
    ['little', little],
    ['big', big],
  ])('recognises words of a buffer with few entries, %s', (endian, words) => {
    const few = full('80 81 ff');
    for (const registers of [[], [0x8160, 0x8130]]) {
      const file = Uint8Array.from(words(...few, ...registers));
      const claim = xscale.sniff({ bytes: file, size: file.length });
      expect(claim).toMatchObject({
        dialect: registers.length > 0 ? 'words-checkpoints' : 'words',
        options: { endian },
      });
    }
  });

  test.each([
    ['hexdump -C', 16, 8, '  ', '00000100'],
    ['xxd -a -g1', 16, 8, ': ', ''],
    ['od -A x -t x1', 16, 6, ' ', '000100'],
    ['od -t x1', 8, 7, ' ', '0000400'],
    ['od -A d -t x1', 10, 7, ' ', '0000256'],
  ])('restores repeated lines that %s leaves out', (_, base, width, apart, last) => {
    const line = (at: number, of: string): string => `${at.toString(base).padStart(width, '0')}${apart}${of}\n`;
    const zeros = '00 '.repeat(16).trim();
    // The address is 0 and lies in the left-out lines, except for its lowest byte.
    const front = `${line(0, zeros)}*\n${line(224, '10 9f 81 82 83 84 85 86 87 88 89 80 81 82 83 84')}`;
    const text = `${front}${line(240, '80 '.repeat(16).trim())}`;
    const expected = [
      'INDIRECT 15 0x10',
      ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4].map((n) => `DIRECT ${String(n)}`),
    ];
    const rest = Array.from({ length: 16 }, () => 'DIRECT 0');
    const file = Buffer.from(`${text}${last}\n`);
    expect(xscale.sniff({ bytes: file, size: file.length })?.dialect).toBe('hex');
    const driven = read(file, { dialect: 'hex' });
    expect(summaries(driven)).toEqual([...expected, ...rest]);
    expect(driven.records[0]?.fields?.text).toBe('indirect branch after 15 instructions');
    expect(driven.diagnostics).toEqual([]);
    const empty = read(Buffer.from(`${line(0, zeros)}*\n${last || '00000100:'}\n`), { dialect: 'hex' });
    expect(empty.records).toEqual([]);
    expect(empty.diagnostics.map(({ code }) => code)).toEqual(base === 16 ? [] : ['left-out-lines']);
  });

  test('reports no records after left-out lines inside a buffer', () => {
    const line = (at: number, byte: string): string => `${digits(at, 8)}  ${`${byte} `.repeat(16).trim()}\n`;
    const buffer = `${line(0, '81')}${Array.from({ length: 15 }, (_, k) => line(16 * k + 16, `8${String(k % 8)}`)).join('')}`;
    const codes = (text: string): readonly string[] =>
      read(Buffer.from(text), { dialect: 'hex' }).diagnostics.map(({ code }) => code);
    for (const byte of ['86', '00']) {
      const more = `${line(256, byte)}*\n${line(1024, '81')}`;
      expect(read(Buffer.from(buffer + more), { dialect: 'hex' }).records, byte).toHaveLength(256);
      expect(codes(buffer + more), byte).toEqual(['left-out-lines']);
    }
    // Equal branches in the last line of one buffer and the first line of the next.
    expect(codes(`${buffer}*\n${line(272, '81')}`)).toEqual(['left-out-lines']);
  });

  test('reads registers after a dump that ends with its length', () => {
    const printed = Array.from({ length: 16 }, (_, k) => {
      const of = Buffer.from(bytes.subarray(16 * k, 16 * k + 16)).toString('hex');
      return `${digits(16 * k, 8)}  ${of.match(/../g)!.join(' ')}\n`;
    }).join('');
    for (const end of ['00000100\n', '']) {
      const driven = read(Buffer.from(`${printed}${end}00008160\n00008130\n`), { dialect: 'hex' });
      expect(summaries(driven)).toEqual(expected);
      expect(driven.diagnostics).toEqual([]);
    }
    expect(summaries(read(Buffer.from(`${printed}00000100\n`), { dialect: 'hex' }))).toEqual(summaries(read(bytes)));
  });

  test('reads an entry that continues on the next line', () => {
    // The second line has all but one byte of the first capture; the first line has all but the message of the second capture.
    const own = full('00 00 85 44 97 89 81 00 00 00 00 98');
    const inOne = Buffer.from(own).toString('hex');
    const texts = (text: string): readonly (string | undefined)[] =>
      read(Buffer.from(text), { dialect: 'hex' }).records.map(({ fields }) => fields?.text);
    const expected = [
      'indirect branch after 7 instructions',
      'direct branch after 9 instructions',
      'direct branch after 1 instruction',
      'indirect branch after 8 instructions',
    ];
    expect(texts(inOne)).toEqual(expected);
    for (let at = 488; at < 512; at += 2)
      expect(texts(`${inOne.slice(0, at)}\n${inOne.slice(at)}\n`), `cut at ${String(at)}`).toEqual(expected);
  });

  test('finds OpenOCD dumps again after a damaged one', () => {
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
    ['an impossible depth', [...openocd, ...big(0, 0, 0, 257)], 'openocd', 'bad-depth', 'depth above 256'],
    ['a dump without its last word', openocd.slice(0, -4), 'openocd', 'cut-buffer', '112 of 116 bytes'],
    ['a truncated header', [...openocd, 0, 0, 0], 'openocd', 'cut-buffer', '3 of 16 bytes'],
    ['text of a part of a buffer', text('81 82 83'), 'hex', 'cut-buffer', '3 of 256 bytes'],
    ['words of a part of a buffer', little(1, 2, 3), 'words', 'cut-buffer', '12 of 1024 bytes'],
  ])('reports %s', (_, content, dialect, code, shape) => {
    const { diagnostics } = read(Uint8Array.from(content), { dialect });
    expect(diagnostics).toMatchObject([{ code, shape, count: 1 }]);
  });

  test('reports reserved bits of words by the bytes they occupy', () => {
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

  test('groups words that are no bytes by shape', () => {
    const { diagnostics } = read(Uint8Array.from(text(`${lines.join(' ')} 123 trace: 45678 trace:`)), {
      dialect: 'hex',
    });
    expect(diagnostics).toMatchObject([
      { code: 'unknown-text', shape: '#', count: 2 },
      { code: 'unknown-text', shape: 'trace:', count: 2 },
    ]);
  });
});

test('does not take four bytes of a truncated entry in text without blanks for a register', () => {
  const buffer = Uint8Array.from([0x00, 0x85, 0x44, 0x97, ...new Uint8Array(252).fill(0x81)]);
  const { records } = read(Buffer.from(Buffer.from(buffer).toString('hex')), { dialect: 'hex' });
  expect(records[0]).toMatchObject({ start: 0, end: 8, native: 'INDIRECT' });
  expect(records[0]?.fields?.text).toBe(
    'indirect branch after 7 instructions, only the end 008544 of its target is left',
  );
  expect(records[0]?.spans?.map(({ start, end }) => [start, end])).toEqual([
    [0, 2],
    [2, 4],
    [4, 6],
    [6, 8],
  ]);
});

describe('TBREG words of several buffers in one text', () => {
  const wrapped = [...hex('81 00 00 85 44 97'), ...Array.from({ length: 250 }, (_, i) => 0x80 + (i % 16))];
  const unwritten = [...full('00 00 80 00 90 83 ff 85 22 81')];
  const entries = (bytes: readonly number[], checkpoints: string): readonly string[] =>
    summaries(read(Uint8Array.from(bytes), { checkpoints }));
  const text = (buffers: readonly (readonly number[])[]): Uint8Array =>
    Buffer.from(buffers.flatMap((words) => words.map((word) => `0x${digits(word, 8)}\n`)).join(''));

  test.each<readonly [name: string, registers: readonly number[], checkpoints: string]>([
    ['without registers', [], ''],
    ['with registers', [0x8160, 0x8130], '0x8160,0x8130'],
    ['with registers that were never written', [0, 0], '0x0,0x0'],
    ['with registers of code at address 0', [0x40, 0x18], '0x40,0x18'],
  ])('%s', (_, registers, checkpoints) => {
    for (const buffers of [
      [wrapped, unwritten],
      [unwritten, wrapped],
      [unwritten, unwritten, unwritten],
      Array.from({ length: 12 }, (_, i) => (i % 2 === 0 ? unwritten : wrapped)),
    ]) {
      const file = text(buffers.map((bytes) => [...bytes, ...registers]));
      expect(xscale.sniff({ bytes: file, size: file.length })?.dialect).toBe('hex');
      const driven = read(file, { dialect: 'hex' });
      expect(driven.diagnostics).toEqual([]);
      expect(summaries(driven)).toEqual(buffers.flatMap((bytes) => entries(bytes, checkpoints)));
    }
  });
});

describe('claims hexadecimal digits without a whole buffer weakly, so that the named format does not read them as bytes', () => {
  const claim = (text: string): unknown => {
    const bytes = Buffer.from(text);
    const found = xscale.sniff({ bytes, size: bytes.length });
    return found === undefined ? undefined : [found.dialect, found.confidence < 0.5, found.reasons[0]];
  };

  test('a truncated dump', () => {
    const why = 'the text holds bytes in hexadecimal digits, 120 of the 256 of a trace buffer of the XScale';
    expect(claim(`${'00 '.repeat(119)}90\n`)).toEqual(['hex', true, why]);
  });

  test('a dump of other data', () => {
    const why = 'the text holds bytes in hexadecimal digits, but they are no messages of a trace buffer of the XScale';
    expect(claim(`${'a5 '.repeat(256)}\n`)).toEqual(['hex', true, why]);
  });

  test('words that happen to be hexadecimal digits', () => {
    expect(claim('add be ed\nfa ce\n')).toBeUndefined();
  });
});

describe('takes registers in a text by their names, in any order', () => {
  // Two checkpointed entries: the newest has CHKPT0, the one before it CHKPT1 (80200 manual 13.13.2, whose figure names CHKPT1 first).
  const dump = [...full('00 00 80 00 90 83 c4 85 c2 81')].map((byte) => digits(byte, 2)).join(' ');
  const targets = (text: string): unknown =>
    read(Buffer.from(text), { dialect: 'hex' }).records.flatMap(({ native, fields }) =>
      native === 'DIRECT_CHECKPOINTED' ? [fields?.target ?? 'unknown'] : [],
    );

  test.each([
    ['without names', `${dump}\n00008160 00008130\n`],
    ['in order', `${dump}\nCHKPT0 = 0x00008160\nCHKPT1 = 0x00008130\n`],
    ['the older register first', `${dump}\nCHKPT1 = 0x00008130\nCHKPT0 = 0x00008160\n`],
    ['with few digits', `${dump}\r\nchkpt1: 0x8130\r\nchkpt0: 0x8160\r\n`],
    ['names in a row', `${dump}\nCHKPT1, CHKPT0\n00008130, 00008160\n`],
    ['as OpenOCD prints them', `${dump}\n(34) XSCALE_CHKPT1 (/32): 0x00008130\n(33) XSCALE_CHKPT0 (/32): 0x00008160\n`],
    ['in front', `CHKPT1: 00008130\nCHKPT0: 00008160\n${dump}\n`],
  ])('%s', (_, text) => {
    expect(targets(text)).toEqual(['0x8130', '0x8160']);
  });

  test('for one name', () => {
    expect(targets(`${dump}\nCHKPT1 = 00008130\n`)).toEqual(['0x8130', 'unknown']);
  });

  test('before each buffer', () => {
    const text = `CHKPT1: 00008130\nCHKPT0: 00008160\n${dump}\nCHKPT1: 00009130\nCHKPT0: 00009160\n${dump}\n`;
    expect(targets(text)).toEqual(['0x8130', '0x8160', '0x9130', '0x9160']);
  });
});
