/** Returns what the functions of the program cost in executed instructions, and the lines and instructions of some of them. */
import type {
  CodeCosts,
  FunctionCost,
  InstructionCostIn,
  LineCostIn,
} from '../../../../shared/requests/answers/code-costs.ts';
import type { CoveredFunction } from '../../../../shared/requests/answers/coverage.ts';
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import type { Arguments } from '../../../../shared/requests/requests.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { highHalf, lowHalf } from '../../../../shared/base/units.ts';
import type { ImageCode } from '../../flow/classify/image-code.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { countsIn, type Counts } from './counts.ts';
import { codeOf } from './describe.ts';

/** Instructions that are described for one function. Longer functions lose those at their end. */
const MOST_INSTRUCTIONS = 4000;

export async function codeCosts(
  trace: Trace,
  { opened = [], ...range }: Omit<Arguments<'codeCosts'>, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<CodeCosts>> {
  const counted = await countsIn(trace, range, task);
  if (!counted.ok) return counted;
  const counts = counted.value;
  const { functions, instructions, notes, reach } = counts.coverage;
  const self = new Float64Array(functions.length);
  /** Rows of the instructions that ran, by function that is opened. */
  const rows = new Map<number, number[]>(
    functions.flatMap(({ address }, at) => (opened.includes(address) ? [[at, []] as const] : [])),
  );
  let cost = 0;
  instructions.counts.forEach((count, row) => {
    cost += count;
    const owner = instructions.functions[row]!;
    if (owner < 0 || count === 0) return;
    self[owner]! += count;
    rows.get(owner)?.push(row);
  });
  const ran = functions.flatMap((one, at) => (self[at]! > 0 ? [costOf(one, self[at]!)] : []));
  ran.sort((a, b) => b.self - a.self);
  const code = await codeOf(trace);
  return ok({
    cost,
    functions: ran,
    opened: [...rows].map(([owner, its]) => ({
      address: functions[owner]!.address,
      lines: linesOf(counts, code, its.slice(0, MOST_INSTRUCTIONS)),
      left: Math.max(0, its.length - MOST_INSTRUCTIONS),
    })),
    notes,
    reach,
  });
}

function costOf({ name, symbol, address, file, line, count }: CoveredFunction, self: number): FunctionCost {
  return {
    name,
    ...(symbol !== undefined && { symbol }),
    address,
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line }),
    self,
    count,
  };
}

function linesOf({ coverage, addresses }: Counts, code: ImageCode, rows: readonly number[]): readonly LineCostIn[] {
  const { instructions, lines } = coverage;
  const costs = [...Map.groupBy(rows, (row) => instructions.lines[row]!)].map(([at, its]): LineCostIn => {
    const place = lines[at];
    const described = its.map((row): InstructionCostIn => {
      const address = addresses[row]!;
      const text = code.at(lowHalf(address), highHalf(address), undefined)?.text;
      return {
        address: instructions.addresses[row]!,
        ...(text !== undefined && { text }),
        count: instructions.counts[row]!,
      };
    });
    return {
      ...(place && { file: place.file, line: place.line }),
      self: described.reduce((sum, { count }) => sum + count, 0),
      count: described.reduce((most, { count }) => Math.max(most, count), 0),
      instructions: described,
    };
  });
  return costs.sort((a, b) => b.self - a.self);
}
