/** A cache of so many entries: what was used longest ago goes first. */
export interface Lru<K, V> {
  /** Reading counts as use. */
  readonly get: (key: K) => V | undefined;
  readonly set: (key: K, value: V) => void;
  readonly clear: () => void;
}

export function createLru<K, V>(limit: number): Lru<K, V> {
  /** In order of use, the latest last. */
  const entries = new Map<K, V>();

  function set(key: K, value: V): void {
    entries.delete(key);
    entries.set(key, value);
    if (entries.size <= limit) return;
    for (const oldest of entries.keys()) {
      entries.delete(oldest);
      return;
    }
  }

  return {
    get(key) {
      const value = entries.get(key);
      if (value !== undefined) set(key, value);
      return value;
    },
    set,
    clear: () => entries.clear(),
  };
}
