/**
 * Programs with known branches: random ARM or Thumb functions, run by a machine that only branches, and written as traces by encoders
 * independent of the readers.
 */
import { assert } from '../../shared/base/result.ts';
import type { BranchKind } from '../../shared/flow/events.ts';
import type { Random } from '../laws/random.ts';

export interface TakenBranch {
  readonly source: number;
  readonly target: number;
  readonly kind: BranchKind;
  /** Instructions since the previous branch, this one included. */
  readonly instructions: number;
}

export interface Step {
  readonly address: number;
  readonly opcode: number;
  /** Size in bytes. */
  readonly size: number;
  readonly executed: boolean;
  readonly text: string;
  /** Mode as the trace prints it; `svc` by default. */
  readonly mode?: string;
}

export interface Run {
  readonly steps: readonly Step[];
  readonly taken: readonly TakenBranch[];
  /** Instructions after the last branch. */
  readonly rest: number;
}

type Instruction =
  | { readonly kind: 'plain' }
  | { readonly kind: 'loop'; readonly back: number }
  | { readonly kind: 'skip'; readonly over: number }
  | { readonly kind: 'call' | 'tail'; readonly callee: number }
  | { readonly kind: 'swi' }
  | { readonly kind: 'return'; readonly how: number };

const BASE = 0x8000;
const HANDLER = 8;

/** Runs `most` instructions, or until the outermost function returns. */
export function runProgram(random: Random, thumb: boolean, most: number): Run {
  const size = thumb ? 2 : 4;
  const functions = Array.from({ length: 6 }, (_, number) => createFunction(random, number));
  const starts = functions.map((_, number) => BASE + number * 0x100);
  const addressOf = (number: number, at: number): number => {
    // A Thumb call is two instructions.
    const before = functions[number]!.slice(0, at).filter(({ kind }) => kind === 'call').length;
    return starts[number]! + (at + (thumb ? before : 0)) * size;
  };
  const steps: Step[] = [];
  const taken: TakenBranch[] = [];
  const stack: (readonly [number, number])[] = [];
  let [number, at, since] = [0, 0, 0];
  const step = (address: number, opcode: number, text: string, executed = true): void => {
    steps.push({ address, opcode: opcode >>> 0, size, executed, text });
    since++;
  };
  const branch = (source: number, target: number, kind: BranchKind): void => {
    taken.push({ source, target, kind, instructions: since });
    since = 0;
  };
  while (steps.length < most) {
    const instruction = functions[number]![at];
    assert(instruction !== undefined, 'a function ends with a return');
    const address = addressOf(number, at);
    switch (instruction.kind) {
      case 'plain':
        step(address, thumb ? 0x1c08 : 0xe2800001, thumb ? 'adds r0, r1, #0' : 'add r0, r0, #1');
        at++;
        break;
      case 'loop':
      case 'skip': {
        const to = instruction.kind === 'loop' ? at - instruction.back : at + instruction.over;
        const target = addressOf(number, to);
        const goes = random.below(3) > 0;
        step(address, thumb ? jumpThumb(address, target) : jumpArm(address, target), `bne #0x${hex(target)}`, goes);
        // A branch to the next instruction does not count.
        if (goes && to !== at + 1) branch(address, target, 'jump');
        at = goes ? to : at + 1;
        break;
      }
      case 'call': {
        const target = starts[instruction.callee]!;
        if (thumb) {
          const [first, second] = callThumb(address, target);
          step(address, first, '');
          step(address + 2, second, `bl #0x${hex(target)}`);
        } else step(address, 0xeb000000 | offset(address, target), `bl #0x${hex(target)}`);
        branch(address + (thumb ? 2 : 0), target, 'call');
        stack.push([number, at + 1]);
        [number, at] = [instruction.callee, 0];
        break;
      }
      case 'tail': {
        const target = starts[instruction.callee]!;
        step(address, thumb ? farThumb(address, target) : 0xea000000 | offset(address, target), `b #0x${hex(target)}`);
        branch(address, target, 'jump');
        [number, at] = [instruction.callee, 0];
        break;
      }
      case 'swi':
        step(address, thumb ? 0xdf42 : 0xef000042, 'svc #0x42');
        branch(address, HANDLER, 'exception');
        steps.push({ address: HANDLER, opcode: 0xe1b0f00e, size: 4, executed: true, text: 'movs pc, lr' });
        since++;
        branch(HANDLER, address + size, 'return');
        at++;
        break;
      case 'return': {
        const back = stack.pop();
        const [opcode, text] = (thumb ? RETURNS_THUMB : RETURNS_ARM)[instruction.how]!;
        step(address, opcode, text);
        if (back === undefined) return { steps, taken, rest: since };
        [number, at] = back;
        branch(address, addressOf(number, at), 'return');
        break;
      }
      default:
        instruction satisfies never;
    }
  }
  // The target of the last branch is not in the trace.
  const last = since === 0 ? taken.pop() : undefined;
  return { steps, taken, rest: since + (last?.instructions ?? 0) };
}

