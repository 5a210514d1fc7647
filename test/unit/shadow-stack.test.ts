// The shadow stack compared with a processor that knows its calls, and with hand-written runs.
import { describe, expect, test } from 'vitest';
import { EDGE_KINDS } from '../../electron/engine/flow/tally/call-edges.ts';
import { createCallTally, type CallTally } from '../../electron/engine/flow/tally/call-tally.ts';
import { BELOW_UNCERTAIN, FRAME, isUncertain } from '../../electron/engine/flow/stack/frames.ts';
import { createFunctions, UNKNOWN, type Functions } from '../../electron/engine/flow/functions/functions.ts';
import { createDeferredTargets } from '../../electron/engine/flow/interrupts/deferred-targets.ts';
import { createShadowStack, type ShadowStack } from '../../electron/engine/flow/stack/shadow-stack.ts';
import { createImages, NO_IMAGES, type Images } from '../../electron/engine/image/images.ts';
import { createCodeStates } from '../../electron/engine/image/code-states.ts';
import { createSymbolTable, type SymbolTable } from '../../electron/engine/image/symbols.ts';
import { BRANCH, createEvents, EVENT, type BranchKind, type Events } from '../../shared/flow/events.ts';
import { createRandom } from '../laws/random.ts';
import { BASE, entryOf, modelSymbols, runModel, SIZE, type Run } from './call-model.ts';
import { allSymbols } from './all-symbols.ts';

interface Named {
  readonly name: string;
  readonly address: bigint;
  readonly end: bigint;
}

/** Functions with sizes, unless a table says otherwise. */
function imagesOf(symbols: readonly Named[], table?: SymbolTable): Images {
  const sized = symbols.map((symbol) => ({ ...symbol, sized: true, kind: 'function', binding: 'global' }) as const);
  return createImages([
    {
      path: 'model',
      size: 0,
      digest: () => 'symbols',
      form: 'symbols',
      shift: 0n,
      segments: [],
      symbols: table ?? createSymbolTable(sized),
      states: createCodeStates([]),
      notices: [],
    },
  ]);
}

interface Traced {
  readonly functions: Functions;
  readonly tally: CallTally;
  readonly stack: ShadowStack;
}

function trace(images: Images, prepare: (functions: Functions) => void = () => undefined): Traced {
  const functions = createFunctions(images);
  prepare(functions);
  const tally = createCallTally();
  return { functions, tally, stack: createShadowStack({ functions, tally, messages: false }) };
}

/** Functions of the open frames, outermost first, by model number; -1 if unknown. */
function openFunctions({ functions, stack }: Traced): number[] {
  const { count, columns } = stack.state().frames;
  return [...columns.fn.subarray(0, count)].map((fn) => modelNumber(functions, fn));
}

function modelNumber(functions: Functions, fn: number): number {
  const address = functions.address(fn);
  return address === undefined ? -1 : (Number(address) - BASE) / SIZE;
}

function edgesOf({ functions, tally }: Traced): Map<string, number> {
  const { count, columns } = tally.edges;
  return new Map(
    Array.from({ length: count }, (_, edge) => [
      [
        modelNumber(functions, columns.caller[edge]!),
        modelNumber(functions, columns.callee[edge]!),
        `${EDGE_KINDS[columns.kind[edge]! >> 1]!}${columns.kind[edge]! & 1 ? ' inferred' : ''}`,
      ].join(' '),
      columns.times[edge]!,
    ]),
  );
}

function byFunction({ functions }: Traced, values: Float64Array): Map<number, number> {
  const found = new Map<number, number>();
  for (let fn = 0; fn < functions.count; fn++) {
    if ((values[fn] ?? 0) > 0) found.set(modelNumber(functions, fn), values[fn]!);
  }
  return found;
}

function pathsOf({ functions, tally }: Traced): Map<string, number> {
  const { columns, count } = tally.contexts;
  const found = new Map<string, number>();
  for (let node = 0; node < count; node++) {
    if (columns.self[node] === 0) continue;
    const path: number[] = [];
    for (let at = node; columns.fn[at]! >= 0; at = columns.parent[at]!)
      path.push(modelNumber(functions, columns.fn[at]!));
    const key = path.reverse().join(';');
    found.set(key, (found.get(key) ?? 0) + columns.self[node]!);
  }
  return found;
}

function sorted<K extends string | number, V>(map: ReadonlyMap<K, V>): [K, V][] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1));
}

