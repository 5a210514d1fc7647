/**
 * Searching lines at the same speed whatever the expression: one table look-up a byte, where a backtracking search may try
 * many ways at each place.
 *
 * The expression becomes a non-deterministic automaton, whose sets of states are the states of a
 * table that is filled as they are met. Whether the line's start or a word's edge stands between two bytes is decided when
 * the second one is known, so a state remembers what kind of byte the first one was.
 *
 * Refuses what a finite automaton cannot do (look-arounds, back references) and what would make too many states.
 */
import { parseLinePattern, type Node } from './automaton-pattern.ts';

export interface Automaton {
  /**
   * The first place in bytes[from, to) at which it is known that the line matches, or the line's end; -1 where none does.
   * `from` is the start of a line. What it answers of lines that are not ASCII or have a CR inside them means nothing. Undefined where the table grew too large: nothing is known then.
   */
  find(bytes: Uint8Array, from: number, to: number): number | undefined;
}

/** Bytes; those that are no ASCII lead nowhere. */
const WIDTH = 256;
const MOST_STATES = 1024;
const LF = 10;
const CR = 13;
/** What the table holds besides where to go on. */
const UNKNOWN = 0;
const MATCH = -1;

/** What stands before a place: the line's start, a word's character, another one. */
const BEFORE = { start: 0, word: 1, other: 2 } as const;
type Before = (typeof BEFORE)[keyof typeof BEFORE];

/** Undefined where the expression is refused. */
export function createAutomaton(pattern: string): Automaton | undefined {
  const parsed = parseLinePattern(pattern);
  if (parsed === undefined) return undefined;
  const { nodes, first: begin } = parsed;
  /** Whether it matters where words are. */
  const edges = nodes.some((node) => node.kind === 'place' && (node.place === 'edge' || node.place === 'inside'));
  let table = new Int32Array(WIDTH * 16);
  /** By the number of a state: its nodes in ascending order and what stands before. State 0 is none, 1 the start of a line. */
  const sets: (readonly number[])[] = [[], []];
  const befores: Before[] = [BEFORE.start, BEFORE.start];
  const numbers = new Map<string, number>();
  const first = stateOf([begin], BEFORE.start);
  /** Nothing more can match in this line. */
  const idle = stateOf([], BEFORE.other);
  table[idle * WIDTH + LF] = first * WIDTH;
  const reached = new Uint8Array(nodes.length);

  return { find };

  function find(bytes: Uint8Array, from: number, to: number): number | undefined {
    let at = from;
    let state = first * WIDTH;
    let known = table;
    for (;;) {
      // Four steps at a time, as long as each leads on.
      while (at + 4 <= to) {
        const one = known[state + bytes[at]!]!;
        if (one <= UNKNOWN) break;
        const two = known[one + bytes[at + 1]!]!;
        if (two <= UNKNOWN) break;
        const three = known[two + bytes[at + 2]!]!;
        if (three <= UNKNOWN) break;
        const four = known[three + bytes[at + 3]!]!;
        if (four <= UNKNOWN) break;
        state = four;
        at += 4;
      }
      if (at >= to) break;
      const next = known[state + bytes[at]!]!;
      if (next > UNKNOWN) {
        state = next;
        at++;
        continue;
      }
      if (next === MATCH) return at;
      if (!fill(state / WIDTH, bytes[at]!)) return undefined;
      known = table;
    }
    return isMatchAtEnd(state / WIDTH) && !(to > from && bytes[to - 1] === LF) ? to : -1;
  }

  /** Works out where the state goes to with a byte; false where that makes too many states. */
  function fill(state: number, byte: number): boolean {
    const ends = byte === LF || byte === CR;
    const set = closure(sets[state]!, befores[state]!, ends ? undefined : byte);
    let next: number;
    if (set === undefined) next = MATCH;
    else if (byte === LF) next = first * WIDTH;
    else if (byte === CR) next = idle * WIDTH;
    else {
      const after: number[] = [];
      for (const one of set) {
        const node = nodes[one]!;
        if (node.kind === 'bytes' && node.has[byte] === 1) after.push(node.next);
      }
      // What matches may begin at any place.
      after.push(begin);
      const number = stateOf(after, edges && isWord(byte) ? BEFORE.word : BEFORE.other);
      if (number < 0) return false;
      next = number * WIDTH;
    }
    table[state * WIDTH + byte] = next;
    return true;
  }

  function isMatchAtEnd(state: number): boolean {
    return state !== idle && closure(sets[state]!, befores[state]!, undefined) === undefined;
  }

  /** All nodes reached without a byte, `next` being the one that follows or undefined at the line's end; undefined for a match. */
  function closure(set: readonly number[], before: Before, next: number | undefined): readonly number[] | undefined {
    reached.fill(0);
    const found: number[] = [];
    const open = [...set];
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      if (reached[one] === 1) continue;
      reached[one] = 1;
      const node: Node = nodes[one]!;
      switch (node.kind) {
        case 'match':
          return undefined;
        case 'bytes':
          found.push(one);
          break;
        case 'fork':
          open.push(...node.next);
          break;
        case 'place':
          if (holds(node.place, before, next)) open.push(node.next);
          break;
        default:
          node satisfies never;
      }
    }
    return found;
  }

  /** The number of a state, a new one where it was not met before; -1 where there are too many. */
  function stateOf(set: readonly number[], before: Before): number {
    const sorted = [...new Set(set)].sort((a, b) => a - b);
    const key = `${String(before)} ${sorted.join(' ')}`;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    const number = numbers.size + 1;
    if (number >= MOST_STATES) return -1;
    numbers.set(key, number);
    sets[number] = sorted;
    befores[number] = before;
    if ((number + 1) * WIDTH > table.length) {
      const larger = new Int32Array(table.length * 2);
      larger.set(table);
      table = larger;
    }
    return number;
  }
}

function holds(place: 'start' | 'end' | 'edge' | 'inside', before: Before, next: number | undefined): boolean {
  switch (place) {
    case 'start':
      return before === BEFORE.start;
    case 'end':
      return next === undefined;
    case 'edge':
      return (before === BEFORE.word) !== (next !== undefined && isWord(next));
    case 'inside':
      return (before === BEFORE.word) === (next !== undefined && isWord(next));
  }
}

function isWord(byte: number): boolean {
  return /\w/.test(String.fromCharCode(byte));
}
