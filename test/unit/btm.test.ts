// Captures of a Pentium bus: messages follow the tables of the manual, and decoded pairs match the pairs sent.
import { expect, test } from 'vitest';
import { btm } from '../../shared/formats/btm/btm.ts';
import { decodeAll, type Driven } from '../laws/drive.ts';
import { createRandom } from '../laws/random.ts';
import { bytesOf, HEADER, opened, pairsOf, read, refusal, reported } from './btm-captures.ts';
import { few } from '../short-form.ts';

test('recognises messages among other cycles by pins and byte enables', () => {
  // M/IO# = 0, D/C# = 0, W/R# = 1, BE7#-BE0# = DFH; each of the four is wrong once.
  const cells = ['0,0,1,DF', '1,0,1,DF', '0,1,1,DF', '0,0,0,DF', '0,0,1,FD'];
  const rows = cells.map((pins, k) => `${String(k)},${pins},00401238,5800000000000000`);
  expect(reported(read([HEADER, ...rows, ''].join('\n')))).toEqual([
    'branch BTM_SECOND 0x401235 - 0x401235',
    'other RESERVED - - 0x40123d',
    'io-write IO_WRITE - - 0x40123d',
    'interrupt-acknowledge INT_ACK - - 0x40123d',
    'special SPECIAL - - 0x401238',
  ]);
});

test('reads D63-D60 as low address bits, D59 as the cycle number and A3 as the operand size', () => {
  const row = (time: number, address: string, upper: string): string =>
    `${String(time)},0,0,1,DF,${address},${upper}00000000000000`;
  // 0101 0xxx and 1010 1xxx, with A3 set and clear.
  const driven = read(`${HEADER}\n${row(1, '00401238', '50')}\n${row(2, 'FFFFFFF0', 'A8')}\n`);
  expect(reported(driven)).toEqual([
    'special BTM_FIRST - - 0x401235',
    'branch BTM_SECOND 0xfffffffa 0x401235 0xfffffffa',
  ]);
  expect(driven.records.map(({ fields }) => fields?.flags)).toEqual([
    ['linear-address', 'operand-size-32'],
    ['linear-address', 'operand-size-16'],
  ]);
});

test('ignores D58-D0', () => {
  const rows = (rest: string): string =>
    `${HEADER}\n1,0,0,1,DF,00401238,5${rest}\n2,0,0,1,DF,00400FF8,F${rest.replace(/^./, (digit) => (Number.parseInt(digit, 16) | 8).toString(16))}\n`;
  expect(reported(read(rows('7FFFFFFFFFFFFFF')))).toEqual(reported(read(rows('000000000000000'))));
});

test('reads a source but no target from fast messages', () => {
  const rows = Array.from({ length: 6 }, (_, k) => `${String(k)},0,0,1,DF,00400${String(k)}08,1800000000000000`);
  const driven = read([HEADER, ...rows, ''].join('\n'));
  expect(reported(driven)[5]).toBe('branch BTM_FAST 0x400501 - 0x400501');
  expect(new Set(reported(driven).map((each) => each.split(' ')[1]))).toEqual(new Set(['BTM_FAST']));
  expect(driven.diagnostics).toEqual([]);
});

interface Sent {
  readonly source: number;
  readonly target: number;
  readonly cpu: number;
}

interface Cycle {
  readonly cpu: number;
  readonly pins: number;
  readonly enables: number;
  readonly address: number;
  readonly data: bigint;
  /** Set on the cycle that completes a message. */
  readonly completes?: Sent;
}

/** Messages of several processors in the manual's order, with other cycles in between and noise on the free bits. */
function send(seed: number, cpus: number, cycles: number): readonly Cycle[] {
  const random = createRandom(seed);
  const word = (): number => random.below(2 ** 16) * 65536 + random.below(2 ** 16);
  const message = (cpu: number, address: number, second: boolean): Cycle => {
    const noise = (BigInt(word()) << 32n) | BigInt(word());
    const low = BigInt(address % 16) << 60n;
    const data = low | (second ? 1n << 59n : 0n) | (noise & ((1n << 59n) - 1n));
    const line = address - (address % 16);
    return { cpu, pins: 0b001, enables: 0xdf, address: line + (random.below(2) === 0 ? 0 : 8), data };
  };
  const waiting: (Sent | undefined)[] = Array.from({ length: cpus });
  const out: Cycle[] = [];
  while (out.length < cycles) {
    const cpu = random.below(cpus);
    const sent = waiting[cpu];
    if (random.below(3) === 0) {
      const data = (BigInt(word()) << 32n) | BigInt(word());
      out.push({ cpu, pins: 0b110, enables: 0xdf, address: word() - (word() % 8), data });
    } else if (sent === undefined) {
      const next = { source: word(), target: word(), cpu };
      waiting[cpu] = next;
      out.push(message(cpu, next.target, false));
    } else {
      waiting[cpu] = undefined;
      out.push({ ...message(cpu, sent.source, true), completes: sent });
    }
  }
  return out;
}