function follow(run: Run, traced: Traced, from = 0): void {
  for (let i = from; i < run.events.count; i++) {
    traced.stack.add(run.events, i);
    const open = openFunctions(traced).join();
    if (open !== run.stacks[i]!.join()) expect(open, `after event ${i}`).toBe(run.stacks[i]!.join());
  }
  traced.stack.finish(run.events.count * 3);
}

function expectCounts(run: Run, traced: Traced): void {
  expect(sorted(edgesOf(traced))).toEqual(sorted(run.edges));
  expect(sorted(byFunction(traced, traced.tally.self.values))).toEqual(sorted(run.self));
  expect(sorted(byFunction(traced, traced.tally.total.values))).toEqual(sorted(run.total));
  expect(sorted(pathsOf(traced))).toEqual(sorted(run.paths));
}

const FUNCTIONS = 9;
const EVENTS = 3000;

describe('keeps every stack, edge, context and sum of a random run exact', () => {
  const kinds = {
    'calls and recursion': {},
    'tail calls': { tails: true },
    'nested interrupts and exceptions': { interrupts: true },
    'jumps out of many calls': { jumpsOut: true },
    'all of them': { tails: true, interrupts: true, jumpsOut: true },
  };
  for (const [name, settings] of Object.entries(kinds)) {
    test.each([1, 2, 3, 4])(`${name}, seed %i, with symbols`, (seed) => {
      const run = runModel({ seed, functions: FUNCTIONS, length: EVENTS, ...settings });
      const traced = trace(imagesOf(modelSymbols(FUNCTIONS)));
      follow(run, traced);
      expectCounts(run, traced);
      expect(traced.tally.deepest).toBe(run.deepest);
      expect(traced.tally.contexts.cut).toBe(false);
    });
  }
});

describe('without symbols', () => {
  test.each([1, 2, 3, 4])('finds functions by their entries, seed %i', (seed) => {
    const run = runModel({ seed, functions: FUNCTIONS, length: EVENTS, tails: true, interrupts: true });
    const traced = trace(NO_IMAGES, (functions) => {
      for (let fn = 0; fn < FUNCTIONS; fn++) functions.noteCall(entryOf(fn), 0, 'call', -1);
    });
    for (let i = 0; i < run.events.count; i++) {
      traced.stack.add(run.events, i);
      const [outermost, ...open] = openFunctions(traced);
      const [, ...truly] = run.stacks[i]!;
      // The function in which the trace starts is unknown until a jump to its entry point.
      expect([UNKNOWN - 1, 0]).toContain(outermost);
      if (open.join() !== truly.join()) expect(open, `after event ${i}`).toEqual(truly);
    }
    traced.stack.finish(0);
    expect(traced.tally.deepest).toBe(run.deepest);
  });
});

describe('a trace that starts in the middle of a run', () => {
  test.each([1, 2, 3, 4, 5, 6])('keeps the innermost part of the true stack and only true edges, seed %i', (seed) => {
    const run = runModel({ seed, functions: FUNCTIONS, length: EVENTS, tails: true, interrupts: true });
    const traced = trace(imagesOf(modelSymbols(FUNCTIONS)));
    let shallowest = 0;
    for (let i = deepPlace(run); i < run.events.count; i++) {
      traced.stack.add(run.events, i);
      const open = openFunctions(traced);
      const truly = run.stacks[i]!.slice(-open.length);
      if (open.join() !== truly.join()) expect(open, `after event ${i}`).toEqual(truly);
      shallowest = Math.min(shallowest, traced.stack.state().frames.base);
    }
    expect(shallowest).toBeLessThan(0);
    for (const [edge] of edgesOf(traced))
      expect([...run.edges.keys()]).toContain(edge.replace('unseen inferred', 'call').replace(' inferred', ''));
  });
});

describe('threads', () => {
  test.each([1, 2, 3, 4])("keeps the innermost part of the running thread's stack, seed %i", (seed) => {
    const run = runModel({ seed, functions: FUNCTIONS, length: EVENTS, tails: true, threads: 4 });
    const traced = trace(imagesOf(modelSymbols(FUNCTIONS)));
    let wrong = 0;
    for (let i = 0; i < run.events.count; i++) {
      traced.stack.add(run.events, i);
      const open = openFunctions(traced);
      if (open.join() !== run.stacks[i]!.slice(-open.length).join()) wrong++;
    }
    expect(wrong).toBe(0);
    expect(traced.tally.notes.resumed.count).toBeGreaterThan(10);
  });
});

