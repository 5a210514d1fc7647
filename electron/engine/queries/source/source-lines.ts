/** Returns how often the lines of a file ran, the instructions of a line, and what ran of each file. */
import type { Arguments } from '../../../../shared/requests/requests.ts';
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import type {
  CoveredFile,
  CoverageFiles,
  LineInstructions,
  SourceLines,
} from '../../../../shared/requests/source/answers.ts';
import type { Share } from '../../../../shared/requests/answers/coverage.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { isAlwaysSkipped } from '../../../../shared/coverage/skipped.ts';
import { symbolText } from '../../image/symbols.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { countsIn, firstLine, instructionsOf, lineRow } from './counts.ts';
import { codeOf, describeInstruction, factsOf } from './describe.ts';

/** Functions that are named for one line. */
const MOST_FUNCTIONS = 4;
/** Instructions that are described for one line. */
const MOST_INSTRUCTIONS = 400;

export async function sourceLines(
  trace: Trace,
  { file, first, last, ...range }: Omit<Arguments<'sourceLines'>, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<SourceLines>> {
  const counted = await countsIn(trace, range, task);
  if (!counted.ok) return counted;
  const counts = counted.value;
  const { lines, functions, notes, reach } = counts.coverage;
  const { rows } = counts.code;
  const own = counts.files.get(file);
  if (own === undefined) return ok({ lines: [], most: 0, share: { covered: 0, total: 0 }, notes, reach });
  let [most, covered] = [0, 0];
  for (let row = own.first; row < own.end; row++) {
    most = Math.max(most, lines[row]!.most);
    covered += Number(lines[row]!.most > 0);
  }
  const answer: SourceLines['lines'][number][] = [];
  for (let row = firstLine(lines, own, first); row < own.end && lines[row]!.line <= last; row++) {
    const its = [...instructionsOf(counts, row)];
    const skipped = its.filter((at) => isAlwaysSkipped(factsOf(counts, at))).length;
    const names = new Set(its.map((at) => functions[rows.functions[at]!]?.name).filter((name) => name));
    answer.push({
      line: lines[row]!.line,
      most: lines[row]!.most,
      instructions: { covered: its.filter((at) => rows.counts[at]! > 0).length, total: its.length },
      ...(skipped > 0 && { skipped }),
      ...(names.size > 1 && { functions: [...names].slice(0, MOST_FUNCTIONS) as string[] }),
    });
  }
  return ok({ lines: answer, most, share: { covered, total: own.end - own.first }, notes, reach });
}

export async function lineInstructions(
  trace: Trace,
  { file, line, ...range }: Omit<Arguments<'lineInstructions'>, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<LineInstructions>> {
  const counted = await countsIn(trace, range, task);
  if (!counted.ok) return counted;
  const counts = counted.value;
  const row = lineRow(counts, file, line);
  const { reach } = counts.coverage;
  if (row < 0) return ok({ instructions: [], left: 0, reach });
  const code = await codeOf(trace);
  const its = instructionsOf(counts, row);
  const instructions = [...its.subarray(0, MOST_INSTRUCTIONS)].map((at) => {
    const hit = trace.images.symbolAt(counts.addresses[at]!);
    return { ...describeInstruction(trace, code, factsOf(counts, at)), ...(hit && { symbol: symbolText(hit) }) };
  });
  return ok({ instructions, left: its.length - instructions.length, reach });
}

export async function coverageFiles(
  trace: Trace,
  range: Omit<Arguments<'coverageFiles'>, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<CoverageFiles>> {
  const counted = await countsIn(trace, range, task);
  if (!counted.ok) return counted;
  const { coverage, files } = counted.value;
  const { functions, lines, totals, notes, reach } = coverage;
  const byFile = new Map<string | undefined, Growing>();
  const fileOf = (file: string | undefined): Growing => {
    let own = byFile.get(file);
    if (own === undefined) {
      own = {
        ...(file !== undefined && { file }),
        lines: none(),
        instructions: none(),
        functions: none(),
        branches: none(),
      };
      byFile.set(file, own);
    }
    return own;
  };
  for (const [file, { first, end }] of files) {
    const own = fileOf(file);
    own.lines.total = end - first;
    for (let row = first; row < end; row++) own.lines.covered += Number(lines[row]!.most > 0);
  }
  for (const { file, count, instructions, branches } of functions) {
    const own = fileOf(file);
    add(own.instructions, instructions);
    add(own.branches, branches);
    add(own.functions, { covered: Number(count > 0 || instructions.covered > 0), total: 1 });
  }
  return ok({ files: [...byFile.values()], functions, totals, notes, reach });
}

interface Growing extends CoveredFile {
  readonly lines: GrowingShare;
  readonly instructions: GrowingShare;
  readonly functions: GrowingShare;
  readonly branches: GrowingShare;
}
type GrowingShare = { -readonly [Field in keyof Share]: Share[Field] };

function none(): GrowingShare {
  return { covered: 0, total: 0 };
}

function add(sum: GrowingShare, { covered, total }: Share): void {
  sum.covered += covered;
  sum.total += total;
}
