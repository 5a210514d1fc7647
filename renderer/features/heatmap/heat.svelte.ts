/**
 * Requests of a heatmap: the counts of the visible rectangle (quick first, then with cells of two pixels), single records,
 * what lies in a cell.
 */
import type { Answer, HeatGrid, NamedSpan, RequestOptions } from '../../../shared/requests/requests.ts';
import type { Kind, RecordView } from '../../../shared/records/record.ts';
import type { Result } from '../../../shared/base/result.ts';
import { toHex, type Hex } from '../../../shared/base/units.ts';
import type { Span } from '../../../present/base/axis.ts';
import { createAddressBands, toSpan, type AddressBands } from '../../trace/address-bands.svelte.ts';
import { rememberPlace } from '../../trace/questions/late-answer.ts';
import { createFlowQuestion, type FlowQuestion } from '../../trace/questions/flow-question.svelte.ts';
import { createQuestion, type Question } from '../../trace/questions/question.svelte.ts';
import type { Trace } from '../../trace/trace.svelte.ts';

export interface Rectangle {
  readonly from: number;
  readonly to: number;
  readonly columns: number;
  readonly bands: readonly WantedBand[];
  readonly kinds: readonly Kind[] | null;
}

export interface WantedBand {
  readonly low: Hex;
  readonly high: Hex;
  readonly rows: number;
}

export interface Heat {
  /** Touched addresses of what is indexed; asked again as that grows. */
  readonly bands: AddressBands;
  /** Returns the names in a span of addresses, from images. */
  readonly names: Question<Span, readonly NamedStretch[]>;
  readonly part: Question<Rectangle, HeatPicture>;
  /** The same rectangle in cells that are nowhere larger than wanted. Asked with a key of `part`. */
  readonly fine: FlowQuestion<Rectangle, HeatPicture>;
  /** A coarse picture of the same, to be read as a table. */
  readonly table: Question<Rectangle, HeatPicture>;
  /** The records of a stretch so short that each is a mark of its own. */
  readonly marks: Question<{ readonly from: number; readonly to: number }, readonly RecordView[]>;
  /** The hottest pages or symbols of what is shown. */
  readonly hot: FlowQuestion<SpotKey, HotSpots>;
  /** Accesses per kind in a cell. */
  readonly tally: Question<Area, Partial<Record<Kind, number>>>;
  /** The same for what a brush has chosen. */
  readonly chosen: Question<Area, Partial<Record<Kind, number>>>;
  /** Accesses in what a brush has chosen; undefined while they are counted, and where they cannot be. */
  readonly countOf: (chosen: Area) => number | undefined;
  /** The records of this stretch are here. */
  readonly hasMarks: (from: number, to: number) => boolean;
  /** Moves the cursor to the first access in an area; where there is none only to its middle in time. Nowhere for who has gone elsewhere meanwhile. */
  readonly enter: (area: Area) => Promise<void>;
  readonly stop: () => void;
}

export type SpotKind = 'page' | 'symbol';

export interface SpotKey {
  readonly by: SpotKind;
  readonly from: number;
  readonly to: number;
  readonly low: Hex;
  /** Exclusive. */
  readonly high: Hex;
  readonly kinds: readonly Kind[] | null;
}

/** Spots with most accesses first, and those left out. */
export interface HotSpots extends Omit<Answer<'hottest'>, 'spots' | 'reach'> {
  readonly by: SpotKind;
  readonly spots: readonly HotSpot[];
}

export interface HotSpot extends Span {
  readonly count: number;
  readonly name?: string;
}

/** Addresses that images name. */
export interface NamedStretch extends Span {
  readonly name: string;
  readonly kind: NamedSpan['kind'];
}

