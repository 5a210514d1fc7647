/**
 * Pentium programs with known branches, as code in an image and as captures of branch trace messages: normal ones, fast ones, and
 * messages that name the instruction in the u pipe instead of the branch that runs in parallel.
 */
import { assert } from '../../shared/base/result.ts';
import type { BranchKind } from '../../shared/flow/events.ts';
import type { Random } from '../laws/random.ts';
import { writeElf } from '../unit/elf-writer.ts';

export interface TakenBranch {
  readonly source: number;
  /** Address that the processor reports as the source. */
  readonly reported: number;
  readonly target: number;
  readonly kind: BranchKind;
  readonly how: Instruction['kind'] | 'irq';
  /** Instructions executed since the previous branch; the last one is this branch, unless it is an interrupt. */
  readonly ran: readonly number[];
}

export interface PentiumRun {
  readonly elf: Uint8Array;
  readonly taken: readonly TakenBranch[];
}

interface Instruction {
  readonly kind: 'plain' | 'jcc' | 'call' | 'indirect' | 'table' | 'int' | 'wrmsr' | 'ret' | 'iret';
  readonly address: number;
  readonly bytes: readonly number[];
  /** Possible targets. */
  readonly targets: readonly number[];
}

const BASE = 0x0010_0000;
const FUNCTION_BYTES = 0x200;
const FUNCTIONS = 6;
const INT_HANDLER = FUNCTIONS;
const IRQ_HANDLER = FUNCTIONS + 1;
const TABLES = BASE + 0x8000;

// Intel SDM, volume 2: INC, MOV r32, MOV imm32, NOP.
const PLAIN: readonly (readonly number[])[] = [[0x40], [0x89, 0xc8], [0xb8, 1, 2, 3, 4], [0x90]];

export function runPentium(random: Random, most: number): PentiumRun {
  const code = Array.from({ length: FUNCTIONS + 2 }, (_, number) => assemble(random, number));
  const byAddress = new Map(code.flatMap(({ list }) => list.map((instruction) => [instruction.address, instruction])));
  const taken: TakenBranch[] = [];
  const stack: number[] = [];
  let at = BASE;
  /** The preceding straight-line instruction, if it can pair with a branch. */
  let before: Instruction | undefined;
  let ran: number[] = [];
  const go = (source: number, target: number, kind: BranchKind, how: TakenBranch['how']): void => {
    const pairs = before !== undefined && (how === 'jcc' || how === 'call') && random.below(2) === 0;
    taken.push({ source, reported: pairs ? before!.address : source, target, kind, how, ran });
    ran = [];
    at = target;
    before = undefined;
  };
  while (taken.length < most) {
    const instruction = byAddress.get(at);
    assert(instruction !== undefined, 'a program stays in its code');
    const { kind, bytes, targets } = instruction;
    const end = at + bytes.length;
    // A serialising instruction looks as if interrupted, and vice versa.
    if (random.below(40) === 0 && kind !== 'wrmsr') {
      stack.push(at);
      go(at, startOf(IRQ_HANDLER), 'interrupt', 'irq');
      continue;
    }
    ran.push(at);
    const target = targets[random.below(Math.max(1, targets.length))];
    switch (kind) {
      case 'plain':
        before = instruction;
        at = end;
        break;
      case 'jcc':
        if (random.below(3) === 0) {
          before = undefined;
          at = end;
        } else go(at, target!, 'jump', kind);
        break;
      case 'table':
        go(at, target!, 'jump', kind);
        break;
      case 'call':
      case 'indirect':
        stack.push(end);
        go(at, target!, 'call', kind);
        break;
      case 'int':
        stack.push(end);
        go(at, startOf(INT_HANDLER), 'exception', kind);
        break;
      case 'wrmsr':
        go(at, end, 'sequential', kind);
        break;
      case 'ret':
      case 'iret': {
        const back = stack.pop();
        // The outermost function ends the program.
        if (back === undefined) return { elf: image(code), taken };
        go(at, back, 'return', kind);
        break;
      }
      default:
        kind satisfies never;
    }
  }
  return { elf: image(code), taken };
}

