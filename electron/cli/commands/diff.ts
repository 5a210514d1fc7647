/** `diff`: where two runs part, and where they compute other values. */
import { DIFF_BY, DIFF_REGIONS_MOST, type Diff, type DiffArguments } from '../../../shared/requests/diff.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { whole } from '../../../shared/requests/schema.ts';
import { command, type Context } from '../command.ts';
import { flag, images, number, oneOf, several, word } from '../options/options.ts';
import { CPU } from '../options/state-at.ts';
import { surroundingsOf, type Surroundings } from '../diff-context.ts';
import { diffText, type Shown } from '../print/diff-text.ts';
import { searchProgress } from '../print/search-progress.ts';
import { withTrace, type OpenTrace } from '../trace.ts';

const REGIONS = 100;
const CONTEXT = 3;
const MOST_CONTEXT = 20;

export const diff = command({
  name: 'diff',
  text: 'Where two runs part, and where they compute other values: the first differences, and what each run executed',
  notes: `Compares the executed instructions of two traces of one format, and the effects of aligned instructions: the registers they set and
what they accessed. Values count if both traces prove them; times and cycle counts never count, nor do the addresses at which the
programs were loaded. --by values is the default if both traces record registers or accesses. Exit code 0 if nothing differs, 3
if something does. Regions are same, values (the same instructions with other effects), a-only, b-only, or not-aligned: too
different to say which instructions correspond. Traces without executed instructions are compared by their branches, or by their
accesses to memory.`,
  trace: 'needed',
  operands: ['TRACE', 'OTHER'],
  options: {
    'image-b': images('the program of the other trace, by default that of --image; repeatable'),
    cpu: CPU('the CPU to compare, if a trace has several'),
    shift: word(
      'N',
      'addresses of the other trace minus those of the first, in bytes; auto by default',
      'auto or a number',
    ),
    by: oneOf('WHAT', 'path: which instructions ran; values: also their effects', DIFF_BY),
    ignore: several(word('REGISTER', 'values of this register do not count; repeatable', 'the name of a register')),
    first: flag('only the first difference of each kind'),
    context: number(
      'K',
      whole(0, MOST_CONTEXT),
      `instructions shown around the first differences, ${CONTEXT} by default`,
    ),
    limit: number('K', whole(1, DIFF_REGIONS_MOST), `at most this many regions, ${REGIONS} by default`),
  },
  async run(
    context,
    { 'image-b': imageB, cpu, shift, by, ignore, first = false, context: around = CONTEXT, limit = REGIONS },
  ) {
    const moved = shiftOf(shift);
    if (!moved.ok) return moved;
    let found: Diff | undefined;
    let shown: readonly Shown[] = [];
    let ofOther: Result<void> = ok(undefined);
    const done = await withTrace(context, async (one) => {
      const indexed = await one.index();
      if (!indexed.ok) return indexed;
      const common = { ...context.common, ...(imageB !== undefined && { image: imageB }) };
      const second = { ...context, common, trace: context.operands['OTHER'] ?? '' };
      // Its failure names the other file.
      ofOther = await withTrace(second, async (other) => {
        const reached = await other.index();
        if (!reached.ok) return reached;
        const answer = await request(context, one, other, {
          ...(cpu !== undefined && { cpu }),
          ...(moved.value !== undefined && { shift: moved.value }),
          ...(by !== undefined && { by }),
          ...(ignore !== undefined && { ignoreRegisters: ignore }),
          ...(first && { only: 'first' as const }),
          most: limit,
        });
        if (!answer.ok) return answer;
        if (!context.common.json) {
          const all = await shownOf(answer.value, one, other, around);
          if (!all.ok) return all;
          shown = all.value;
        }
        found = answer.value;
        return ok(undefined);
      });
      return ok(undefined);
    });
    if (!done.ok) return done;
    if (found === undefined) return ofOther;
    if (!found.same) context.differs();
    const { common, out } = context;
    await (common.json ? out.json(document(found, first)) : out.write(diffText(found, shown, first)));
    return ok(undefined);
  },
});

function request(
  context: Context,
  one: OpenTrace,
  other: OpenTrace,
  more: Omit<DiffArguments, 'trace' | 'other'>,
): Promise<Result<Diff>> {
  let to = 0;
  let show: ReturnType<typeof searchProgress> | undefined;
  return one
    .request(
      'diff',
      { trace: one.id, other: other.id, ...more },
      {
        onEvent(event) {
          if (event.to !== to || show === undefined) {
            ({ to } = event);
            show = searchProgress(context, one.opened.file.bytes, { from: 0, to, newest: false }, 'reading branches');
          }
          show(event);
        },
      },
    )
    .finally(() => context.progress.clear());
}

/** Returns the surroundings of the first differences. */
async function shownOf(
  { first }: Diff,
  one: OpenTrace,
  other: OpenTrace,
  most: number,
): Promise<Result<readonly Shown[]>> {
  const shown: Shown[] = [];
  for (const by of DIFF_BY) {
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

/** Returns undefined for a shift that is to be found. */
function shiftOf(typed: string | undefined): Result<string | undefined> {
  if (typed === undefined || typed === 'auto') return ok(undefined);
  const [, sign = '', digits = ''] = /^([+-]?)(0x[0-9a-f]+|[0-9]+)$/i.exec(typed) ?? [];
  if (digits === '') return fail('usage', `--shift must be auto or a number, such as 0x1000 or -4096, not '${typed}'`);
  return ok((sign === '-' ? -BigInt(digits) : BigInt(digits)).toString());
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
    notCompared,
    shift,
    cpu,
    instructionsA,
    instructionsB,
  };
}
