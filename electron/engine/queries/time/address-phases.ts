/** Finds phases of a trace without program flow: stretches with the same mix of accessed addresses. */
import type { FunctionTimeline } from '../../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { toHex } from '../../../../shared/base/units.ts';
import { namingFunctions, phasesOf } from '../../flow/tally/phases.ts';
import type { Timeline } from '../../flow/tally/timeline.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { bands } from '../heat/bands.ts';
import { heat } from '../heat/heat.ts';

const COLUMNS = 256;
/** Number of ranges of addresses in each band of touched addresses, and of these bands. */
const ROWS = 16;
const BANDS = 16;

export async function addressPhases(
  trace: Trace,
  range: { readonly from: number; readonly to: number },
  task: Task,
): Promise<Result<FunctionTimeline>> {
  const reach = reachOf(trace);
  const none = {
    of: 'addresses',
    functions: [],
    phases: [],
    edges: Float64Array.of(range.from, range.to),
    top: Float64Array.of(-1),
    share: Float64Array.of(0),
    low: Float64Array.of(Number.NaN),
    high: Float64Array.of(Number.NaN),
    cpus: [],
    prominent: [],
    notes: [],
    reach,
  } as const;
  const touched = bands(trace, { ...range, most: BANDS });
  if (!touched.ok) return touched;
  if (touched.value.bands.length === 0) return ok({ ...none, notes: ['No record has an address.'] });
  const grid = await heat(
    trace,
    {
      ...range,
      columns: Math.min(COLUMNS, range.to - range.from),
      precision: 'quick',
      bands: touched.value.bands.map((band) => ({ ...band, rows: ROWS })),
    },
    task,
  );
  if (!grid.ok) return grid;
  const { rows, columns, counts, edges } = grid.value;
  const names = grid.value.bands.flatMap(({ low, high, rows: own, rowBytes }) =>
    Array.from({ length: own }, (_, row) => {
      const start = BigInt(low) + BigInt(Math.floor(row * rowBytes));
      const end = row + 1 === own ? BigInt(high) : BigInt(low) + BigInt(Math.floor((row + 1) * rowBytes));
      return { id: toHex(start), name: `${toHex(start)} to ${toHex(end - 1n)}` };
    }),
  );
  const phases = phasesOf(timelineOf(counts, columns, rows));
  const functions: { readonly id: string; readonly name: string }[] = [];
  const places = new Map<number, number>();
  return ok({
    ...none,
    functions,
    phases: phases.map((phase) => {
      const { first, end } = phase;
      const all = phase.functions.reduce((sum, { records }) => sum + records, 0);
      return {
        from: edges[first]!,
        to: edges[end]!,
        functions: namingFunctions(phase, all).map(({ fn, records }) => ({
          function: placeOf(fn),
          share: records / all,
        })),
      };
    }),
  });

  function placeOf(row: number): number {
    let place = places.get(row);
    if (place === undefined) {
      place = functions.length;
      places.set(row, place);
      functions.push(names[row]!);
    }
    return place;
  }
}

/** Returns counts of accesses as a timeline: rows are its functions. */
function timelineOf(counts: Float64Array, columns: number, rows: number): Timeline {
  const starts = new Int32Array(columns + 1);
  const fn: number[] = [];
  const records: number[] = [];
  for (let column = 0; column < columns; column++) {
    for (let row = 0; row < rows; row++) {
      const count = counts[column * rows + row]!;
      if (count === 0) continue;
      fn.push(row);
      records.push(count);
    }
    starts[column + 1] = fn.length;
  }
  const none = new Float64Array(columns).fill(Number.NaN);
  return { columns, starts, fn: Int32Array.from(fn), records: Float64Array.from(records), low: none, high: none };
}
