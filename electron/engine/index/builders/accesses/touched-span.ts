/** The lowest and the highest byte that was touched, in halves of addresses. */
import type { AddressHalves } from './access-rows.ts';

export interface TouchedSpan {
  lowest(): AddressHalves;
  highest(): AddressHalves;
  widenLow(low: number, high: number): void;
  widenHigh(low: number, high: number): void;
  clear(): void;
}

const EDGE = { lowestHigh: 0, lowestLow: 1, highestHigh: 2, highestLow: 3 } as const;

export function createTouchedSpan(): TouchedSpan {
  // In an array because numbers this large would make loops with variables start over.
  const edges = new Uint32Array(4);
  clear();
  return {
    lowest: () => ({ low: edges[EDGE.lowestLow]!, high: edges[EDGE.lowestHigh]! }),
    highest: () => ({ low: edges[EDGE.highestLow]!, high: edges[EDGE.highestHigh]! }),
    widenLow(low, high) {
      const its = edges[EDGE.lowestHigh]!;
      if (high > its || (high === its && low >= edges[EDGE.lowestLow]!)) return;
      edges[EDGE.lowestHigh] = high;
      edges[EDGE.lowestLow] = low;
    },
    widenHigh(low, high) {
      const its = edges[EDGE.highestHigh]!;
      if (high < its || (high === its && low <= edges[EDGE.highestLow]!)) return;
      edges[EDGE.highestHigh] = high;
      edges[EDGE.highestLow] = low;
    },
    clear,
  };

  function clear(): void {
    edges[EDGE.lowestHigh] = edges[EDGE.lowestLow] = 0xffffffff;
    edges[EDGE.highestHigh] = edges[EDGE.highestLow] = 0;
  }
}
