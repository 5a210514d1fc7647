/**
 * Parses a regular expression for lines into the nodes of a non-deterministic finite automaton over ASCII, and finds a text that every
 * match contains.
 */

export type Node =
  | { readonly kind: 'match' }
  /** has[b] is 1 if byte b is accepted. */
  | { readonly kind: 'bytes'; readonly has: Uint8Array; readonly next: number }
  | { readonly kind: 'fork'; readonly next: readonly number[] }
  | { readonly kind: 'place'; readonly place: 'start' | 'end' | 'edge' | 'inside'; readonly next: number };

export interface Nodes {
  readonly nodes: readonly Node[];
  readonly first: number;
}

export interface LinePattern {
  /** Undefined if a finite automaton cannot express the pattern or needs too many nodes. */
  readonly nodes: Nodes | undefined;
  /** The longest text that every match is known to contain. Empty if there is none. */
  readonly literal: string;
}

/** A part of the expression. */
type Part =
  /** `only` is the accepted character if no other one is accepted, ASCII or not. Otherwise it is empty. */
  | { readonly kind: 'bytes'; readonly has: Uint8Array; readonly only: string }
  | { readonly kind: 'place'; readonly place: 'start' | 'end' | 'edge' | 'inside' }
  | { readonly kind: 'row'; readonly parts: readonly Part[] }
  | { readonly kind: 'choice'; readonly parts: readonly Part[] }
  | { readonly kind: 'repeat'; readonly part: Part; readonly least: number; readonly most: number }
  | { readonly kind: 'look-around' | 'back reference' };

const MOST_NODES = 2000;

/** `pattern` compiles with the flag u. */
export function parseLinePattern(pattern: string): LinePattern {
  const part = parse(pattern);
  return { nodes: build(part), literal: literalIn(part) };
}

function parse(pattern: string): Part {
  let at = 0;
  let ignoresCase = false;
  return choice();

  function choice(): Part {
    const parts = [row()];
    while (pattern[at] === '|') {
      at++;
      parts.push(row());
    }
    return parts.length === 1 ? parts[0]! : { kind: 'choice', parts };
  }

  function row(): Part {
    const parts: Part[] = [];
    while (at < pattern.length && pattern[at] !== '|' && pattern[at] !== ')') parts.push(repeated(atom()));
    return { kind: 'row', parts };
  }

  function atom(): Part {
    const character = pattern[at]!;
    if (character === '^' || character === '$') {
      at++;
      return { kind: 'place', place: character === '^' ? 'start' : 'end' };
    }
    if (character === '(') return group();
    const found = take(ATOM);
    if (found === '\\b' || found === '\\B') return { kind: 'place', place: found === '\\b' ? 'edge' : 'inside' };
    if (/^\\[1-9k]/.test(found)) return { kind: 'back reference' };
    const has = bytesOf(found, ignoresCase);
    const byte = has.indexOf(1);
    const isOne = /^\\?[ -~]$/.test(found) && byte >= 0 && byte === has.lastIndexOf(1);
    return { kind: 'bytes', has, only: isOne ? String.fromCharCode(byte) : '' };
  }

  function group(): Part {
    const opening = take(/\((?:\?(?:<?[=!]|<[^>]*>|[^:]*:))?/y);
    const outside = ignoresCase;
    // The modifiers m and s make no difference within a line.
    const modifiers = /^\(\?([a-z]*)(?:-([a-z]*))?:/.exec(opening);
    if (modifiers !== null)
      ignoresCase = (ignoresCase || modifiers[1]!.includes('i')) && modifiers[2]?.includes('i') !== true;
    const inside = choice();
    ignoresCase = outside;
    at++;
    return /^\(\?<?[=!]/.test(opening) ? { kind: 'look-around' } : inside;
  }

  function repeated(part: Part): Part {
    const found = take(/(?:[*+?]|\{\d+(?:,\d*)?\})?\??/y);
    if (found === '') return part;
    const counts = /^\{(\d+)(?:,(\d*))?\}/.exec(found);
    const least = counts ? Number(counts[1]) : found.startsWith('+') ? 1 : 0;
    const most = counts
      ? counts[2] === undefined
        ? least
        : counts[2] === ''
          ? Number.POSITIVE_INFINITY
          : Number(counts[2])
      : found.startsWith('?')
        ? 1
        : Number.POSITIVE_INFINITY;
    return { kind: 'repeat', part, least, most };
  }

  function take(what: RegExp): string {
    what.lastIndex = at;
    const found = what.exec(pattern)?.[0] ?? '';
    at += found.length;
    return found;
  }
}

/** Matches a class, an escape or a character. */
const ATOM =
  /\[(?:\\[^]|[^\]\\])*\]|\\(?:u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[a-zA-Z]|[pP]\{[^}]*\}|k<[^>]*>|[1-9][0-9]*|[^])|[^]/uy;

/** Tests the atom as an expression of its own for each ASCII character. Line ends are excluded because no line contains them. */
function bytesOf(atom: string, ignoresCase: boolean): Uint8Array {
  const alone = new RegExp(`^${atom}$`, ignoresCase ? 'iu' : 'u');
  const has = Uint8Array.from({ length: 128 }, (_, byte) => Number(alone.test(String.fromCharCode(byte))));
  has[LF] = 0;
  has[CR] = 0;
  return has;
}

const LF = 10;
const CR = 13;

/** Returns the longest run of adjacent characters that every match of the part contains. */
function literalIn(part: Part): string {
  let longest = '';
  let run = '';
  addPart(part);
  endRun();
  return longest;

  function addPart(one: Part): void {
    if (one.kind === 'row') {
      one.parts.forEach(addPart);
    } else if (one.kind === 'bytes' && one.only !== '') {
      run += one.only;
    } else if (one.kind !== 'place' && one.kind !== 'look-around') {
      endRun();
      if (one.kind !== 'repeat' || one.least === 0) return;
      addPart(one.part);
      endRun();
    }
  }

  function endRun(): void {
    if (run.length > longest.length) longest = run;
    run = '';
  }
}

class Refused extends Error {}

function build(part: Part): Nodes | undefined {
  const nodes: Node[] = [];
  try {
    const first = add(part, put({ kind: 'match' }));
    return { nodes, first };
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }

  function put(node: Node): number {
    if (nodes.length >= MOST_NODES) throw new Refused();
    return nodes.push(node) - 1;
  }

  /** Adds the part before node `next` and returns its first node. */
  function add(one: Part, next: number): number {
    switch (one.kind) {
      case 'bytes':
        return put({ kind: 'bytes', has: one.has, next });
      case 'place':
        return put({ kind: 'place', place: one.place, next });
      case 'row':
        return one.parts.reduceRight((after, inside) => add(inside, after), next);
      case 'choice':
        return put({ kind: 'fork', next: one.parts.map((inside) => add(inside, next)) });
      case 'repeat':
        return repeat(one, next);
      default:
        throw new Refused();
    }
  }

  function repeat({ part: inside, least, most }: Extract<Part, { kind: 'repeat' }>, next: number): number {
    if (least > MOST_NODES || (most !== Number.POSITIVE_INFINITY && most > MOST_NODES)) throw new Refused();
    let first = next;
    if (most === Number.POSITIVE_INFINITY) {
      const again: number[] = [next];
      first = put({ kind: 'fork', next: again });
      again.push(add(inside, first));
    } else {
      for (let k = least; k < most; k++) first = put({ kind: 'fork', next: [next, add(inside, first)] });
    }
    for (let k = 0; k < least; k++) first = add(inside, first);
    return first;
  }
}
