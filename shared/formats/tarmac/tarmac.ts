/**
 * Tarmac text traces: one line per executed instruction, memory access, register write, branch and event.
 *
 *     53 clk 0 IT (53) 00008068 e59f0060 A svc_s : LDR r0,[pc,#0x60]
 *     53 clk MR4 000080d0 00000a1b
 *     53 clk R r0 00000a1b
 *
 * At time 53, cpu 0 executes its instruction number 53 at 0x8068, opcode 0xe59f0060, A32 code in secure supervisor mode. The
 * instruction reads 4 bytes with the value 0xa1b at 0x80d0 and writes them to r0. The two lines without a cpu belong to cpu 0.
 *
 * Several programs write this format (docs/formats/tarmac.md). Every dialect reads all line forms; the dialect decides ambiguous
 * cases. QEMU4V names its cpu on instruction lines only, and in other dialects a line may leave out its time. Each line that ends in
 * LF is a record, and blank lines are gaps. The decoder does not know the instruction set: the letter A is also printed for MIPS and
 * RISC-V code.
 */
import type { Decoder, Format, Settings } from '../../format/format.ts';
import { createInstructionFlow } from '../../flow/instructions.ts';
import { assert, ok, type Result } from '../../base/result.ts';
import { completeSettings } from '../../format/settings.ts';
import { nativeName } from './codes.ts';
import { DIAGNOSTICS } from './decode/columns.ts';
import { createQemuDecoder, START_QEMU } from './decode/qemu.ts';
import { agreesUntimed, createTextDecoder, joinUntimed, START } from './decode/untimed.ts';
import { describeRecord, type Reading } from './describe/describe.ts';
import { repeats } from './describe/repeats.ts';
import { recordSpans } from './describe/spans.ts';
import { createInstructionSource, NUMBERS } from './instruction-source.ts';
import { DIALECTS } from './line/line.ts';
import { UNITS } from './line/prefix.ts';
import { registerLine } from './register-line.ts';
import { sniffTarmac } from './sniff.ts';

export const tarmac: Format = {
  id: 'tarmac',
  name: 'Tarmac text trace',
  dialects: DIALECTS,
  extensions: ['txt', 'log', 'trace', 'tarmac'],
  // A line that continues another one has no word.
  slices: { registerLine, neverFirst: (_, marks) => marks.includes('continued') },
  options: [
    {
      name: 'dialect',
      values: DIALECTS,
      default: 'qemu4v',
      text: 'Program that wrote the trace; decides ambiguous lines',
    },
    {
      name: 'endian',
      values: ['little', 'big'],
      default: 'little',
      text: 'Byte order of values in memory',
    },
    {
      name: 'numbers',
      values: NUMBERS,
      default: 'instructions',
      text: 'What the numbers of instruction lines count, which shows missing lines: instructions, instructions and exceptions, or anything else (any)',
    },
    { name: 'unit', values: UNITS, default: 'clk', text: 'Unit of the timestamps; lines with another unit are marked' },
  ],
  timeUnit: 'clk',
  sniff: sniffTarmac,
  open: openTarmac,
  diagnostics: DIAGNOSTICS,
};

function openTarmac(given: Settings): Result<Decoder> {
  const settings = completeSettings(tarmac, given);
  return settings.ok ? ok(createDecoder(settings.value)) : settings;
}

function createDecoder(settings: Settings): Decoder {
  const reading = readingOf(settings);
  return {
    format: tarmac,
    framing: { kind: 'lines' },
    ...(reading.dialect === 'qemu4v' ? {} : { armIsa: true }),
    dialect: reading.dialect,
    settings,
    timeUnit: reading.unit,
    ...(reading.dialect === 'qemu4v' ? qemu(reading) : untimed(reading)),
    describe: (bytes, batch, index) => describeRecord(bytes, batch, index, reading),
    fields: (bytes, batch, index) => recordSpans(bytes, batch, index, reading),
    repeats: (bytes, from, to, batch, index, out) => repeats(bytes, from, to, batch, index, reading, out),
    nativeName,
    valuesAsDigits: true,
    flow: createInstructionFlow(createInstructionSource(reading.dialect, settings['numbers'])),
  };
}

function readingOf(settings: Settings): Reading {
  const dialect = DIALECTS.find((one) => one === settings['dialect']);
  assert(dialect !== undefined, 'settings are complete');
  return { dialect, endian: settings['endian'] === 'big' ? 'big' : 'little', unit: settings['unit'] ?? 'clk' };
}

type Decoding = Pick<Decoder, 'initial' | 'warmUp' | 'decode' | 'countPlain' | 'agrees' | 'join' | 'marksParts'>;

/** Number of bytes before a block in which an instruction line most likely names the running cpu. */
const WARM_UP = 16 * 1024;

function qemu({ endian }: Reading): Decoding {
  return {
    // Register and memory contents are kept per cpu, so the lines before a block's first instruction line need the right cpu.
    initial: START_QEMU,
    warmUp: WARM_UP,
    ...createQemuDecoder(endian),
    marksParts: true,
  };
}

function untimed({ dialect, endian }: Reading): Decoding {
  const { decode } = createTextDecoder(dialect, endian);
  return { initial: START, decode, agrees: agreesUntimed, join: joinUntimed };
}
