// The generator of synthetic traces: same bytes for same arguments, whole records, and consistent values.
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sample, SAMPLE_FORMAT_IDS as FORMATS, type SampleOptions } from '../../electron/sample/sample.ts';
import { HEAD_BYTES, type Decoder } from '../../shared/format/format.ts';
import { formatById, FORMATS as FORMATS_READ } from '../../shared/formats/index.ts';
import { decodeAll } from '../laws/drive.ts';
import { few, rounds } from '../short-form.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sample-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

let made = 0;
async function make(options: Partial<SampleOptions>): Promise<{ bytes: Buffer; records: number }> {
  const path = join(folder, `${made++}.trace`);
  const result = await sample({
    format: 'byu6',
    size: rounds(100_000, 300_000),
    seed: 1,
    locality: 'spread',
    path,
    ...options,
  });
  if (!result.ok) throw new Error(result.error.message);
  const bytes = readFileSync(path);
  expect(result.value).toEqual({ path, records: result.value.records, bytes: bytes.length });
  rmSync(path);
  return { bytes, records: result.value.records };
}

/** Opens the decoder that detection would choose. */
function openAsClaimed(id: string, bytes: Uint8Array): Decoder {
  const format = formatById(READ_AS[id] ?? id);
  const claim = format?.sniff({ bytes: bytes.subarray(0, HEAD_BYTES), size: bytes.length });
  const dialect = claim?.dialect === undefined ? {} : { dialect: claim.dialect };
  const opened = format?.open({ ...claim?.options, ...dialect });
  if (opened?.ok !== true) throw new Error(`${id} does not open`);
  return opened.value;
}

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
/** Bytes of a record in binary formats. */
const UNITS: Readonly<Record<string, number>> = { byu6: 6, byu12: 12, 'btm-binary': 16, xscale: 256 };
/** Maximum bytes of a record, or of a record of several lines, in text formats. */
const LONGEST: Readonly<Record<string, number>> = { brstack: 900, armtracer: 300, 'tarmac-es': 120, 'tarmac-rtl': 120 };
/** Lines before the first record, including the blank one. */
const TRACER_HEADER = 4;
/** Kinds of records that must occur. */
const KINDS: Readonly<Record<string, string[]>> = {
  tarmac: ['instruction', 'skipped', 'read', 'write', 'register'],
  'tarmac-fastmodels': ['instruction', 'skipped', 'read', 'write', 'register'],
  'tarmac-es': ['instruction', 'read', 'write', 'register', 'branch', 'other'],
  'tarmac-gem5': ['instruction', 'skipped', 'read', 'write', 'register'],
  'tarmac-rtl': ['instruction', 'skipped', 'read', 'write', 'register'],
  armtracer: [
    'instruction',
    'skipped',
    ...['fetch', 'read', 'write', 'bus-fetch', 'bus-write'],
    ...['register', 'event'],
  ],
  lackey: ['instruction', 'read', 'write'],
  brstack: ['branch'],
  xscale: ['branch', 'exception'],
  btm: ['fetch', 'read', 'write', 'special', 'branch'],
  'btm-binary': ['fetch', 'read', 'write', 'special', 'branch'],
};
/** Samples whose format has another name. */
const READ_AS: Readonly<Record<string, string>> = {
  'btm-binary': 'btm',
  'byu6-ascii': 'byu6',
  'tarmac-fastmodels': 'tarmac',
  'tarmac-es': 'tarmac',
  'tarmac-gem5': 'tarmac',
  'tarmac-rtl': 'tarmac',
};
const LOCALITIES = ['spread', 'local', 'none'] as const;

describe.each(few(FORMATS, 6))('%s', (format) => {
  test('gives the same bytes for the same arguments and others for another seed', async () => {
    const one = await make({ format, seed: 7 });
    const same = await make({ format, seed: 7 });
    const other = await make({ format, seed: 8 });
    expect(digest(same.bytes)).toBe(digest(one.bytes));
    expect(digest(other.bytes)).not.toBe(digest(one.bytes));
  });

  test('writes a shorter trace as a prefix of a longer one', async () => {
    const long = await make({ format, size: rounds(200_000, 6_000_000) });
    const short = await make({ format, size: 100_001 });
    expect(digest(long.bytes.subarray(0, short.bytes.length))).toBe(digest(short.bytes));
  });

  test('ends with a whole record, less than one record below the requested size', async () => {
    const unit = UNITS[format];
    const longest = unit ?? LONGEST[format] ?? 100;
    for (const size of [1000, 65_536, rounds(150_003, 4_300_003)]) {
      const { bytes, records } = await make({ format, size });
      expect(bytes.length).toBeLessThanOrEqual(size);
      expect(bytes.length).toBeGreaterThan(size - longest);
      // A trace buffer has as many records as messages; the decoder counts them below.
      if (format !== 'xscale') expect(records).toBe(recordsOf(format, bytes));
      if (unit === undefined) expect(bytes.at(-1)).toBe(0x0a);
    }
  });
});

