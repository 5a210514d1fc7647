/** Output of perf script around the branches: perf's own records, call chains, heads without branches, and comments. */
import { describe, expect, test } from 'vitest';
import { brstack } from '../../shared/formats/brstack/brstack.ts';
import { decodeAll, type DrivenRecord } from '../laws/drive.ts';

const WITH_TIME = ` demo 1356 446583.793818: PERF_RECORD_MMAP2 1356/1356: [0x5ffeb3637000(0x2000) @ 0x1000 103:01 4733784 3684065051]: r-xp /home/u/demo
 demo 1356 446583.793832: PERF_RECORD_MMAP2 1356/1356: [0xfffff7fc2000(0x3e000) @ 0 103:01 21002 578735524]: r-xp /usr/lib/ld-linux-aarch64.so.1
 demo 1356 446583.793900: PERF_RECORD_COMM exec: demo:1356/1356
 demo 1356 446583.794000: cycles:u:  0x5ffeb3637161/0x5ffeb363713c/P/-/-/1/UNCOND/-  0x5ffeb3637150/0x5ffeb3637155/P/-/-/1/UNCOND/- 
 demo 1356 446583.795000: PERF_RECORD_EXIT(1356:1356):(1:1)
`;

const WITH_PROCESS = `; first process is loaded
 50001 PERF_RECORD_MMAP2 50001/50001: [0x5ffeb3637000(0x1000) @ 0x1000 103:02 11111 222222]: r-xp /home/u/spin

; samples of it
 50001      5ffeb3637150 0x5ffeb3637150/0x5ffeb3637155/P/-/-/1/UNCOND/-  0x5ffeb3637161/0x5ffeb363713c/P/-/-/1/UNCOND/- 

; second process
 50002 PERF_RECORD_MMAP2 50002/50002: [0x5caa46c41000(0x1000) @ 0x1000 103:02 11111 222222]: r-xp /home/u/spin

 50002      5caa46c41190 0x5caa46c41190/0x5caa46c41195/P/-/-/1/UNCOND/-  0x5caa46c411a1/0x5caa46c4117c/P/-/-/1/UNCOND/- 
`;

const WITH_CHAINS = `PERF_RECORD_MMAP2 41000/41000: [0x400000(0x1000) @ 0 00:1d 123 456]: r-xp /home/u/demo

	          4005dc [unknown]
	          400634 [libc.so.6]
	          400684
	    7f68c5788793 [unknown]
	               0 [unknown] ([unknown])
 0x4005c8/0x4005dc/P/-/-/0  0x40062f/0x4005b0/P/-/-/0
`;

test.each([
  [
    'a time',
    WITH_TIME,
    [
      ['event', 'PERF_RECORD_MMAP2', 446583793818000],
      ['event', 'PERF_RECORD_MMAP2', 446583793832000],
      ['event', 'PERF_RECORD_COMM', 446583793900000],
      ['branch', 'UNCOND', 446583794000000],
      ['branch', 'UNCOND', undefined],
      ['event', 'PERF_RECORD_EXIT', 446583795000000],
    ],
  ],
  [
    'a process',
    WITH_PROCESS,
    [
      ['other', 'COMMENT', undefined],
      ['event', 'PERF_RECORD_MMAP2', undefined],
      ['other', 'COMMENT', undefined],
      ['branch', 'UNCOND', undefined],
      ['branch', 'UNCOND', undefined],
      ['other', 'COMMENT', undefined],
      ['event', 'PERF_RECORD_MMAP2', undefined],
      ['branch', 'UNCOND', undefined],
      ['branch', 'UNCOND', undefined],
    ],
  ],
  [
    'call chains',
    WITH_CHAINS,
    [
      ['event', 'PERF_RECORD_MMAP2', undefined],
      ...Array.from({ length: 5 }, () => ['other', 'FRAME', undefined]),
      ['branch', 'BRANCH', undefined],
      ['branch', 'BRANCH', undefined],
    ],
  ],
])('reads samples with %s without a diagnostic', (_, text, expected) => {
  const { records, diagnostics } = read(text);
  expect(records.map(({ fields }) => [fields?.kind, fields?.native, fields?.time])).toEqual(expected);
  expect(diagnostics).toEqual([]);
});