/** First event after which the stack is deep. */
function deepPlace(run: Run): number {
  return run.stacks.findIndex(({ length }) => length > 10);
}

interface Branch {
  readonly kind: BranchKind;
  readonly source?: number;
  readonly target?: number;
  readonly resume?: number;
  readonly gap?: boolean;
  /** Additional bits of EVENT. */
  readonly more?: number;
}

/** Branches in order, one record and one instruction each. */
function branches(list: readonly Branch[]): Events {
  const events = createEvents(list.length);
  for (const { kind, source, target, resume, gap, more = 0 } of list) {
    const i = events.count++;
    events.record[i] = i;
    events.kind[i] = BRANCH[kind];
    events.flags[i] =
      more |
      (source === undefined ? 0 : EVENT.source) |
      (target === undefined ? 0 : EVENT.target) |
      (resume === undefined ? 0 : EVENT.resume) |
      (gap === true ? EVENT.gap : 0);
    events.sourceLow[i] = source ?? 0;
    events.targetLow[i] = target ?? 0;
    events.resumeLow[i] = resume ?? 0;
    events.instructions[i] = 1;
  }
  return events;
}

function run(traced: Traced, list: readonly Branch[]): Traced {
  const events = branches(list);
  for (let i = 0; i < events.count; i++) traced.stack.add(events, i);
  return traced;
}

const [F0, F1, F2] = [entryOf(0), entryOf(1), entryOf(2)];
const model = (): Traced => trace(imagesOf(modelSymbols(FUNCTIONS)));
const call = (source: number, target: number): Branch => ({ kind: 'call', source, target, resume: source + 4 });

test('limits recursion beyond the size of stack and context tree', () => {
  const deep = 150_000;
  const calls = Array.from({ length: deep }, () => call(F1 + 0x10, F1));
  const returns = Array.from({ length: deep }, (): Branch => ({
    kind: 'return',
    source: F1 + 0x20,
    target: F1 + 0x14,
  }));
  const traced = run(model(), [
    call(F0 + 8, F1),
    ...calls,
    ...returns,
    { kind: 'return', source: F1 + 0x20, target: F0 + 12 },
    call(F0 + 16, F2),
  ]);
  expect(openFunctions(traced)).toEqual([0, 2]);
  expect(traced.tally.notes.dropped.count).toBeGreaterThan(0);
  traced.stack.finish(0);
  expect(traced.tally.contexts.cut).toBe(true);
  expect(traced.tally.deepest).toBe(deep + 1);
  expect(byFunction(traced, traced.tally.calls.values)).toEqual(
    new Map([
      [1, deep + 1],
      [2, 1],
    ]),
  );
  // Dropped frames are not known to have been open, but the executed code is counted once.
  expect(byFunction(traced, traced.tally.self.values).get(1)).toBe(2 * deep + 1);
  expect(byFunction(traced, traced.tally.total.values).get(1)).toBe(2 * deep + 1);
});

test('opens no frame for a call that only fetches its own address', () => {
  const traced = run(model(), [call(F0 + 8, F1), { kind: 'call', source: F1 + 8, target: F1 + 12, resume: F1 + 12 }]);
  expect(openFunctions(traced)).toEqual([0, 1]);
});

test('opens a frame for a call to the function right after it', () => {
  const last = F1 - 4;
  const traced = run(model(), [{ kind: 'call', source: last, target: F1, resume: F1 }]);
  expect(openFunctions(traced)).toEqual([0, 1]);
});

test('accepts a handler that returns after the faulting instruction', () => {
  const fault: Branch = { kind: 'exception', source: F0 + 8, target: F2, resume: F0 + 8 };
  const traced = run(model(), [fault, call(F2 + 8, F1), { kind: 'return', source: F1 + 8, target: F2 + 12 }]);
  expect(openFunctions(traced)).toEqual([0, 2]);
  run(traced, [{ kind: 'return', source: F2 + 16, target: F0 + 12 }]);
  expect(openFunctions(traced)).toEqual([0]);
});