describe.each(few(FORMATS, 5))('%s as its decoder reads it', (format) => {
  const SIZE = rounds(100_000, 400_000);

  test('repeats the same damage, and decoders still read most of it', async () => {
    const { bytes } = await make({ format, size: SIZE, damaged: true });
    const again = await make({ format, size: SIZE, damaged: true });
    const whole = await make({ format, size: SIZE });
    expect(digest(again.bytes)).toBe(digest(bytes));
    expect(digest(whole.bytes)).not.toBe(digest(bytes));
    const opened = openAsClaimed(format, bytes);
    const good = decodeAll(openAsClaimed(format, whole.bytes), whole.bytes).records.length;
    const { records, diagnostics } = decodeAll(opened, bytes);
    expect(diagnostics.length).toBeGreaterThan(0);
    expect(records.length).toBeGreaterThan(good * 0.9);
  });

  test.each([20_000, rounds(60_000, 400_000)])(
    'with damage, %d bytes have the same records before damage',
    async (size) => {
      const { bytes, records } = await make({ format, size, damaged: true });
      const whole = await make({ format, size });
      expect(records).toBe(whole.records);
      expect(bytes.length).toBeLessThanOrEqual(size);
      // A damaged trace may end anywhere, and differs before its end.
      const common = Math.min(bytes.length, whole.bytes.length);
      expect(bytes.subarray(0, common).equals(whole.bytes.subarray(0, common))).toBe(false);
    },
  );

  test.each(few(LOCALITIES, 2))(
    'with locality %s, the trace is recognised and decodes without diagnostics',
    async (locality) => {
      const { bytes, records } = await make({ format, locality, size: rounds(150_000, 600_000) });
      const known = FORMATS_READ.map((one) => {
        const claim = one.sniff({ bytes: bytes.subarray(0, HEAD_BYTES), size: bytes.length });
        return { id: one.id, confidence: claim?.confidence ?? 0, dialect: claim?.dialect };
      });
      const best = known.reduce((a, b) => (b.confidence > a.confidence ? b : a));
      expect(best.id).toBe(READ_AS[format] ?? format);
      expect(best.confidence).toBeGreaterThan(0.8);
      const decoded = decodeAll(openAsClaimed(format, bytes), bytes, {
        blockBytes: 50_000,
        describe: (n) => n % 97 === 0,
      });
      expect(decoded.diagnostics).toEqual([]);
      expect(decoded.records.length).toBe(records);
      const wanted = KINDS[format] ?? ['fetch', 'read', 'write'];
      expect([...new Set(decoded.records.map(({ kind }) => kind))]).toEqual(expect.arrayContaining(wanted));
    },
  );
});

/** Counts records without the writer and the decoder. */
function recordsOf(format: string, bytes: Buffer): number {
  switch (format) {
    case 'brstack':
      return 16 * lines(bytes).length;
    case 'btm':
      return lines(bytes).length - 1;
    case 'armtracer':
      return lines(bytes).length - TRACER_HEADER;
    case 'btm-binary': {
      const units = Array.from({ length: bytes.length / 16 }, (_, k) => bytes[16 * k + 5]!);
      return units.filter((control) => control < 0x80).length - 1;
    }
    default:
      return format in UNITS ? bytes.length / UNITS[format]! : lines(bytes).length;
  }
}

test('touches 145 MB of distinct lines per GB of trace in both formats', async () => {
  const size = rounds(8_000_000, 12_000_000);
  for (const format of ['byu6', 'tarmac']) {
    const { bytes } = await make({ format, size });
    const touched = new Set<number>();
    for (const { address } of format === 'byu6' ? cycles(bytes) : accesses(bytes))
      touched.add(Math.floor(address / 64));
    const distinct = touched.size * 64;
    expect(distinct).toBeGreaterThan(0.12 * size);
    expect(distinct).toBeLessThan(0.18 * size);
  }
});