function asText(cycles: readonly Cycle[]): Uint8Array {
  const rows = cycles.map(({ cpu, pins, enables, address, data }, k) =>
    [
      String(1000 + 15 * k),
      ...pins.toString(2).padStart(3, '0').split(''),
      enables.toString(16).padStart(2, '0'),
      (address - (address % 8)).toString(16).padStart(8, '0'),
      data.toString(16).padStart(16, '0'),
      String(cpu),
    ].join(','),
  );
  return bytesOf([`${HEADER},CPU`, ...rows, ''].join('\n'));
}

/** The binary layout of docs/formats/btm.md, which has room for processors 0 and 1. */
function asBinary(cycles: readonly Cycle[]): Uint8Array {
  const units = [Array.from('BTMCAP', (letter) => letter.charCodeAt(0)).concat([13, 10, 26, 10, 1, 0, 0, 0, 0, 0])];
  cycles.forEach(({ cpu, pins, enables, address, data }, k) => {
    const bytes = (value: bigint, count: number): number[] =>
      Array.from({ length: count }, (_, at) => Number((value >> BigInt(8 * at)) & 255n));
    if (k % 100 === 0) units.push([0, 0, 0, 0, 0, 0x80, 0, 0, ...bytes(BigInt(1000 + 15 * k), 8)]);
    const control = pins + 8 + 16 * cpu + 32;
    const since = k % 100 === 0 ? 0 : 15;
    units.push([...bytes(BigInt(address - (address % 8)), 4), enables, control, since, 0, ...bytes(data, 8)]);
  });
  return Uint8Array.from(units.flat());
}

function pairsSent(cycles: readonly Cycle[]): readonly string[] {
  return cycles.flatMap(({ completes }, k) =>
    completes === undefined
      ? []
      : [
          `${String(1000 + 15 * k)} ${String(completes.cpu)} 0x${completes.source.toString(16)} 0x${completes.target.toString(16)}`,
        ],
  );
}

test.each([
  [1, 1],
  [2, 2],
  [3, 4],
])('recovers every pair of seed %i with %i processors from text, for every block size', (seed, cpus) => {
  const cycles = send(seed, cpus, 3000);
  const bytes = asText(cycles);
  const decoder = opened({ header: `${HEADER},CPU` });
  for (const blockBytes of [bytes.length, 997, 60]) {
    const driven = decodeAll(decoder, bytes, { blockBytes, guess: () => decoder.initial });
    expect(pairsOf(driven)).toEqual(pairsSent(cycles));
    expect(driven.diagnostics).toEqual([]);
  }
});

test.each([1, 2])('recovers every pair from the binary form with %i processors, for every block size', (cpus) => {
  const cycles = send(4 + cpus, cpus, 3000);
  const bytes = asBinary(cycles);
  const decoder = opened({ dialect: 'binary' });
  for (const blockBytes of [bytes.length, 1600, 48]) {
    const driven = decodeAll(decoder, bytes, { blockBytes, guess: () => decoder.initial });
    expect(pairsOf(driven)).toEqual(pairsSent(cycles));
    expect(driven.diagnostics).toEqual([]);
  }
});

