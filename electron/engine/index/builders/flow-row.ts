/**
 * The branch events of a block as they lie in the index. Programs go round: events that are alike are reported once, and one that
 * follows the event that it followed before takes one byte, which the codec of the index makes next to nothing.
 *
 * A row: its runs as JSON; how many events, and how many that are not alike; those, in the order in which they come first; then
 * of each event 0 if it is the one that came after the event before when that came last, 1 if it is like none before, else its
 * number and two more.
 */
import {
  copyEvent,
  createEvents,
  LEAN_COLUMNS,
  type Events,
  type FlowPoint,
  type FlowRun,
  type FlowStretch,
  type LinkValue,
} from '../../../../shared/flow/events.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { ByteReader, ByteWriter, IndexDamaged } from '../../collections/varint.ts';
import { RowTable } from '../../collections/row-table.ts';
import { poolTask } from '../../threads/pool-task.ts';
import { unseal, type SealedRow } from '../store/packing.ts';

/** Forms of a decoded row: all events; events without their own columns (see Events) except for records; or each distinct event once. */
export type FlowReading = 'whole' | 'lean' | 'once';

/** Decodes a row on a thread of the pool. Fails with DAMAGED_ROW if it is not a row of branch events. */
export const DECODE_FLOW_ROW = poolTask<SealedFlow, FlowStretch>('decode flow row', 'survey');
export const DAMAGED_ROW = 'damaged-row';

export interface SealedFlow {
  readonly row: SealedRow;
  /** Number of the block's first record. */
  readonly first: RecordNumber;
  readonly reading: FlowReading;
  /** Memory of an earlier answer whose events are no longer needed. */
  readonly room?: SharedArrayBuffer | undefined;
}

const AS_BEFORE = 0;
const NEXT = 1;
const NUMBERED = 2;

/** Per distinct event, starting at its number times WORDS: the words that must be equal, and the number of the event that followed it last. */
const WORD = {
  source: 0,
  target: 1,
  instructions: 2,
  /** Kind, flags and operand size. */
  sort: 3,
  resume: 4,
  cpu: 5,
  sourceHigh: 6,
  targetHigh: 7,
  resumeHigh: 8,
  follower: 9,
} as const;
/** As many as lie in memory together. */
const WORDS = 16;
/** Longest code of an event, as there are fewer than 2^28 that are not alike. */
const CODE_BYTES = 4;

/** Kept from block to block: events that were reported and the records from the one before each, their places by hash, and the codes of all. */
let reported = new Int32Array(1024 * WORDS);
let steps = new Float64Array(1024);
const table = new RowTable(2048);
let codes = new Uint8Array(0);
const out = new ByteWriter();

export function encodeFlow({ events, runs }: FlowStretch): Uint8Array<ArrayBuffer> {
  const { count } = events;
  if (codes.length < count * CODE_BYTES) codes = new Uint8Array(Math.ceil(count * 1.25) * CODE_BYTES);
  table.clear();
  const { distinct, length } = putCodes(events);
  const text = new TextEncoder().encode(JSON.stringify(runs));
  out.varint(text.length);
  out.bytes(text, text.length);
  out.varint(count);
  out.varint(distinct);
  writeDistinct(distinct);
  out.bytes(codes, length);
  return out.take();
}

