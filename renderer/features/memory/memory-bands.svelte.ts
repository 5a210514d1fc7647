/** Which addresses a trace touches at all, for scrolling through memory, and where looking at it best begins. */
import type { Kind } from '../../../shared/records/record.ts';
import type { Result } from '../../../shared/base/result.ts';
import { createQuestion } from '../../trace/questions/question.svelte.ts';
import type { Trace } from '../../trace/trace.svelte.ts';

export interface MemoryBands {
  /** Lowest first; `high` exclusive. */
  readonly touched: readonly Span[];
  /** `touched` tells of the whole trace. */
  readonly isWhole: boolean;
  /** The address that is written first, else the lowest one touched; null while nothing is known. */
  readonly start: bigint | null;
  /** Why `touched` is not what it should be. */
  readonly trouble: string | undefined;
  /** Asks again as the index grows: for an effect. */
  readonly follow: () => void;
  readonly stop: () => void;
}

interface Span {
  readonly low: bigint;
  readonly high: bigint;
}

const MOST_BANDS = 64;
const WRITES: readonly Kind[] = ['write', 'bus-write'];
/** An index under way is followed in about this many steps. */
const STRIDES = 12;

export function createMemoryBands(trace: Trace): MemoryBands {
  const question = createQuestion<number, { readonly touched: readonly Span[]; readonly start: bigint | null }>(
    async (_stride, signal) => {
      const { complete } = trace.reach;
      const touched = await bands(signal);
      if (!touched.ok) return touched;
      const first = await firstWrite(signal);
      const lowest = complete ? touched.value[0]?.low : undefined;
      return { ok: true, value: { touched: touched.value, start: first ?? lowest ?? null } };
    },
  );
  const stride = $derived(
    trace.reach.complete
      ? STRIDES
      : // All bytes may be read a while before all is indexed.
        Math.min(STRIDES - 1, Math.floor((trace.reach.bytes / Math.max(1, trace.opened.file.bytes)) * STRIDES)),
  );

  async function bands(signal: AbortSignal): Promise<Result<readonly Span[]>> {
    const result = await trace.client.request('bands', { trace: trace.id, most: MOST_BANDS }, { signal });
    if (!result.ok) return result;
    return { ok: true, value: result.value.bands.map(({ low, high }) => ({ low: BigInt(low), high: BigInt(high) })) };
  }

  /** Nothing too where the trace cannot be read any more: looking begins elsewhere then. */
  async function firstWrite(signal: AbortSignal): Promise<bigint | undefined> {
    const result = await trace.client.request('find', { trace: trace.id, kinds: WRITES, limit: 1 }, { signal });
    const address = result.ok ? result.value.records[0]?.address : undefined;
    return address === undefined ? undefined : BigInt(address);
  }

  return {
    get touched() {
      return question.value?.touched ?? [];
    },
    get start() {
      return question.value?.start ?? null;
    },
    get trouble() {
      return question.error?.message;
    },
    get isWhole() {
      return trace.reach.complete && question.key === STRIDES;
    },
    follow: () => question.ask(stride),
    stop: question.stop,
  };
}
