/**
 * Branch events: where each processor left its straight run, in one shape for every format.
 *
 * Messages (BTM, XScale, branch stacks, branch messages of BYU) are events as they stand. Instruction traces have one where the
 * next instruction of a processor is not the one behind the last, and where the last one is a call or a return all the same.
 * A conditional branch that was not taken is no event.
 */
/**
 * What a branch is, by what its instruction says or what it was for. `exception`: the instruction itself caused it (SWI, INT n,
 * undefined, aborts); `interrupt`: from outside; `sequential`: a message without a branch (serialising instructions);
 * `unknown`: the processor went on elsewhere and nothing tells why. A kind's position is its code: append only.
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
  /** The target columns hold the address that was gone on with. */
  target: 2,
  /** The kind, or an end, was concluded from other events and not read from the instruction or the message. */
  inferred: 4,
  /** Ends are known to 16 bytes only: the low four bits are 0. */
  granular: 8,
  /** The resume columns hold where it goes on when the branch is undone: behind a call, at what an interrupt kept from running. */
  resume: 16,
  /**
   * What the processor did between its event before and this one is not in the trace: a capture, a sample begins here. Of executed
   * instructions such an event is no branch: it has its target alone, and the instructions before the gap.
   */
  gap: 32,
  /**
   * Of interrupts and exceptions: what ran right before left the address behind the next instruction in the link register; took
   * registers from the stack. A jump that comes next, once it is over, is a call then; may be a return.
   */
  link: 64,
  pops: 128,
  /** Of returns: it ends an exception or interrupt (IRET, ERET, MRET). */
  ends: 64,
  /** Of jumps: where it goes its instruction does not say, but a register or memory. */
  computed: 64,
  /**
   * Of calls, returns and jumps: where it goes its instruction does not say, and the processor may have handlers of interrupts
   * anywhere. It may have been interrupted right behind it, and the target be a handler.
   */
  indirect: 128,
  /** Of unknown branches: the instruction is none, and would have been gone on from with that in the resume columns; it is one that goes elsewhere. */
  broken: 64,
  strayed: 128,
} as const;

/** Events in the order of their records, as columns; where records run against time, in the order of time. */
export interface Events {
  count: number;
  /** The record with which the target is reached, or that is the message; counted from whatever the reader counts from. */
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
  /** Operand or code size in bits at the source, where a message tells it; else 0. */
  operandSize: Uint8Array<ArrayBuffer>;
  /** Instructions that this cpu executed since its event before, the one at the source included; 0 where the trace does not count them. */
  instructions: Uint32Array<ArrayBuffer>;
  /**
   * Absent where nobody looked. Whoever changes events calls `setApart` before. Who asks for it may get events that have nothing
   * but this and their records until then: all other columns are empty.
   */
  alike?: AlikeEvents | undefined;
}

/** Events that are alike in all columns but the record have one number. */
export interface AlikeEvents {
  /** By event. */
  readonly numbers: Int32Array;
  /** By number; its records mean nothing. */
  readonly each: Events;
  /** Known to be so: no record is before the one before it. */
  readonly ascending?: boolean;
}

/** What a FlowReader (format.ts) read in one go. */
export interface FlowStretch {
  readonly events: Events;
  /** Of each cpu that executed anything: where it began and ended. Messages have runs only where some are left open. */
  readonly runs: readonly FlowRun[];
}

/** Small, flat, storable. */
export interface FlowRun {
  readonly cpu: number;
  /** The first instruction in the stretch: before it no event of this cpu is known. Of messages it has the size 0. */
  readonly first: FlowPoint;
  /** The second one where it is not right behind the first: what led there depends on what was before the first. */
  readonly second?: FlowPoint;
  /** What ran right before `last`, where that may say what it is. */
  readonly before?: FlowPoint;
  /** The last one, and how many since the last event, or since `second`, it included. */
  readonly last: FlowPoint;
  readonly since: number;
  /** Nothing is known of what it did behind `last`. */
  readonly gap?: boolean;
  /** What the trace's own numbers of instructions tell; absent where it has none. */
  readonly numbers?: FlowNumbers;
}

/**
 * Numbers of a run's first and last instruction, as the trace has them, -1 where it has none. They count the instructions of each
 * cpu, or those of all: then number less place is the same everywhere, where a place is how many instructions of any cpu the stretch
 * has before.
 */
export interface FlowNumbers {
  readonly first: number;
  readonly last: number;
  readonly firstPlace: number;
  /** Once other stretches follow it counts back from where the last one of them ends. */
  readonly lastPlace: number;
  /** Instructions of all cpus in the stretch. */
  readonly all: number;
  /** Something there shows that the instructions of each cpu are counted. */
  readonly each: boolean;
}

/** A run as it is with what came before it. */
export interface JoinedRun {
  readonly run: FlowRun;
  /** Instructions before it that no event has counted: the cpu's next event has them beside its own. */
  readonly carried: number;
}

/** `branch` of an instruction that is none. */
export const NO_BRANCH = -1;

/** An executed instruction with all that tells what came of it. */
export interface FlowPoint {
  readonly record: number;
  readonly addressLow: number;
  readonly addressHigh: number;
  readonly size: number;
  /** What kind of branch it is if it is one, by code of BRANCH_KINDS; NO_BRANCH where it is none. */
  readonly branch: number;
  /** Something that its reader needs beside that; 0 where nothing. */
  readonly mark: number;
  /** Meaningful where the reader's marks say so. */
  readonly targetLow: number;
  readonly targetHigh: number;
}

export function createEvents(capacity = 1024): Events {
  return {
    count: 0,
    record: new Float64Array(capacity),
    kind: new Uint8Array(capacity),
    flags: new Uint8Array(capacity),
    cpu: new Int16Array(capacity),
    sourceLow: new Uint32Array(capacity),
    sourceHigh: new Uint32Array(capacity),
    targetLow: new Uint32Array(capacity),
    targetHigh: new Uint32Array(capacity),
    resumeLow: new Uint32Array(capacity),
    resumeHigh: new Uint32Array(capacity),
    operandSize: new Uint8Array(capacity),
    instructions: new Uint32Array(capacity),
  };
}

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

/** Gives the columns room for `more` events behind those they hold: they may be other arrays then. */
export function reserveEvents(events: Events, more: number): void {
  const wanted = events.count + more;
  if (wanted <= events.record.length) return;
  const larger = createEvents(Math.max(wanted, 2 * events.record.length));
  for (const column of COLUMNS) larger[column].set(events[column]);
  Object.assign(events, { ...larger, count: events.count });
}

/** Forgets which of the events are alike, as they are going to be changed: all columns are their own then. */
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

/** Gives an event more flags and instructions; it stays like no other. */
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

/** All columns but the record. */
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

/** The events [from, to) in the same memory. */
export function sliceEvents(events: Events, from: number, to: number): Events {
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
    ...(events.alike && {
      alike: { ...events.alike, numbers: events.alike.numbers.subarray(from, to) },
    }),
  };
}

/** Appends the events [from, to) of others. */
export function appendEvents(events: Events, others: Events, from: number, to: number): void {
  setApart(events);
  if (others.kind.length < others.count) setApart(others);
  reserveEvents(events, to - from);
  for (const column of COLUMNS) events[column].set(others[column].subarray(from, to), events.count);
  events.count += to - from;
}

/** All events in memory of their own, no larger than they need. */
export function packEvents(events: Events): Events {
  const packed = createEvents(events.count);
  appendEvents(packed, events, 0, events.count);
  return packed;
}