/** Fills `codes` and what was reported. */
function putCodes(events: Events): { readonly distinct: number; readonly length: number } {
  const { record, kind, flags, cpu, operandSize, instructions } = events;
  const { sourceLow, sourceHigh, targetLow, targetHigh, resumeLow, resumeHigh } = events;
  const count = events.count | 0;
  const to = codes;
  let known = reported;
  let knownSteps = steps;
  let length = 0;
  let distinct = 0;
  let before = -1;
  let latest = 0;
  for (let at = 0; at < count; at++) {
    const step = record[at]! - latest;
    latest = record[at]!;
    const source = sourceLow[at]! | 0;
    const target = targetLow[at]! | 0;
    const ran = instructions[at]! | 0;
    const sort = kind[at]! | (flags[at]! << 8) | (operandSize[at]! << 16);
    const resume = resumeLow[at]! | 0;
    const its = cpu[at]!;
    const sourceTop = sourceHigh[at]! | 0;
    const targetTop = targetHigh[at]! | 0;
    const resumeTop = resumeHigh[at]! | 0;
    const expected = before < 0 ? -1 : known[before * WORDS + WORD.follower]!;
    let number = expected;
    let hash = 0;
    let isSearched = false;
    let isNew = false;
    // Compares with the expected event, then with those of the same hash. One loop, so that the comparison is written and compiled once.
    for (;;) {
      if (number >= 0) {
        const from = number * WORDS;
        if (
          known[from + WORD.source] === source &&
          known[from + WORD.target] === target &&
          known[from + WORD.instructions] === ran &&
          known[from + WORD.sort] === sort &&
          known[from + WORD.resume] === resume &&
          known[from + WORD.cpu] === its &&
          known[from + WORD.sourceHigh] === sourceTop &&
          known[from + WORD.targetHigh] === targetTop &&
          known[from + WORD.resumeHigh] === resumeTop &&
          knownSteps[number] === step
        )
          break;
      } else if (isSearched) {
        isNew = true;
        distinct++;
        number = table.add(hash);
        if (distinct > knownSteps.length) {
          grow();
          known = reported;
          knownSteps = steps;
        }
        const from = number * WORDS;
        known[from + WORD.source] = source;
        known[from + WORD.target] = target;
        known[from + WORD.instructions] = ran;
        known[from + WORD.sort] = sort;
        known[from + WORD.resume] = resume;
        known[from + WORD.cpu] = its;
        known[from + WORD.sourceHigh] = sourceTop;
        known[from + WORD.targetHigh] = targetTop;
        known[from + WORD.resumeHigh] = resumeTop;
        known[from + WORD.follower] = -1;
        knownSteps[number] = step;
        break;
      }
      if (isSearched) number = table.next();
      else {
        isSearched = true;
        hash = hashOf(source, target, ran, step);
        number = table.first(hash);
      }
    }
    if (!isSearched) to[length++] = AS_BEFORE;
    else {
      let code = number + NUMBERED;
      if (isNew) code = NEXT;
      for (; code > 127; code >>>= 7) to[length++] = (code & 127) | 128;
      to[length++] = code;
      if (before >= 0) known[before * WORDS + WORD.follower] = number;
    }
    before = number;
  }
  return { distinct, length };
}

function grow(): void {
  const more = new Int32Array(reported.length * 2);
  more.set(reported);
  reported = more;
  const moreSteps = new Float64Array(steps.length * 2);
  moreSteps.set(steps);
  steps = moreSteps;
}

/** Hashes the columns that distinguish most events. */
function hashOf(source: number, target: number, instructions: number, step: number): number {
  let hash = Math.imul(target, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 15) ^ source, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13) ^ Math.imul(step, 31) ^ instructions, 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/**
 * Writes column by column, because values of one column are similar. Addresses are differences, because branches of a program are near
 * near one another.
 */
function writeDistinct(distinct: number): void {
  const end = distinct * WORDS;
  for (let number = 0; number < distinct; number++) out.signed(steps[number]!);
  for (let at = WORD.sort; at < end; at += WORDS) out.varint(reported[at]!);
  for (let at = WORD.cpu; at < end; at += WORDS) out.signed(reported[at]!);
  for (let at = WORD.instructions; at < end; at += WORDS) out.varint(reported[at]! >>> 0);
  let before = 0;
  for (let at = 0; at < end; at += WORDS) {
    const source = reported[at + WORD.source]! >>> 0;
    out.signed(source - before);
    before = reported[at + WORD.target]! >>> 0;
    out.signed(before - source);
  }
  for (let at = 0; at < end; at += WORDS)
    out.signed((reported[at + WORD.resume]! >>> 0) - (reported[at + WORD.source]! >>> 0));
  for (const word of HIGH_WORDS) for (let at: number = word; at < end; at += WORDS) out.varint(reported[at]! >>> 0);
}

const HIGH_WORDS = [WORD.sourceHigh, WORD.targetHigh, WORD.resumeHigh] as const;

/** Per event of a row: its record and its number. */
const EVENT_BYTES = Float64Array.BYTES_PER_ELEMENT + Int32Array.BYTES_PER_ELEMENT;

/** Shared memory for the records and numbers of so many events: `room`, where that is large enough. */
export function roomFor(count: number, room: SharedArrayBuffer | undefined): SharedArrayBuffer {
  if (room !== undefined && room.byteLength >= count * EVENT_BYTES) return room;
  return new SharedArrayBuffer(Math.ceil(count * 1.25) * EVENT_BYTES);
}

/**
 * Records of the row count from `first` then. Of lean events records and numbers lie in shared memory: in `room`, where that is large
 * enough. Those that come once have the row's first record, whatever theirs is.
 */