/** Records [from, to) and addresses [low, high). */
export interface Area {
  readonly from: number;
  readonly to: number;
  readonly low: bigint;
  readonly high: bigint;
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

/** More spots than anyone reads. */
const MOST_SPOTS = 500;
/** More names than fit beside a chart. */
const MOST_NAMES = 400;

export function createHeat(trace: Trace): Heat {
  const { client, id, view, cursor } = trace;

  async function picture(
    wanted: Rectangle,
    precision: 'quick' | 'fine',
    options: RequestOptions<'heat'>,
  ): Promise<Result<HeatPicture>> {
    const { kinds, ...rectangle } = wanted;
    const request = { trace: id, ...rectangle, precision, ...(kinds ? { kinds } : {}) };
    const result = await client.request('heat', request, options);
    return result.ok ? { ok: true, value: toPicture(result.value, wanted) } : result;
  }

  const bands = createAddressBands(trace);

  const names: Heat['names'] = createQuestion(async ({ low, high }, signal) => {
    const wanted = { trace: id, low: toHex(low), high: toHex(high), most: MOST_NAMES };
    const result = await client.request('names', wanted, { signal });
    if (!result.ok) return result;
    return { ok: true, value: result.value.names.map((one) => ({ ...one, ...toSpan(one) })) };
  });

  const part: Heat['part'] = createQuestion((wanted, signal) => picture(wanted, 'quick', { signal }));
  const fine: Heat['fine'] = createFlowQuestion((wanted, options) => picture(wanted, 'fine', options));
  const marks: Heat['marks'] = createQuestion(async ({ from, to }, signal) => {
    const result = await client.request('records', { trace: id, from, count: to - from }, { signal });
    return result.ok ? { ok: true, value: result.value.records } : result;
  });

  const hot: Heat['hot'] = createFlowQuestion(async ({ kinds, ...rest }, options) => {
    const wanted = { trace: id, ...rest, ...(kinds ? { kinds } : {}), most: MOST_SPOTS };
    const result = await client.request('hottest', wanted, options);
    if (!result.ok) return result;
    const { spots, left, total } = result.value;
    return {
      ok: true,
      value: { by: rest.by, left, total, spots: spots.map((spot) => ({ ...spot, ...toSpan(spot) })) },
    };
  });
  const table: Heat['table'] = createQuestion((wanted, signal) => picture(wanted, 'quick', { signal }));
  const tally: Heat['tally'] = createQuestion(count, { interrupt: () => true });
  const chosen: Heat['chosen'] = createQuestion(count, { interrupt: () => true });

  function kinds(): { readonly kinds?: readonly Kind[] } {
    return view.kinds ? { kinds: view.kinds } : {};
  }

  async function count(
    { from, to, low, high }: Area,
    signal: AbortSignal,
  ): Promise<Result<Partial<Record<Kind, number>>>> {
    const area = { trace: id, from, to, low: toHex(low), high: toHex(high), ...kinds() };
    const result = await client.request('tally', area, { signal });
    return result.ok ? { ok: true, value: result.value.kinds } : result;
  }

  let entering: AbortController | undefined;

  async function enter({ from, to, low, high }: Area): Promise<void> {
    entering?.abort();
    const own = new AbortController();
    entering = own;
    const requested = rememberPlace(cursor);
    const wanted = {
      trace: id,
      address: { low: toHex(low), high: toHex(high - 1n) },
      limit: 1,
      ...kinds(),
      ...(from > 0 ? { after: from - 1 } : {}),
    };
    const found = await client.request('find', wanted, { signal: own.signal });
    if (own.signal.aborted || !requested.isStillHere(true)) return;
    const record = found.ok ? found.value.records[0] : undefined;
    if (record?.address !== undefined && record.n < to) {
      cursor.jump(record.n, { low: BigInt(record.address), bytes: record.size ?? 1 });
    } else {
      cursor.jump(Math.min(Math.floor((from + to) / 2), trace.last));
    }
  }

  return {
    bands,
    names,
    part,
    fine,
    hot,
    table,
    marks,
    tally,
    chosen,
    countOf(area) {
      const { key, value, busy, error } = chosen;
      if (busy || error || key !== area || !value) return undefined;
      return Object.values(value).reduce((sum, count) => sum + count, 0);
    },
    hasMarks(from, to) {
      const { key } = marks;
      return key !== undefined && key.from <= from && key.to >= to;
    },
    enter,
    stop() {
      for (const question of [bands, names, part, fine, hot, table, marks, tally, chosen]) question.stop();
    },
  };
}

function toPicture(grid: HeatGrid, wanted: Rectangle): HeatPicture {
  const { columns, rows, edges, counts, most, coarse } = grid;
  const bands = grid.bands.map((band) => ({ ...toSpan(band), rows: band.rows, rowBytes: band.rowBytes }));
  return { columns, rows, edges, counts, most, coarse, bands, kinds: wanted.kinds };
}
