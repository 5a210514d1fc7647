/**
 * Pairs the first and second cycles of branch trace messages.
 *
 * A normal message consists of two bus cycles, with any other cycles in between. The address in a first cycle is kept per processor until
 * the next second cycle. The decoder carries nothing else along a capture, except a count that reveals a data bus that was not captured.
 * The messages of one processor stay in order, so at most one first cycle is pending. If no column shows the processor, two pending first
 * cycles may belong to two processors. With `processors=two` their second cycles are then not paired, because either can be the match.
 *
 * Intel: the first cycle contains the target, the second the source; fast messages are second cycles without a first. AMD-K5: the first
 * cycle contains the source, the second the target (AMD-K5 Technical Reference Manual 18524C table 5-24), and there are no fast messages.
 */
import { type Batch, FLAG, NO_CPU } from '../../records/batch.ts';
import type { State } from '../../format/format.ts';
import { KIND } from '../../records/record.ts';
import { BTM, BTM_FAST, BTM_FIRST, BTM_SECOND, MARK, NO_DATA } from './cycles.ts';

export interface Rules {
  /** Messages have the layout of the AMD-K5. */
  readonly k5: boolean;
  readonly mode: 'auto' | 'normal' | 'fast';
  /** Two processors share the bus. Affects only messages without a processor number. */
  readonly two: boolean;
  /** The address columns do not contain A3, so operand sizes are unknown. */
  readonly noA3: boolean;
  /** The data columns contain the bits that messages use. */
  readonly messageData: boolean;
  /** Each row is a clock, so a row that repeats the previous one is not a new cycle. */
  readonly clocks: boolean;
}

/** Number of processors whose messages are paired. */
const CPUS = 4;
/** Slot of messages without a processor number, and pseudo slot of processors with higher numbers. */
const UNNAMED = CPUS;
const UNPAIRED = CPUS + 1;

/** State of a processor's latest messages. */
const STATUS = {
  none: 0,
  /** An unpaired second cycle, which is probably a fast message. */
  lone: 1,
  paired: 2,
  /** A first cycle waits for its second cycle. */
  pending: 3,
  /** The same, and the previous first cycle remained unpaired. */
  pendingAgain: 4,
  /** Paired directly after `pendingAgain`. Another second cycle now means that two processors are interleaved. */
  pairedAgain: 5,
  /** With `two`: two first cycles wait, and a second cycle can belong to either. */
  bothPending: 6,
  /** One of the two has had its second cycle. */
  onePending: 7,
} as const;

/** By STATUS: the shape of an unpaired cycle's diagnostic, which describes the preceding messages. */
const AFTER: readonly string[] = [
  'after nothing known',
  'after a second cycle alone',
  'after a pair',
  'after a first cycle',
  'after several first cycles',
  'after a first cycle alone and a pair',
  'after several first cycles',
  'after several first cycles and sixteen second ones',
];
const AFTER_OF_CPU = Array.from({ length: CPUS }, (_, cpu) => AFTER.map((after) => `processor ${cpu}, ${after}`));

/**
 * Number of second cycles with a first cycle pending all the time after which that first cycle is considered lost. At most two branches
 * are outstanding, but processors that alternate after two cycles each can keep one pending that long without a loss.
 */
const OUTSTANDING = 16;

/** Number of first cycles without any second cycle that indicates a data bus that was not captured. */
const UNCAPTURED = 16;

/** Bit of the upper data word that distinguishes first (0) and second (1) cycles. */
export const D59 = 0x08000000;
const A31 = 31;
/** Address bit of pin A3, which contains the operand size. */
export const A3 = 8;
/** Address bit of pin A28, which contains the operand size on the AMD-K5. */
export const A28 = 0x10000000;

const STATUS_NAMES = ['status0', 'status1', 'status2', 'status3', 'unnamed'] as const;
const HELD_NAMES = ['held0', 'held1', 'held2', 'held3', 'heldUnnamed'] as const;

// Working state of one `decode` call: takeState fills it, pairingState returns it, and nothing survives between calls.
const statuses = new Uint8Array(UNPAIRED);
/** Address of a pending first cycle. If two are pending, the number of second cycles since then. */
const held = new Uint32Array(UNPAIRED);
/** Number of first cycles since the last second cycle. */
let firsts = 0;
/** AMD-K5 only, one bit per slot: the pending first cycle, which contains the source, has 32-bit operands. */
let wides = 0;
/** True if the slots of numbered processors may be in use. */
let named = false;

export const INITIAL: State = pairingState();

export function takeState(state: State): void {
  for (let slot = 0; slot < UNPAIRED; slot++) {
    statuses[slot] = state[STATUS_NAMES[slot]!] ?? 0;
    held[slot] = state[HELD_NAMES[slot]!] ?? 0;
  }
  firsts = state['firsts'] ?? 0;
  wides = state['wides'] ?? 0;
  named = true;
}