export function decodeFlow(
  bytes: Uint8Array,
  first: RecordNumber,
  reading: FlowReading = 'whole',
  room?: SharedArrayBuffer,
): FlowStretch {
  const reader = new ByteReader(bytes);
  const text = reader.bytes(reader.varint());
  // Sealed content: it is what encodeFlow wrote.
  const runs = (JSON.parse(new TextDecoder().decode(text)) as FlowRun[]).map((run) => movedRun(run, first));
  const count = reader.varint();
  const distinct = reader.varint();
  // Each takes a byte or more.
  if (distinct > count || count > bytes.length) throw new IndexDamaged('a row has more branches than bytes');
  const ways = new Float64Array(distinct);
  const each = readDistinct(reader, ways);
  if (reading === 'once') {
    const numbers = Int32Array.from({ length: each.count }, (_, number) => number);
    const record = new Float64Array(each.count).fill(first);
    return { events: { ...LEAN_COLUMNS, count: each.count, record, alike: { numbers, each } }, runs };
  }
  const memory = reading === 'lean' ? roomFor(count, room) : new ArrayBuffer(count * EVENT_BYTES);
  const record = new Float64Array(memory, 0, count);
  const numbers = new Int32Array(memory, record.byteLength, count);
  readCodes(bytes, reader.position, numbers, each.count);
  let latest = first;
  for (let at = 0; at < count; at++) {
    latest += ways[numbers[at]!]!;
    record[at] = latest;
  }
  const events: Events = {
    ...(reading === 'lean' ? LEAN_COLUMNS : createEvents(count)),
    count,
    record,
    alike: { numbers, each, ascending: ways.every((way) => way >= 0) },
  };
  if (reading === 'whole') for (let at = 0; at < count; at++) copyEvent(events, each, numbers[at]!, at);
  return { events, runs };
}

/** Unseals and decodes a row. */
export function decodeSealedFlow({ row, first, reading, room }: SealedFlow): Result<FlowStretch> {
  try {
    return ok(decodeFlow(unseal(row.place, row.bytes), first, reading, room));
  } catch (error) {
    if (error instanceof IndexDamaged) return fail(DAMAGED_ROW, error.message);
    throw error;
  }
}

/** The number of each event, from the codes that lie from `position` on. */
function readCodes(bytes: Uint8Array, position: number, numbers: Int32Array, distinct: number): void {
  const followers = new Int32Array(distinct).fill(-1);
  let at = position;
  let before = -1;
  let seen = 0;
  for (let event = 0; event < numbers.length; event++) {
    let code = bytes[at++] ?? 0;
    for (let shift = 7; shift <= 7 * (CODE_BYTES - 1) && code >= 1 << shift; shift += 7)
      code += ((bytes[at++] ?? 0) - 1) << shift;
    let number = code - NUMBERED;
    if (code === NEXT) number = seen++;
    if (code === AS_BEFORE) number = before < 0 ? -1 : followers[before]!;
    else if (before >= 0) followers[before] = number;
    if (number < 0 || number >= seen || number >= distinct) throw new IndexDamaged('a branch is like none before it');
    numbers[event] = number;
    before = number;
  }
  if (at > bytes.length) throw new IndexDamaged('a row ends early');
}

/** Returns a run whose records count from another one. */
export function movedRun(run: FlowRun, by: RecordNumber): FlowRun {
  // One that stands for no record stays as it is.
  const point = (its: FlowPoint): FlowPoint =>
    its.record < 0 ? its : { ...its, record: its.record + by, ...(its.link && { link: movedLink(its.link, by) }) };
  const { first, second, before, last, link, linked, held } = run;
  return {
    ...run,
    first: point(first),
    ...(second === undefined ? {} : { second: point(second) }),
    ...(before === undefined ? {} : { before: point(before) }),
    last: point(last),
    ...(link && { link: movedLink(link, by) }),
    ...(linked && {
      linked: linked.map((jump) => ({ ...jump, record: jump.record + by, link: movedLink(jump.link, by) })),
    }),
    ...(held && { held: held.map((one) => ({ ...one, link: movedLink(one.link, by) })) }),
  };
}

function movedLink(link: LinkValue, by: RecordNumber): LinkValue {
  return link.since === undefined ? link : { ...link, since: link.since + by };
}

/** Fills `ways` with the records from the event before. */
function readDistinct(reader: ByteReader, ways: Float64Array): Events {
  const distinct = ways.length;
  const each = createEvents(distinct);
  each.count = distinct;
  const { kind, flags, operandSize, cpu, instructions } = each;
  const { sourceLow, targetLow, resumeLow, sourceHigh, targetHigh, resumeHigh } = each;
  for (let number = 0; number < distinct; number++) ways[number] = reader.signed();
  for (let number = 0; number < distinct; number++) {
    const sort = reader.varint();
    kind[number] = sort & 0xff;
    flags[number] = (sort >> 8) & 0xff;
    operandSize[number] = sort >> 16;
  }
  for (let number = 0; number < distinct; number++) cpu[number] = reader.signed();
  for (let number = 0; number < distinct; number++) instructions[number] = reader.varint();
  let before = 0;
  for (let number = 0; number < distinct; number++) {
    const source = before + reader.signed();
    before = source + reader.signed();
    sourceLow[number] = source;
    targetLow[number] = before;
  }
  for (let number = 0; number < distinct; number++) resumeLow[number] = sourceLow[number]! + reader.signed();
  for (const column of [sourceHigh, targetHigh, resumeHigh])
    for (let number = 0; number < distinct; number++) column[number] = reader.varint();
  return each;
}
