/**
 * Tracer text of the ARM debuggers' ARMulator: one line per instruction, bus cycle, event and change of registers.
 *
 *     BNR4O___ A0000000 00000C1E          off-chip read of 4 bytes, non-sequential, marked as opcode fetch
 *     MNR4O___ 00008000 E28F8090          the core's own fetch
 *     IT 00008000 e28f8090 ADD      r8,pc,#0x90 ; #0x8098
 *     R r8=00008098
 *     E 00000048 00000000 10005           event 10005, an instruction TLB walk
 *
 * The first line is a bus read of 4 bytes with the value 0xc1e at 0xa0000000. The dialects are four generations of the writer
 * (docs/formats/armtracer.md). Every line shows its own generation, so each dialect reads all lines and counts unexpected ones. Lines
 * before the records (`Date:` ..) are gaps named `header`. The decoder carries the last time stamp from line to line, because blanks
 * replace a time that has not changed. Lines do not say which access belongs to which instruction.
 */
import type { Batch } from '../../records/batch.ts';
import { createInstructionFlow } from '../../flow/instructions.ts';
import type { Decoder, Format, Settings, State, Window } from '../../format/format.ts';
import { ok, type Result } from '../../base/result.ts';
import { completeSettings } from '../../format/settings.ts';
import { nativeName } from './codes.ts';
import { createTracerDecoder, DIAGNOSTICS } from './decode.ts';
import { NO_TIME, type Widths } from './plain.ts';
import { describeRecord, type Reading, recordSpans } from './describe.ts';
import { repeats } from './repeats.ts';
import { createRegisterSets } from './register-sets.ts';
import { createInstructionSource } from './instruction-source.ts';
import { sniffTracer } from './sniff.ts';

const WIDTHS: Readonly<Record<string, Widths>> = {
  ads: { least: 8, most: 8 },
  amba: { least: 9, most: 9 },
  sdt: { least: 7, most: 8 },
  eis: { least: 3, most: 3 },
};

export const armtracer: Format = {
  id: 'armtracer',
  name: 'ARM Tracer text (ARMulator of SDT, ADS and RVDS)',
  dialects: Object.keys(WIDTHS),
  extensions: ['trc', 'txt', 'log', 'trace'],
  options: [
    {
      name: 'dialect',
      values: Object.keys(WIDTHS),
      default: 'ads',
      text: 'Generation of the writer by the length of access words: ads has 8 letters, amba 9, sdt (1998) 7 or 8; eis is the architectural form',
    },
    {
      name: 'endian',
      values: ['little', 'big'],
      default: 'little',
      text: 'Byte order of values in memory',
    },
    {
      name: 'registers',
      values: ['previous', 'next'],
      default: 'previous',
      text: 'Instruction whose results a register line shows: the previous one, or the next one in traces that print registers one line late',
    },
  ],
  timeUnit: 'ticks',
  sniff: sniffTracer,
  open: openTracer,
  diagnostics: DIAGNOSTICS,
};

function openTracer(given: Settings): Result<Decoder> {
  const settings = completeSettings(armtracer, given);
  return settings.ok ? ok(createDecoder(settings.value)) : settings;
}

function createDecoder(settings: Settings): Decoder {
  const little = settings['endian'] === 'little';
  const decode = createTracerDecoder({ widths: WIDTHS[settings['dialect']!]!, little, sets: createRegisterSets() });
  const reading: Reading = {
    lowFirst: little,
    registersOfNext: settings['registers'] === 'next',
  };
  return {
    format: armtracer,
    framing: { kind: 'lines' },
    armIsa: true,
    lateEffects: true,
    dialect: settings['dialect']!,
    settings,
    // Most traces have no time stamps and keep the initial state throughout.
    initial: { time: NO_TIME },
    decode: (window: Window, state: State, batch: Batch): State => ({ time: decode(window, lastTime(state), batch) }),
    describe: (bytes, batch, index) => describeRecord(bytes, batch, index, reading),
    fields: recordSpans,
    repeats: (bytes, from, to, batch, index, out) => repeats(bytes, from, to, batch, index, little, out),
    nativeName,
    valuesAsDigits: true,
    flow: createInstructionFlow(createInstructionSource()),
  };
}

function lastTime(state: State): number {
  return state['time'] ?? NO_TIME;
}
