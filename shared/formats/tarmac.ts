/**
 * Tarmac text traces: one line per executed instruction, memory access and register write.
 *
 * Read today: the QEMU4V dialect (docs/formats/tarmac.md). Lines are cut at LF; each is a record, blank lines are gaps.
 * The decoder carries one number from line to line: the cpu of the last instruction line, because memory and register
 * lines name none. It refuses to know files, and which instruction set the opcodes belong to: the letter A is printed
 * for MIPS and RISC-V too.
 */
import type { Batch } from '../batch.ts';
import { NO_CPU } from '../batch.ts';
import type { Decoder, Format, FormatOption, Settings, State, Window } from '../format.ts';
import type { Result } from '../result.ts';
import { fail, ok } from '../result.ts';
import { nativeName } from './tarmac/codes.ts';
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
  framing: { kind: 'lines' },
  timeUnit: 'clk',
  sniff: sniffTarmac,
  open: openTarmac,
  diagnostics: DIAGNOSTICS,
};

function openTarmac(given: Settings): Result<Decoder> {
  const settings: Record<string, string> = {};
  for (const option of tarmac.options) settings[option.name] = given[option.name] ?? option.default;
  for (const [name, value] of Object.entries(given)) {
    const option = tarmac.options.find((one) => one.name === name);
    if (option === undefined)
      return fail('bad-option', `tarmac has no option "${name}"; it has ${nameList(tarmac.options)}.`);
    if (!option.values.includes(value)) {
      return fail(
        'bad-option',
        `The tarmac option ${name} cannot be "${value}"; choose ${option.values.join(' or ')}.`,
      );
    }
  }
  return ok(createDecoder(settings));
}

function createDecoder(settings: Settings): Decoder {
  const initial: State = { cpu: NO_CPU };
  return {
    format: tarmac,
    dialect: settings['dialect']!,
    settings,
    initial,
    decode: (window: Window, state: State, batch: Batch): State => {
      const before = cpuOf(state);
      const cpu = decodeLines(window, before, batch);
      return cpu === before ? state : { cpu };
    },
    // From `initial` only the cpu of memory and register lines before the first instruction line differs, which the
    // stored entry state mends; a wrong cpu could not be told from the block's own.
    agrees: (guess, entry) => cpuOf(guess) === NO_CPU || cpuOf(guess) === cpuOf(entry),
    join: (entry, exit) => (cpuOf(exit) === NO_CPU ? entry : exit),
    describe: describeRecord,
    fields: recordSpans,
    nativeName,
  };
}

function cpuOf(state: State): number {
  return state['cpu'] ?? NO_CPU;
}

function nameList(options: readonly FormatOption[]): string {
  return options.map(({ name }) => name).join(' and ');
}
