/** History of places, as in a browser: a jump to a new place drops the places later. */
export interface History<T> {
  /** Records that the cursor leaves `from` for a new place. */
  readonly push: (from: T) => void;
  /** Returns the previous place and keeps `from` later. Returns undefined at the beginning. */
  readonly back: (from: T) => T | undefined;
  readonly forward: (from: T) => T | undefined;
  readonly canGoBack: boolean;
  readonly canGoForward: boolean;
}

export function createHistory<T>(limit: number): History<T> {
  const earlier: T[] = [];
  const later: T[] = [];
  return {
    push(from) {
      earlier.push(from);
      if (earlier.length > limit) earlier.shift();
      later.length = 0;
    },
    back(from) {
      const place = earlier.pop();
      if (place !== undefined) later.push(from);
      return place;
    },
    forward(from) {
      const place = later.pop();
      if (place !== undefined) earlier.push(from);
      return place;
    },
    get canGoBack() {
      return earlier.length > 0;
    },
    get canGoForward() {
      return later.length > 0;
    },
  };
}