test.each([1, 2])('reads text and binary alike with %i processors if every fourth cycle is lost', (cpus) => {
  const random = createRandom(20 + cpus);
  const left = send(10 + cpus, cpus, 3000).filter(() => random.below(4) > 0);
  const describe = (): boolean => true;
  const inText = decodeAll(opened({ header: `${HEADER},CPU` }), asText(left), { describe });
  const inBinary = decodeAll(opened({ dialect: 'binary' }), asBinary(left), { describe });
  const counted = ({ diagnostics }: Driven): string[] =>
    diagnostics.map(({ code, count }) => `${code} ${String(count)}`).sort();
  expect(reported(inBinary)).toEqual(reported(inText));
  expect(inBinary.records.map(({ fields }) => fields?.flags)).toEqual(
    inText.records.map(({ fields }) => fields?.flags),
  );
  expect(counted(inBinary)).toEqual(counted(inText));
  // Lost cycles must leave marks, or the test proves nothing.
  expect(new Set(reported(inText).map((each) => each.split(' ')[1]))).toEqual(
    new Set(['MEM_READ', 'BTM_FIRST', 'BTM_SECOND', 'BTM_FAST']),
  );
});

test('does not pair cycles of two processors that alternate every two cycles', () => {
  // A first cycle is always pending, and none is lost.
  const message = (time: number, linear: number, upper: string): string =>
    `${String(time)},0,0,1,DF,${linear.toString(16).padStart(8, '0')},${upper}00000000000000`;
  const turns = Array.from({ length: 7 }, (_, k) => {
    const base = k % 2 === 0 ? 0x400008 : 0x800008;
    return [message(2 * k + 2, base + 0x100 * k, '08'), message(2 * k + 3, base + 0x1000 * k, '00')];
  }).flat();
  const rows = [HEADER, message(0, 0x800008, '00'), message(1, 0x400008, '00'), ...turns, ''];
  const { records, diagnostics } = read(rows.join('\n'), { processors: 'two' });
  expect(diagnostics).toEqual([]);
  expect(records.filter(({ kind }) => kind === 'branch').map(({ fields }) => fields?.target)).toEqual(
    Array.from({ length: 7 }, () => undefined),
  );
});

test('pairs no cycles across bytes that may have been message cycles', () => {
  // The second cycle of the message to 0x402000 and the first cycle of the next are lost, so the target of 0x400300 is unknown.
  const cycle = (time: number, linear: number, upper: string): string =>
    `${String(time)},0,0,1,DF,00${linear.toString(16)},${upper}00000000000000`;
  const before = [cycle(1, 0x401008, '00'), cycle(2, 0x400108, '08'), cycle(3, 0x402008, '00')];
  const after = [cycle(6, 0x400308, '08'), cycle(7, 0x403008, '00'), cycle(8, 0x402018, '08')];
  const pairs = ['branch 0x400100 0x401000', 'branch 0x400300 -', 'branch 0x402010 0x403000'];
  const branches = ({ records }: Driven): string[] =>
    records
      .filter(({ fields }) => fields?.kind === 'branch')
      .map(({ fields }) => `branch ${fields?.source ?? '-'} ${fields?.target ?? '-'}`);
  const joined = `4,0,0,1,DF,00400208,0800000##5,0,0,1,DF,00405008,0000000000000000`;
  expect(branches(read([HEADER, ...before, joined, ...after, ''].join('\n')))).toEqual(pairs);
  // Comments and header rows are no such bytes.
  const parted = [HEADER, ...before, '# page 2', HEADER, ...after, ''].join('\n');
  expect(branches(read(parted))[1]).toBe('branch 0x400300 0x402000');

  const unit = (linear: number, upper: number): number[] => [
    8 | (linear & 255),
    (linear >> 8) & 255,
    linear >> 16,
    0,
    0xdf,
    9,
    30,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    upper,
  ];
  const magic = [0x42, 0x54, 0x4d, 0x43, 0x41, 0x50, 13, 10, 26, 10, 1, 0, 0, 0, 0, 0];
  const binary = (lost: readonly number[]): Driven => {
    const units = [unit(0x401000, 0), unit(0x400100, 8), unit(0x402000, 0), lost, lost, unit(0x400300, 8)];
    const bytes = Uint8Array.from([magic, ...units, unit(0x403000, 0), unit(0x402010, 8)].flat());
    return decodeAll(opened({ dialect: 'binary' }), bytes, { describe: () => true });
  };
  const garbage = Array.from({ length: 16 }, (_, k) => 0x91 + k);
  expect(branches(binary(garbage))).toEqual(pairs);
  // Bit 7 of the sixth byte clear: a read with bits in its address that must be 0.
  expect(branches(binary(garbage.map((byte, k) => (k === 5 ? 0x0e : byte))))).toEqual(pairs);
  // The same for a message with such bits set: pin A0, or D/P# although it was not captured.
  const alone = [...pairs.slice(0, 1), 'branch 0x405000 -', 'branch 0x405000 -', ...pairs.slice(1)];
  expect(branches(binary(unit(0x405001, 8)))).toEqual(alone);
  expect(branches(binary(unit(0x405000, 8).with(5, 0x19)))).toEqual(alone);
  expect(branches(binary(unit(0x405001, 0)))).toEqual(pairs);
  expect(branches(binary([0, 0, 16, 0, 0, 0x0e, 30, 0, 0, 0, 0, 0, 0, 0, 0, 0]))[1]).toBe('branch 0x400300 0x402000');
});