export function pairingState(): State {
  const state: Record<string, number> = { firsts, wides };
  for (let slot = 0; slot < UNPAIRED; slot++) {
    state[STATUS_NAMES[slot]!] = statuses[slot]!;
    state[HELD_NAMES[slot]!] = held[slot]!;
  }
  return state;
}

/** Discards pending first cycles, because cycles of messages may be missing before the next record. */
export function forgetPending(): void {
  statuses.fill(STATUS.none);
  held.fill(0);
  wides = 0;
}

/**
 * Returns the slot of a processor's messages; `cpu` is NO_CPU for messages without a processor number. If only some messages have a
 * number, one without it can be of any processor, so nothing is paired across such a change.
 */
function takeSlot(cpu: number): number {
  if (cpu !== NO_CPU) {
    named = true;
    statuses[UNNAMED] = STATUS.none;
    held[UNNAMED] = 0;
    wides &= ~(1 << UNNAMED);
    return cpu < CPUS ? cpu : UNPAIRED;
  }
  if (named) {
    statuses.fill(STATUS.none, 0, UNNAMED);
    held.fill(0, 0, UNNAMED);
    wides &= 1 << UNNAMED;
    named = false;
  }
  return UNNAMED;
}

/**
 * Fills kind, native, address, target, size and flags of row `n` for a branch trace message. Its cpu column is already written. `address`
 * contains pins A31-A3, and `low` and `high` the data bus, all bits of which are driven regardless of the byte enables.
 */
export function putMessage(
  batch: Batch,
  n: number,
  address: number,
  low: number,
  high: number,
  captured: boolean,
  rules: Rules,
): void {
  batch.size[n] = 0;
  if (!captured || !rules.messageData) {
    putUncaptured(batch, n, address, captured, rules);
    return;
  }
  const second = rules.k5 ? address >>> A31 !== 0 : (high & D59) !== 0;
  const datum = rules.k5 ? low >>> 0 : ((address & ~15) | (high >>> 28)) >>> 0;
  const cpu = batch.cpu[n]!;
  const slot = takeSlot(cpu);
  if (slot === UNPAIRED) batch.diagnostics.add('cpu-range', batch.start[n]!, batch.first + n, `processor ${cpu}`);
  if (second) putSecond(batch, n, datum, slot, rules);
  else putFirst(batch, n, datum, slot, rules, rules.two && cpu === NO_CPU);
  if (rules.k5) keepOperandSize(batch, n, address, slot, second);
  else if (!rules.noA3) batch.flags[n]! |= (address & A3) === 0 ? MARK.sized : MARK.sized | MARK.wide;
}

/** Sets the operand size from A28 of the K5's cycles (table 5-24). A complete branch has that of its source, the first cycle. */
function keepOperandSize(batch: Batch, n: number, address: number, slot: number, second: boolean): void {
  const bit = slot === UNPAIRED ? 0 : 1 << slot;
  if (second && (batch.flags[n]! & FLAG.address) !== 0)
    batch.flags[n]! |= (wides & bit) === 0 ? MARK.sized : MARK.sized | MARK.wide;
  wides &= ~bit;
  if (!second && (address & A28) !== 0) wides |= bit;
}

/**
 * Does the same for rows[from, count) of a stretch of 16-byte units, as long as they are regular pairs in Intel's layout. Returns the index
 * of the first row that is not. The unit of row `firstRow` begins at word `at`. The loop has no calls, because V8 looks up all columns
 * again after a call.
 */
export function putPairs(
  { cpu, kind, native, size, addressLow, targetLow, flags }: Batch,
  rows: Int32Array,
  from: number,
  count: number,
  words: Int32Array,
  at: number,
  firstRow: number,
  { k5, two, noA3, messageData }: Rules,
): number {
  if (k5 || two || noA3 || !messageData || from === count) return from;
  const ownCpu = cpu[rows[from]!]!;
  const slot = takeSlot(ownCpu);
  if (slot === UNPAIRED) return from;
  let status = statuses[slot]!;
  let datumHeld = held[slot]! | 0;
  let firstCycles = firsts;
  let i = from;
  for (; i < count; i++) {
    const row = rows[i]!;
    const unit = at + ((row - firstRow) << 2);
    const address = words[unit]!;
    const high = words[unit + 3]!;
    if (cpu[row] !== ownCpu || (words[unit + 1]! & (NO_DATA << 8)) !== 0) break;
    const datum = (address & ~15) | (high >>> 28);
    const sized = (address & A3) === 0 ? MARK.sized : MARK.sized | MARK.wide;
    if ((high & D59) === 0) {
      if (status >= STATUS.pending || firstCycles >= UNCAPTURED - 1) break;
      firstCycles++;
      status = STATUS.pending;
      datumHeld = datum;
      kind[row] = KIND.special;
      native[row] = BTM_FIRST;
      addressLow[row] = datum;
      flags[row] = FLAG.address | sized;
    } else {
      if (status !== STATUS.pending) break;
      firstCycles = 0;
      status = STATUS.paired;
      kind[row] = KIND.branch;
      native[row] = BTM_SECOND;
      addressLow[row] = datum;
      targetLow[row] = datumHeld;
      flags[row] = FLAG.address | FLAG.target | sized;
      datumHeld = 0;
    }
    size[row] = 0;
  }
  statuses[slot] = status;
  held[slot] = datumHeld;
  firsts = firstCycles;
  return i;
}

