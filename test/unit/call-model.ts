// Processor that runs random programs with known functions. It writes the branch events of a run and records every
// call with stacks of its own. Function f occupies the bytes [BASE + f * SIZE, + SIZE).
import { BRANCH, createEvents, EVENT, type Events } from '../../shared/flow/events.ts';

export const BASE = 0x1_0000;
export const SIZE = 0x1000;

export interface ModelSettings {
  readonly seed: number;
  readonly functions: number;
  /** Minimum number of events. */
  readonly length: number;
  readonly depth?: number;
  readonly interrupts?: boolean;
  readonly jumpsOut?: boolean;
  readonly tails?: boolean;
  /** Number of stacks that take turns. */
  readonly threads?: number;
}

/** True frame of the model. */
export interface TrueFrame {
  fn: number;
  /** Return address; undefined for the outermost frame. */
  readonly resume: number | undefined;
  pc: number;
  /** Return addresses of calls that it made and that have returned. */
  readonly resumed: number[];
}

export interface Run {
  readonly events: Events;
  /** Per event: the functions of the open frames after the event, outermost first. */
  readonly stacks: readonly (readonly number[])[];
  /** `caller callee kind` -> count. */
  readonly edges: ReadonlyMap<string, number>;
  /** Path of functions, outermost first, joined by `;` -> instructions. */
  readonly paths: ReadonlyMap<string, number>;
  readonly self: ReadonlyMap<number, number>;
  /** Instructions that ran while the function was open. */
  readonly total: ReadonlyMap<number, number>;
  readonly deepest: number;
}