test.each([
  ['a symbol and a file', '\t          401136 main+0x6 (/home/u/demo)'],
  ['a file without a symbol', '\t    7f0000029d90 (/usr/lib/libc.so.6)'],
  ['an unknown symbol of the kernel', '\tffffffff81a00000 [unknown] ([kernel.kallsyms])'],
  ['neither, with other blanks', '                  4005dc'],
])('reads a frame with %s without a diagnostic', (_, frame) => {
  const { records, diagnostics } = read(`\n${frame}\n 0x4005c8/0x4005dc/P/-/-/0  0x40062f/0x4005b0/P/-/-/0 \n`);
  expect(records.map(({ fields }) => [fields?.kind, fields?.native, fields?.address])).toEqual([
    ['other', 'FRAME', undefined],
    ['branch', 'BRANCH', '0x4005c8'],
    ['branch', 'BRANCH', '0x40062f'],
  ]);
  expect(diagnostics).toEqual([]);
});

describe("perf's own records", () => {
  const record = 'PERF_RECORD_FORK(1356:1357):(1356:1356)';
  test.each([
    ['', {}],
    ['  1356 ', {}],
    ['  1356/1357  ', {}],
    ['Web Content  1356 [003] 12.000001: ', { time: 12_000_001_000, cpu: 3 }],
    ['[001] 7.000000002: ', { time: 7_000_000_002, cpu: 1 }],
    ['0x1a8 [0x58]: ', {}],
  ])('are events after the fields "%s"', (fields, known) => {
    const { records, diagnostics } = read(`${fields}${record}\n`);
    expect(records.map((one) => one.fields)).toEqual([
      { kind: 'event', native: 'PERF_RECORD_FORK', text: `${fields}${record}`, ...known },
    ]);
    expect(diagnostics).toEqual([]);
  });

  test('do not take time and cpu from their own text', () => {
    const { records } = read('PERF_RECORD_MMAP2 1/1: [0x1000(0x1000) @ 0 00:1d 1 2]: r-xp /tmp/a [007] 1.000001: b\n');
    expect(records[0]?.fields?.time).toBeUndefined();
    expect(records[0]?.fields?.cpu).toBeUndefined();
  });

  test('keep the general name if a later kernel added them', () => {
    expect(read('PERF_RECORD_CALLCHAIN_DEFERRED 1/1\n').records[0]?.fields).toMatchObject({
      kind: 'event',
      native: 'PERF_RECORD_UNKNOWN',
    });
  });

  test('make a head that lists only mappings a trace', () => {
    const lines = WITH_TIME.split('\n').slice(0, 3).join('\n');
    expect(sniff(lines)).toBeGreaterThan(0.5);
  });

  test('prove nothing if the samples have no branches', () => {
    expect(sniff(`${WITH_TIME.split('\n').slice(0, 3).join('\n')}\n demo 1356 446583.794000: cycles:u: \n`)).toBe(0);
  });
});

test.each([' demo  4711 cycles:u: ', ' Web Content  4711/4712 branches:'])(
  'reads %s as the head of a sample without a time',
  (line) => {
    const { records, diagnostics } = read(`${line}\n`);
    expect(records[0]?.fields).toMatchObject({ kind: 'event', native: 'SAMPLE' });
    expect(diagnostics).toEqual([]);
  },
);

function read(text: string): { readonly records: readonly DrivenRecord[]; readonly diagnostics: readonly unknown[] } {
  const decoder = brstack.open({});
  if (!decoder.ok) throw new Error(decoder.error.message);
  const { records, diagnostics } = decodeAll(decoder.value, new TextEncoder().encode(text), { describe: () => true });
  return { records, diagnostics };
}

function sniff(text: string): number {
  const bytes = new TextEncoder().encode(text);
  return brstack.sniff({ bytes, size: bytes.length })?.confidence ?? 0;
}