test('keeps local data small and hardly repeats lines without locality', async () => {
  for (const format of ['byu6', 'tarmac']) {
    const distinct = async (locality: SampleOptions['locality']): Promise<[lines: number, accesses: number]> => {
      const { bytes } = await make({ format, locality, size: rounds(2_000_000, 3_000_000) });
      const all = [...(format === 'byu6' ? cycles(bytes) : accesses(bytes))].map(({ address }) =>
        Math.floor(address / 64),
      );
      const data = all.filter((line) => line >= 0x10000000 / 64);
      return [new Set(data).size, data.length];
    };
    const [localLines] = await distinct('local');
    expect(localLines * 64).toBeLessThan(150_000);
    const [strewnLines, strewnAccesses] = await distinct('none');
    expect(strewnAccesses).toBeGreaterThan(5000);
    expect(strewnLines).toBeGreaterThan(0.7 * strewnAccesses);
  }
});

describe.each(few(LOCALITIES, 1))('values with locality %s', (locality) => {
  test('reads return the latest written or read value, and code matches its opcodes', async () => {
    const { bytes } = await make({ format: 'tarmac', locality, size: rounds(1_500_000, 5_000_000), seed: 3 });
    const memory = new Map<number, number>();
    let again = 0;
    for (const { write, address, value } of accesses(bytes)) {
      for (let k = 0; k < value.length; k++) {
        const known = memory.get(address + k);
        if (!write && known !== undefined) {
          again++;
          if (known !== value[k])
            throw new Error(`byte ${(address + k).toString(16)} was ${known}, is read as ${value[k]}`);
        }
        memory.set(address + k, value[k]!);
      }
    }
    expect(again).toBeGreaterThan(500);
    for (const [address, opcode] of opcodes(bytes)) {
      const known = memory.get(address);
      if (known !== undefined && known !== (opcode & 0xff)) expect(address).toBe('code as it is executed');
    }
  });

  test('loads and stores agree with register contents', async () => {
    const { bytes } = await make({ format: 'tarmac', locality, size: rounds(700_000, 2_000_000), seed: 4 });
    const registers = new Map<string, string>();
    let checked = 0;
    let instruction = '';
    let pending: string | undefined;
    for (const line of lines(bytes)) {
      const words = line.split(' ');
      if (words[3] === 'IT' || words[3] === 'IS') {
        if (pending !== undefined) expect(registers.get(target(instruction))).toBe(pending);
        pending = undefined;
        instruction = line.slice(line.indexOf(' : ') + 3);
      } else if (words[2] === 'R') registers.set(words[3]!, words[4]!);
      else if (words[2] === 'MW4' && instruction.startsWith('str ')) {
        const held = registers.get(target(instruction));
        if (held === undefined) continue;
        checked++;
        expect(words[4]).toBe(held);
      } else if (words[2] === 'MR4' && instruction.startsWith('ldr ')) {
        checked++;
        pending = words[4];
      }
    }
    expect(checked).toBeGreaterThan(1000);
  });
});

test('control flow follows the program: next instruction, target, return or vector', async () => {
  const { bytes } = await make({ format: 'tarmac', size: rounds(3_000_000, 8_000_000), seed: 5 });
  let expected: number | undefined;
  let interrupts = 0;
  for (const line of lines(bytes)) {
    const match = / I([TS]) \(\d+\) ([0-9a-f]{8}) [0-9a-f]{8} A (svc|irq)_ns : (.*)$/.exec(line);
    if (match === null) continue;
    const [, taken, address, , text] = match;
    const here = Number.parseInt(address!, 16);
    if (here === 0x18) interrupts++;
    else if (expected !== undefined && here !== expected) expect(line).toBe(`at ${expected.toString(16)}`);
    const jump = /^(b|bl|b[a-z]{2}) #(0x[0-9a-f]+)$/.exec(text!);
    const indirect = /^(bx|blx|pop .*pc|ldm)/.test(text!);
    expected = taken === 'S' ? here + 4 : jump !== null ? Number(jump[2]) : indirect ? undefined : here + 4;
  }
  expect(interrupts).toBeGreaterThan(0);
});

test('writes no conditional returns, since x86 has none', async () => {
  const { bytes } = await make({ format: 'tarmac', size: rounds(600_000, 2_000_000), seed: 5 });
  const texts = lines(bytes).map((line) => / I[TS] .* : (.*)$/.exec(line)?.[1] ?? '');
  const returns = texts.filter((text) => /\blr$|\bpc\}$/.test(text));
  expect(new Set(returns.map((text) => text.split(' ')[0]))).toEqual(new Set(['bx', 'pop']));
});