describe('a handler that a branch of unknown kind entered', () => {
  // F1 calls itself, and the inner one is interrupted. A trace without fixed vectors shows neither the interrupt nor where it resumes.
  const entered: readonly Branch[] = [
    call(F0 + 8, F1),
    call(F1 + 8, F1),
    { kind: 'unknown', source: F1 + 4, target: F2 },
  ];

  test('returns to the function that it interrupted', () => {
    const traced = run(model(), [...entered, { kind: 'return', source: F2 + 8, target: F1 + 16 }]);
    expect(openFunctions(traced)).toEqual([0, 1, 1]);
    const { count, columns } = traced.stack.state().frames;
    expect(columns.known[count - 1]! & FRAME.inferred).toBe(FRAME.inferred);
  });

  test('leaves the callers unknown if its return may also be that of the interrupted call', () => {
    const traced = run(model(), [...entered, { kind: 'return', source: F2 + 8, target: F1 + 12 }]);
    expect(openFunctions(traced)).toEqual([1]);
  });
});

test('marks the caller as inferred after a branch of unknown kind that may have returned to the same function', () => {
  // F1 calls itself. The branch leads to its own resume address: a return from the inner F1, or a jump within it.
  const traced = run(model(), [
    call(F0 + 8, F1),
    call(F1 + 8, F1),
    { kind: 'unknown', source: F1 + 4, target: F1 + 12, resume: F1 + 8 },
  ]);
  const { count, columns } = traced.stack.state().frames;
  expect(columns.known[count - 1]! & FRAME.inferred).toBe(FRAME.inferred);
});

test("treats a return to a function's entry as an inferred tail call and marks the frames below as uncertain", () => {
  const traced = run(model(), [call(F0 + 8, F1), { kind: 'return', source: F1 + 8, target: F2 }]);
  expect(openFunctions(traced)).toEqual([0, 2]);
  expect(edgesOf(traced)).toEqual(
    new Map([
      ['0 1 call', 1],
      ['1 2 tail call inferred', 1],
    ]),
  );
  expect(traced.stack.state().frames.columns.known[1]! & (FRAME.inferred | FRAME.belowUncertain)).toBe(
    FRAME.inferred | FRAME.belowUncertain,
  );
  run(traced, [{ kind: 'return', source: F2 + 8, target: F0 + 12 }]);
  expect(openFunctions(traced)).toEqual([0]);
  expect(traced.stack.state().frames.uncertain).toBe(0);
});

test('switches to the next function after falling through into it', () => {
  const traced = run(model(), [call(F0 + 8, F1), { kind: 'jump', source: F2 + 8, target: F2 + 4 }]);
  expect(openFunctions(traced)).toEqual([0, 2]);
  expect(sorted(edgesOf(traced))).toEqual([['0 1 call', 1]]);
});

test('without an image, keeps callers open while a branch of unknown kind calls and returns', () => {
  // Nothing but its resume address shows that the branch to F1 is a call, and nothing that the branch back is a return.
  const functions = createFunctions(NO_IMAGES);
  functions.setBodies([F0, F1].map((low) => ({ low, high: 0, last: low + SIZE - 4 })));
  const tally = createCallTally();
  const traced = { functions, tally, stack: createShadowStack({ functions, tally, messages: true }) };
  run(traced, [call(0x10, F0), { kind: 'unknown', source: F0 + 8, target: F1, resume: F0 + 12 }]);
  expect(openFunctions(traced)).toEqual([-1, 0, 1]);
  run(traced, [{ kind: 'unknown', source: F1 + 8, target: F0 + 12 }]);
  expect(openFunctions(traced)).toEqual([-1, 0]);
  run(traced, [{ kind: 'return', source: F0 + 16, target: 0x14 }]);
  traced.stack.finish(0);
  // Three messages came while F0 was open.
  expect(byFunction(traced, traced.tally.total.values).get(0)).toBe(3);
});

test('closes all frames at a gap', () => {
  const traced = run(model(), [
    call(F0 + 8, F1),
    call(F1 + 8, F2),
    { kind: 'jump', source: F1 + 0x40, target: F1 + 0x20, gap: true },
  ]);
  expect(openFunctions(traced)).toEqual([1]);
  // The same return address proves nothing here: the frame may be a new one.
  run(traced, [{ kind: 'return', source: F1 + 0x44, target: F0 + 12 }]);
  expect(openFunctions(traced)).toEqual([0]);
  expect(traced.tally.notes.lost.count).toBe(1);
  expect(traced.tally.notes.below.count).toBe(1);
});

