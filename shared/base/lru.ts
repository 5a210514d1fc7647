/** A cache of so many entries: what was used longest ago goes first. */
export interface Lru<K, V> {
  /** Reading counts as use. */
  readonly get: (key: K) => V | undefined;
  readonly set: (key: K, value: V) => void;
  readonly clear: () => void;
}

/** `limit`: of the costs of all entries together, each 1 unless `costOf` says else. What costs more than that is not kept. */
export function createLru<K, V>(limit: number, costOf: (value: V) => number = () => 1): Lru<K, V> {
  /** In order of use, the latest last. */
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
