/** Passes the first value on at once, later ones at most every `gap` milliseconds. The last value always arrives. */
export interface Throttle<T> {
  readonly push: (value: T) => void;
  /** Passes on a waiting value now. */
  readonly flush: () => void;
  readonly stop: () => void;
}

export function createThrottle<T>(gap: number, pass: (value: T) => void): Throttle<T> {
  let waiting: { readonly value: T } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function release(): void {
    timer = undefined;
    if (!waiting) return;
    const { value } = waiting;
    waiting = undefined;
    timer = setTimeout(release, gap);
    pass(value);
  }

  function stop(): void {
    clearTimeout(timer);
    timer = undefined;
    waiting = undefined;
  }

  return {
    push(value) {
      waiting = { value };
      if (timer === undefined) release();
    },
    flush() {
      clearTimeout(timer);
      release();
    },
    stop,
  };
}