test('without symbols, treats a jump back to the caller as a return, but not one inside a recursive function', () => {
  const back = run(trace(NO_IMAGES), [call(F0 + 8, F1), { kind: 'jump', source: F1 + 8, target: F0 + 12 }]);
  expect(back.stack.state().frames.count).toBe(1);
  const within = run(trace(NO_IMAGES), [
    call(F0 + 8, F1),
    call(F1 + 8, F1),
    { kind: 'jump', source: F1 + 4, target: F1 + 12 },
  ]);
  expect(within.stack.state().frames.count).toBe(3);
});

test('without symbols, unwinds to an open function if a jump leads to one of its return addresses', () => {
  const jumped = run(trace(NO_IMAGES), [
    call(0x10, F0),
    call(F0 + 8, F2),
    { kind: 'return', source: F2 + 8, target: F0 + 12 },
    call(F0 + 16, F1),
    call(F1 + 8, F2),
    // First back to its own return address, as in any loop, then like longjmp.
    call(F2 + 8, F2),
    { kind: 'return', source: F2 + 4, target: F2 + 12 },
    { kind: 'jump', source: F2 + 20, target: F2 + 12 },
    { kind: 'jump', source: F2 + 20, target: F0 + 12 },
  ]);
  expect(openFunctions(jumped)).toEqual([-1, 0]);
  expect(jumped.stack.state().frames.columns.known[1]! & FRAME.inferred).toBe(FRAME.inferred);
  expect(jumped.tally.notes.unwound.count).toBe(1);
});

test('without symbols, marks frames as inferred after a jump to a function that is not open', () => {
  const place = F0 + 0x10000;
  const called: readonly Branch[] = [
    call(place, F0),
    call(F0 + 8, F1),
    { kind: 'return', source: F1 + 8, target: F0 + 12 },
    { kind: 'return', source: F0 + 16, target: place + 4 },
    call(place, F2),
    call(F2 + 8, F1),
  ];
  const open = (how: Branch): readonly number[] => {
    const { stack } = run(trace(NO_IMAGES), [...called, how]);
    return [...stack.state().frames.columns.known.subarray(1, stack.state().frames.count)].map(
      (known) => known & FRAME.inferred,
    );
  };
  // Like longjmp to a function not known to be open, and like a signal to a handler that nothing calls.
  expect(open({ kind: 'jump', source: F1 + 8, target: F0 + 12 })).toEqual([0, FRAME.inferred]);
  expect(open({ kind: 'unknown', source: F1 + 8, target: F0 + 8, resume: F1 + 12, more: EVENT.broken })).toEqual([
    0,
    FRAME.inferred,
  ]);
  expect(open({ kind: 'jump', source: F1 + 8, target: F1 + 16 })).toEqual([0, 0]);
});

test('marks a call into the middle of the calling function as inferred', () => {
  const traced = run(model(), [call(F0 + 8, F1), call(F1 + 8, F1 + 0x20)]);
  expect(openFunctions(traced)).toEqual([0, 1, 1]);
  expect(edgesOf(traced)).toEqual(
    new Map([
      ['0 1 call', 1],
      ['1 1 call inferred', 1],
    ]),
  );
  expect([...traced.stack.state().frames.columns.known.subarray(0, 3)].map((known) => known & FRAME.inferred)).toEqual([
    ...[0, 0],
    FRAME.inferred,
  ]);
  // Without symbols a function begins at that address.
  const nameless = run(trace(NO_IMAGES), [call(F0 + 8, F1), call(F1 + 8, F1 + 0x20)]);
  expect(nameless.stack.state().frames.columns.known[2]! & FRAME.inferred).toBe(0);
});

