/** `coverage`: which code of the program ran, how often, and which never did. */
import type { Coverage } from '../../../shared/requests/answers/coverage.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { AGAINST_NOTE, againstOptions, checkAgainst } from '../against/options.ts';
import { coverageAgainst } from '../against/code.ts';
import { command, type Context } from '../command.ts';
import { writeResult } from '../figure-file.ts';
import { FORMS, writtenAs, type Form, type FormSettings } from '../coverage/forms.ts';
import { gather, gatheredFiles, type Gathered } from '../coverage/gather.ts';
import { resultPlace, type FileRead } from '../../result-file.ts';
import { documentOf } from '../print/coverage/document.ts';
import { flowRange } from '../options/flow-range.ts';
import { assignments, flag, number, oneOf, path, several } from '../options/options.ts';
import { LINE_COUNTS } from '../print/coverage/line-counts.ts';
import { coverageTable, LEVELS, percent, totalsText, type Level } from '../print/coverage/tables.ts';
import { whole } from '../../../shared/requests/schema.ts';

export const coverage = command({
  name: 'coverage',
  text: 'Which functions, lines, instructions and branches of the program ran, how often, and which never did',
  notes: [
    'Needs the program with --image; lines need its debug information. Counts are exact: every straight run of instructions between two',
    'branches is counted. For branch messages and trace buffers, only what the image proves is counted.',
    'The count of a line is the largest of its instructions; --count first takes that of the lowest address, sum adds all. A line without',
    'instructions has no count: the compiler has removed or merged it.',
    'A conditional branch has two ways out: taken, and not taken. A conditional instruction of ARM counts when control comes to it. `skipped`',
    'says how often its condition failed, if the trace shows that; --level branch lists these instructions beside the branches.',
    'MC/DC needs to know the conditions of a decision in the source, which a trace of instructions alone cannot show.',
    '--lcov, --cobertura, --asm and --html print, or write to the file of -o; --drcov only writes. Marks of --asm: + ran, a conditional',
    'branch both ways; - never ran; > always branched; v never branched; s always skipped; ! partly. --html shows source files that are at',
    'their paths, after --source-map, or under --sources by the longest suffix of their paths.',
    '--format FORM chooses a form as --FORM does; text is the table.',
    '--fail-under ends with status 3 if fewer lines ran, or instructions without lines.',
    '--json prints {instructions: [{address, size, count, skipped, taken, notTaken}], lines: [{file, line, count}], functions, totals, notes}.',
    'Counts of several traces of the same program add up. --minus OTHER leaves out the instructions that OTHER ran, the lines of which it',
    'ran an instruction, and the ways of branches that it went: the rest shows what TRACE adds. Counts stay those of TRACE.',
    AGAINST_NOTE,
    'With --against, tables list functions whose parts ran in one run only, and such lines with --level line.',
    'Example: tracebench coverage TRACE --image program.elf --lcov -o program.info',
  ].join('\n'),
  trace: 'needed',
  operands: ['TRACE', '[TRACE...]'],
  forms: { text: [], json: ['--json'], ...Object.fromEntries(FORMS.map((form) => [form, [`--${form}`]])) },
  options: {
    level: oneOf('LEVEL', `what the table lists: ${LEVELS.join(', ')}; function by default`, LEVELS),
    lcov: flag('write a tracefile for lcov and genhtml'),
    cobertura: flag('write XML of Cobertura, which build servers read'),
    drcov: flag('write the code that ran as a file of drcov, version 2, which Lighthouse reads; needs -o'),
    asm: flag('write the disassembly with a mark and a count for each instruction'),
    html: flag('write a page: files and functions with bars, and source lines with their counts'),
    sources: path('DIR', 'the folder of source files for --html that are not at their own paths'),
    count: oneOf(
      'WHICH',
      `the count of a line: ${LINE_COUNTS.join(', ')} of its instructions; most by default`,
      LINE_COUNTS,
    ),
    'source-map': assignments('paths of sources that begin with OLD begin with NEW'),
    minus: several(path('OTHER', 'leave out the code that this trace ran; repeatable')),
    'fail-under': number('P', whole(0, 100), 'status 3 if less than P % of the lines ran'),
    output: path('FILE', 'the file to write', 'o'),
    ...flowRange('code that ran'),
    ...againstOptions,
  },
  async run(context, { level, count = 'most', 'source-map': map = {}, 'fail-under': least, ...given }) {
    const { minus: others = [], output, sources, from, to, against } = given;
    const chosen = FORMS.filter((form) => given[form] === true);
    const [form] = chosen;
    const both = [
      ...chosen,
      ...(level !== undefined ? ['level'] : []),
      ...(context.common.json && form !== undefined && output === undefined ? ['json'] : []),
    ];
    if (both.length > 1) return fail('usage', `coverage: give --${both[0]!} or --${both[1]!}, not both`);
    if (form === 'drcov' && output === undefined)
      return fail('usage', 'coverage: --drcov writes a binary file; name it with -o FILE');
    if (sources !== undefined && form !== 'html') return fail('usage', 'coverage: --sources needs --html');
    if (context.rest.length > 0 && (from !== undefined || to !== undefined))
      return fail('usage', 'coverage: --from and --to are records of one trace; give one trace with them');
    const comparable = checkAgainst(context, given, {
      ...Object.fromEntries(chosen.map((one) => [one, true])),
      ...{ minus: given.minus, output, sources, from, to, 'fail-under': least },
      ...(count !== 'most' && { count }),
    });
    if (!comparable.ok) return comparable;
    if (against !== undefined) {
      if (context.rest.length > 0)
        return fail('usage', 'coverage: --against compares two traces; give one trace with it');
      if (level === 'instruction' || level === 'branch')
        return fail('usage', `coverage: --against compares functions and lines, not --level ${level}`);
      return coverageAgainst(context, against, given, { level: level ?? 'function', pathOf: mapped(map) });
    }
    const files = gatheredFiles(context, others);
    if (output !== undefined) {
      const place = await resultPlace(output, files);
      if (!place.ok) return place;
    }
    const isTable = form === undefined && !context.common.json;
    const listed = isTable && level !== 'branch' ? (level ?? 'function') : 'instruction';
    const found = await gather(context, { from, to, others, level: listed, texts: form === 'asm' });
    if (!found.ok) return found;
    const { coverage } = found.value;
    for (const note of coverage.notes) context.notify(note);
    const look = { level, count, pathOf: mapped(map), output, others, sources, files };
    const printed = await print(context, found.value, form, look);
    if (printed.ok) compareWith(context, coverage, least);
    return printed;
  },
});