test('an interrupt precedes an instruction and returns to it', async () => {
  const { bytes } = await make({ format: 'btm', size: rounds(4_000_000, 8_000_000), seed: 5 });
  const { records } = decodeAll(openAsClaimed('btm', bytes), bytes, { blockBytes: 1_000_000 });
  let acknowledged = false;
  const interrupted: string[] = [];
  const resumed: string[] = [];
  for (const { kind, address, target } of records) {
    if (kind === 'interrupt-acknowledge') acknowledged = true;
    if (kind !== 'branch') continue;
    if (acknowledged) interrupted.push(address);
    else if (resumed.length < interrupted.length && target === interrupted.at(-1)) resumed.push(target);
    acknowledged = false;
  }
  expect(interrupted.length).toBeGreaterThan(2);
  expect(resumed).toEqual(interrupted.slice(0, resumed.length));
  expect(interrupted.length - resumed.length).toBeLessThanOrEqual(1);
});

test('writes bus cycles of every kind and interrupt acknowledges in pairs', async () => {
  const { bytes } = await make({ size: rounds(2_000_000, 6_000_000) });
  const kinds = new Map<number, number>();
  let unaligned = 0;
  for (let at = 0; at < bytes.length; at += 6) {
    const kind = bytes[at + 5]! >>> 4;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    unaligned += bytes[at + 3]! & 7;
  }
  expect(unaligned).toBe(0);
  expect([...kinds.keys()].sort((a, b) => a - b)).toEqual([1, 3, 5, 7, 9, 13, 15]);
  expect(kinds.get(1)! % 2).toBe(0);
});

test('refuses impossible requests with one sentence and leaves no file', async () => {
  const options = { format: 'byu6', size: 1000, seed: 1, locality: 'spread', path: join(folder, 'x') } as const;
  const cancel = new AbortController();
  cancel.abort();
  const reported = (message: string): string =>
    message.replace(folder, 'FOLDER').replace(FORMATS.join(', '), 'THE LIST');
  const failures = [
    await sample({ ...options, format: 'vcd' }),
    await sample({ ...options, size: 5 }),
    await sample({ ...options, path: join(folder, 'missing', 'x') }),
    await sample({ ...options, path: folder }),
    await sample({ ...options, signal: cancel.signal }),
  ].map((result) => (result.ok ? 'made' : `${result.error.code}: ${reported(result.error.message)}`));
  expect(failures.join('\n')).toMatchInlineSnapshot(`
    "unknown-format: no samples can be made of the format vcd; choose one of THE LIST
    too-small: not one record fits in 5 bytes; ask for a larger size
    unwritable: FOLDER/missing/x: the folder does not exist; create it or choose another
    unwritable: FOLDER: this is not an ordinary file; name one, or one that does not exist yet
    cancelled: the sample was not finished"
  `);
  expect(readdirSync(folder)).toEqual([]);
});

function lines(bytes: Buffer): string[] {
  return bytes.toString('latin1').trimEnd().split('\n');
}

interface Access {
  readonly write: boolean;
  readonly address: number;
  /** Lowest address first. */
  readonly value: readonly number[];
}

function* accesses(text: Buffer): Generator<Access> {
  for (const line of lines(text)) {
    const match = /^\d+ clk M([RW])(\d) ([0-9a-f]{8}) ([0-9a-f]+)$/.exec(line);
    if (match === null) continue;
    const value = [...Buffer.from(match[4]!, 'hex')].reverse();
    if (value.length !== Number(match[2])) expect(line).toBe('as many digits as its size says');
    yield { write: match[1] === 'W', address: Number.parseInt(match[3]!, 16), value };
  }
}

function* opcodes(text: Buffer): Generator<[address: number, opcode: number]> {
  for (const line of lines(text)) {
    const match = / I[TS] \(\d+\) ([0-9a-f]{8}) ([0-9a-f]{8}) A /.exec(line);
    if (match !== null) yield [Number.parseInt(match[1]!, 16), Number.parseInt(match[2]!, 16)];
  }
}

/** Data cycles of a BYU trace. */
function* cycles(bytes: Buffer): Generator<{ readonly address: number }> {
  for (let at = 0; at < bytes.length; at += 6) {
    if (bytes[at + 5]! >>> 4 >= 12) yield { address: bytes.readUInt32BE(at) };
  }
}

/** First register in an instruction, as register records name it. */
function target(text: string): string {
  const name = /^\w+ (\w+),/.exec(text)?.[1] ?? '';
  return { sb: 'r9', sl: 'r10', fp: 'r11', ip: 'r12', sp: 'r13', lr: 'r14' }[name] ?? name;
}
