/** Returns what the functions of the program cost in executed instructions or in time, and the lines and instructions of some of them. */
import type {
  CodeCosts,
  FunctionCost,
  InstructionCostIn,
  LineCostIn,
} from '../../../../shared/requests/answers/code-costs.ts';
import type { FlowProgress } from '../../../../shared/requests/flow.ts';
import type { Arguments } from '../../../../shared/requests/requests.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { highHalf, lowHalf, toHex } from '../../../../shared/base/units.ts';
import type { ImageCode } from '../../flow/classify/image-code.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { timesIn } from './code-times.ts';
import { countsIn } from './counts.ts';
import { codeOf } from './describe.ts';
import type { RangeArguments } from './per-range.ts';

/** Instructions that are described for one function. Longer functions lose those at their end. */
const MOST_INSTRUCTIONS = 4000;

/** The instructions of a program with their costs, and the lines and functions that they refer to. */
interface Costs extends Pick<CodeCosts, 'unit' | 'notes' | 'reach'> {
  readonly addresses: ArrayLike<bigint>;
  readonly counts: ArrayLike<number>;
  readonly costs: ArrayLike<number>;
  /** Rows of `places` and `functions`; -1 if there is none. */
  readonly lines: ArrayLike<number>;
  readonly owners: ArrayLike<number>;
  readonly places: readonly { readonly file: string; readonly line: number }[];
  readonly functions: readonly Omit<FunctionCost, 'self'>[];
}

/** Fails as `coverage` does, or as `codeTimes`. */
export async function codeCosts(
  trace: Trace,
  { opened = [], by, ...range }: Omit<Arguments<'codeCosts'>, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<CodeCosts>> {
  const found = await (by === 'time' ? timesOf : countsOf)(trace, range, task);
  if (!found.ok) return found;
  const { functions, owners, counts, costs, unit, notes, reach } = found.value;
  const self = new Float64Array(functions.length);
  const isRun = new Uint8Array(functions.length);
  /** Rows of the instructions that ran, by function that is opened. */
  const rows = new Map<number, number[]>(
    functions.flatMap(({ address }, at) => (opened.includes(address) ? [[at, []] as const] : [])),
  );
  let cost = 0;
  for (let row = 0; row < costs.length; row++) {
    const its = costs[row]!;
    cost += its;
    const owner = owners[row]!;
    if (owner < 0 || counts[row] === 0) continue;
    self[owner]! += its;
    isRun[owner] = 1;
    rows.get(owner)?.push(row);
  }
  const ran = functions.flatMap((one, at) => (isRun[at] === 1 ? [costOf(one, self[at]!)] : []));
  ran.sort((a, b) => b.self - a.self);
  const code = await codeOf(trace);
  return ok({
    unit,
    cost,
    functions: ran,
    opened: [...rows].map(([owner, its]) => ({
      address: functions[owner]!.address,
      lines: linesOf(found.value, code, its.slice(0, MOST_INSTRUCTIONS)),
      left: Math.max(0, its.length - MOST_INSTRUCTIONS),
    })),
    notes,
    reach,
  });
}

async function countsOf(trace: Trace, range: RangeArguments, task: Task<FlowProgress>): Promise<Result<Costs>> {
  const counted = await countsIn(trace, range, task);
  if (!counted.ok) return counted;
  const { coverage, code, addresses } = counted.value;
  const { functions, lines: places, notes, reach } = coverage;
  const { counts, lines, functions: owners } = code.rows;
  return ok({ unit: 'instructions', addresses, counts, costs: counts, lines, owners, places, functions, notes, reach });
}

async function timesOf(trace: Trace, range: RangeArguments, task: Task<FlowProgress>): Promise<Result<Costs>> {
  const timed = await timesIn(trace, range, task);
  if (!timed.ok) return timed;
  const { addresses, times, counts, lines, owners, places, functions, ...rest } = timed.value;
  const entered = functions.map(() => 0);
  owners.forEach((owner, row) => {
    if (owner >= 0 && toHex(addresses[row]!) === functions[owner]!.address) entered[owner] = counts[row]!;
  });
  const withCounts = functions.map((one, at) => {
    const place = trace.images.lineAt(BigInt(one.address));
    return { ...one, ...(place && { file: place.file, line: place.line }), count: entered[at]! };
  });
  return ok({ ...rest, addresses, counts, costs: times, lines, owners, places, functions: withCounts });
}

function costOf({ name, symbol, address, file, line, count }: Costs['functions'][number], self: number): FunctionCost {
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

function linesOf(
  { addresses, lines, places, counts, costs: all }: Costs,
  code: ImageCode,
  rows: readonly number[],
): readonly LineCostIn[] {
  const costs = [...Map.groupBy(rows, (row) => lines[row]!)].map(([at, its]): LineCostIn => {
    const place = places[at];
    const described = its.map((row): InstructionCostIn => {
      const address = addresses[row]!;
      const text = code.at(lowHalf(address), highHalf(address), undefined)?.text;
      return { address: toHex(address), ...(text !== undefined && { text }), self: all[row]!, count: counts[row]! };
    });
    return {
      ...(place && { file: place.file, line: place.line }),
      self: described.reduce((sum, { self }) => sum + self, 0),
      count: described.reduce((most, { count }) => Math.max(most, count), 0),
      instructions: described,
    };
  });
  return costs.sort((a, b) => b.self - a.self);
}