describe('a computed jump into the middle of another function', () => {
  const land = (target: number): Branch => ({ kind: 'jump', source: F2 + 8, target, more: EVENT.computed });
  const marks = ({ stack }: Traced): readonly number[] => {
    const { columns, count } = stack.state().frames;
    return [...columns.known.subarray(0, count).map((known) => known & (FRAME.inferred | FRAME.belowUncertain))];
  };

  test('closes the calls above an open function, as a caught exception does', () => {
    const traced = run(model(), [call(F0 + 8, F1), call(F1 + 8, F0 + 0x200), call(F0 + 0x204, F2), land(F1 + 0x20)]);
    expect(openFunctions(traced)).toEqual([0, 1]);
    expect(marks(traced)).toEqual([0, FRAME.inferred]);
    expect(traced.tally.notes.unwound.count).toBe(1);
    run(traced, [{ kind: 'return', source: F1 + 0x24, target: F0 + 12 }]);
    expect(openFunctions(traced)).toEqual([0]);
    expect(marks(traced)).toEqual([0]);
  });

  test('marks the innermost frame of a function that is open several times as uncertain', () => {
    const traced = run(model(), [call(F0 + 8, F1), call(F1 + 8, F1), call(F1 + 8, F2), land(F1 + 0x20)]);
    expect(openFunctions(traced)).toEqual([0, 1, 1]);
    expect(marks(traced)).toEqual([0, 0, FRAME.inferred | FRAME.belowUncertain]);
  });

  test('marks the frames below as uncertain if the function is not open or the jump follows a tail call', () => {
    const closed = run(model(), [call(F0 + 8, F2), land(F1 + 0x20)]);
    expect(openFunctions(closed)).toEqual([0, 1]);
    expect(marks(closed)).toEqual([0, FRAME.inferred | FRAME.belowUncertain]);
    const F3 = F2 + (F2 - F1);
    const tail = run(model(), [
      call(F0 + 8, F1),
      call(F1 + 8, F3),
      { kind: 'jump', source: F3 + 8, target: F2 },
      land(F1 + 0x20),
    ]);
    expect(openFunctions(tail)).toEqual([0, 1, 1]);
    expect(marks(tail)).toEqual([0, 0, FRAME.inferred | FRAME.belowUncertain]);
  });
});

test('treats decreasing addresses between messages as missing messages', () => {
  const functions = createFunctions(imagesOf(modelSymbols(FUNCTIONS)));
  const tally = createCallTally();
  const traced = { functions, tally, stack: createShadowStack({ functions, tally, messages: true }) };
  run(traced, [call(F0 + 8, F2), { kind: 'jump', source: F1 + 8, target: F1 + 4 }]);
  expect(openFunctions(traced)).toEqual([1]);
  expect(tally.notes.lost.count).toBe(1);
});

describe('messages without targets', () => {
  const messages = (): Traced => {
    const functions = createFunctions(imagesOf(modelSymbols(FUNCTIONS)));
    const tally = createCallTally();
    return { functions, tally, stack: createShadowStack({ functions, tally, messages: true }) };
  };
  const NOWHERE = 0x10;
  /** Open functions, outermost first, with a question mark if a frame may be closed. */
  const shown = ({ functions, stack }: Traced): string => {
    const { frames } = stack.state();
    return [...frames.columns.fn.subarray(0, frames.count)]
      .map((fn, i) => {
        const name = fn === UNKNOWN ? '-' : String(modelNumber(functions, fn));
        const mayBeOver =
          i + 1 < frames.count && (frames.columns.known[i + 1]! & (FRAME.maybeJumped | BELOW_UNCERTAIN)) !== 0;
        return `${name}${(frames.columns.known[i]! & FRAME.inferred) !== 0 || mayBeOver ? '?' : ''}`;
      })
      .join(' ');
  };
  const expectUncertainCount = ({ stack }: Traced): void => {
    const { frames } = stack.state();
    const doubtful = frames.columns.known.subarray(0, frames.count).filter((known) => isUncertain(known));
    expect(frames.uncertain).toBe(doubtful.length);
  };

  test('marks frames as uncertain after a call with an unseen return', () => {
    // F1 calls code outside of the image, which returns unseen; then F1 returns.
    const traced = run(messages(), [
      call(F0 + 8, F1),
      { kind: 'call', source: F1 + 8, resume: F1 + 12 },
      { kind: 'unknown', source: NOWHERE },
      { kind: 'return', source: F1 + 16 },
    ]);
    expect(shown(traced)).toBe('0? 1?');
    expectUncertainCount(traced);
    run(traced, [{ kind: 'return', source: F0 + 16 }]);
    expect(shown(traced)).toBe('0?');
    expectUncertainCount(traced);
  });

  test('takes the next function that runs for the called one, and returns to its caller', () => {
    const traced = run(messages(), [
      call(F0 + 8, F1),
      { kind: 'call', source: F1 + 8, resume: F1 + 12 },
      call(F2 + 8, F2),
      { kind: 'return', source: F2 + 8, target: F2 + 12 },
    ]);
    expect(shown(traced)).toBe('0 1 2?');
    run(traced, [{ kind: 'return', source: F2 + 16 }]);
    expect(shown(traced)).toBe('0 1');
    expectUncertainCount(traced);
  });

  test('counts frames that become uncertain later', () => {
    const traced = run(messages(), [
      call(F0 + 8, F1),
      call(F1 + 8, F1),
      { kind: 'return', source: F1 + 16 },
      { kind: 'jump', source: F2 + 8, target: F2 + 4 },
    ]);
    expect(shown(traced)).toBe('0? 2?');
    expectUncertainCount(traced);
    run(traced, [{ kind: 'return', source: F2 + 12, target: F0 + 12 }]);
    expectUncertainCount(traced);
  });
});

