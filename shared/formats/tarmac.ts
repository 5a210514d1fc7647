/**
 * Tarmac text traces: one line per executed instruction, memory access and register write.
 *
 * Read today: the QEMU4V dialect (docs/formats/tarmac.md). Lines are cut at LF; each is a record, blank lines are gaps.
 * The decoder carries from line to line the cpu of the last instruction line, because memory and register lines name none,
 * and where that line was, to tell a cpu of the block from one that was guessed. It refuses to know files, and which instruction set the opcodes belong to: the letter A is printed
 * for MIPS and RISC-V too.
 */
import type { Batch } from '../batch.ts';
import { NO_CPU } from '../batch.ts';
import type { Decoder, Format, Settings, State, Window } from '../format.ts';
import type { Result } from '../result.ts';
import { ok } from '../result.ts';
import { completeSettings } from '../settings.ts';
import { nativeName } from './tarmac/codes.ts';
import type { LastCpu } from './tarmac/decode.ts';
import { decodeLines, DIAGNOSTICS } from './tarmac/decode.ts';
import { describeRecord, recordSpans } from './tarmac/describe.ts';
import { sniffTarmac } from './tarmac/sniff.ts';

export const tarmac: Format = {
  id: 'tarmac',
  name: 'Tarmac text trace',
  dialects: ['qemu4v'],
  extensions: ['txt', 'log', 'trace', 'tarmac'],
  options: [
    { name: 'dialect', values: ['qemu4v'], default: 'qemu4v', text: 'Whose line shapes to expect' },
    {
      name: 'endian',
      values: ['little', 'big'],
      default: 'little',
      text: 'How a value lies in memory: its lowest or its highest byte at the address',
    },
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
  return {
    format: tarmac,
    framing: { kind: 'lines' },
    dialect: settings['dialect']!,
    settings,
    initial: { cpu: NO_CPU, at: -1 },
    decode: (window: Window, state: State, batch: Batch): State => ({ ...decodeLines(window, lastCpu(state), batch) }),
    // From a guess made further up in the file only assumed cpus differ, before the block's first instruction line: the
    // stored entry state mends those. Which of two states is the block's own tells its place.
    agrees: (guess, entry) => lastCpu(guess).at <= lastCpu(entry).at,
    join: (entry, exit) => (lastCpu(exit).at > lastCpu(entry).at ? exit : entry),
    describe: describeRecord,
    fields: recordSpans,
    nativeName,
  };
}

function lastCpu(state: State): LastCpu {
  return { cpu: state['cpu'] ?? NO_CPU, at: state['at'] ?? -1 };
}
