/**
 * Tarmac text traces: one line per executed instruction, memory access, register write, branch and event.
 *
 * Several programs write lines of this family (docs/formats/tarmac.md). All line forms are read in every dialect; the
 * dialect decides what is ambiguous: QEMU4V names its cpu on instruction lines only, and in the others a line may leave out
 * its time. Lines are cut at LF; each is a record, blank lines are gaps. It refuses to know files, and which instruction set
 * the opcodes belong to: the letter A is printed for MIPS and RISC-V too.
 */
import type { Batch } from '../../records/batch.ts';
import { NO_CPU } from '../../records/batch.ts';
import type { Decoder, Format, Settings, State, Window } from '../../format/format.ts';
import { createInstructionReader } from '../../flow/instructions.ts';
import type { Result } from '../../base/result.ts';
import { assert, ok } from '../../base/result.ts';
import { completeSettings } from '../../format/settings.ts';
import { nativeName } from './codes.ts';
import { DIAGNOSTICS } from './columns.ts';
import { createQemuDecoder } from './decode-qemu.ts';
import { describeRecord, type Reading } from './describe.ts';
import { DIALECTS, UNITS } from './line/dialect.ts';
import { createInstructionSource } from './instruction-source.ts';
import { NUMBERS } from './line/numbers.ts';
import { sniffTarmac } from './sniff.ts';
import { recordSpans } from './line/spans.ts';
import { agreesUntimed, createTextDecoder, joinUntimed, START } from './line/untimed.ts';

export const tarmac: Format = {
  id: 'tarmac',
  name: 'Tarmac text trace',
  dialects: DIALECTS,
  extensions: ['txt', 'log', 'trace', 'tarmac'],
  options: [
    { name: 'dialect', values: DIALECTS, default: 'qemu4v', text: 'Whose lines these are: decides what is ambiguous' },
    {
      name: 'endian',
      values: ['little', 'big'],
      default: 'little',
      text: 'How a value lies in memory: its lowest or its highest byte at the address',
    },
    {
      name: 'numbers',
      values: NUMBERS,
      default: 'instructions',
      text: 'What the numbers of instruction lines count, so that lines are known to be missing: instructions, exceptions too, or any',
    },
    { name: 'unit', values: UNITS, default: 'clk', text: 'Unit of the timestamps; lines of another one are marked' },
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
    nativeName,
    flow: () => createInstructionReader(createInstructionSource(reading.dialect, settings['numbers'])),
  };
}

function readingOf(settings: Settings): Reading {
  const dialect = DIALECTS.find((one) => one === settings['dialect']);
  assert(dialect !== undefined, 'settings are complete');
  return { dialect, endian: settings['endian'] === 'big' ? 'big' : 'little', unit: settings['unit'] ?? 'clk' };
}

type Decoding = Pick<Decoder, 'initial' | 'warmUp' | 'decode' | 'agrees' | 'join'>;

/** Bytes before a block among which some instruction line names the cpu that is running. */
const WARM_UP = 16 * 1024;

function qemu({ endian }: Reading): Decoding {
  const decode = createQemuDecoder(endian);
  return {
    // What registers and memory hold is kept for each cpu, so the lines before the first instruction line must be its own.
    initial: { cpu: NO_CPU },
    warmUp: WARM_UP,
    decode: (window: Window, state: State, batch: Batch): State => ({ cpu: decode(window, lastCpu(state), batch) }),
  };
}

function lastCpu(state: State): number {
  return state['cpu'] ?? NO_CPU;
}

function untimed({ dialect, endian }: Reading): Decoding {
  const { decode } = createTextDecoder(dialect, endian);
  return { initial: START, decode, agrees: agreesUntimed, join: joinUntimed };
}