test('opens no frame for ends known to 16 bytes, and counts them to a function that contains all 16', () => {
  const functions = createFunctions(
    imagesOf([
      { name: 'a', address: 0x1000n, end: 0x1018n },
      { name: 'b', address: 0x1018n, end: 0x1040n },
    ]),
  );
  const tally = createCallTally();
  const stack = createShadowStack({ functions, tally, messages: true });
  const events = branches([
    { kind: 'unknown', source: 0x1000, target: 0x1020 },
    { kind: 'unknown', source: 0x1010, target: 0x1020 },
    { kind: 'call', source: 0x1030, target: 0x1000, resume: 0x1030 },
  ]);
  events.flags.forEach((flags, i) => (events.flags[i] = flags | EVENT.granular));
  for (let i = 0; i < events.count; i++) stack.add(events, i);
  expect(stack.state().frames.count).toBe(1);
  expect(tally.edges.count).toBe(0);
  stack.finish(events.count);
  const selfAt = (address: number): number => tally.self.values[functions.owner(address, 0)]!;
  expect([selfAt(0x1000), tally.self.values[UNKNOWN], selfAt(0x1020)]).toEqual([1, 1, 1]);
});

test('local labels belong to the preceding global label until they are called', () => {
  const label = (name: string, address: bigint, binding: 'global' | 'local') => {
    return { name, address, end: 0x2000n, sized: false, kind: 'label', binding } as const;
  };
  const table = createSymbolTable([
    label('reset', 0x1000n, 'global'),
    label('copy', 0x1020n, 'local'),
    label('clear', 0x1040n, 'local'),
    label('handler', 0x1060n, 'global'),
  ]);
  const functions = createFunctions(imagesOf(allSymbols(table), table));
  const at = (address: number): bigint | undefined => functions.address(functions.owner(address, 0));
  expect([0x1000, 0x1024, 0x1048, 0x1060, 0x1064].map(at)).toEqual([0x1000n, 0x1000n, 0x1000n, 0x1060n, 0x1060n]);
  expect([0x1000, 0x1020, 0x1060].map((address) => functions.begins(address, 0))).toEqual([true, false, true]);
  // A called address begins a function, even with a local label.
  functions.noteCall(0x1040, 0, 'call', 5);
  expect([0x1024, 0x1048, 0x1064].map(at)).toEqual([0x1000n, 0x1040n, 0x1060n]);
  expect(functions.begins(0x1040, 0)).toBe(true);
});

test.each([1, 2, 3, 4])('counts all executed records once for any events, seed %i', (seed) => {
  const random = createRandom(seed);
  const events = createEvents(5000);
  const address = (): number => BASE + 4 * random.below((FUNCTIONS * SIZE) / 4 + 64);
  for (let i = 0; i < 5000; i++) {
    events.count++;
    events.record[i] = i;
    events.kind[i] = random.below(7);
    events.flags[i] = random.below(64) & (random.below(20) === 0 ? 63 : ~(EVENT.gap | EVENT.granular));
    events.sourceLow[i] = address();
    events.targetLow[i] = random.below(4) === 0 ? entryOf(random.below(FUNCTIONS)) : address();
    events.resumeLow[i] = address();
    events.instructions[i] = random.below(10);
  }
  const ran = events.instructions.reduce((sum, count) => sum + count, 0);
  for (const images of [NO_IMAGES, imagesOf(modelSymbols(FUNCTIONS))]) {
    const traced = trace(images);
    for (let i = 0; i < events.count; i++) traced.stack.add(events, i);
    traced.stack.finish(events.count);
    const { contexts, self, total } = traced.tally;
    const sumOf = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0);
    expect(sumOf(self.values)).toBe(ran);
    expect(sumOf(contexts.columns.self.subarray(0, contexts.count))).toBe(ran);
    // No function takes more than the total or less than its self count.
    for (let fn = 0; fn < traced.functions.count; fn++) {
      expect(total.values[fn] ?? 0).toBeLessThanOrEqual(ran);
      expect(total.values[fn] ?? 0).toBeGreaterThanOrEqual(self.values[fn] ?? 0);
    }
  }
});

