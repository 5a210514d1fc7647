/** Statistics of the heatmap's selection, each exact: kinds, pages, symbols, first and last access. */
import type { Client, FindArguments } from '../../../../shared/requests/requests.ts';
import type { Kind } from '../../../../shared/records/record.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { toHex, type Hex, type RecordNumber } from '../../../../shared/base/units.ts';
import { toSpan } from '../../../trace/address-bands.svelte.ts';
import { attached } from '../../../trace/attached.svelte.ts';
import { createFlowQuestion, type FlowQuestion } from '../../../trace/questions/flow-question.svelte.ts';
import type { Trace } from '../../../trace/trace.svelte.ts';
import type { Selection } from '../../../trace/view.svelte.ts';
import type { HotSpots, SpotKind } from '../heat.svelte.ts';

export interface FactsKey {
  readonly from: RecordNumber;
  /** Exclusive. */
  readonly to: RecordNumber;
  readonly low: Hex;
  /** Exclusive. */
  readonly high: Hex;
  /** Counted kinds; null = every kind that has an address. */
  readonly kinds: readonly Kind[] | null;
  /** Number of indexed records. */
  readonly records: number;
}

/** First and last record that starts an access in the selection; null if there is none. */
export interface Ends {
  readonly first: RecordNumber | null;
  readonly last: RecordNumber | null;
}

export interface SelectionFacts {
  /** The statistics are shown. */
  isOpen: boolean;
  readonly kinds: FlowQuestion<FactsKey, Partial<Record<Kind, number>>>;
  readonly pages: FlowQuestion<FactsKey, HotSpots>;
  readonly symbols: FlowQuestion<FactsKey, HotSpots>;
  readonly ends: FlowQuestion<FactsKey, Ends>;
  readonly stop: () => void;
}

/** Upper limit of the pages and symbols that are listed and copied. */
const MOST_SPOTS = 10_000;
/** Number of records per search for the first or last access. */
const FOUND = 100;

export const selectionFacts = attached((trace: Trace): SelectionFacts => {
  const { client, id } = trace;
  let isOpen = $state(false);

  function area({ from, to, low, high, kinds }: FactsKey) {
    return { trace: id, from, to, low, high, ...(kinds ? { kinds } : {}) };
  }

  const kinds: SelectionFacts['kinds'] = createFlowQuestion(async (key, options) => {
    const result = await client.request('tally', area(key), options);
    return result.ok ? ok(result.value.kinds) : result;
  });

  function spots(by: SpotKind): FlowQuestion<FactsKey, HotSpots> {
    return createFlowQuestion(async (key, options) => {
      const result = await client.request('hottest', { ...area(key), by, most: MOST_SPOTS }, options);
      if (!result.ok) return result;
      const { left, total } = result.value;
      return ok({ by, left, total, spots: result.value.spots.map((spot) => ({ ...spot, ...toSpan(spot) })) });
    });
  }

  const pages = spots('page');
  const symbols = spots('symbol');
  const ends: SelectionFacts['ends'] = createFlowQuestion(async (key, { signal }) => {
    const first = await firstStart(client, id, key, 'next', signal);
    if (!first.ok) return first;
    const last = await firstStart(client, id, key, 'previous', signal);
    return last.ok ? ok({ first: first.value, last: last.value }) : last;
  });

  return {
    get isOpen() {
      return isOpen;
    },
    set isOpen(next) {
      isOpen = next;
    },
    kinds,
    pages,
    symbols,
    ends,
    stop() {
      for (const question of [kinds, pages, symbols, ends]) question.stop();
    },
  };
});

export function factsKey({ view, reach }: Trace, { from, to, low, high }: Selection): FactsKey {
  return { from, to, low: toHex(low), high: toHex(high), kinds: view.kinds, records: Math.min(to, reach.records) };
}

/**
 * Returns the first record from the start, or from the end, whose access starts in the area. The engine also finds accesses that only reach
 * into it.
 */
async function firstStart(
  client: Client,
  trace: string,
  key: FactsKey,
  direction: 'next' | 'previous',
  signal: AbortSignal,
): Promise<Result<RecordNumber | null>> {
  const [low, high] = [BigInt(key.low), BigInt(key.high)];
  let edge: RecordNumber | undefined;
  for (;;) {
    const wanted: FindArguments = {
      trace,
      address: { low: key.low, high: toHex(high - 1n) },
      ...(key.kinds ? { kinds: key.kinds } : {}),
      from: key.from,
      to: key.to,
      limit: FOUND,
      ...(direction === 'previous' ? { before: edge ?? key.to } : edge === undefined ? {} : { after: edge }),
    };
    const found = await client.request('find', wanted, { signal });
    if (!found.ok) return found;
    const { records } = found.value;
    const start = records.find(({ address }) => address !== undefined && BigInt(address) >= low);
    if (start) return ok(start.n);
    edge = records.at(-1)?.n;
    if (edge === undefined || records.length < FOUND) return ok(null);
  }
}
