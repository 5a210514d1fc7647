/** Keeps address counts of blocks while a trace is open, so that a wide heatmap is decoded once and not at every zoom. */
import type { BlockNumber } from '../../../../shared/base/units.ts';
import { cachePer } from '../../collections/cache-per.ts';

/** Address counts of a gigabyte take 47 MB if its records have 6 bytes, 10 MB if it is QEMU4V text. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Memory that any entry takes. */
const ENTRY_BYTES = 200;

export interface KeptCounts {
  /** Marks the start of a question. Counts that neither this question nor the one before it used may be dropped. */
  start(): void;
  /** Returns the counts of a block; `scattered` if it has no locality, undefined if they are unknown. */
  get(block: BlockNumber): Uint8Array | 'scattered' | undefined;
  /** Keeps counts if there is room or if older ones can be dropped. */
  keep(block: BlockNumber, counts: Uint8Array | 'scattered'): void;
  /** Whether nothing was refused since the question started. */
  hasRoom(): boolean;
}

interface Entry {
  readonly counts: Uint8Array | 'scattered';
  /** Number of the question that used it last. */
  question: number;
}

/**
 * Not a plain cache of the least recently used: a question about more blocks than fit would drop each block's counts just before the next
 * question wants them.
 */
export function createKeptCounts(mostBytes: number = MOST_BYTES): KeptCounts {
  /** In order of use. */
  const entries = new Map<BlockNumber, Entry>();
  let bytes = 0;
  let question = 0;
  let hasRoom = true;

  return {
    hasRoom: () => hasRoom,
    start() {
      question++;
      hasRoom = true;
    },
    get(block) {
      const entry = entries.get(block);
      if (entry === undefined) return undefined;
      entry.question = question;
      entries.delete(block);
      entries.set(block, entry);
      return entry.counts;
    },
    keep(block, counts) {
      if (entries.has(block)) return;
      const wanted = costOf(counts);
      for (const [oldest, entry] of entries) {
        if (bytes + wanted <= mostBytes || entry.question >= question - 1) break;
        entries.delete(oldest);
        bytes -= costOf(entry.counts);
      }
      hasRoom = bytes + wanted <= mostBytes;
      if (!hasRoom) return;
      entries.set(block, { counts, question });
      bytes += wanted;
    },
  };
}

function costOf(counts: Uint8Array | 'scattered'): number {
  return ENTRY_BYTES + (counts === 'scattered' ? 0 : counts.length);
}

export const keptCountsOf = cachePer(() => createKeptCounts());
