/**
 * Tracer text of the ARM debuggers' ARMulator: one line per instruction, bus cycle, event and change of registers.
 *
 *     BNR4O___ A0000000 00000C1E          off-chip read of 4 bytes, non-sequential, marked as opcode fetch
 *     MNR4O___ 00008000 E28F8090          the core's own fetch
 *     IT 00008000 e28f8090 ADD      r8,pc,#0x90 ; #0x8098
 *     R r8=00008098
 *     E 00000048 00000000 10005           event 10005, an instruction TLB walk
 *
 * Four generations of the writer are dialects (docs/formats/armtracer.md); each line tells its own, so all are read in
 * any, and what a dialect would not have written is counted. The lines before the records (`Date:` ..) are gaps named
 * `header`. The decoder carries the last time stamp from line to line, because a line whose time has not changed has
 * blanks in its place. It refuses to know which access belongs to which instruction.
 */
import type { Batch } from '../../records/batch.ts';
import { createInstructionReader } from '../../flow/instructions.ts';
import type { Decoder, Format, Settings, State, Window } from '../../format/format.ts';
import { ok, type Result } from '../../base/result.ts';
import { completeSettings } from '../../format/settings.ts';
import { nativeName } from './codes.ts';
import { decodeLines, DIAGNOSTICS, NO_TIME, type Ways, type Widths } from './decode.ts';
import { describeRecord, recordSpans, type Reading } from './describe.ts';
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
      text: 'Who wrote it: ads has access words of 8 letters, amba of 9, sdt (1998) of 7 or with AMBA 8, eis is the architectural form',
    },
    {
      name: 'endian',
      values: ['little', 'big'],
      default: 'little',
      text: 'How a value lies in memory: its lowest or its highest byte at the address',
    },
    {
      name: 'registers',
      values: ['previous', 'next'],
      default: 'previous',
      text: 'Register lines show the result of the instruction above them (previous), or, one late, what was so before it, so that it is the next one (next)',
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
  const ways: Ways = { widths: WIDTHS[settings['dialect']!]!, little, sets: createRegisterSets() };
  const reading: Reading = {
    lowFirst: little,
    registersOfNext: settings['registers'] === 'next',
  };
  return {
    format: armtracer,
    framing: { kind: 'lines' },
    armIsa: true,
    dialect: settings['dialect']!,
    settings,
    // Traces without time stamps, which are nearly all, keep the initial state throughout.
    initial: { time: NO_TIME },
    decode: (window: Window, state: State, batch: Batch): State => ({
      time: decodeLines(window, lastTime(state), ways, batch),
    }),
    describe: (bytes, batch, index) => describeRecord(bytes, batch, index, reading),
    fields: recordSpans,
    nativeName,
    flow: () => createInstructionReader(createInstructionSource()),
  };
}

function lastTime(state: State): number {
  return state['time'] ?? NO_TIME;
}
