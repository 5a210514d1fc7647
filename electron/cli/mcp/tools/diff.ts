/** The tool about two runs. */
import { DIFF_BY, type DiffPair } from '../../../../shared/requests/diff.ts';
import { ok } from '../../../../shared/base/result.ts';
import { both, listed } from '../findings.ts';
import { cpu, text, tool, yes } from '../tool.ts';

/** Regions and functions of one search. */
const MOST = 2000;

export const diff = tool({
  name: 'diff',
  title: 'Where two runs part',
  description:
    'Compares this trace (a) with another of the given ones (b): the first difference of paths and of values, and the aligned regions. With ' +
    '`functions`, the functions in which they differ instead of the regions. Start with records, stack and why at the first difference.',
  arguments: {
    other: text('the name of the other trace'),
    by: { type: 'string', enum: DIFF_BY, description: 'what is compared; values if both record them' },
    ignore: {
      type: 'array',
      items: { type: 'string' },
      description: 'registers whose values, and functions whose calls do not count',
    },
    functions: yes('lists functions that differ'),
    cpu,
  },
  required: ['other'],
  async run({ other, by, ignore, functions = false, cpu }, trace, { cursor, call, other: open }) {
    const second = await open(other);
    if (!second.ok) return second;
    const found = await trace.request(
      'diff',
      {
        trace: trace.id,
        other: second.value.id,
        most: MOST,
        // The values of a schema's list are those of DIFF_BY.
        ...(by !== undefined && { by: by as (typeof DIFF_BY)[number] }),
        ...(ignore && { ignore }),
        ...(cpu !== undefined && { cpu }),
      },
      { signal: call.signal },
    );
    if (!found.ok) return found;
    const { same, first, regions, left, functionsLeft, matched, shift, confirmed, notCompared } = found.value;
    const about = {
      same,
      compared: found.value.by,
      elements: found.value.of,
      first_difference_of_paths: pairItem(first.path),
      first_difference_of_values: pairItem(first.values),
      matched_share: matched,
      address_shift: shift,
      not_compared: notCompared,
      evidence:
        confirmed === 'decoded'
          ? 'every instruction that counts as equal was decoded in both traces'
          : 'differences were decoded; some equal stretches are known by 64-bit fingerprints',
    };
    const rest = functions ? functionsLeft : left;
    const more = rest === 0 ? {} : { beyond_these: rest };
    if (functions) {
      const items = found.value.functions.map(({ name, address, ...counts }) => ({
        function: name ?? 'code whose function is not known',
        address: both(address),
        ...counts,
      }));
      return ok(listed({ ...about, ...more }, 'functions', items, cursor));
    }
    const items = regions.map(({ kind, a, b, instructionsA, instructionsB, differing }) => ({
      kind,
      records_a: `${a[0]} to before ${a[1]}`,
      records_b: `${b[0]} to before ${b[1]}`,
      instructions_a: instructionsA,
      instructions_b: instructionsB,
      differing,
    }));
    return ok(listed({ ...about, ...more }, 'regions', items, cursor));
  },
});

function pairItem(pair: DiffPair | null): object | null {
  if (pair === null) return null;
  const { a, b, address, symbol, what } = pair;
  return { record_a: a, record_b: b, address: both(address), symbol, what };
}
