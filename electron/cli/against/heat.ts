/** `heat --against`: two heatmaps of one grid and their change, as numbers, as characters on the terminal, or drawn to a file. */
import type { HeatGrid } from '../../../shared/requests/requests.ts';
import type { FigureRequest } from '../../../shared/report/plan.ts';
import type { Kind } from '../../../shared/records/record.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { toHex, type Hex } from '../../../shared/base/units.ts';
import { jsonText } from '../../../shared/base/visible.ts';
import type { Context } from '../command.ts';
import { writeFigure, writeResult, type FigureForm, type FigureLook } from '../figure-file.ts';
import { heatSpan, rowsOfCounts } from '../heat-grid.ts';
import { changeSketch } from '../print/heat-sketch.ts';
import type { OpenTrace } from '../trace.ts';
import { withBoth } from '../two-traces.ts';
import type { AgainstValues } from './options.ts';

export interface HeatSettings {
  readonly columns: number;
  readonly rows: number;
  readonly low?: Hex | undefined;
  readonly high?: Hex | undefined;
  readonly kinds?: readonly Kind[] | undefined;
}

/** The other trace, by default with the same addresses: data often stays where it is when code moves. */
interface Other {
  readonly against: string;
  readonly given: AgainstValues;
}

export function drawHeatAgainst(
  context: Context,
  { against, given }: Other,
  figure: Extract<FigureRequest, { readonly figure: 'heat' }>,
  look: FigureLook & { readonly path: string; readonly form: FigureForm },
): Promise<Result<void>> {
  return withBoth(context, { path: against, images: given['image-b'] }, (a, b) =>
    writeFigure(context, a, figure, look, { trace: b.id, shift: given.shift?.bytes ?? '0' }),
  );
}

/** @param output the file to write as JSON */
export function heatAgainst(
  context: Context,
  { against, given }: Other,
  settings: HeatSettings,
  output: string | undefined,
): Promise<Result<void>> {
  return withBoth(context, { path: against, images: given['image-b'] }, async (a, b) => {
    const shift = BigInt(given.shift?.bytes ?? 0);
    const span = await commonSpan(a, b, shift, settings);
    if (!span.ok) return span;
    const its = await gridOf(a, settings, span.value);
    if (!its.ok) return its;
    const moved = { low: toHex(span.value.low + shift), high: toHex(span.value.high + shift) };
    const others = await gridOf(b, settings, { low: BigInt(moved.low), high: BigInt(moved.high) });
    if (!others.ok) return others;
    const { common, out } = context;
    if (output === undefined && !common.json) {
      await out.write(changeSketch(its.value, others.value));
      return ok(undefined);
    }
    const document = documentOf(its.value, others.value, shift);
    if (output !== undefined) return writeResult(context, new TextEncoder().encode(`${jsonText(document)}\n`), output);
    await out.json(document);
    return ok(undefined);
  });
}

interface Span {
  readonly low: bigint;
  readonly high: bigint;
}

/** Returns the addresses of A that either trace touches, unless they are given. */
async function commonSpan(
  a: OpenTrace,
  b: OpenTrace,
  shift: bigint,
  { low, high }: HeatSettings,
): Promise<Result<Span>> {
  const spans: Span[] = [];
  for (const [trace, by] of [
    [a, 0n],
    [b, shift],
  ] as const) {
    const report = await trace.index();
    if (!report.ok) return report;
    const whole = heatSpan(report.value, {});
    spans.push({ low: BigInt(whole.low) - by, high: BigInt(whole.high) - by });
  }
  const [one, other] = spans as [Span, Span];
  const found = {
    low: low === undefined ? (one.low < other.low ? one.low : other.low) : BigInt(low),
    high: high === undefined ? (one.high > other.high ? one.high : other.high) : BigInt(high),
  };
  const reversed = `--low must be less than --high, and ${toHex(found.low)} is not less than ${toHex(found.high)}`;
  return found.low < found.high ? ok(found) : fail('usage', reversed);
}

function gridOf(trace: OpenTrace, { columns, rows, kinds }: HeatSettings, span: Span): Promise<Result<HeatGrid>> {
  return trace.request('heat', {
    trace: trace.id,
    columns,
    bands: [{ low: toHex(span.low), high: toHex(span.high), rows }],
    ...(kinds && { kinds }),
    precision: 'even',
  });
}

function documentOf(a: HeatGrid, b: HeatGrid, shift: bigint) {
  const side = (grid: HeatGrid) => ({ from: grid.from, to: grid.to, counts: rowsOfCounts(grid) });
  const { columns, rows, bands } = a;
  return {
    columns,
    rows,
    low: bands[0]?.low ?? '0x0',
    high: bands.at(-1)?.high ?? '0x0',
    shift: shift.toString(),
    a: side(a),
    b: side(b),
  };
}
