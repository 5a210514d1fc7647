/** A cache of limited size that evicts the least recently used entries first. */
export interface Lru<K, V> {
  /** Returns the cached value and marks it as most recently used. */
  readonly get: (key: K) => V | undefined;
  readonly set: (key: K, value: V) => void;
  readonly clear: () => void;
}

/**
 * Creates a cache whose entries cost at most `limit` together. By default each entry costs 1. An entry that costs more than the
 * limit is not kept.
 */
export function createLru<K, V>(limit: number, costOf: (value: V) => number = () => 1): Lru<K, V> {
  /** Entries in order of use, the most recently used last. */
  const entries = new Map<K, V>();
  let cost = 0;

  function remove(key: K): void {
    const value = entries.get(key);
    if (value === undefined) return;
    cost -= costOf(value);
    entries.delete(key);
  }

  return {
    get(key) {
      const value = entries.get(key);
      if (value === undefined) return undefined;
      entries.delete(key);
      entries.set(key, value);
      return value;
    },
    set(key, value) {
      remove(key);
      entries.set(key, value);
      cost += costOf(value);
      for (const oldest of entries.keys()) {
        if (cost <= limit) return;
        remove(oldest);
      }
    },
    clear() {
      entries.clear();
      cost = 0;
    },
  };
}
