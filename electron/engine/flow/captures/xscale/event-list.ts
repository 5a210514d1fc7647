/**
 * Branch events of one core with 32-bit addresses as they are found: programs go round, so those that are alike are kept once, by
 * a number that holds from one block to the next. Whoever gets the events of a block gets numbers that count from 0 there, in the
 * order in which they come, so that it does not matter what was found before.
 */
import { NO_CPU } from '../../../../../shared/records/batch.ts';
import { createEvents, setApart, type Events } from '../../../../../shared/flow/events.ts';
import type { RecordNumber } from '../../../../../shared/base/units.ts';

export interface EventList {
  /** Begins with the events of a block, in memory for so many: `roomFor` makes it. */
  begin(most: number, room: SharedArrayBuffer): void;
  /** The number of events like this. Addresses are 0 where `flags` do not say that they are known. */
  numberOf(kind: number, flags: number, source: number, target: number, resume: number, instructions: number): number;
  /** Adds events [from, to) of some: from bit 8 on the number of each, below that its record counted from `first`. */
  add(first: RecordNumber, some: Int32Array, from: number, to: number): void;
  /** Hands over all events. `lean`: without columns of their own (see Events), in the memory that was given; else in new memory. */
  take(lean: boolean): Events;
  /** How many numbers there are. */
  known(): number;
}

/** What a number stands for: as many words as processors fetch at once hold two. */
const WORD = { source: 0, target: 1, resume: 2, instructions: 3, kind: 4, flags: 5 } as const;
const WORDS = 8;

/** In what `add` takes. */
export const NUMBER_FROM = 8;
const RECORD_BITS = (1 << NUMBER_FROM) - 1;

export function createEventList(): EventList {
  let record: Float64Array = new Float64Array(0);
  /** By event: its number in the block. */
  let numbers: Int32Array = new Int32Array(0);
  let count = 0;
  let words = new Uint32Array(1024 * WORDS);
  let known = 0;
  let slots = new Int32Array(2048).fill(-1);
  /** By number: that in the block, -1 where it has none. */
  let inBlock = new Int32Array(1024).fill(-1);
  /** By number in the block: the number. */
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
        ...createEvents(0),
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
    const mask = slots.length - 1;
    let slot = hashOf(source, target, instructions) & mask;
    for (let number = slots[slot]!; number >= 0; number = slots[slot]!) {
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
      slot = (slot + 1) & mask;
    }
    if (known * 2 === slots.length) {
      grow();
      return numberOf(kind, flags, source, target, resume, instructions);
    }
    const at = known * WORDS;
    words[at + WORD.source] = source;
    words[at + WORD.target] = target;
    words[at + WORD.resume] = resume;
    words[at + WORD.instructions] = instructions;
    words[at + WORD.kind] = kind;
    words[at + WORD.flags] = flags;
    slots[slot] = known;
    return known++;
  }

  function grow(): void {
    words = grown(words, new Uint32Array(2 * words.length));
    used = grown(used, new Int32Array(2 * used.length));
    inBlock = grown(inBlock, new Int32Array(2 * inBlock.length).fill(-1));
    slots = new Int32Array(2 * slots.length).fill(-1);
    const mask = slots.length - 1;
    for (let number = 0; number < known; number++) {
      const at = number * WORDS;
      let slot = hashOf(words[at + WORD.source]!, words[at + WORD.target]!, words[at + WORD.instructions]!) & mask;
      while (slots[slot]! >= 0) slot = (slot + 1) & mask;
      slots[slot] = number;
    }
  }

  /** What those of the block are. */
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

function grown<T extends Int32Array | Uint32Array>(columns: T, larger: T): T {
  larger.set(columns);
  return larger;
}
