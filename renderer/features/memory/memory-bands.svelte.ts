/** Addresses that a trace touches, for scrolling through memory, and the address to show first. */
import type { Kind } from '../../../shared/records/record.ts';
import type { Result } from '../../../shared/base/result.ts';
import { createQuestion } from '../../trace/questions/question.svelte.ts';
import type { Trace } from '../../trace/trace.svelte.ts';

export interface MemoryBands {
  /** Touched addresses, lowest first; `high` is exclusive. */
  readonly touched: readonly Span[];
  /** `touched` covers the whole trace. */
  readonly isWhole: boolean;
  /** Address of the first write, else the lowest touched address; null while unknown. */
  readonly start: bigint | null;
  /** Error that kept `touched` from being complete. */
  readonly trouble: string | undefined;
  /** Requests the addresses again as the index grows. Call it in an effect. */
  readonly follow: () => void;
  readonly stop: () => void;
}

interface Span {
  readonly low: bigint;
  readonly high: bigint;
}

const MOST_BANDS = 64;
const WRITES: readonly Kind[] = ['write', 'bus-write'];
/** Number of steps in which a growing index is followed. */
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
      : // All bytes may have been read before indexing has finished.
        Math.min(STRIDES - 1, Math.floor((trace.reach.bytes / Math.max(1, trace.opened.file.bytes)) * STRIDES)),
  );

  async function bands(signal: AbortSignal): Promise<Result<readonly Span[]>> {
    const result = await trace.client.request('bands', { trace: trace.id, most: MOST_BANDS }, { signal });
    if (!result.ok) return result;
    return { ok: true, value: result.value.bands.map(({ low, high }) => ({ low: BigInt(low), high: BigInt(high) })) };
  }

  /** Returns the address of the first write; undefined if there is none, or if it cannot be read. */
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
