/**
 * Collects the branch events of a block of captures. Programs loop, so equal events are stored once, under a number that stays valid from
 * block to block. The events of a block are numbered again from 0 in order of appearance, so that they do not depend on earlier blocks.
 */
import { NO_CPU } from '../../../../../shared/records/batch.ts';
import { createEvents, LEAN_COLUMNS, setApart, type Events } from '../../../../../shared/flow/events.ts';
import { longer } from '../../../collections/columns.ts';
import { RowTable } from '../../../collections/row-table.ts';
import type { RecordNumber } from '../../../../../shared/base/units.ts';

export interface EventList {
  /** Starts a block with at most `most` events. `room` is memory from `roomFor(most)`. */
  begin(most: number, room: SharedArrayBuffer): void;
  /** Returns the number of an event with these properties. Addresses are 0 unless `flags` mark them as known. */
  numberOf(kind: number, flags: number, source: number, target: number, resume: number, instructions: number): number;
  /** Adds `some[from..to)`. Each element is an event number, shifted left by NUMBER_FROM, with the record relative to `first` below. */
  add(first: RecordNumber, some: Int32Array, from: number, to: number): void;
  /** Returns all events of the block. `lean`: without columns of their own (see `Events.alike`), in the given memory; otherwise in new memory. */
  take(lean: boolean): Events;
  /** Returns how many distinct events have a number. */
  known(): number;
}

/** Layout of an event in `words`. Two events fill one cache line. */
const WORD = { source: 0, target: 1, resume: 2, instructions: 3, kind: 4, flags: 5 } as const;
const WORDS = 8;

/** Position of the event number in the elements that `add` takes. */
export const NUMBER_FROM = 8;
const RECORD_BITS = (1 << NUMBER_FROM) - 1;

export function createEventList(): EventList {
  let record: Float64Array = new Float64Array(0);
  /** By event: number in the block. */
  let numbers: Int32Array = new Int32Array(0);
  let count = 0;
  let words = new Uint32Array(1024 * WORDS);
  let known = 0;
  const rows = new RowTable(1024);
  /** By event number: number in the block, -1 if it does not occur there. */
  let inBlock = new Int32Array(1024).fill(-1);
  /** By number in the block: event number. */
  let used = new Int32Array(1024);
  let distinct = 0;

  return {
    known: () => known,
    begin(most, room) {
      record = new Float64Array(room, 0, most);
      numbers = new Int32Array(room, record.byteLength, most);
    },
    numberOf,
    add(first, some, from, to) {
      for (let i = from; i < to; i++) {
        const number = some[i]! >>> NUMBER_FROM;
        let own = inBlock[number]!;
        if (own < 0) {
          own = distinct++;
          inBlock[number] = own;
          used[own] = number;
        }
        record[count] = first + (some[i]! & RECORD_BITS);
        numbers[count++] = own;
      }
    },
    take(lean) {
      const events: Events = {
        ...LEAN_COLUMNS,
        count,
        record: record.subarray(0, count),
        alike: { numbers: numbers.subarray(0, count), each: each() },
      };
      for (let own = 0; own < distinct; own++) inBlock[used[own]!] = -1;
      count = distinct = 0;
      if (lean) return events;
      setApart(events);
      return { ...events, record: events.record.slice() };
    },
  };

  function numberOf(
    kind: number,
    flags: number,
    source: number,
    target: number,
    resume: number,
    instructions: number,
  ): number {
    const hash = hashOf(source, target, instructions);
    for (let number = rows.first(hash); number >= 0; number = rows.next()) {
      const at = number * WORDS;
      if (
        words[at + WORD.source] === source &&
        words[at + WORD.target] === target &&
        words[at + WORD.resume] === resume &&
        words[at + WORD.instructions] === instructions &&
        words[at + WORD.kind] === kind &&
        words[at + WORD.flags] === flags
      )
        return number;
    }
    if (known === used.length) grow();
    const at = known * WORDS;
    words[at + WORD.source] = source;
    words[at + WORD.target] = target;
    words[at + WORD.resume] = resume;
    words[at + WORD.instructions] = instructions;
    words[at + WORD.kind] = kind;
    words[at + WORD.flags] = flags;
    rows.add(hash);
    return known++;
  }

  function grow(): void {
    const larger = new Uint32Array(2 * words.length);
    larger.set(words);
    words = larger;
    used = longer(used, 2 * known);
    inBlock = longer(inBlock, 2 * known, -1);
  }

  /** Returns the distinct events of the block as columns. */
  function each(): Events {
    const events = createEvents(distinct);
    events.count = distinct;
    events.cpu.fill(NO_CPU);
    for (let own = 0; own < distinct; own++) {
      const at = used[own]! * WORDS;
      events.sourceLow[own] = words[at + WORD.source]!;
      events.targetLow[own] = words[at + WORD.target]!;
      events.resumeLow[own] = words[at + WORD.resume]!;
      events.instructions[own] = words[at + WORD.instructions]!;
      events.kind[own] = words[at + WORD.kind]!;
      events.flags[own] = words[at + WORD.flags]!;
    }
    return events;
  }
}

function hashOf(source: number, target: number, instructions: number): number {
  const hash = Math.imul(source ^ Math.imul(target, 0x85ebca6b) ^ (instructions << 24), 0x9e3779b1);
  return hash ^ (hash >>> 15);
}
