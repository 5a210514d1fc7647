/**
 * The branch events of a block as they lie in the index. Programs go round: an event that follows the one it followed before
 * takes one byte, which the codec of the index makes next to nothing.
 */
import {
  copyEvent,
  createEvents,
  packEvents,
  reserveEvents,
  type Events,
  type FlowPoint,
  type FlowRun,
  type FlowStretch,
} from '../../../shared/flow.ts';
import type { RecordNumber } from '../../../shared/units.ts';
import { ByteReader, ByteWriter, IndexDamaged } from '../store/varint.ts';

/** How an event is told: as the one that came after the event before when that came last, anew with all its columns, or by number. */
const AS_BEFORE = 0;
const NEW = 1;
const NUMBERED = 2;

/** Kept from block to block: by event the records from the one before; by number of a distinct event where it is first, and what followed it last. */
let stepRoom = new Float64Array(0);
let firstRoom = new Int32Array(0);
let followerRoom = new Int32Array(0);
const out = new ByteWriter();

export function encodeFlow({ events, runs }: FlowStretch): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(JSON.stringify(runs));
  out.varint(text.length);
  for (const byte of text) out.byte(byte);
  const { count } = events;
  out.varint(count);
  if (stepRoom.length < count) {
    const room = Math.ceil(count * 1.25);
    stepRoom = new Float64Array(room);
    firstRoom = new Int32Array(room);
    followerRoom = new Int32Array(room);
  }
  const steps = stepRoom;
  const firsts = firstRoom;
  const followers = followerRoom;
  putSteps(events, steps);
  let distinct = 0;
  let slots = new Int32Array(1024).fill(-1);
  let before = -1;
  for (let at = 0; at < count; at++) {
    const expected = before < 0 ? -1 : followers[before]!;
    if (expected >= 0 && isSame(events, steps, firsts[expected]!, at)) {
      out.byte(AS_BEFORE);
      before = expected;
      continue;
    }
    let slot = hashOf(events, steps, at) & (slots.length - 1);
    let number = slots[slot]!;
    while (number >= 0 && !isSame(events, steps, firsts[number]!, at)) {
      slot = (slot + 1) & (slots.length - 1);
      number = slots[slot]!;
    }
    if (number >= 0) out.varint(NUMBERED + number);
    else {
      out.byte(NEW);
      writeColumns(out, events, steps, at);
      number = distinct++;
      firsts[number] = at;
      followers[number] = -1;
      slots[slot] = number;
      if (distinct * 2 > slots.length) slots = rehashed(slots.length * 2, number);
    }
    if (before >= 0) followers[before] = number;
    before = number;
  }
  return out.take();

  function rehashed(length: number, last: number): Int32Array<ArrayBuffer> {
    const larger = new Int32Array(length).fill(-1);
    for (let number = 0; number <= last; number++) {
      let slot = hashOf(events, steps, firsts[number]!) & (length - 1);
      while (larger[slot]! >= 0) slot = (slot + 1) & (length - 1);
      larger[slot] = number;
    }
    return larger;
  }
}

/** What is of each event of a row: its record and its number. */
const EVENT_BYTES = Float64Array.BYTES_PER_ELEMENT + Int32Array.BYTES_PER_ELEMENT;

/** Shared memory for the records and numbers of so many events: `room`, where that is large enough. */
export function roomFor(count: number, room: SharedArrayBuffer | undefined): SharedArrayBuffer {
  if (room !== undefined && room.byteLength >= count * EVENT_BYTES) return room;
  return new SharedArrayBuffer(Math.ceil(count * 1.25) * EVENT_BYTES);
}

/**
 * Records of the row count from `first` then. `lean`: events have no columns of their own (see Events), but for their records; those
 * and their numbers lie in shared memory: in `room`, where that is large enough.
 */
