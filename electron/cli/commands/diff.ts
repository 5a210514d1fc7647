/** `diff`: where two runs part. */
import { DIFF_REGIONS_MOST, type Diff } from '../../../shared/requests/diff.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { whole } from '../../../shared/requests/schema.ts';
import { command, type Context } from '../command.ts';
import { flag, images, number, word } from '../options/options.ts';
import { CPU } from '../options/state-at.ts';
import { diffText } from '../print/diff-text.ts';
import { searchProgress } from '../print/search-progress.ts';
import { withTrace, type OpenTrace } from '../trace.ts';

const REGIONS = 100;

export const diff = command({
  name: 'diff',
  text: 'Where two runs part: the first instructions that differ, and what each of them executed',
  notes: `Compares the executed instructions of two traces of one format, whatever values these had. Times, cycle counts and the addresses at
which the programs were loaded do not count. Exit code 0 if both runs executed the same instructions, 3 if not. Regions are
same, a-only, b-only, or not-aligned: too different to say which instructions correspond. Traces without executed instructions are compared
by their branches, or by their accesses to memory.`,
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
    first: flag('only the first difference'),
    limit: number('K', whole(1, DIFF_REGIONS_MOST), `at most this many regions, ${REGIONS} by default`),
  },
  async run(context, { 'image-b': imageB, cpu, shift, first = false, limit = REGIONS }) {
    const moved = shiftOf(shift);
    if (!moved.ok) return moved;
    let found: Diff | undefined;
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
          most: limit,
          ...(first && { only: 'first' as const }),
        });
        if (answer.ok) found = answer.value;
        return answer.ok ? ok(undefined) : answer;
      });
      return ok(undefined);
    });
    if (!done.ok) return done;
    if (found === undefined) return ofOther;
    if (!found.same) context.differs();
    const { common, out } = context;
    await (common.json ? out.json(document(found, first)) : out.write(diffText(found, first)));
    return ok(undefined);
  },
});

function request(
  context: Context,
  one: OpenTrace,
  other: OpenTrace,
  more: { readonly cpu?: number; readonly shift?: string; readonly most: number; readonly only?: 'first' },
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

/** Returns undefined for a shift that is to be found. */
function shiftOf(typed: string | undefined): Result<string | undefined> {
  if (typed === undefined || typed === 'auto') return ok(undefined);
  const [, sign = '', digits = ''] = /^([+-]?)(0x[0-9a-f]+|[0-9]+)$/i.exec(typed) ?? [];
  if (digits === '') return fail('usage', `--shift must be auto or a number, such as 0x1000 or -4096, not '${typed}'`);
  return ok((sign === '-' ? -BigInt(digits) : BigInt(digits)).toString());
}

function document(
  { same, of, first, regions, left, matched, shift, cpu, instructionsA, instructionsB }: Diff,
  short: boolean,
) {
  return {
    same,
    by: 'path',
    of,
    first,
    ...(short ? {} : { regions, left, matched }),
    shift,
    cpu,
    instructionsA,
    instructionsB,
  };
}
