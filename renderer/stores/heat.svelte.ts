/**
 * The counts a heatmap shows: the wanted rectangle, quick first and then exact where that is cheap.
 */
import type { Band, HeatGrid } from '../../shared/api.ts';
import type { Kind, RecordView } from '../../shared/record.ts';
import type { Result } from '../../shared/result.ts';
import { createQuestion, type Question } from './question.svelte.ts';
import type { Trace } from './trace.svelte.ts';

export interface Rectangle {
  readonly from: number;
  readonly to: number;
  readonly columns: number;
  readonly bands: readonly WantedBand[];
  readonly kinds: readonly Kind[] | null;
  readonly precision: 'even' | 'quick';
}

export interface WantedBand {
  readonly low: bigint;
  readonly high: bigint;
  readonly rows: number;
}

export interface Heat {
  readonly bands: Question<number, readonly { readonly low: bigint; readonly high: bigint }[]>;
  readonly part: Question<Rectangle, HeatPicture>;
  /** The records of a stretch so short that each is a mark of its own. */
  readonly marks: Question<{ readonly from: number; readonly to: number }, readonly RecordView[]>;
  /** One picture for a use of its own. */
  readonly picture: (wanted: Rectangle, signal: AbortSignal) => Promise<Result<HeatPicture>>;
  readonly stop: () => void;
}

/** An answer with its addresses as numbers that can be reckoned with. */
export interface HeatPicture {
  readonly columns: number;
  readonly rows: number;
  readonly edges: Float64Array;
  readonly bands: readonly {
    readonly low: bigint;
    readonly high: bigint;
    readonly rows: number;
    readonly rowBytes: number;
  }[];
  readonly counts: Float64Array;
  readonly most: number;
  readonly coarse: boolean;
  readonly kinds: readonly Kind[] | null;
}

/** The folded axis shows at most this many bands: more could not be told apart. */
const MOST_BANDS = 20;

export function createHeat(trace: Trace): Heat {
  const { client, id } = trace;

  async function picture(wanted: Rectangle, signal: AbortSignal): Promise<Result<HeatPicture>> {
    const { from, to, columns, precision } = wanted;
    const result = await client.call(
      'heat',
      {
        trace: id,
        from,
        to,
        columns,
        precision,
        bands: wanted.bands.map(({ low, high, rows }) => ({ low: hex(low), high: hex(high), rows })),
        ...(wanted.kinds ? { kinds: wanted.kinds } : {}),
      },
      { signal },
    );
    return result.ok ? { ok: true, value: toPicture(result.value, wanted) } : result;
  }

  const bands: Heat['bands'] = createQuestion(async (_reach, signal) => {
    const result = await client.call('bands', { trace: id, most: MOST_BANDS }, { signal });
    return result.ok ? { ok: true, value: result.value.bands.map(toSpan) } : result;
  });
  const part: Heat['part'] = createQuestion(picture, { interrupt: (running) => running.precision === 'even' });
  const marks: Heat['marks'] = createQuestion(async ({ from, to }, signal) => {
    const result = await client.call('records', { trace: id, from, count: to - from }, { signal });
    return result.ok ? { ok: true, value: result.value.records } : result;
  });

  return {
    bands,
    part,
    marks,
    picture,
    stop() {
      for (const question of [bands, part, marks]) question.stop();
    },
  };
}

function toPicture(grid: HeatGrid, wanted: Rectangle): HeatPicture {
  const { columns, rows, edges, counts, most, coarse } = grid;
  const bands = grid.bands.map((band) => ({ ...toSpan(band), rows: band.rows, rowBytes: band.rowBytes }));
  return { columns, rows, edges, counts, most, coarse, bands, kinds: wanted.kinds };
}

function toSpan(band: Band): { readonly low: bigint; readonly high: bigint } {
  return { low: BigInt(band.low), high: BigInt(band.high) };
}

function hex(value: bigint): `0x${string}` {
  return `0x${value.toString(16)}`;
}