function startOf(number: number): number {
  return BASE + number * FUNCTION_BYTES;
}

interface Assembled {
  readonly list: readonly Instruction[];
  readonly tables: readonly (readonly [address: number, targets: readonly number[]])[];
}

/** Calls lead to functions with higher numbers, so the program ends. */
function assemble(random: Random, number: number): Assembled {
  const list: Instruction[] = [];
  const tables: (readonly [number, readonly number[]])[] = [];
  let address = startOf(number);
  const put = (kind: Instruction['kind'], bytes: readonly number[], targets: readonly number[] = []): void => {
    list.push({ kind, address, bytes, targets });
    address += bytes.length;
  };
  const plain = (): void => put('plain', PLAIN[random.below(PLAIN.length)]!);
  const handler = number >= FUNCTIONS;
  const callees = Array.from({ length: Math.max(0, FUNCTIONS - 1 - number) }, (_, i) => startOf(number + 1 + i));
  plain();
  for (let count = handler ? 2 : 6 + random.below(16); count > 0; count--) {
    const sort = handler ? 9 : random.below(10);
    const callee = callees[random.below(Math.max(1, callees.length))];
    if (sort === 0) {
      const back = list[random.below(list.length)]!.address;
      if (address + 2 - back < 128) put('jcc', [0x75, (back - address - 2) & 255], [back]);
    } else if (sort === 1 && callee !== undefined) put('call', [0xe8, ...word(callee - address - 5)], [callee]);
    else if (sort === 2 && callee !== undefined) put('indirect', [0xff, 0xd0], callees);
    else if (sort === 3) put('int', [0xcd, 0x80]);
    else if (sort === 4) put('wrmsr', [0x0f, 0x30]);
    else if (sort === 5) {
      // JMP [EAX*4 + table], to NOPs before the following code.
      const table = TABLES + number * 0x100 + tables.length * 16;
      const targets = [address + 7, address + 8, address + 9];
      tables.push([table, targets]);
      put('table', [0xff, 0x24, 0x85, ...word(table)], targets);
      for (let i = 0; i < 4; i++) put('plain', [0x90]);
    } else plain();
  }
  if (handler) put('iret', [0xcf]);
  else put('ret', [0xc3]);
  return { list, tables };
}

function word(value: number): readonly number[] {
  return [0, 8, 16, 24].map((shift) => (value >> shift) & 255);
}

function image(code: readonly Assembled[]): Uint8Array {
  const text = new Uint8Array(code.length * FUNCTION_BYTES);
  const data = new Uint8Array(code.length * 0x100);
  for (const { list, tables } of code) {
    for (const { address, bytes } of list) text.set(bytes, address - BASE);
    for (const [table, targets] of tables) data.set(targets.flatMap(word), table - TABLES);
  }
  return writeElf({
    bits: 32,
    endian: 'little',
    machine: 3,
    sections: [
      { name: '.text', address: BASE, bytes: text },
      { name: '.rodata', address: TABLES, bytes: data, flags: 2 },
    ],
    symbols: code.map((_, number) => ({ name: `f${number}`, value: startOf(number), size: FUNCTION_BYTES })),
  });
}

export type Report = 'normal' | 'fast' | 'pairing';

/** Rows of a capture: special cycles with byte enables DF, A3 for 32-bit operands, D63-D60 below A4, D59 for the source. */
export function asCapture(
  { taken }: { readonly taken: readonly Pick<TakenBranch, 'source' | 'reported' | 'target'>[] },
  report: Report,
): string {
  const row = (address: number, second: boolean): string => {
    const pins = ((address & ~15) | 8) >>> 0;
    const data = ((address & 15) << 4) | (second ? 8 : 0);
    return `0,0,1,DF,${hex(pins, 8)},${hex(data, 2)}4E6465F8ACC2CC\n`;
  };
  const rows = taken.flatMap(({ source, reported, target }) => {
    const from = row(report === 'pairing' ? reported : source, true);
    return report === 'fast' ? [from] : [row(target, false), from];
  });
  return `M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]\n${rows.join('')}`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).toUpperCase().padStart(digits, '0');
}
