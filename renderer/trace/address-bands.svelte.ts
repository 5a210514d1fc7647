/** Addresses that a trace touches, as the bands of a heatmap's folded address axis. */
import type { Band, Reach } from '../../shared/requests/requests.ts';
import type { Result } from '../../shared/base/result.ts';
import { toHex } from '../../shared/base/units.ts';
import type { Span } from '../../present/base/axis.ts';
import { foldLines, LINE } from '../../present/heat/fold-lines.ts';
import { createQuestion, type Question } from './questions/question.svelte.ts';
import type { TraceBase } from './trace-base.ts';

/** Touched addresses in the indexed part of a trace. Ask again as the index grows. */
export type AddressBands = Question<Pick<Reach, 'records' | 'complete'>, readonly Span[]>;

/** Largest number of bands on the folded axis: more could not be distinguished. */
const MOST_BANDS = 20;
/** Upper bounds for folding by line: number of lines in touched pages, and bytes of the file. */
const FEW_LINES = 16_384;
const SMALL_FILE = 64e6;

export function createAddressBands(trace: TraceBase): AddressBands {
  const { client, id } = trace;

  /** Returns the same spans without the empty lines in them. */
  async function withoutEmptyLines(spans: readonly Span[], signal: AbortSignal): Promise<Result<readonly Span[]>> {
    const bands = spans.map(({ low, high }) => ({
      low: toHex(low),
      high: toHex(high),
      rows: Number(high - low) / LINE,
    }));
    const counted = await client.request(
      'heat',
      { trace: id, from: 0, to: trace.reach.records, columns: 1, precision: 'even', bands },
      { signal },
    );
    if (!counted.ok) return counted;
    const folded = foldLines(spans, counted.value.counts, MOST_BANDS);
    return { ok: true, value: folded.length > 0 ? folded : spans };
  }

  return createQuestion(async (_reach, signal) => {
    const result = await client.request('bands', { trace: id, most: MOST_BANDS }, { signal });
    if (!result.ok) return result;
    const spans = result.value.bands.map(toSpan);
    const lines = spans.reduce((sum, { low, high }) => sum + Number(high - low) / LINE, 0);
    const isSmall = lines <= FEW_LINES && trace.opened.file.bytes <= SMALL_FILE;
    return result.value.reach.complete && isSmall && lines > 0
      ? withoutEmptyLines(spans, signal)
      : { ok: true, value: spans };
  });
}

export function toSpan(band: Band): Span {
  return { low: BigInt(band.low), high: BigInt(band.high) };
}
