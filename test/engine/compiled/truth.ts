/**
 * Open calls at each instruction of a run, from the stack pointer: a call is closed when execution is back at its return address with
 * the same stack, an exception when its end is executed. It guesses no address and uses no convention except the stack, so it shares
 * nothing with the reader of calls.
 */
import { counted, type CallTruth } from '../expect-calls.ts';
import type { CompiledFunction } from './compile.ts';
import type { Branch, Ran, Run } from './run.ts';

export interface Truth {
  /** Per instruction: functions that are open while it executes, outermost first. */
  readonly stacks: readonly (readonly string[])[];
  /** Calls in order; `at`: the instruction that the call reaches. */
  readonly calls: readonly TrueCall[];
  /** Every activation of a function. */
  readonly spans: readonly TrueSpan[];
}

export interface TrueCall {
  readonly caller: string;
  readonly callee: string;
  readonly kind: 'call' | 'tail call' | 'exception' | 'interrupt';
  readonly at: number;
}

export interface TrueSpan {
  readonly fn: string;
  readonly depth: number;
  readonly from: number;
  readonly to: number;
}

/** The same in the form needed for traces with one record per instruction. */
export function callTruthOf({ stacks, calls, spans }: Truth): CallTruth {
  return {
    stacks,
    edges: (from, to) =>
      counted(
        calls
          .filter(({ at }) => at >= from && at < to)
          .map(({ caller, callee, kind }) => `${caller} ${callee} ${kind}`),
      ),
    spans: (from, to) =>
      spans
        .map((span) => ({ ...span, from: Math.max(from, span.from), to: Math.min(to, span.to) }))
        .filter((span) => span.from < span.to)
        .map((span) => `${span.fn} ${span.depth} ${span.from} ${span.to}`)
        .sort(),
  };
}

/** Symbols by address. */
export interface Names {
  /** The canonical name of a function with several names. */
  at(address: number): string;
  begins(address: number): boolean;
  /** Address for any of its names. */
  canonical(name: string): string;
}

export function namesOf(functions: readonly CompiledFunction[]): Names {
  const sorted = functions.toSorted((a, b) => a.address - b.address);
  const byAddress = new Map<number, string>();
  const canonical = new Map<string, string>();
  for (const { name, address } of sorted) {
    if (!byAddress.has(address)) byAddress.set(address, name);
    canonical.set(name, byAddress.get(address)!);
  }
  const known = new Map<number, string>();
  const find = (address: number): string => {
    const found = sorted.findLast((each) => each.address <= address);
    // Compilers put nameless code between the functions.
    const isNameless = found === undefined || (found.end > found.address && address >= found.end);
    return isNameless ? `0x${address.toString(16)}` : byAddress.get(found.address)!;
  };
  return {
    at(address) {
      const name = known.get(address) ?? find(address);
      known.set(address, name);
      return name;
    },
    begins: (address) => byAddress.has(address),
    canonical: (name) => canonical.get(name) ?? name,
  };
}

interface Frame {
  fn: string;
  since: number;
  readonly resume: number;
  /** Stack pointer when the call is closed. */
  readonly sp: number;
  readonly interrupts: boolean;
}

/** `pushed`: bytes that a call puts on the stack. */
export function truthOf({ ran }: Run, names: Names, pushed: number): Truth {
  const stacks: (readonly string[])[] = [];
  const calls: TrueCall[] = [];
  const spans: TrueSpan[] = [];
  const frames: Frame[] = [];
  let open: readonly string[] = [];
  const top = (): Frame => frames.at(-1)!;
  enter(names.at(ran[0]!.address), 0, -1, Number.POSITIVE_INFINITY, false);

  ran.forEach((each, i) => {
    for (const { target, resume } of each.interruptions) {
      const callee = names.at(target);
      calls.push({ caller: top().fn, callee, kind: 'interrupt', at: i });
      enter(callee, i, resume, 0, true);
    }
    // Falls through from one function into the next.
    if (names.at(each.address) !== top().fn) become(names.at(each.address), i);
    stacks.push(open);
    if (each.branch !== undefined) follow(each, each.branch, i + 1);
  });
  while (frames.length > 0) leave(ran.length);
  return { stacks, calls, spans };

  function follow({ address, sp }: Ran, branch: Branch, at: number): void {
    const { kind, target } = branch;
    const there = names.at(target);
    if (kind === 'sequential') return;
    if (kind === 'call' || kind === 'exception') {
      calls.push({ caller: top().fn, callee: there, kind, at });
      enter(there, at, branch.resume!, sp + (kind === 'call' ? pushed : 0), kind === 'exception');
      return;
    }
    if (branch.ends === true) {
      while (!top().interrupts) leave(at);
      leave(at);
      return;
    }
    if (names.at(address) === 'go_back' && there !== 'go_back') {
      while (!top().interrupts && (top().sp <= sp || top().fn !== there)) leave(at);
      return;
    }
    const bound = frames.findLastIndex(({ interrupts }) => interrupts);
    const over = frames.findLastIndex((frame, f) => f > bound && frame.resume === target && frame.sp === sp);
    if (over >= 0) {
      while (frames.length > over) leave(at);
    } else if (names.begins(target)) {
      if (there === top().fn) return;
      calls.push({ caller: top().fn, callee: there, kind: 'tail call', at });
      become(there, at);
    } else if (there !== top().fn) {
      // A helper that returns elsewhere in its caller, found by its stored return address.
      if (!branch.direct && top().sp === sp && frames.at(-2)?.fn === there && !top().interrupts) leave(at);
      else become(there, at);
    }
  }

  function enter(fn: string, since: number, resume: number, sp: number, interrupts: boolean): void {
    frames.push({ fn, since, resume, sp, interrupts });
    open = frames.map((frame) => frame.fn);
  }

  function leave(at: number): void {
    const { fn, since } = frames.pop()!;
    spans.push({ fn, depth: frames.length, from: since, to: at });
    open = frames.map((frame) => frame.fn);
  }

  function become(fn: string, at: number): void {
    spans.push({ fn: top().fn, depth: frames.length - 1, from: top().since, to: at });
    Object.assign(top(), { fn, since: at });
    open = frames.map((frame) => frame.fn);
  }
}
