/** Symbols of addresses in the texts of visible rows, from the images of a trace. The rows in sight ask together. */
import { createLru } from '../../shared/base/lru.ts';
import type { Hex } from '../../shared/base/units.ts';
import type { TraceBase } from './trace-base.ts';

export interface AddressNames {
  /** Returns `name` or `name+0x12`; undefined if no image has a symbol there, or that is not known yet. */
  readonly at: (address: Hex) => string | undefined;
  /** Asks for addresses that are not known yet. */
  readonly want: (addresses: readonly Hex[]) => void;
}

const KEPT = 5000;
/** Upper limit of the addresses in one request. */
const MOST = 1000;

export function createAddressNames(trace: () => TraceBase): AddressNames {
  const names = createLru<Hex, string | null>(KEPT);
  const requested = new Set<Hex>();
  let arrivals = $state(0);

  return {
    at: (address) => (arrivals >= 0 ? (names.get(address) ?? undefined) : undefined),
    want(addresses) {
      const { client, id, source } = trace();
      if ((source.images ?? []).length === 0) return;
      const missing = [...new Set(addresses)].filter(
        (address) => names.get(address) === undefined && !requested.has(address),
      );
      const part = missing.slice(0, MOST);
      if (part.length === 0) return;
      for (const address of part) requested.add(address);
      void client.request('symbolsAt', { trace: id, addresses: part }).then((result) => {
        for (const address of part) requested.delete(address);
        // A refused request is not repeated: the trace was closed.
        part.forEach((address, at) => names.set(address, result.ok ? (result.value.symbols[at] ?? null) : null));
        arrivals += 1;
      });
    },
  };
}
