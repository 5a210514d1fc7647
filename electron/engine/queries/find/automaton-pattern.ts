/** Parses a regular expression for lines into the nodes of a non-deterministic finite automaton over ASCII. */

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

/** A part of the expression. */
type Part =
  | { readonly kind: 'bytes'; readonly has: Uint8Array }
  | { readonly kind: 'place'; readonly place: 'start' | 'end' | 'edge' | 'inside' }
  | { readonly kind: 'row'; readonly parts: readonly Part[] }
  | { readonly kind: 'choice'; readonly parts: readonly Part[] }
  | { readonly kind: 'repeat'; readonly part: Part; readonly least: number; readonly most: number };

const MOST_NODES = 2000;

/** `pattern` compiles with the flag u. Returns undefined if a finite automaton cannot express the pattern or needs too many nodes. */
export function parseLinePattern(pattern: string): Nodes | undefined {
  const part = parse(pattern);
  return part === undefined ? undefined : build(part);
}

class Refused extends Error {}

function parse(pattern: string): Part | undefined {
  let at = 0;
  try {
    return choice();
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }

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
    if (/^\\[1-9k]/.test(found)) throw new Refused();
    return { kind: 'bytes', has: bytesOf(found) };
  }

  function group(): Part {
    const opening = take(/\((?:\?(?:<?[=!]|<[^>]*>|[^:]*:))?/y);
    if (opening !== '(' && opening !== '(?:' && !/^\(\?<[^=!]/.test(opening)) throw new Refused();
    const inside = choice();
    at++;
    return inside;
  }

  function repeated(part: Part): Part {
    const found = take(/(?:[*+?]|\{\d+(?:,\d*)?\})?\??/y);
    if (found === '') return part;
    const counts = /^\{(\d+)(,?)(\d*)\}/.exec(found);
    const least = counts ? Number(counts[1]) : found.startsWith('+') ? 1 : 0;
    const most = counts
      ? counts[2] === ''
        ? least
        : counts[3] === ''
          ? Number.POSITIVE_INFINITY
          : Number(counts[3])
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
function bytesOf(atom: string): Uint8Array {
  const alone = new RegExp(`^${atom}$`, 'u');
  const has = Uint8Array.from({ length: 128 }, (_, byte) => Number(alone.test(String.fromCharCode(byte))));
  has[LF] = 0;
  has[CR] = 0;
  return has;
}

const LF = 10;
const CR = 13;

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
