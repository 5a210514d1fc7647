/**
 * Searches lines at the same speed for every expression: one table look-up a byte, where a backtracking search may try many ways at each
 * position.
 *
 * The expression becomes a non-deterministic automaton. Its sets of nodes are the states of a table that is filled on demand. A line start
 * or word boundary between two bytes is recognised at the second byte, so a state includes the class of the preceding byte.
 */
import type { Node, Nodes } from './automaton-pattern.ts';

export interface Automaton {
  /**
   * Returns the first position in bytes[from, to) at which a line is known to match, or the end of that line, or -1 if no line matches.
   * `from` is the start of a line. The result is meaningless for lines that are not ASCII or that contain a CR before their end. Returns
   * undefined if the table grew too large.
   */
  find(bytes: Uint8Array, from: number, to: number): number | undefined;
}

/** Number of byte values. Bytes that are not ASCII match nothing. */
const WIDTH = 256;
const MOST_STATES = 1024;
const LF = 10;
const CR = 13;
/** Table values other than the next state. */
const UNKNOWN = 0;
const MATCH = -1;

/** Class of the preceding byte: line start, word character, or another character. */
const BEFORE = { start: 0, word: 1, other: 2 } as const;
type Before = (typeof BEFORE)[keyof typeof BEFORE];

export function createAutomaton({ nodes, first: begin }: Nodes): Automaton {
  /** True if the expression contains word boundaries. */
  const edges = nodes.some((node) => node.kind === 'place' && (node.place === 'edge' || node.place === 'inside'));
  let table = new Int32Array(WIDTH * 16);
  /** Nodes of each state, in ascending order, and its preceding byte class. State 0 is unused, and state 1 is the start of a line. */
  const sets: (readonly number[])[] = [[], []];
  const befores: Before[] = [BEFORE.start, BEFORE.start];
  const numbers = new Map<string, number>();
  const first = stateOf([begin], BEFORE.start);
  /** State in which nothing more can match in this line. */
  const idle = stateOf([], BEFORE.other);
  table[idle * WIDTH + LF] = first * WIDTH;
  const reached = new Uint8Array(nodes.length);

  return { find };

  function find(bytes: Uint8Array, from: number, to: number): number | undefined {
    let at = from;
    let state = first * WIDTH;
    let known = table;
    for (;;) {
      // Take four steps at a time while each one leads to a known state.
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

  /** Computes the transition of a state for a byte. Returns false if there would be too many states. */
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
      // A match may begin at any position.
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

  /**
   * Returns all nodes reached without consuming a byte, or undefined on a match. `next` is the following byte, or undefined at a line end.
   */
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

  /** Returns the number of a state, which is created on first use, or -1 if there are too many states. */
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
