/**
 * Branch events in one shape for every format: the points at which a processor left its straight run of instructions.
 *
 * A branch message is one event. An instruction trace has an event wherever the next instruction of a processor does not directly follow
 * the previous one, and for calls and returns to the next instruction. A conditional branch that was not taken is no event.
 */

/**
 * Kinds of branches. `exception`: caused by the instruction itself (SWI, INT n, undefined, aborts); `interrupt`: caused from outside;
 * `sequential`: a message without a branch (serialising instructions); `unknown`: the processor continued elsewhere for an unknown
 * reason. The position of a kind is its code: append only.
 */
export const BRANCH_KINDS = ['call', 'return', 'jump', 'exception', 'interrupt', 'sequential', 'unknown'] as const;
export type BranchKind = (typeof BRANCH_KINDS)[number];

/** Kind to code, the inverse of BRANCH_KINDS. */
export const BRANCH: Readonly<Record<BranchKind, number>> = Object.fromEntries(
  BRANCH_KINDS.map((kind, code) => [kind, code]),
) as Record<BranchKind, number>;

/** Bits of the `flags` column of events. */
export const EVENT = {
  /** The source columns hold the address of the instruction that branched, or was interrupted. */
  source: 1,
  /** The target columns hold the address of the next instruction. */
  target: 2,
  /** The kind, source or target was inferred from other events, not read from the instruction or message. */
  inferred: 4,
  /** Source and target are known to 16 bytes only: the low four bits are 0. */
  granular: 8,
  /** The resume columns hold the address at which execution resumes: after a call, or at the instruction that an interrupt preceded. */
  resume: 16,
  /**
   * The trace does not contain what the processor did between its previous event and this one: a recording or sample begins here. In
   * instruction traces such an event is no branch: it has only a target, and counts the instructions before the gap.
   */
  gap: 32,
  /**
   * Interrupts and exceptions only. `link`: the preceding instruction put the address after the next one into the link register, so a jump
   * that comes next is a call. `pops`: it popped registers, so a jump that comes next may be a return.
   */
  link: 64,
  pops: 128,
  /** Returns only: it ends an exception or interrupt (IRET, ERET, MRET). */
  ends: 64,
  /** Jumps only: the target comes from a register or memory. */
  computed: 64,
  /**
   * Calls, returns and jumps only: the target is not in the instruction, and the processor may have interrupt handlers anywhere. The target
   * may be a handler that interrupted the processor directly after the branch.
   */
  indirect: 128,
  /** Unknown branches only. `broken`: the instruction is no branch, and execution would have continued at the resume address. `strayed`: it is a branch to another address. */
  broken: 64,
  strayed: 128,
} as const;

/** Events as columns in record order; in time order if records run backwards in time. */
export interface Events {
  count: number;
  /** Record that reaches the target, or the message itself; relative to the reader's origin. */
  record: Float64Array;
  /** Position in BRANCH_KINDS. */
  kind: Uint8Array<ArrayBuffer>;
  flags: Uint8Array<ArrayBuffer>;
  cpu: Int16Array<ArrayBuffer>;
  sourceLow: Uint32Array<ArrayBuffer>;
  sourceHigh: Uint32Array<ArrayBuffer>;
  targetLow: Uint32Array<ArrayBuffer>;
  targetHigh: Uint32Array<ArrayBuffer>;
  resumeLow: Uint32Array<ArrayBuffer>;
  resumeHigh: Uint32Array<ArrayBuffer>;
  /** Operand or code size in bits at the source if a message contains it; otherwise 0. */
  operandSize: Uint8Array<ArrayBuffer>;
  /** Instructions that this cpu executed since its previous event, including the source; 0 if the trace does not count them. */
  instructions: Uint32Array<ArrayBuffer>;
  /**
   * Groups of equal events; absent if they were not determined. Code that changes events must call `setApart` first. Lean events have
   * only this and `record` until then: all other columns are empty.
   */
  alike?: AlikeEvents | undefined;
}

