/** `coverage`: which code of the program ran, how often, and which never did. */
import type { Coverage } from '../../../shared/requests/answers/coverage.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { command, type Context } from '../command.ts';
import { writeResult } from '../figure-file.ts';
import { resultPlace } from '../../result-file.ts';
import { flowRange, withFlow } from '../options/flow-range.ts';
import { assignments, flag, number, oneOf, path } from '../options/options.ts';
import { lcovOf } from '../print/coverage/lcov.ts';
import { LINE_COUNTS, type LineCount } from '../print/coverage/line-counts.ts';
import { coverageTable, LEVELS, percent, totalsText, type Level } from '../print/coverage/tables.ts';
import { whole } from '../../../shared/requests/schema.ts';
import { filesRead } from '../trace.ts';

export const coverage = command({
  name: 'coverage',
  text: 'Which functions, lines, instructions and branches of the program ran, how often, and which never did',
  notes: [
    'Needs the program with --image; lines need its debug information. Counts are exact: every straight run of instructions between two',
    'branches is counted. For branch messages and trace buffers, only what the image proves is counted.',
    'The count of a line is the largest of its instructions; --count first takes that of the lowest address, sum adds all. A line without',
    'instructions has no count: the compiler has removed or merged it.',
    'A conditional branch has two ways out: taken, and not taken. A conditional instruction of ARM that is no branch counts when control',
    'comes to it, even if it is skipped.',
    'MC/DC needs to know the conditions of a decision in the source, which a trace of instructions alone cannot show.',
    '--lcov prints a tracefile for lcov and genhtml. --fail-under ends with status 3 if fewer lines ran, or instructions without lines.',
    '--json prints {instructions: [{address, size, count, taken, notTaken}], lines: [{file, line, count}], functions, totals, notes}.',
    'Example: tracebench coverage TRACE --image program.elf --lcov -o program.info',
  ].join('\n'),
  trace: 'needed',
  options: {
    level: oneOf('LEVEL', `what the table lists: ${LEVELS.join(', ')}; function by default`, LEVELS),
    lcov: flag('print a tracefile for lcov and genhtml'),
    count: oneOf(
      'WHICH',
      `the count of a line: ${LINE_COUNTS.join(', ')} of its instructions; most by default`,
      LINE_COUNTS,
    ),
    'source-map': assignments('paths of sources that begin with OLD begin with NEW'),
    'fail-under': number('P', whole(0, 100), 'status 3 if less than P % of the lines ran'),
    output: path('FILE', 'the file to write', 'o'),
    ...flowRange('code that ran'),
  },
  async run(context, { level, lcov, count = 'most', 'source-map': map = {}, 'fail-under': least, output, from, to }) {
    if (lcov === true && level !== undefined) return fail('usage', 'coverage: give --lcov or --level, not both');
    if (lcov === true && context.common.json) return fail('usage', 'coverage: give --lcov or --json, not both');
    if (output !== undefined) {
      const place = await resultPlace(output, filesRead(context));
      if (!place.ok) return place;
    }
    return withFlow(context, { from, to }, async (trace, range, onEvent) => {
      const answer = await trace.request('coverage', { trace: trace.id, ...range }, { onEvent });
      context.progress.clear();
      if (!answer.ok) return answer;
      for (const note of answer.value.notes) context.notify(note);
      const form = lcov === true ? 'lcov' : context.common.json ? 'json' : (level ?? 'function');
      const printed = await print(context, answer.value, { form, count, pathOf: mapped(map), output });
      if (printed.ok) compareWith(context, answer.value, least);
      return printed;
    });
  },
});

interface Look {
  readonly form: Level | 'lcov' | 'json';
  readonly count: LineCount;
  readonly pathOf: (file: string) => string;
  readonly output: string | undefined;
}

async function print(context: Context, answer: Coverage, { form, count, pathOf, output }: Look): Promise<Result<void>> {
  const { out } = context;
  if (form === 'json' && output === undefined) {
    await out.json(documentOf(answer, count, pathOf));
    return ok(undefined);
  }
  const text =
    form === 'json'
      ? `${JSON.stringify(documentOf(answer, count, pathOf))}\n`
      : form === 'lcov'
        ? lcovOf(answer, { count, pathOf })
        : `${coverageTable(answer, { level: form, count, pathOf, colour: output === undefined && out.colour })}\n${totalsText(answer)}.\n`;
  if (output !== undefined) return writeResult(context, new TextEncoder().encode(text), output);
  await out.write(text);
  return ok(undefined);
}

function documentOf(
  { instructions, lines, functions, totals, notes }: Coverage,
  count: LineCount,
  pathOf: Look['pathOf'],
) {
  return {
    instructions: instructions.addresses.map((address, row) => ({
      address,
      size: instructions.sizes[row],
      count: instructions.counts[row],
      ...(instructions.taken[row] !== null && { taken: instructions.taken[row], notTaken: instructions.notTaken[row] }),
    })),
    lines: lines.map((line) => ({ file: pathOf(line.file), line: line.line, count: line[count] })),
    functions: functions.map(({ file, ...one }) => ({ ...one, ...(file !== undefined && { file: pathOf(file) }) })),
    totals,
    notes,
  };
}

/** The longest OLD wins. */
function mapped(map: Readonly<Record<string, string>>): (file: string) => string {
  const olds = Object.keys(map).sort((a, b) => b.length - a.length);
  return (file) => {
    const old = olds.find((start) => file.startsWith(start));
    return old === undefined ? file : `${map[old]!}${file.slice(old.length)}`;
  };
}

function compareWith(context: Context, { totals: { lines, instructions } }: Coverage, least: number | undefined): void {
  if (least === undefined) return;
  const [{ covered, total }, what] = lines.total > 0 ? [lines, 'lines'] : [instructions, 'instructions'];
  if (100 * covered >= least * total) return;
  context.notify(`${percent(covered, total)} of the ${what} ran, less than ${least} %.`);
  context.differs();
}