interface Look extends FormSettings {
  readonly level: Level | undefined;
  readonly output: string | undefined;
  readonly files: readonly FileRead[];
}

async function print(context: Context, found: Gathered, form: Form | undefined, look: Look): Promise<Result<void>> {
  const { output, others } = look;
  const { out, rest, common } = context;
  const { coverage } = found;
  let written: string | Uint8Array;
  if (form !== undefined) written = await writtenAs(form, context, found, look);
  else if (common.json) {
    const traces = {
      ...(rest.length > 0 && { traces: [context.trace, ...rest] }),
      ...(others.length > 0 && { minus: others }),
    };
    const document = documentOf(coverage, look, traces);
    if (output === undefined) {
      await out.json(document);
      return ok(undefined);
    }
    written = `${JSON.stringify(document)}\n`;
  } else written = tableOf(context, coverage, look);
  const bytes = typeof written === 'string' ? new TextEncoder().encode(written) : written;
  if (output !== undefined) return writeResult(context, bytes, output, look.files);
  await out.write(typeof written === 'string' ? written : new TextDecoder().decode(written));
  return ok(undefined);
}

function tableOf({ out }: Context, answer: Coverage, look: Look): string {
  const { level = 'function', output, others } = look;
  const table = coverageTable(answer, { ...look, level, colour: output === undefined && out.colour });
  const about = others.length === 0 ? '' : ', of the code that the others left open';
  return `${table}\n${totalsText(answer)}${about}.\n`;
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