/** Events that are equal in all columns except the record share a number. */
export interface AlikeEvents {
  /** By event. */
  readonly numbers: Int32Array;
  /** By number: the event; its `record` is meaningless. */
  readonly each: Events;
  /** True if records are known to be in ascending order. */
  readonly ascending?: boolean;
}

/** Result of one read of a FlowReader (format.ts). */
export interface FlowStretch {
  readonly events: Events;
  /** First and last instruction of each cpu that executed any. Messages have runs only if something stays open at the end. */
  readonly runs: readonly FlowRun[];
}

/** Receives the code that ran, as a reader of executed instructions finds it. Halves of addresses are integers of 32 bits without a sign. */
export interface CodeSink {
  /**
   * A straight run of a cpu has ended: each of its instructions, executed or skipped, directly follows the one before in memory. `low` and
   * `last` are the lower halves of the addresses of its first and last instruction, and `high` is the upper half of both.
   */
  run(high: number, low: number, last: number): void;
  /** The condition of an instruction failed. */
  skipped(high: number, low: number): void;
}

/** Beginning and end of one cpu in a stretch: small, flat, storable. */
export interface FlowRun {
  readonly cpu: number;
  /** First instruction in the stretch. For messages its size is 0. */
  readonly first: FlowPoint;
  /** Second instruction if it does not directly follow the first: the branch between them depends on the preceding stretch. */
  readonly second?: FlowPoint;
  /** Instruction directly before `last` if it may determine what `last` is. */
  readonly before?: FlowPoint;
  /** Last instruction, and the number of instructions since the last event or since `second`, including it. */
  readonly last: FlowPoint;
  readonly since: number;
  /** Nothing is known about the cpu after `last`. */
  readonly gap?: boolean;
  /** Value of the link register at the end, if an instruction of the straight run there set it. */
  readonly link?: LinkValue | undefined;
  /** Jumps of straight runs that are calls if the preceding stretch set the link register. */
  readonly linked?: readonly LinkedJump[];
  /** Values of the link register in code whose interrupt is open at the end. */
  readonly held?: readonly HeldLink[];
  /** Instruction numbers in the trace; absent if it has none. */
  readonly numbers?: FlowNumbers;
}

/** Value of the link register in interrupted code, until execution returns to its address. */
export interface HeldLink {
  readonly low: number;
  readonly high: number;
  readonly link: LinkValue;
}

/** The event of a jump whose kind depends on the preceding stretch. The rest describes it as a call. */
export interface LinkedJump {
  /** Value of the link register at the jump. The jump is a call if this is the resume address. */
  readonly link: LinkValue;
  readonly record: number;
  readonly sourceLow: number;
  readonly sourceHigh: number;
  readonly kind: number;
  readonly flags: number;
  readonly resumeLow: number;
  readonly resumeHigh: number;
}

/**
 * Trace numbers of a run's first and last instruction, -1 if there are none. They count the instructions of each cpu, or of all cpus
 * together. In the second case number minus place is constant, where place is the number of preceding instructions of any cpu.
 */
export interface FlowNumbers {
  readonly first: number;
  readonly last: number;
  readonly firstPlace: number;
  /** When other stretches follow, it counts back from the end of the last one. */
  readonly lastPlace: number;
  /** Instructions of all cpus in the stretch. */
  readonly all: number;
  /** True if the stretch proves that the instructions of each cpu are counted. */
  readonly each: boolean;
}

/** A run that was joined with its predecessor. */
export interface JoinedRun {
  readonly run: FlowRun;
  /** Instructions before it that no event has counted yet: they are added to the cpu's next event. */
  readonly carried: number;
  /** Events of the run that the preceding stretch proves to be calls. */
  readonly calls?: readonly LinkedJump[];
}

/** `branch` of an instruction that is no branch. */
export const NO_BRANCH = -1;

/** A record that reports an exception or interrupt, or the end of one. */
export interface Notice {
  /** POINT.exception, POINT.interrupt or POINT.ended; 0 if the record has only the address for the next notice. */
  readonly mark: number;
  /** Address at which execution was interrupted: of the instruction that caused it, or of the next one. Absent if the record lacks it. */
  readonly at?: { readonly low: number; readonly high: number };
}