/** Calls lead to functions with higher numbers, so the program ends. */
function createFunction(random: Random, number: number): readonly Instruction[] {
  const body: Instruction[] = [{ kind: 'plain' }];
  const callee = (): number => number + 1 + random.below(5 - number);
  while (body.length < 4 + random.below(12)) {
    const sort = random.below(8);
    if (sort === 0) body.push({ kind: 'loop', back: 1 + random.below(body.length) });
    else if (sort === 1) body.push({ kind: 'skip', over: 1 + random.below(2) }, { kind: 'plain' });
    else if (sort === 2) body.push({ kind: 'swi' });
    else if (sort < 5 && number < 5) body.push({ kind: 'call', callee: callee() });
    else body.push({ kind: 'plain' });
  }
  const tail = number < 5 && random.below(4) === 0;
  return [...body, tail ? { kind: 'tail', callee: callee() } : { kind: 'return', how: random.below(4) }];
}

// Arm Architecture Reference Manual, A8: BX, LDM, LDR, MOV; POP.
const RETURNS_ARM: readonly (readonly [number, string])[] = [
  [0xe12fff1e, 'bx lr'],
  [0xe8bd8010, 'pop {r4, pc}'],
  [0xe49df004, 'pop {pc}'],
  [0xe1a0f00e, 'mov pc, lr'],
];
const RETURNS_THUMB: readonly (readonly [number, string])[] = [
  [0x4770, 'bx lr'],
  [0xbd10, 'pop {r4, pc}'],
  [0xbd00, 'pop {pc}'],
  [0x46f7, 'mov pc, lr'],
];

function jumpArm(address: number, target: number): number {
  return 0x1a000000 | offset(address, target);
}

function offset(address: number, target: number): number {
  return ((target - address - 8) >> 2) & 0xffffff;
}

function jumpThumb(address: number, target: number): number {
  return 0xd100 | (((target - address - 4) >> 1) & 0xff);
}

function farThumb(address: number, target: number): number {
  return 0xe000 | (((target - address - 4) >> 1) & 0x7ff);
}

function callThumb(address: number, target: number): readonly [number, number] {
  const distance = target - address - 4;
  return [0xf000 | ((distance >> 12) & 0x7ff), 0xf800 | ((distance >> 1) & 0x7ff)];
}

function hex(value: number): string {
  return value.toString(16);
}

/** Lines of a run on one processor, as QEMU4V prints them. */
export function asQemu({ steps }: Run): string {
  return steps
    .map(({ address, opcode, size, executed, text, mode }, i) => {
      const code = opcode.toString(16).padStart(2 * size, '0');
      return `${i + 1} clk 0 ${executed ? 'IT' : 'IS'} (${i + 1}) ${address.toString(16).padStart(8, '0')} ${code} A ${mode ?? 'svc'} : ${text}\n`;
    })
    .join('');
}

/** Lines of a run, as ARM's Tracer prints them. */
export function asTracer({ steps }: Run): string {
  const lines = steps.map(({ address, opcode, size, executed, text }) => {
    const code = opcode.toString(16).padStart(2 * size, '0');
    return `${executed ? 'IT' : 'IS'} ${address.toString(16).toUpperCase().padStart(8, '0')} ${code} ${text}\n`;
  });
  return `Date: Thu Aug  9 16:41:36 2001\nSource: Armul\nOptions: Trace Instructions  (Disassemble)  \n\n${lines.join('')}`;
}
