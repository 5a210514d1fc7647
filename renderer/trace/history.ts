/** The walk of jumps, as in a browser: going somewhere forgets what was ahead; steps do not count as jumps. */
export interface History<T> {
  /** Leaves `from` for a new place. */
  readonly push: (from: T) => void;
  /** The place before, keeping `from` ahead; undefined at the beginning. */
  readonly back: (from: T) => T | undefined;
  readonly forward: (from: T) => T | undefined;
  readonly canGoBack: boolean;
  readonly canGoForward: boolean;
}

export function createHistory<T>(limit: number): History<T> {
  const behind: T[] = [];
  const ahead: T[] = [];
  return {
    push(from) {
      behind.push(from);
      if (behind.length > limit) behind.shift();
      ahead.length = 0;
    },
    back(from) {
      const place = behind.pop();
      if (place !== undefined) ahead.push(from);
      return place;
    },
    forward(from) {
      const place = ahead.pop();
      if (place !== undefined) behind.push(from);
      return place;
    },
    get canGoBack() {
      return behind.length > 0;
    },
    get canGoForward() {
      return ahead.length > 0;
    },
  };
}