export function decodeFlow(
  bytes: Uint8Array,
  first: RecordNumber,
  lean = false,
  room?: SharedArrayBuffer,
): FlowStretch {
  const reader = new ByteReader(bytes);
  const text = new Uint8Array(reader.varint());
  for (let at = 0; at < text.length; at++) text[at] = reader.byte();
  // Sealed content: it is what encodeFlow wrote.
  const runs = JSON.parse(new TextDecoder().decode(text)) as FlowRun[];
  const count = reader.varint();
  const memory = lean ? roomFor(count, room) : new ArrayBuffer(count * EVENT_BYTES);
  const record = new Float64Array(memory, 0, count);
  const numbers = new Int32Array(memory, record.byteLength, count);
  /** By number: what is alike, the records from the event before, and the number of what followed last. */
  const each = createEvents(0);
  let steps = new Float64Array(0);
  let followers = new Int32Array(0);
  let before = -1;
  let latest = first;
  for (let at = 0; at < count; at++) {
    const how = reader.varint();
    let number = how - NUMBERED;
    if (how === AS_BEFORE) number = before < 0 ? -1 : followers[before]!;
    else if (how === NEW) {
      number = each.count;
      if (number === steps.length) {
        reserveEvents(each, Math.max(256, number));
        steps = grown(steps, new Float64Array(each.record.length));
        followers = grown(followers, new Int32Array(each.record.length));
      }
      steps[number] = readColumns(reader, each, number, before < 0 ? 0 : each.targetLow[before]!);
      followers[number] = -1;
      each.count++;
    }
    if (number < 0 || number >= each.count) throw new IndexDamaged('a branch is like none before it');
    latest += steps[number]!;
    record[at] = latest;
    numbers[at] = number;
    if (before >= 0) followers[before] = number;
    before = number;
  }
  const events: Events = {
    ...createEvents(lean ? 0 : count),
    count,
    record,
    alike: { numbers, each: packEvents(each) },
  };
  if (!lean) for (let at = 0; at < count; at++) copyEvent(events, each, numbers[at]!, at);
  return { events, runs: runs.map((run) => moved(run, first)) };
}

function grown<T extends Float64Array | Int32Array>(columns: T, larger: T): T {
  larger.set(columns);
  return larger;
}

function moved(run: FlowRun, by: RecordNumber): FlowRun {
  // One that stands for no record stays as it is.
  const point = (its: FlowPoint): FlowPoint => (its.record < 0 ? its : { ...its, record: its.record + by });
  const { first, second, before, last } = run;
  return {
    ...run,
    first: point(first),
    ...(second === undefined ? {} : { second: point(second) }),
    ...(before === undefined ? {} : { before: point(before) }),
    last: point(last),
  };
}

function putSteps({ record, count }: Events, steps: Float64Array): void {
  let before = 0;
  for (let at = 0; at < count; at++) {
    steps[at] = record[at]! - before;
    before = record[at]!;
  }
}

function isSame(events: Events, steps: Float64Array, a: number, b: number): boolean {
  return (
    events.targetLow[a] === events.targetLow[b] &&
    events.sourceLow[a] === events.sourceLow[b] &&
    steps[a] === steps[b] &&
    events.instructions[a] === events.instructions[b] &&
    events.kind[a] === events.kind[b] &&
    events.flags[a] === events.flags[b] &&
    events.cpu[a] === events.cpu[b] &&
    events.resumeLow[a] === events.resumeLow[b] &&
    events.operandSize[a] === events.operandSize[b] &&
    events.targetHigh[a] === events.targetHigh[b] &&
    events.sourceHigh[a] === events.sourceHigh[b] &&
    events.resumeHigh[a] === events.resumeHigh[b]
  );
}

/** Of the columns that tell most events apart. */
function hashOf({ targetLow, sourceLow, instructions }: Events, steps: Float64Array, at: number): number {
  let hash = Math.imul(targetLow[at]!, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15) ^ sourceLow[at]!, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13) ^ Math.imul(steps[at]!, 31) ^ instructions[at]!, 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** Addresses as the way from the one before: within a program they lie near one another. */
function writeColumns(out: ByteWriter, events: Events, steps: Float64Array, at: number): void {
  const source = events.sourceLow[at]!;
  out.signed(steps[at]!);
  out.byte(events.kind[at]!);
  out.byte(events.flags[at]!);
  out.signed(events.cpu[at]!);
  out.byte(events.operandSize[at]!);
  out.varint(events.instructions[at]!);
  out.signed(source - (at === 0 ? 0 : events.targetLow[at - 1]!));
  out.varint(events.sourceHigh[at]!);
  out.signed(events.targetLow[at]! - source);
  out.varint(events.targetHigh[at]!);
  out.signed(events.resumeLow[at]! - source);
  out.varint(events.resumeHigh[at]!);
}

/** Answers the records from the event before, whose target is given. */
function readColumns(reader: ByteReader, events: Events, at: number, target: number): number {
  const step = reader.signed();
  events.kind[at] = reader.byte();
  events.flags[at] = reader.byte();
  events.cpu[at] = reader.signed();
  events.operandSize[at] = reader.byte();
  events.instructions[at] = reader.varint();
  const source = reader.signed() + target;
  events.sourceLow[at] = source;
  events.sourceHigh[at] = reader.varint();
  events.targetLow[at] = reader.signed() + source;
  events.targetHigh[at] = reader.varint();
  events.resumeLow[at] = reader.signed() + source;
  events.resumeHigh[at] = reader.varint();
  return step;
}
