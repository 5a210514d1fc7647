// Random programs as a compiler lays them out: functions of fixed instructions (x86 lengths) with conditions, loops with exits,
// switches through tables, direct and indirect calls, and tail calls. A run knows every call, and records what branch messages
// report: the source and target of each taken branch.
import { BRANCH, createEvents, EVENT, type Events } from '../../shared/flow/events.ts';
import { createRandom, type Random } from '../laws/random.ts';

type Operation = 'plain' | 'condition' | 'guard' | 'jump' | 'switch' | 'call' | 'pointer' | 'tail' | 'return';

interface Instruction {
  readonly operation: Operation;
  readonly address: number;
  readonly length: number;
  /** Possible targets: addresses, or function numbers for calls. */
  targets: number[];
}

interface Program {
  readonly code: ReadonlyMap<number, Instruction>;
  readonly entries: readonly number[];
}

export interface CodeRun {
  /** All events have unknown kind; the resume columns hold the address after each branch. */
  readonly events: Events;
  readonly calls: ReadonlySet<number>;
  readonly returns: ReadonlySet<number>;
  /** Per event: entry points of the open functions after the event, outermost first. */
  readonly stacks: readonly (readonly number[])[];
  /** `caller callee` by entry points -> number of calls. */
  readonly edges: ReadonlyMap<string, number>;
  /** Number of calls that returned. */
  readonly returned: number;
}

const BASE = 0x40_0000;
const FUNCTIONS = 12;

export function runCode(seed: number, length: number): CodeRun {
  const random = createRandom(seed);
  const { code, entries } = program(random);
  const events = createEvents(length);
  const stacks: (readonly number[])[] = [];
  const calls = new Set<number>();
  const returns = new Set<number>();
  const edges = new Map<string, number>();
  const open: { readonly resume: number; entry: number }[] = [{ resume: 0, entry: entries[0]! }];
  let returned = 0;
  let pc = entries[0]!;

  while (events.count < length) {
    const { operation, address, length: bytes, targets } = code.get(pc)!;
    const next = address + bytes;
    const chosen = targets[random.below(targets.length)]!;
    switch (operation) {
      case 'plain':
        pc = next;
        break;
      case 'condition':
      case 'guard':
        pc = random.below(6) < (operation === 'guard' ? 5 : 2) ? chosen : next;
        if (pc === chosen) branch(address, pc, next);
        break;
      case 'jump':
      case 'switch':
        pc = chosen;
        branch(address, pc, next);
        break;
      case 'tail': {
        pc = entries[chosen]!;
        open.at(-1)!.entry = pc;
        branch(address, pc, next);
        break;
      }
      case 'call':
      case 'pointer': {
        const callee = entries[chosen]!;
        calls.add(address);
        const edge = `${open.at(-1)!.entry} ${callee}`;
        edges.set(edge, (edges.get(edge) ?? 0) + 1);
        open.push({ resume: next, entry: callee });
        pc = callee;
        branch(address, pc, next);
        break;
      }
      case 'return': {
        returns.add(address);
        returned++;
        pc = open.pop()!.resume;
        branch(address, pc, next);
        break;
      }
    }
  }
  return { events, calls, returns, stacks, edges, returned };

  function branch(source: number, target: number, behind: number): void {
    const i = events.count++;
    events.record[i] = i;
    events.kind[i] = BRANCH.unknown;
    events.flags[i] = EVENT.source | EVENT.target;
    events.sourceLow[i] = source;
    events.targetLow[i] = target;
    events.resumeLow[i] = behind;
    stacks.push(open.map(({ entry }) => entry));
  }
}

function program(random: Random): Program {
  const code = new Map<number, Instruction>();
  const entries: number[] = [];
  let at = BASE;
  for (let fn = 0; fn < FUNCTIONS; fn++) {
    entries.push(at);
    plain();
    block(fn, 3);
    // The first function never returns.
    if (fn === 0) put('jump', 5, [entries[0]!]);
    else if (random.below(6) === 0 && fn < FUNCTIONS - 1) put('tail', 5, [fn + 1]);
    else put('return', random.below(4) === 0 ? 3 : 1, []);
    at += random.below(16);
  }
  return { code, entries };

  function put(operation: Operation, length: number, targets: number[]): Instruction {
    const instruction = { operation, address: at, length, targets };
    code.set(at, instruction);
    at += length;
    return instruction;
  }

  function plain(): void {
    for (let count = 1 + random.below(3); count > 0; count--) put('plain', 1 + random.below(6), []);
  }

  function block(fn: number, depth: number): void {
    for (let count = 1 + random.below(3); count > 0; count--) {
      plain();
      const choice = random.below(depth > 0 ? 10 : 3);
      if (choice < 3) call(fn);
      else if (choice < 5) either(fn, depth - 1);
      else if (choice < 7) loop(fn, depth - 1);
      else if (choice < 8) choose(fn, depth - 1);
      else plain();
    }
  }

  /** Callees have higher numbers, except for guarded recursion, which is rarely executed. */
  function call(fn: number): void {
    if (fn === FUNCTIONS - 1) return;
    if (fn > 0 && random.below(5) === 0) {
      const guard = put('guard', short(), []);
      put('call', 5, [fn]);
      guard.targets = [at];
      return;
    }
    const callee = fn + 1 + random.below(FUNCTIONS - 1 - fn);
    if (random.below(4) > 0) put('call', 5, [callee]);
    else put('pointer', 2 + random.below(6), [callee, fn + 1 + random.below(FUNCTIONS - 1 - fn)]);
  }

  function either(fn: number, depth: number): void {
    const condition = put('condition', short(), []);
    block(fn, depth);
    const end = random.below(2) === 0 ? put('jump', shortJump(), []) : undefined;
    condition.targets = [at];
    if (end === undefined) return;
    block(fn, depth);
    end.targets = [at];
  }

  /** A loop with its test at the end or `for (;;)`, and an exit in the middle to the address right after its last jump. */
  function loop(fn: number, depth: number): void {
    const start = at;
    plain();
    const exit = put('condition', short(), []);
    block(fn, depth);
    if (random.below(2) === 0) put('jump', shortJump(), [start]);
    else put('condition', short(), [start]);
    exit.targets = [at];
  }

  /** A switch whose cases each end with a jump to its end, right before the next case. */
  function choose(fn: number, depth: number): void {
    const table = put('switch', 7, []);
    const ends: Instruction[] = [];
    for (let cases = 3 + random.below(3); cases > 0; cases--) {
      table.targets.push(at);
      plain();
      if (random.below(2) === 0) block(fn, depth - 1);
      if (cases > 1) ends.push(put('jump', shortJump(), []));
    }
    for (const end of ends) end.targets = [at];
  }

  function short(): number {
    return random.below(3) > 0 ? 2 : 6;
  }

  function shortJump(): number {
    return random.below(3) > 0 ? 2 : 5;
  }
}