function putFirst(batch: Batch, n: number, datum: number, slot: number, { k5 }: Rules, two: boolean): void {
  batch.kind[n] = KIND.special;
  batch.native[n] = BTM_FIRST;
  batch.addressLow[n] = datum;
  batch.flags[n] = FLAG.address;
  if (firsts <= UNCAPTURED && !k5 && ++firsts === UNCAPTURED)
    batch.diagnostics.add('data-not-captured', batch.start[n]!, batch.first + n);
  if (slot === UNPAIRED) return;
  const status = statuses[slot]!;
  switch (status) {
    case STATUS.pending:
      statuses[slot] = two ? STATUS.bothPending : STATUS.pendingAgain;
      if (!two) countAlone(batch, n, 'first-without-second', status);
      break;
    case STATUS.pendingAgain:
    case STATUS.bothPending:
      countAlone(batch, n, 'first-without-second', status);
      break;
    case STATUS.onePending:
      if (held[slot]! < OUTSTANDING) {
        statuses[slot] = STATUS.bothPending;
        return;
      }
      statuses[slot] = STATUS.pending;
      countAlone(batch, n, 'first-without-second', status);
      break;
    default:
      statuses[slot] = STATUS.pending;
  }
  held[slot] = statuses[slot] === STATUS.bothPending ? 0 : datum;
}

function putSecond(batch: Batch, n: number, datum: number, slot: number, rules: Rules): void {
  firsts = 0;
  batch.kind[n] = KIND.branch;
  batch.native[n] = BTM_SECOND;
  const status = slot === UNPAIRED ? STATUS.none : statuses[slot]!;
  if (status === STATUS.pending || status === STATUS.pendingAgain) {
    statuses[slot] = status === STATUS.pending ? STATUS.paired : STATUS.pairedAgain;
    putEnds(batch, n, rules.k5 ? held[slot]! : datum, rules.k5 ? datum : held[slot]!);
    held[slot] = 0;
    return;
  }
  if (rules.k5) {
    batch.targetLow[n] = datum;
    batch.addressLow[n] = 0;
    batch.flags[n] = FLAG.target;
  } else {
    batch.addressLow[n] = datum;
    batch.flags[n] = FLAG.address;
  }
  if (slot === UNPAIRED) return;
  if (status === STATUS.bothPending || status === STATUS.onePending) {
    statuses[slot] = status === STATUS.bothPending ? STATUS.onePending : STATUS.paired;
    held[slot] = status === STATUS.bothPending ? held[slot]! + 1 : 0;
    batch.flags[n] |= MARK.ambiguous;
    return;
  }
  statuses[slot] = STATUS.lone;
  if (status === STATUS.pairedAgain) batch.diagnostics.add('interleaved', batch.start[n]!, batch.first + n);
  if (isFast(status, rules)) {
    batch.native[n] = BTM_FAST;
    return;
  }
  batch.flags[n] |= MARK.firstMissing;
  countAlone(batch, n, 'second-without-first', status);
}

function countAlone(batch: Batch, n: number, code: string, status: number): void {
  const cpu = batch.cpu[n]!;
  const shape = (cpu === NO_CPU ? AFTER : AFTER_OF_CPU[cpu]!)[status]!;
  batch.diagnostics.add(code, batch.start[n]!, batch.first + n, shape);
}

/** True if an unpaired second cycle is a fast message. In mode `auto` that is the case after another unpaired second cycle. */
function isFast(status: number, { k5, mode }: Rules): boolean {
  return !k5 && (mode === 'fast' || (mode === 'auto' && status === STATUS.lone));
}

function putEnds(batch: Batch, n: number, source: number, target: number): void {
  batch.addressLow[n] = source;
  batch.targetLow[n] = target;
  batch.flags[n] = FLAG.address | FLAG.target;
}

/** Fills a row for a message without its data bus. It can be either cycle, so nothing is paired across it. */
function putUncaptured(batch: Batch, n: number, address: number, captured: boolean, { k5 }: Rules): void {
  batch.kind[n] = KIND.branch;
  batch.native[n] = BTM;
  batch.addressLow[n] = k5 ? 0 : address & ~15;
  batch.flags[n] = (k5 ? 0 : FLAG.address) | MARK.noData;
  const shape = captured ? `${k5 ? 'D31-D0' : 'D63-D59'} not in the column` : 'no data in the record';
  batch.diagnostics.add('message-without-data', batch.start[n]!, batch.first + n, shape);
  const slot = takeSlot(batch.cpu[n]!);
  if (slot === UNPAIRED) return;
  statuses[slot] = STATUS.none;
  held[slot] = 0;
  wides &= ~(1 << slot);
}