test('reads quoted, prefixed and padded cells like bare ones', () => {
  const bare = new TextDecoder().decode(asText(send(9, 2, 200)));
  const [header, ...rows] = bare.split('\n');
  const dressed = rows.map((row) => {
    const [time, m, d, w, enables, address, data, cpu] = row.split(',');
    if (time === '') return '';
    const binary = Number.parseInt(enables!, 16).toString(2).padStart(8, '0');
    return ` ${time!} ns , "${m!}" ,${d === '1' ? 'H' : 'L'},${w!}, "${binary}" ,0x${address!.toUpperCase()},"${data!}h",CPU ${cpu!}`;
  });
  const columns = (driven: Driven): readonly unknown[] =>
    driven.records.map(({ n, time, kind, native, address, size, cpu, flags, target, fields }) => [
      [n, time, kind, native, address, size, cpu, flags, target],
      fields,
    ]);
  expect(columns(read([header, ...dressed].join('\n')))).toEqual(columns(read(bare)));
});

test('refuses settings that it cannot open with one sentence', () => {
  const refusals = [
    { header: 'time,level,thread,message,file' },
    { columns: 'm/io' },
    { columns: 'level:2' },
    { columns: 'm/io:Mode' },
    { columns: 'm/io:9' },
    { columns: 'm/io:-' },
    { columns: 'a:6,A:7' },
    { columns: 'a:6,d:A[31:3]' },
    { shift: '5' },
  ].map(refusal);
  expect(refusals.join('\n')).toMatchInlineSnapshot(`
    "btm finds no column for m/io, d/c, w/r, be, a in the header 'time,level,thread,message,file': assign it with columns=NAME:COLUMN,.. or set the header row with header=..
    btm cannot read columns=m/io: 'm/io' is not NAME:COLUMN with NAME one of time, m/io, d/c, w/r, be, a, d, cpu, d/p, brdy, cache
    btm cannot read columns=level:2: 'level:2' is not NAME:COLUMN with NAME one of time, m/io, d/c, w/r, be, a, d, cpu, d/p, brdy, cache
    btm cannot read columns=m/io:Mode: the header 'time_ns, M/IO#, D/C#, W/R#, BE[7:0], A[31:3], D[63:0]' has no column 'Mode'
    btm cannot read columns=m/io:9: the header 'time_ns, M/IO#, D/C#, W/R#, BE[7:0], A[31:3], D[63:0]' has no column '9'
    btm finds no column for m/io in the header 'time_ns,M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]': assign it with columns=NAME:COLUMN,.. or set the header row with header=..
    btm cannot read columns=a:6,A:7: it contains a twice; remove one
    btm cannot read columns=a:6,d:A[31:3]: column 'A[31:3]' cannot be both a and d; remove one
    btm cannot read shift=5: choose 0, 3 or 4"
  `);
});

