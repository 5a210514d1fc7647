/** `sample`: writes a synthetic trace of any size, for a first look, tests and benchmarks. */
import { SAMPLE_FORMAT_IDS } from '../../sample/writers/format-ids.ts';
import type { Locality } from '../../sample/sample.ts';
import { fail, ok } from '../../../shared/base/result.ts';
import { whole } from '../../../shared/requests/schema.ts';
import { command } from '../command.ts';
import { bytes, group } from '../../../shared/base/numbers.ts';
import type { Option } from '../options/options.ts';
import { flag, number, path, size, word } from '../options/options.ts';

const FORMAT_IDS = SAMPLE_FORMAT_IDS.join(', ');

export const sample = command({
  name: 'sample',
  text: 'Write a synthetic trace of a made-up program, of any size',
  notes: `Formats: ${FORMAT_IDS}.\nThe same arguments always give the same bytes.`,
  trace: 'none',
  options: {
    format: word('ID', 'the format to write, one of the above; required', 'the id of a format'),
    size: size('S', 'upper limit of the file size, such as 100M; required'),
    output: path('FILE', 'the file to write; required', 'o'),
    seed: number('K', whole(0, 2 ** 32 - 1), 'seed of the program: each number gives another one; 1 by default'),
    locality: locality(),
    damaged: flag('flip, overwrite, drop and repeat some bytes'),
  },
  async run({ common, out, signal, notify }, { format, size, output, seed = 1, locality = 'spread', damaged = false }) {
    if (format === undefined) return fail('usage', `sample: choose the format with --format (${FORMAT_IDS})`);
    if (size === undefined) return fail('usage', 'sample: give the size with --size, for example --size 100M');
    if (output === undefined) return fail('usage', 'sample: name the output file with -o FILE');
    const started = performance.now();
    const { sample: makeSample } = await import('../../sample/sample.ts');
    const made = await makeSample({ format, size, path: output, seed, locality, damaged, signal });
    if (!made.ok) return WRONG.has(made.error.code) ? fail('usage', `sample: ${made.error.message}`) : made;
    const { value } = made;
    if (common.json) await out.json(value);
    else await out.write(`${value.path}: ${group(value.records)} records, ${bytes(value.bytes)}\n`);
    notify(`written at ${bytes((1000 * value.bytes) / (performance.now() - started))}/s`);
    return ok(undefined);
  },
});

/** Failures that are about the options, not about the output file. */
const WRONG: ReadonlySet<string> = new Set(['unknown-format', 'too-small']);

function locality(): Option<Locality> {
  return {
    value: 'L',
    text: 'locality of data: spread (moves as the program runs, the default), local or none',
    read: (text) => (text === 'spread' || text === 'local' || text === 'none' ? text : undefined),
    must: 'spread, local or none',
  };
}