/** An executed instruction with everything that determines its branch event. */
export interface FlowPoint {
  readonly record: number;
  readonly addressLow: number;
  readonly addressHigh: number;
  readonly size: number;
  /** Code of its kind in BRANCH_KINDS, or NO_BRANCH. */
  readonly branch: number;
  /** Further bits of its reader; 0 if none. */
  readonly mark: number;
  /** Meaningful if the reader's marks say so. */
  readonly targetLow: number;
  readonly targetHigh: number;
  /** Notices after the instruction, or before it if it is the first or second one of a run; absent if there are none. */
  readonly notices?: readonly Notice[] | undefined;
  /**
   * Value of the link register before the instruction, if an instruction of the same straight run that is no call set it. Of jumps, and of
   * the first instruction of a run; of the second, too, where it is the value after the first.
   */
  readonly link?: LinkValue | undefined;
}

export interface LinkValue {
  readonly low: number;
  /** -1 if the value is not known. */
  readonly high: number;
  /**
   * The straight run began before the stretch, where it may have set the link register. `kept`: the value is the one at the beginning of
   * the stretch. `shown`: a register record of the stretch shows the value, which counts only if the link register was set before.
   */
  readonly entry?: 'kept' | 'shown';
  /**
   * With `entry`: the straight run began at this record of the stretch. An instruction there may have returned to code that was interrupted
   * before the stretch; the value is then the one in that code.
   */
  readonly since?: number | undefined;
  /** ARM mode whose link register a record shows: position in MODES plus 1; 0 or absent if the record does not say. */
  readonly mode?: number;
}

/** Creates no events, with room for `capacity`. One memory holds all columns: where events are few, twelve would take longer to get than to fill. */
export function createEvents(capacity = 1024): Events {
  const memory = new ArrayBuffer(capacity * BYTES_OF_COLUMNS);
  let used = 8 * capacity;
  const take = (bytes: number): number => {
    const at = used;
    used += bytes * capacity;
    return at;
  };
  const numbers = (): Uint32Array<ArrayBuffer> => new Uint32Array(memory, take(4), capacity);
  const record = new Float64Array(memory, 0, capacity);
  const [sourceLow, sourceHigh, targetLow, targetHigh] = [numbers(), numbers(), numbers(), numbers()];
  const [resumeLow, resumeHigh, instructions] = [numbers(), numbers(), numbers()];
  const cpu = new Int16Array(memory, take(2), capacity);
  const kind = new Uint8Array(memory, take(1), capacity);
  const flags = new Uint8Array(memory, take(1), capacity);
  const operandSize = new Uint8Array(memory, take(1), capacity);
  return {
    count: 0,
    record,
    kind,
    flags,
    cpu,
    sourceLow,
    sourceHigh,
    targetLow,
    targetHigh,
    resumeLow,
    resumeHigh,
    operandSize,
    instructions,
  };
}

/** One of 8 bytes, seven of 4, one of 2 and three of 1. */
const BYTES_OF_COLUMNS = 41;

/** The columns of events that are all in `alike`. They have no elements, so all such events share them. */
export const LEAN_COLUMNS: Events = createEvents(0);

const COLUMNS = [
  'record',
  'kind',
  'flags',
  'cpu',
  'sourceLow',
  'sourceHigh',
  'targetLow',
  'targetHigh',
  'resumeLow',
  'resumeHigh',
  'operandSize',
  'instructions',
] as const;

/** Makes room for `more` events. It may replace the columns. */
export function reserveEvents(events: Events, more: number): void {
  const wanted = events.count + more;
  if (wanted <= events.record.length) return;
  const larger = createEvents(Math.max(wanted, 2 * events.record.length));
  for (const column of COLUMNS) larger[column].set(events[column]);
  Object.assign(events, { ...larger, count: events.count });
}