export function runModel(settings: ModelSettings): Run {
  const { functions, length, depth: mostDepth = 12, threads = 1 } = settings;
  const next = generator(settings.seed);
  const below = (n: number): number => next() % n;
  // Each thread has its own addresses, except entries: threads that resume at the same address cannot be distinguished.
  const STEP = 4 * threads;
  const firstOf = (fn: number): number => entryOf(fn) + 4 * (all.indexOf(stack) + 1);
  const events = createEvents(length + 64);
  const stacks: (readonly number[])[] = [];
  const edges = new Map<string, number>();
  const paths = new Map<string, number>();
  const self = new Map<number, number>();
  const total = new Map<number, number>();
  const all: TrueFrame[][] = Array.from({ length: threads }, (_, i) => [
    { fn: i, resume: undefined, pc: entryOf(i) + 4 * (i + 1), resumed: [] },
  ]);
  let stack = all[0]!;
  let deepest = 0;
  let since = 0;

  while (events.count < length) {
    straight((threads > 1 ? 2 : 1) + below(6));
    const choice = below(100);
    const isDeep = stack.length > mostDepth;
    if (choice < 30 && !isDeep) call('call', below(functions));
    else if (choice < 36 && settings.interrupts === true && !isDeep) {
      call(below(2) === 0 ? 'exception' : 'interrupt', functions - 1 - below(2));
    } else if (choice < 42 && settings.tails === true && stack.length > 1) tail(below(functions));
    else if (choice < 46 && settings.jumpsOut === true && stack.length > 1) jumpOut();
    else if (choice < 50 && threads > 1) switchTo(all[below(threads)]!);
    else if (choice < 65) jump();
    else if (stack.length > 1) goBack();
    else jump();
  }
  return { events, stacks, edges, paths, self, total, deepest };

  function top(): TrueFrame {
    return stack.at(-1)!;
  }

  /** Plain instructions; the last one will branch. */
  function straight(count: number): void {
    const frame = top();
    const end = entryOf(frame.fn) + SIZE - 0x100;
    for (let i = 0; i < count; i++) {
      if (i > 0 && frame.pc < end) frame.pc = frame.pc === entryOf(frame.fn) ? firstOf(frame.fn) : frame.pc + STEP;
      executed();
    }
  }

  function executed(): void {
    since++;
    const fns = stack.map(({ fn }) => fn);
    add(paths, fns.join(';'), 1);
    add(self, top().fn, 1);
    for (const fn of new Set(fns)) add(total, fn, 1);
  }

  function call(kind: 'call' | 'exception' | 'interrupt', callee: number): void {
    const frame = top();
    const source = frame.pc;
    const resume = kind === 'interrupt' ? source : source + STEP;
    count(frame.fn, callee, kind);
    frame.pc = resume;
    stack.push({ fn: callee, resume, pc: entryOf(callee), resumed: [] });
    emit(BRANCH[kind], source, entryOf(callee), resume);
  }

  function tail(callee: number): void {
    const frame = top();
    const source = frame.pc;
    if (callee !== frame.fn) count(frame.fn, callee, 'tail call');
    frame.fn = callee;
    frame.pc = entryOf(callee);
    frame.resumed.length = 0;
    emit(BRANCH.jump, source, frame.pc);
  }

  function jump(): void {
    const frame = top();
    const source = frame.pc;
    frame.pc = firstOf(frame.fn) + STEP * below(Math.floor(800 / threads));
    emit(BRANCH.jump, source, frame.pc);
  }

  function goBack(): void {
    const { pc, resume } = stack.pop()!;
    top().pc = resume!;
    top().resumed.push(resume!);
    emit(BRANCH.return, pc, resume!);
  }

  /** Like longjmp: to the return address of an earlier call by an outer function. */
  function jumpOut(): void {
    const outer = below(stack.length - 1);
    const { fn, resumed } = stack[outer]!;
    const to = resumed[0];
    if (to === undefined || stack.slice(outer + 1).some((frame) => frame.fn === fn)) return;
    if (stack.some(({ resume }) => resume !== undefined && Math.abs(resume - to) < 32)) return;
    const source = top().pc;
    stack.length = outer + 1;
    top().pc = to;
    emit(BRANCH.return, source, to);
  }

  /** A thread switch is called on one stack and returns on another, to that stack's return address. */
  function switchTo(other: TrueFrame[]): void {
    if (other === stack) return;
    const source = top().pc;
    // The last function switches threads; both are inside a call of it.
    const switcher = functions - 1;
    const site = source;
    const frame = top();
    frame.pc = site + STEP;
    count(frame.fn, switcher, 'call');
    stack.push({ fn: switcher, resume: site + STEP, pc: entryOf(switcher), resumed: [] });
    emit(BRANCH.call, site, entryOf(switcher), site + STEP);
    executed();
    const leave = top().pc;
    stack = other;
    if (top().fn === switcher && top().resume !== undefined) {
      const { resume } = stack.pop()!;
      top().pc = resume!;
    }
    emit(BRANCH.return, leave, top().pc);
  }

  function emit(kind: number, source: number, target: number, resume?: number): void {
    const i = events.count++;
    events.record[i] = i * 3;
    events.kind[i] = kind;
    events.flags[i] = EVENT.source | EVENT.target | (resume === undefined ? 0 : EVENT.resume);
    events.sourceLow[i] = source;
    events.targetLow[i] = target;
    events.resumeLow[i] = resume ?? 0;
    events.instructions[i] = since;
    since = 0;
    stacks.push(stack.map(({ fn }) => fn));
    deepest = Math.max(deepest, stack.length - 1);
  }

  function count(caller: number, callee: number, kind: string): void {
    add(edges, `${caller} ${callee} ${kind}`, 1);
  }
}

export function entryOf(fn: number): number {
  return BASE + fn * SIZE;
}

/** An image that contains only symbols, one per function. */
export function modelSymbols(functions: number): { name: string; address: bigint; end: bigint }[] {
  return Array.from({ length: functions }, (_, fn) => ({
    name: `f${fn}`,
    address: BigInt(entryOf(fn)),
    end: BigInt(entryOf(fn) + SIZE),
  }));
}

function add<K>(map: Map<K, number>, key: K, by: number): void {
  map.set(key, (map.get(key) ?? 0) + by);
}

/** Xorshift: whole numbers from 0 to 2^32 - 1. */
function generator(seed: number): () => number {
  let state = (seed * 2654435761 + 1) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state;
  };
}