describe('interrupts that hide a branch target', () => {
  const HANDLER = entryOf(7);
  const interrupt = (source?: number, more = 0): Branch => ({
    ...(source !== undefined && { source, resume: source }),
    kind: 'interrupt',
    target: HANDLER,
    more,
  });
  const back = (target: number): Branch => ({ kind: 'return', source: HANDLER + 8, target });

  /** Runs events in which a branch without a target shares its record with the next interrupt, and collects the resolved targets. */
  function deferred(list: readonly Branch[]): { traced: Traced; reported: string[]; events: Events } {
    const reported: string[] = [];
    const functions = createFunctions(imagesOf(modelSymbols(FUNCTIONS)));
    const tally = createCallTally();
    const stack = createShadowStack({
      ...{ functions, tally, messages: false },
      onHiddenTarget: (at, low, _, surprises) =>
        reported.push(`${at} ${low.toString(16)}${surprises ? ' surprising' : ''}`),
    });
    const events = branches(list);
    for (let i = 1; i < events.count; i++)
      if ((events.flags[i - 1]! & EVENT.target) === 0) events.record[i] = events.record[i - 1]!;
    const traced = { functions, tally, stack };
    for (let i = 0; i < events.count; i++) stack.add(events, i);
    return { traced, reported: reported, events };
  }

  const hasUncertainFrame = ({ stack }: Traced): boolean => {
    const { columns, count } = stack.state().frames;
    return columns.known.subarray(0, count).some((known) => (known & BELOW_UNCERTAIN) !== 0);
  };

  test('takes a hidden return to lead to its caller until the interrupt returns there', () => {
    const start: readonly Branch[] = [call(F0 + 8, F1), { kind: 'return', source: F1 + 8 }, interrupt()];
    const open = deferred(start);
    expect(openFunctions(open.traced)).toEqual([0, 7]);
    expect(hasUncertainFrame(open.traced)).toBe(true);
    expect(open.traced.tally.notes.hidden.count).toBe(1);
    const over = deferred([...start, back(F0 + 12)]);
    expect(openFunctions(over.traced)).toEqual([0]);
    expect(over.reported).toEqual([`1 ${(F0 + 12).toString(16)}`]);
    expect(over.traced.tally.notes.hidden.count).toBe(0);
  });

  test('reports another hidden target, also for an interrupt right after another one', () => {
    const jump: Branch = { kind: 'jump', source: F1 + 8 };
    const { reported } = deferred([
      call(F0 + 8, F1),
      jump,
      interrupt(),
      { kind: 'return', source: HANDLER + 8 },
      interrupt(),
      back(F2),
    ]);
    expect(reported).toEqual([`3 ${F2.toString(16)} surprising`, `1 ${F2.toString(16)} surprising`]);
  });

  test('fills events with deferred targets', () => {
    const later = createDeferredTargets();
    later.targetsOf(0)(1, F2, 0, true);
    const { events } = deferred([call(F0 + 8, F1), { kind: 'jump', source: F1 + 8 }, interrupt(), back(F2)]);
    later.fill(events);
    const traced = model();
    const stacks = Array.from({ length: events.count }, (_, i) => {
      traced.stack.add(events, i);
      return openFunctions(traced);
    });
    expect(stacks).toEqual([
      [0, 1],
      [0, 2],
      [0, 2, 7],
      [0, 2],
    ]);
  });

  test.each([
    ['that fills the link register is a call', EVENT.link, F2, [0, 1, 2]],
    ['that pops registers is a return if a caller resumes at its target', EVENT.pops, F0 + 12, [0]],
    ['of any other kind is a jump', 0, F2, [0, 2]],
  ] as const)('a branch that an interrupt cut from an instruction %s', (_, more, target, wanted) => {
    const cut: Branch = { kind: 'unknown', source: F1 + 8, target, resume: F1 + 12 };
    const { traced } = deferred([call(F0 + 8, F1), interrupt(F1 + 8, more), back(F1 + 8), cut]);
    expect(openFunctions(traced)).toEqual(wanted);
    const { count, columns } = traced.stack.state().frames;
    expect(columns.known.subarray(0, count).some((known) => (known & FRAME.inferred) !== 0)).toBe(false);
  });
});
