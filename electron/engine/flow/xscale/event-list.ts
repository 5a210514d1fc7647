/** Branch events of one core with 32-bit addresses as they are found: programs go round, so those that are alike are kept once. */
import { NO_CPU } from '../../../../shared/batch.ts';
import { createEvents, setApart, type Events } from '../../../../shared/flow.ts';

export interface EventList {
  /** Makes room for so many more. */
  reserve(more: number): void;
  /** Addresses are 0 where `flags` do not say that they are known. */
  add(
    record: number,
    kind: number,
    flags: number,
    source: number,
    target: number,
    resume: number,
    instructions: number,
  ): void;
  /** Hands over all events; `lean`: without columns of their own (see Events). None is left. */
  take(lean: boolean): Events;
}

/** What a number stands for: as many words as processors fetch at once hold two. */
const WORD = { source: 0, target: 1, resume: 2, instructions: 3, kind: 4, flags: 5 } as const;
const WORDS = 8;

export function createEventList(): EventList {
  let record = new Float64Array(1024);
  let numbers = new Int32Array(1024);
  let count = 0;
  let words = new Uint32Array(1024 * WORDS);
  let distinct = 0;
  let slots = new Int32Array(2048).fill(-1);

  return {
    reserve(more) {
      if (count + more <= numbers.length) return;
      const room = Math.max(count + more, 2 * numbers.length);
      record = grown(record, new Float64Array(room));
      numbers = grown(numbers, new Int32Array(room));
    },
    add(at, kind, flags, source, target, resume, instructions) {
      record[count] = at;
      numbers[count++] = numberOf(kind, flags, source, target, resume, instructions);
    },
    take(lean) {
      const events: Events = {
        ...createEvents(0),
        count,
        record: record.slice(0, count),
        alike: { numbers: numbers.slice(0, count), each: eventsOf(words, distinct) },
      };
      count = distinct = 0;
      slots.fill(-1);
      if (!lean) setApart(events);
      return events;
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
    if (distinct * 2 === slots.length) {
      grow();
      return numberOf(kind, flags, source, target, resume, instructions);
    }
    const at = distinct * WORDS;
    words[at + WORD.source] = source;
    words[at + WORD.target] = target;
    words[at + WORD.resume] = resume;
    words[at + WORD.instructions] = instructions;
    words[at + WORD.kind] = kind;
    words[at + WORD.flags] = flags;
    slots[slot] = distinct;
    return distinct++;
  }

  function grow(): void {
    words = grown(words, new Uint32Array(2 * words.length));
    slots = new Int32Array(2 * slots.length).fill(-1);
    const mask = slots.length - 1;
    for (let number = 0; number < distinct; number++) {
      const at = number * WORDS;
      let slot = hashOf(words[at + WORD.source]!, words[at + WORD.target]!, words[at + WORD.instructions]!) & mask;
      while (slots[slot]! >= 0) slot = (slot + 1) & mask;
      slots[slot] = number;
    }
  }
}

function eventsOf(words: Uint32Array, count: number): Events {
  const events = createEvents(count);
  events.count = count;
  events.cpu.fill(NO_CPU);
  for (let number = 0; number < count; number++) {
    const at = number * WORDS;
    events.sourceLow[number] = words[at + WORD.source]!;
    events.targetLow[number] = words[at + WORD.target]!;
    events.resumeLow[number] = words[at + WORD.resume]!;
    events.instructions[number] = words[at + WORD.instructions]!;
    events.kind[number] = words[at + WORD.kind]!;
    events.flags[number] = words[at + WORD.flags]!;
  }
  return events;
}

function hashOf(source: number, target: number, instructions: number): number {
  const hash = Math.imul(source ^ Math.imul(target, 0x85ebca6b) ^ (instructions << 24), 0x9e3779b1);
  return hash ^ (hash >>> 15);
}

function grown<T extends Float64Array | Int32Array | Uint32Array>(columns: T, larger: T): T {
  larger.set(columns);
  return larger;
}