test('detection lists what it found in the file', () => {
  const reasons = (text: string): readonly string[] => {
    const bytes = bytesOf(text);
    const claim = btm.sniff({ bytes, size: bytes.length });
    return [`${String(claim?.confidence)} ${JSON.stringify(claim?.options)}`, ...(claim?.reasons ?? [])];
  };
  const zeros = Array.from({ length: 9 }, (_, k) => `${String(k)},0,0,1,DF,0040${String(k)}008,0000000000000000`);
  expect(
    [
      reasons([HEADER, ...zeros, ''].join('\n')),
      reasons(`${HEADER}\n1,2,3\n4,5,6\n`),
      reasons('Label,Cyc0,Cyc1,Cyc2,Enables,Pins\n0,1,0,0,00,00100000\n'),
      reasons('name,count\nfoo,3\n'),
    ]
      .map((each) => each.join('\n'))
      .join('\n\n'),
  ).toMatchInlineSnapshot(`
    "0.98 {"header":"time_ns,M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]","digits":"all"}
    the header contains the signals of a Pentium bus
    9 of the first 9 lines below it are bus cycles
    these include 9 first and 0 second or fast cycles of branch trace messages
    D59 is 0 in every message, so the data bus was probably not captured

    0.25 {"header":"time_ns,M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]"}
    the header 'time_ns,M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]' contains the signals of a Pentium bus, but no line below it is a row: the first does not have 7 cells

    0 {"header":"Label,Cyc0,Cyc1,Cyc2,Enables,Pins"}
    a row of titles, 'Label,Cyc0,Cyc1,Cyc2,Enables,Pins', contains 0 of the 5 signals of a bus capture

    undefined undefined"
  `);
});

test.each(few(['k5', 'intel'], 1))('search treats units of layout %s as equal only if they decode alike', (vendor) => {
  const random = createRandom(30);
  const units = [Array.from('BTMCAP', (letter) => letter.charCodeAt(0)).concat([13, 10, 26, 10, 1, 0, 0, 0, 0, 0])];
  for (let control = 0; control < 128; control++) {
    for (let enables = 0; enables < 256; enables++) {
      // Captured or not, some processor or none, few reserved bits set, random A31-A28, A4 and A3.
      const address = [random.below(16) * 8, 0, 0, random.below(16) * 16];
      if (random.below(50) === 0) address[0]! |= 1;
      const data = Array.from({ length: 8 }, () => random.below(256));
      units.push([...address, enables, control, 15, 0, ...data]);
      // A plain read after each unit keeps the decoder from searching for another phase.
      units.push([0, 0, 0x10, 0, 0, 0x0e, 15, 0, ...data]);
    }
  }
  const decoder = opened({ dialect: 'binary', vendor });
  // The driver compares the numbers of search words with the described records.
  const driven = decodeAll(decoder, Uint8Array.from(units.flat()), { describe: () => true });
  const words = new Set(
    driven.records.map(({ fields }) => [fields?.native, fields?.text, ...(fields?.flags ?? [])].join()),
  );
  expect(driven.records.length).toBeGreaterThan(65_000);
  expect(words.size).toBeGreaterThan(90);
});

test('the Bytes pane names every cell and every byte of the binary form', () => {
  const text = `${HEADER},note\n1030,0,0,1,DF,00401238,5000000000000000,start\n`;
  const spans = read(text).records[0]?.spans?.map(({ name, start, end, text: what }) =>
    [name, `${String(start)}-${String(end)}`, what].join(' | '),
  );
  const unit = [0x38, 0x12, 0x40, 0, 0xdf, 0x29, 30, 0, 0, 0, 0, 0, 0, 0, 0, 0x50];
  const driven = decodeAll(opened({ dialect: 'binary' }), Uint8Array.from(unit), { describe: () => true });
  const units = driven.records[0]?.spans?.map(({ name, start, end, text: what }) =>
    [name, `${String(start)}-${String(end)}`, what].join(' | '),
  );
  expect([...(spans ?? []), '', ...(units ?? [])].join('\n')).toMatchInlineSnapshot(`
    "time_ns | 0-4 | 1030 ns
    M/IO# | 5-6 | M/IO#=0: port or special
    D/C# | 7-8 | D/C#=0: code or control
    W/R# | 9-10 | W/R#=1: write
    BE[7:0] | 11-13 | 11011111: bytes 5
    A[31:3] | 14-22 | linear address bits 31-4 of 0x401238; A3=1: operand size 32
    D[63:0] | 23-39 | D63-D60: address bits 3-0 0101; D59=0: first cycle; D58-D0 reserved
    note | 40-45 | start

    address A31-A3 | 0-4 | linear address bits 31-4 of 0x401238; A3=1: operand size 32
    byte enables BE7#-BE0# | 4-5 | 11011111: bytes 5
    control | 5-6 | W/R#=1 D/C#=0 M/IO#=0 CACHE#=1 D/P#=0 D/P# captured=1 no data=0
    time | 6-8 | 30 ns after the previous cycle
    data D63-D0 | 8-16 | D63-D60: address bits 3-0 0101; D59=0: first cycle; D58-D0 reserved"
  `);
});
