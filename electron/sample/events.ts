/**
 * Executed events as columns: the machine fills them, and a writer turns them into the records of its format.
 * The same object is filled again and again: where a kind does not say what `b` and `c` are, they hold anything.
 */

/** Kinds of events. */
export const EVENT = {
  /** An instruction was executed; `a` = its index in the program. */
  executed: 0,
  /** Its condition failed; `a` as above. */
  skipped: 1,
  /** `size` bytes at address `a`; `b` = the value, `c` = its upper half where size is 8. */
  read: 2,
  write: 3,
  /** Register number `size` (see REGISTER_NAMES) now holds `b`. */
  register: 4,
  /** An interrupt with the vector `a` is taken before the instruction `b`. */
  interrupt: 5,
  /** `size` bytes at port `a`. */
  ioRead: 6,
  ioWrite: 7,
  /** The processor sleeps until the next interrupt. */
  halt: 8,
} as const;

export const KIND_MASK = 15;
export const SIZE_SHIFT = 4;

/** Names of the numbers of registers as the trace writes them. */
export const REGISTER_NAMES: readonly string[] = [
  ...Array.from({ length: 16 }, (_, number) => `r${number}`),
  'cpsr',
  'spsr',
];
export const CPSR = 16;
export const SPSR = 17;

export const EVENT_CAPACITY = 8192;
/** The machine stops before an instruction when fewer places are left than the greediest instruction needs. */
export const EVENT_RESERVE = 64;

export interface Events {
  /** Filled events. */
  count: number;
  /** The kind in the lowest four bits (KIND_MASK), the size above (SIZE_SHIFT). */
  readonly what: Uint16Array;
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly c: Int32Array;
}

export function createEvents(): Events {
  return {
    count: 0,
    what: new Uint16Array(EVENT_CAPACITY),
    a: new Int32Array(EVENT_CAPACITY),
    b: new Int32Array(EVENT_CAPACITY),
    c: new Int32Array(EVENT_CAPACITY),
  };
}
