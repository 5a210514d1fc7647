/**
 * Which first and second cycles of branch trace messages belong together?
 *
 * A normal message is two bus cycles with anything in between. Per processor the datum of a first cycle is kept until the next
 * second one: that is all the decoder carries along a capture, beside a count that tells a data bus that was not captured. The
 * messages of one processor stay in order, so no more than one first cycle can be pending. Where no column tells the
 * processors apart, two pending ones may be of two processors: with `processors=two` their second cycles are not paired at
 * all, because nothing tells which is whose.
 *
 * Intel: the first cycle has the target, the second the source; fast messages are second cycles without a first. AMD-K5: the
 * first has the source, the second the target (AMD-K5 Technical Reference Manual 18524C table 5-24), and there are no fast ones.
 */
import { FLAG, NO_CPU, type Batch } from '../../records/batch.ts';
import type { State } from '../../format/format.ts';
import { KIND } from '../../records/record.ts';
import { BTM, BTM_FAST, BTM_FIRST, BTM_SECOND, MARK, NO_DATA } from './cycles.ts';

export interface Rules {
  /** The AMD-K5's layout of messages. */
  readonly k5: boolean;
  readonly mode: 'auto' | 'normal' | 'fast';
  /** Two processors share the bus: counts for messages that do not say whose they are. */
  readonly two: boolean;
  /** The address column ends above A3, so operand sizes are not known. */
  readonly noA3: boolean;
  /** The data column has the bits that tell of a message. */
  readonly messageData: boolean;
  /** There is a row for every clock: one that repeats the one before is no cycle of its own. */
  readonly clocks: boolean;
}

/** Processors that are told apart by their number; messages of higher ones are not paired. */
const CPUS = 4;
/** The slot of messages that do not say whose they are, and that of processors above. */
const UNNAMED = CPUS;
const UNPAIRED = CPUS + 1;

/** What the last messages of a processor were. */
const STATUS = {
  none: 0,
  /** A second cycle alone: fast, as far as that goes. */
  lone: 1,
  paired: 2,
  /** A first cycle whose datum is held. */
  pending: 3,
  /** The same after another first cycle that remained alone. */
  pendingAgain: 4,
  /** Paired right after that: a second cycle now means that two processors are interleaved. */
  pairedAgain: 5,
  /** With `two`: two first cycles, and nothing tells whose a second one is. */
  bothPending: 6,
  /** One of them has had its second cycle. */
  onePending: 7,
} as const;

/** By STATUS: how a message that lacks the other one follows those before. */
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
 * Second cycles, with a first one pending all the time, after which one of those is lost. No more than two branches are outstanding,
 * but processors that take turns after two cycles each may well keep one pending for that long, although none is lost.
 */
const OUTSTANDING = 16;

/** First cycles without any second one that make a data bus that was not captured. */
const UNCAPTURED = 16;

const D59 = 0x08000000;
const A31 = 31;
/** Of an address: the pin that has the operand size. */
export const A3 = 8;
/** The same on the AMD-K5. */
const A28 = 0x10000000;

const STATUS_NAMES = ['status0', 'status1', 'status2', 'status3', 'unnamed'] as const;
const HELD_NAMES = ['held0', 'held1', 'held2', 'held3', 'heldUnnamed'] as const;

// What a call of `decode` works on: filled by takeState, given back by pairingState, nothing remains in between.
const statuses = new Uint8Array(UNPAIRED);
/** The datum of a pending first cycle; with two pending, second cycles since then. */
const held = new Uint32Array(UNPAIRED);
let firsts = 0;
/** Of the AMD-K5, a bit by slot: the pending first cycle, which has the source, says 32-bit operands. */
let wides = 0;
/** Whether messages that say whose they are may have left something in their slots. */
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

/** What was pending is not to be paired with what comes: what lies between may have been cycles of messages. */
export function forgetPending(): void {
  statuses.fill(STATUS.none);
  held.fill(0);
  wides = 0;
}

/**
 * The slot of a processor's messages, NO_CPU for those that do not say whose they are. Where only some say it, such a one may be
 * of any processor: what was pending before it is then not to be paired with what comes, nor it with theirs.
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
 * Fills kind, native, address, target, size and flags of row `n` for a branch trace message; its cpu column is filled. `address`:
 * pins A31-A3; `low`, `high`: the data bus; all of its bits are driven, whatever the byte enables say.
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

/** A28 of the K5's cycles (table 5-24); that of a whole branch is its source's, which is the first cycle's. */
function keepOperandSize(batch: Batch, n: number, address: number, slot: number, second: boolean): void {
  const bit = slot === UNPAIRED ? 0 : 1 << slot;
  if (second && (batch.flags[n]! & FLAG.address) !== 0)
    batch.flags[n]! |= (wides & bit) === 0 ? MARK.sized : MARK.sized | MARK.wide;
  wides &= ~bit;
  if (!second && (address & A28) !== 0) wides |= bit;
}

/**
 * The same for rows[from..count) of a stretch of 16-byte units, as far as they are pairs of Intel's layout with nothing to say about
 * them; returns the place of the first row that is not. The unit of row `firstRow` begins at word `at`. No call in its loop: behind
 * one, all columns would have to be looked up again.
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
  const its = cpu[rows[from]!]!;
  const slot = takeSlot(its);
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
    if (cpu[row] !== its || (words[unit + 1]! & (NO_DATA << 8)) !== 0) break;
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

/** A second cycle alone: of a fast message, or of a normal one that lost its first? Two in a row make fast ones. */
function isFast(status: number, { k5, mode }: Rules): boolean {
  return !k5 && (mode === 'fast' || (mode === 'auto' && status === STATUS.lone));
}

function putEnds(batch: Batch, n: number, source: number, target: number): void {
  batch.addressLow[n] = source;
  batch.targetLow[n] = target;
  batch.flags[n] = FLAG.address | FLAG.target;
}

/** Without the data bus nobody knows which cycle it is, so nothing that comes later can be paired with what came before. */
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