/** Prepares events for changes: drops `alike` and fills the columns of lean events. */
export function setApart(events: Events): void {
  const { alike, count, record } = events;
  if (alike === undefined) return;
  events.alike = undefined;
  if (events.kind.length >= count) return;
  const { numbers, each } = alike;
  const own = createEvents(count);
  for (let at = 0; at < count; at++) copyEvent(own, each, numbers[at]!, at);
  Object.assign(events, { ...own, record, count, alike: undefined });
}

/** Adds flags and instructions to an event, which then has a number of its own. */
export function addToEvent(events: Events, at: number, flags: number, instructions: number): void {
  const { alike } = events;
  if (events.kind.length > at) {
    events.flags[at]! |= flags;
    events.instructions[at]! += instructions;
  }
  if (alike === undefined) return;
  const { numbers, each } = alike;
  reserveEvents(each, 1);
  const own = each.count++;
  copyEvent(each, each, numbers[at]!, own);
  each.flags[own]! |= flags;
  each.instructions[own]! += instructions;
  numbers[at] = own;
}

/** Makes an event the call that a linked jump is; it then has a number of its own. */
export function makeCall(events: Events, at: number, { kind, flags, resumeLow, resumeHigh }: LinkedJump): void {
  const change = (its: Events, place: number): void => {
    its.kind[place] = kind;
    its.flags[place] = flags;
    its.resumeLow[place] = resumeLow;
    its.resumeHigh[place] = resumeHigh;
  };
  // Gives it a number of its own.
  addToEvent(events, at, 0, 0);
  if (events.kind.length > at) change(events, at);
  if (events.alike !== undefined) change(events.alike.each, events.alike.numbers[at]!);
}

/** Copies all columns except the record. */
export function copyEvent(into: Events, events: Events, from: number, to: number): void {
  into.kind[to] = events.kind[from]!;
  into.flags[to] = events.flags[from]!;
  into.cpu[to] = events.cpu[from]!;
  into.sourceLow[to] = events.sourceLow[from]!;
  into.sourceHigh[to] = events.sourceHigh[from]!;
  into.targetLow[to] = events.targetLow[from]!;
  into.targetHigh[to] = events.targetHigh[from]!;
  into.resumeLow[to] = events.resumeLow[from]!;
  into.resumeHigh[to] = events.resumeHigh[from]!;
  into.operandSize[to] = events.operandSize[from]!;
  into.instructions[to] = events.instructions[from]!;
}

/** Returns the events [from, to) in the same memory. */
export function sliceEvents(events: Events, from: number, to: number): Events {
  const { alike } = events;
  if (alike !== undefined && events.kind.length === 0)
    return {
      ...LEAN_COLUMNS,
      count: to - from,
      record: events.record.subarray(from, to),
      alike: { ...alike, numbers: alike.numbers.subarray(from, to) },
    };
  return {
    count: to - from,
    record: events.record.subarray(from, to),
    kind: events.kind.subarray(from, to),
    flags: events.flags.subarray(from, to),
    cpu: events.cpu.subarray(from, to),
    sourceLow: events.sourceLow.subarray(from, to),
    sourceHigh: events.sourceHigh.subarray(from, to),
    targetLow: events.targetLow.subarray(from, to),
    targetHigh: events.targetHigh.subarray(from, to),
    resumeLow: events.resumeLow.subarray(from, to),
    resumeHigh: events.resumeHigh.subarray(from, to),
    operandSize: events.operandSize.subarray(from, to),
    instructions: events.instructions.subarray(from, to),
    ...(alike && { alike: { ...alike, numbers: alike.numbers.subarray(from, to) } }),
  };
}

/** Appends the events [from, to) of `others`. */
export function appendEvents(events: Events, others: Events, from: number, to: number): void {
  setApart(events);
  if (others.kind.length < others.count) setApart(others);
  reserveEvents(events, to - from);
  for (const column of COLUMNS) events[column].set(others[column].subarray(from, to), events.count);
  events.count += to - from;
}

/** Returns a copy of all events in memory of minimal size. */
export function packEvents(events: Events): Events {
  const packed = createEvents(events.count);
  appendEvents(packed, events, 0, events.count);
  return packed;
}
