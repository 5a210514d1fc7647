/** `sample`: write a synthetic trace of any size, for a first look, tests and benchmarks. */
import { sample as makeSample, SAMPLE_FORMAT_IDS } from '../../sample/sample.ts';
import type { Locality } from '../../sample/sample.ts';
import { fail, ok } from '../../../shared/base/result.ts';
import { command } from '../command.ts';
import { bytes, group } from '../print/numbers.ts';
import type { Option } from '../options.ts';
import { count, flag, path, size, word } from '../options.ts';

const FORMAT_IDS = SAMPLE_FORMAT_IDS.join(', ');

export const sample = command({
  name: 'sample',
  text: 'Write a program-like synthetic trace of any size',
  notes: `Formats: ${FORMAT_IDS}.\nThe same arguments always give the same bytes.`,
  trace: 'none',
  options: {
    format: word('ID', 'what to write, one of the above; needed', 'the id of a format'),
    size: size('S', 'bytes that the file has at most, such as 100M; needed'),
    output: path('FILE', 'write it there; needed', 'o'),
    seed: count('K', 0, 2 ** 32 - 1, 'another number makes another program, 1 by default'),
    locality: locality(),
    damaged: flag('with bytes flipped, overwritten, lost and doubled here and there'),
  },
  async run({ common, out, signal, tell }, { format, size, output, seed = 1, locality = 'spread', damaged = false }) {
    if (format === undefined) return fail('usage', `sample: say which format with --format (${FORMAT_IDS})`);
    if (size === undefined) return fail('usage', 'sample: say how large with --size, for example --size 100M');
    if (output === undefined) return fail('usage', 'sample: name the file with -o');
    const started = performance.now();
    const made = await makeSample({ format, size, path: output, seed, locality, damaged, signal });
    if (!made.ok) return WRONG.has(made.error.code) ? fail('usage', `sample: ${made.error.message}`) : made;
    const { value } = made;
    if (common.json) await out.json(value);
    else await out.write(`${value.path}: ${group(value.records)} records, ${bytes(value.bytes)}\n`);
    tell(`made with ${bytes((1000 * value.bytes) / (performance.now() - started))}/s`);
    return ok(undefined);
  },
});

/** Failures of what was asked for, whatever the place is. */
const WRONG: ReadonlySet<string> = new Set(['unknown-format', 'too-small']);

function locality(): Option<Locality> {
  return {
    value: 'L',
    text: 'how the data lies: spread (moves on as the program runs, the default), local or none',
    read: (text) => (text === 'spread' || text === 'local' || text === 'none' ? text : undefined),
    must: 'spread, local or none',
  };
}
