/**
 * Events as the bus cycles of a Pentium with execution tracing on: which cycles, in which order, and when.
 *
 * Code comes from a cache of its own: its lines are fetched when they are not there. Every taken branch is a message of two
 * cycles, the target first; now and then another cycle comes between them. Data is not cached. An interrupt is the pair of
 * acknowledge cycles, a read of its descriptor, and a message. Cycles are some tens of nanoseconds apart.
 */
import { EVENT, type Events, KIND_MASK, SIZE_SHIFT } from './events.ts';
import type { Program } from './program.ts';

/** M/IO# D/C# W/R# of a cycle. */
const CYCLE = {
  acknowledge: 0,
  special: 1,
  ioRead: 2,
  ioWrite: 3,
  fetch: 4,
  read: 6,
  write: 7,
} as const;

/** Takes one cycle: pins A31-A3, data bus, nanoseconds since the one before. Returns where the output goes on. */
export type PutCycle = (
  out: Uint8Array,
  at: number,
  since: number,
  cycle: number,
  enables: number,
  address: number,
  low: number,
  high: number,
) => number;

/** Most cycles that one event becomes. */
export const CYCLES_PER_EVENT = 6;

const BRANCH_TRACE = 0xdf;
const HALT = 0xfb;
const D59 = 0x08000000;
/** Pin A3 of a message: 32-bit operands. */
const A3 = 8;
const DESCRIPTORS = 0x1000;
const LINES = 256;
const NOWHERE = -1;

/** Writes the cycles of the events to the front of `out`; returns where they end. */
export function createBus(program: Program, put: PutCycle): (events: Events, out: Uint8Array, at: number) => number {
  const { addressX86, bytesX86 } = program;
  const cache = new Int32Array(LINES).fill(NOWHERE);
  let noise = 1;
  let previous = NOWHERE;
  /** The instruction that an interrupt came before, which it leaves in place of `previous`. */
  let interrupted = NOWHERE;
  /** The source of a message whose first cycle is out. */
  let source = NOWHERE;

  const cycle = (out: Uint8Array, at: number, what: number, enables: number, a: number, low: number, high: number) => {
    // A multiplicative generator: enough to look irregular.
    noise = (Math.imul(noise, 1664525) + 1013904223) | 0;
    return put(out, at, 30 + 15 * (noise >>> 30), what, enables, a & ~7, low, high);
  };

  const message = (out: Uint8Array, at: number, address: number, second: number): number => {
    const high = (address << 28) | second | (noise & 0x07ffffff);
    return cycle(out, at, CYCLE.special, BRANCH_TRACE, (address & ~15) | A3, noise ^ address, high);
  };

  const finishMessage = (out: Uint8Array, at: number): number => {
    if (source === NOWHERE) return at;
    const next = message(out, at, source, D59);
    source = NOWHERE;
    return next;
  };

  /** One cycle, or two where the bytes lie in two quadwords. */
  const access = (out: Uint8Array, at: number, what: number, events: Events, k: number): number => {
    const size = events.what[k]! >>> SIZE_SHIFT;
    const address = events.a[k]!;
    const value = events.b[k]!;
    const lane = address & 7;
    const mask = ((1 << size) - 1) << lane;
    // The value's bytes lie on the bus where their addresses say; where it goes on in the next quadword, its rest does.
    const shift = 8 * (lane & 3);
    const carried = shift === 0 ? 0 : value >>> (32 - shift);
    const upper = size === 8 ? events.c[k]! : 0;
    const low = lane < 4 ? value << shift : 0;
    const high = lane < 4 ? carried | (upper << shift) : value << shift;
    const next = cycle(out, at, what, ~mask & 0xff, address, low, high);
    if (mask < 256) return next;
    const end = shift === 0 ? 0 : upper >>> (32 - shift);
    const rest = lane < 4 ? end : carried | (upper << shift);
    return cycle(out, next, what, ~(mask >>> 8) & 0xff, address + 8, rest, lane < 4 ? 0 : end);
  };

  const fetch = (out: Uint8Array, at: number, address: number): number => {
    const line = address >>> 5;
    if (cache[line % LINES] === line) return at;
    cache[line % LINES] = line;
    return cycle(out, at, CYCLE.fetch, 0, address & ~31, Math.imul(line, 0x9e3779b1), Math.imul(line, 0x85ebca77));
  };

  const branch = (out: Uint8Array, at: number, from: number, to: number): number => {
    const next = message(out, finishMessage(out, at), to, 0);
    source = from;
    return noise >>> 28 !== 0 ? finishMessage(out, next) : next;
  };

  /** The branch that led to an instruction, if one did. */
  const arrive = (out: Uint8Array, at: number, index: number): number => {
    const address = addressX86[index]!;
    if (previous === NOWHERE || address === addressX86[previous]! + bytesX86[previous]!) return at;
    return branch(out, at, addressX86[previous]!, address);
  };

  const execute = (out: Uint8Array, at: number, index: number): number => {
    const address = addressX86[index]!;
    const left = interrupted === NOWHERE ? arrive(out, at, index) : branch(out, at, addressX86[interrupted]!, address);
    const next = fetch(out, left, address);
    previous = index;
    interrupted = NOWHERE;
    return fetch(out, next, address + bytesX86[index]! - 1);
  };

  return (events, out, from) => {
    const { count, what, a, b } = events;
    let at = from;
    for (let k = 0; k < count; k++) {
      const before = at;
      const waiting = source;
      switch (what[k]! & KIND_MASK) {
        case EVENT.executed:
        case EVENT.skipped:
          at = execute(out, at, a[k]!);
          break;
        case EVENT.read:
          at = access(out, at, CYCLE.read, events, k);
          break;
        case EVENT.write:
          at = access(out, at, CYCLE.write, events, k);
          break;
        case EVENT.ioRead:
          at = access(out, at, CYCLE.ioRead, events, k);
          break;
        case EVENT.ioWrite:
          at = access(out, at, CYCLE.ioWrite, events, k);
          break;
        case EVENT.interrupt:
          at = finishMessage(out, arrive(out, at, b[k]!));
          interrupted = b[k]!;
          at = cycle(out, at, CYCLE.acknowledge, 0xef, 0, 0, 0);
          at = cycle(out, at, CYCLE.acknowledge, 0xfe, 0, a[k]!, 0);
          at = cycle(out, at, CYCLE.read, 0, DESCRIPTORS + 8 * a[k]!, 0x00100000, 0x8e00);
          break;
        case EVENT.halt:
          at = cycle(out, at, CYCLE.special, HALT, 0, 0, 0);
          break;
        default:
          break;
      }
      // A first cycle that was waiting before this event has had another cycle between.
      if (at !== before && waiting !== NOWHERE && waiting === source) at = finishMessage(out, at);
    }
    return at;
  };
}
