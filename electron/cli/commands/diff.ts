/** `diff`: where two runs part, and where they compute other values. */
import { DIFF_BY, DIFF_REGIONS_MOST, type Diff } from '../../../shared/requests/diff.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { whole } from '../../../shared/requests/schema.ts';
import { pagePlace, writeDiffPage } from '../against/diff-page.ts';
import { command } from '../command.ts';
import { flag, images, number, oneOf, path, several, word } from '../options/options.ts';
import { shift } from '../options/shift.ts';
import { CPU } from '../options/state-at.ts';
import { surroundingsOf, type Surroundings } from '../diff-context.ts';
import { diffText, type Shown } from '../print/diff-text.ts';
import { walkProgress } from '../print/search-progress.ts';
import type { OpenTrace } from '../trace.ts';
import { withBoth } from '../two-traces.ts';
import { ignoredOf } from '../options/ignored.ts';

const REGIONS = 100;
const CONTEXT = 3;
const MOST_CONTEXT = 20;

export const diff = command({
  name: 'diff',
  text: 'Where two runs part, and where they compute other values: the first differences, and what each run executed',
  notes: `Compares the executed instructions of two traces, and the effects of aligned instructions: the registers they set and
what they accessed. Values count if both traces prove them; times and cycle counts never count, nor do the addresses at which the
programs were loaded. --by values is the default if both traces record registers or accesses. Exit code 0 if nothing differs, 3
if something does. Regions are same, values (the same instructions with other effects), a-only, b-only, or not-aligned: too
different to say which instructions correspond. Traces without executed instructions are compared by their branches, or by their
accesses to memory. Branch messages and trace buffers are compared with other formats by the branches that both prove; what only one
trace covers is not-compared.
--by symbol is for programs that were built again, and needs --image and --image-b: two instructions are the same if they have
the same place in the function of the same name. Both versions of a function are aligned by their disassembly without numbers,
so code after an inserted instruction is still the same. Values do not count then. It decodes both traces.
--ignore of a function leaves out its calls with all that runs until it returns, and its own code wherever it runs; of addresses,
the instructions there. Both decode both traces. A name that is both is the register. What ignored instructions set is known
afterwards.
Equal stretches are found by fingerprints of 64 bits; traces with fewer than 32,768 instructions are decoded. --confirm decodes
all of them. -o writes a page that \`tracebench verify FILE TRACE --against OTHER\` computes again.`,
  trace: 'needed',
  operands: ['TRACE', 'OTHER'],
  options: {
    'image-b': images('the program of the other trace, by default that of --image; repeatable'),
    cpu: CPU('the CPU to compare, if a trace has several'),
    shift,
    by: oneOf(
      'WHAT',
      'path: which instructions ran; values: also their effects; symbol: which ran, by function and place in it',
      DIFF_BY,
    ),
    ignore: several(
      word(
        'NAME|A[-B]',
        'this register, the calls of this function, or the instructions at these addresses do not count; repeatable',
        'the name of a register or a function, or addresses such as 0x8000-0x80ff',
      ),
    ),
    confirm: flag('decodes and compares every instruction, also in stretches whose fingerprints are equal'),
    first: flag('only the first difference of each kind'),
    context: number(
      'K',
      whole(0, MOST_CONTEXT),
      `instructions shown around the first differences, ${CONTEXT} by default`,
    ),
    limit: number('K', whole(1, DIFF_REGIONS_MOST), `at most this many regions, ${REGIONS} by default`),
    output: path('FILE', 'write the comparison as a page: .html', 'o'),
  },
  async run(
    context,
    {
      'image-b': imageB,
      cpu,
      shift,
      by,
      ignore = [],
      confirm = false,
      first = false,
      context: around,
      limit = REGIONS,
      output,
    },
  ) {
    if (output !== undefined) {
      if (first || around !== undefined)
        return fail('usage', `diff: -o cannot be combined with --${first ? 'first' : 'context'}`);
      const place = await pagePlace(context, output);
      if (!place.ok) return place;
    }
    return withBoth(context, { path: context.operands['OTHER'] ?? '', images: imageB }, async (one, other) => {
      const left = await ignoredOf(context, one, ignore);
      if (!left.ok) return left;
      const question = {
        ...(cpu !== undefined && { cpu }),
        ...(shift?.bytes !== undefined && { shift: shift.bytes }),
        ...(by !== undefined && { by }),
        ...left.value,
        ...(confirm && { confirm }),
        most: limit,
      };
      if (output !== undefined) return writeDiffPage(context, one, other, question, output);
      const args = { ...question, ...(first && { only: 'first' as const }) };
      const onEvent = walkProgress(context, one.opened.file.bytes, 'reading branches');
      const answer = await one.request('diff', { trace: one.id, other: other.id, ...args }, { onEvent });
      context.progress.clear();
      if (!answer.ok) return answer;
      const found = answer.value;
      const { common, out } = context;
      if (common.json) await out.json(document(found, first));
      else {
        const shown = await shownOf(found, one, other, around ?? CONTEXT);
        if (!shown.ok) return shown;
        await out.write(diffText(found, shown.value, first));
      }
      if (!found.same) context.differs();
      return ok(undefined);
    });
  },
});

/** Returns the surroundings of the first differences. */
async function shownOf(
  { first }: Diff,
  one: OpenTrace,
  other: OpenTrace,
  most: number,
): Promise<Result<readonly Shown[]>> {
  const shown: Shown[] = [];
  for (const by of ['path', 'values'] as const) {
    const pair = first[by];
    if (pair === null) continue;
    const sides: (Surroundings | undefined)[] = [];
    for (const [trace, at] of [
      [one, pair.a],
      [other, pair.b],
    ] as const) {
      const found = at === null ? ok(undefined) : await surroundingsOf(trace, at, most);
      if (!found.ok) return found;
      sides.push(found.value);
    }
    shown.push({ pair, by, a: sides[0], b: sides[1] });
  }
  return ok(shown);
}

function document(
  {
    same,
    by,
    of,
    ends,
    first,
    regions,
    left,
    functions,
    functionsLeft,
    ignored,
    withoutSymbol,
    confirmed,
    notCompared,
    matched,
    shift,
    cpu,
    instructionsA,
    instructionsB,
  }: Diff,
  short: boolean,
) {
  return {
    same,
    by,
    of,
    ...(ends !== undefined && { ends }),
    first,
    ...(short ? {} : { regions, left, functions, functionsLeft, matched }),
    ...(ignored !== undefined && { ignored }),
    ...(withoutSymbol !== undefined && { withoutSymbol }),
    confirmed,
    notCompared,
    shift,
    cpu,
    instructionsA,
    instructionsB,
  };
}
