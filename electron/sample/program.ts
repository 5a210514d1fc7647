/**
 * The synthetic program: some hundred functions made from the seed, in layers that call downwards, a main loop that asks
 * the host for work, and an interrupt handler. Its instructions as columns for the machine, and as text for writers.
 */
import { type Assembler, type Instruction, LR, type Label, OP, PC, SP, createAssembler } from './assembler.ts';
import { FIRST_TOUCH, KERNELS, type Kernel, strewn } from './kernels.ts';
import { CODE_BASE, CODE_BASE_X86, STACK_TOP, STATIC_BASE } from './layout.ts';
import type { Random } from './random.ts';

export type Locality = 'spread' | 'local' | 'none';

export interface Program {
  /** By instruction index (address / 4). */
  readonly lines: readonly Instruction[];
  readonly shift: Int8Array;
  readonly imm: Int32Array;
  /** The words of the program starting at address 0. */
  readonly code: Int32Array;
  /** Where the instruction lies as a variable-length one, and its length. */
  readonly addressX86: Uint32Array;
  readonly bytesX86: Uint8Array;
  /** Index of the first instruction of main. */
  readonly entry: number;
  /** Index of the vector of interrupts. */
  readonly vector: number;
  /** How many of the functions that main can call touch all lines of their data, and how many do anything else: in this order. */
  readonly firstTouch: number;
  readonly tasks: number;
}

interface Counts {
  readonly kernels: number;
  readonly firstTouch: number;
  /** Functions per layer, lowest first; the highest layer is what main calls. */
  readonly layers: readonly number[];
}

const COUNTS: Readonly<Record<Locality, Counts>> = {
  spread: { kernels: 160, firstTouch: 24, layers: [96, 64, 96] },
  local: { kernels: 24, firstTouch: 2, layers: [12, 8] },
  none: { kernels: 32, firstTouch: 0, layers: [16] },
};

export function createProgram(random: Random, locality: Locality): Program {
  const asm = createAssembler();
  const { kernels, firstTouch, layers } = COUNTS[locality];
  const handler = asm.label();

  asm.skipTo(VECTOR_IRQ);
  asm.inInterrupt(true);
  asm.branch(handler);
  asm.inInterrupt(false);
  asm.skipTo(CODE_BASE / 4);
  const entry = asm.here();
  const table = main(asm);

  const make = (kernel: Kernel): Label => define(asm, () => kernel(asm, random));
  const first = Array.from({ length: firstTouch }, () => make(random.pick(FIRST_TOUCH)));
  const leaves = Array.from({ length: kernels }, (_, k) =>
    make(locality === 'none' ? strewn : KERNELS[k % KERNELS.length]!),
  );
  let lower: readonly Label[] = leaves;
  for (const count of layers) {
    const callees = lower;
    lower = Array.from({ length: count }, () =>
      define(asm, () => {
        if (locality === 'none') caller(asm, random, callees);
        else if (random.chance(1, 6)) divide(asm, random, random.pick(leaves));
        else work(asm, random, callees);
      }),
    );
  }
  asm.inInterrupt(true);
  asm.place(handler);
  interruptHandler(asm);
  asm.pool();
  asm.inInterrupt(false);

  asm.place(table);
  const callable = [...first, ...lower];
  for (const label of callable) asm.word(label);
  return toProgram(asm.finish(), entry, first.length, lower.length);
}

const VECTOR_IRQ = 0x18 / 4;

function define(asm: Assembler, body: () => void): Label {
  const label = asm.label();
  asm.place(label);
  body();
  asm.pool();
  return label;
}

/** Asks for work for ever: r0 = data, r1 = bytes, r2 = any number, r3 = which function. Sleeps now and then. Returns the table's label. */
function main(asm: Assembler): Label {
  const table = asm.label();
  asm.literal(SP, STACK_TOP);
  asm.alu('mov', 9, 0, { imm: 0 });
  asm.literal(10, table);
  const again = asm.label();
  asm.place(again);
  asm.host(0x10);
  asm.load(12, 4, { rn: 10, rm: 3, shift: 2 });
  asm.callRegister(12);
  asm.alu('add', 9, 9, { imm: 1 });
  asm.alu('tst', 0, 9, { imm: 31 });
  asm.sleep('eq');
  asm.branch(again);
  asm.pool();
  return table;
}

/** A function that passes parts of its data on: some callees once, some in a loop, some only for large data. */
function work(asm: Assembler, random: Random, callees: readonly Label[]): void {
  asm.push(4, 5, 6, LR);
  asm.alu('mov', 4, 0, { rm: 0 });
  asm.alu('mov', 5, 0, { rm: 1 });
  const turns = random.pick([1, 1, 1, 2, 3]);
  const again = asm.label();
  if (turns > 1) {
    asm.alu('mov', 6, 0, { imm: turns });
    asm.place(again);
  }
  for (let calls = random.between(2, 4); calls > 0; calls--) {
    const over = asm.label();
    const optional = random.chance(1, 4);
    if (optional) {
      asm.alu('cmp', 0, 5, { imm: random.pick([256, 512, 1024]) });
      asm.branch(over, 'lo');
    }
    const part = random.between(1, 3);
    if (random.chance(1, 2)) asm.alu('mov', 0, 0, { rm: 4 });
    else asm.alu('add', 0, 4, { rm: 5, shift: -1 });
    asm.alu('mov', 1, 0, { rm: 5, shift: -part });
    if (random.chance(1, 2)) asm.alu('mov', 2, 0, { imm: random.below(256) });
    asm.call(random.pick(callees));
    if (optional) asm.place(over);
  }
  if (turns > 1) {
    asm.alu('sub', 6, 6, { imm: 1 }, { s: true });
    asm.branch(again, 'ne');
  }
  asm.pop(4, 5, 6, PC);
}

/** Divide and conquer: both halves by itself until they are small. */
function divide(asm: Assembler, random: Random, leaf: Label): void {
  const self = asm.label();
  asm.place(self);
  asm.alu('cmp', 0, 1, { imm: random.pick([64, 128, 256]) });
  asm.branch(leaf, 'ls');
  asm.push(4, 5, 6, LR);
  asm.alu('mov', 4, 0, { rm: 0 });
  asm.alu('mov', 5, 0, { rm: 1, shift: -1 });
  asm.alu('mov', 1, 0, { rm: 5 });
  asm.call(self);
  asm.alu('add', 0, 4, { rm: 5 });
  asm.alu('mov', 1, 0, { rm: 5 });
  asm.call(self);
  asm.pop(4, 5, 6, PC);
}

/** For data without locality: r0 = an odd number, r1 = turns; the callees get both. */
function caller(asm: Assembler, random: Random, callees: readonly Label[]): void {
  asm.push(4, LR);
  asm.alu('mov', 4, 0, { rm: 1 });
  for (let calls = random.between(2, 4); calls > 0; calls--) {
    asm.alu('mov', 1, 0, { rm: 4 });
    asm.call(random.pick(callees));
  }
  asm.pop(4, PC);
}

/** Counts ticks in static memory and looks whether a timer of its list has run out. */
function interruptHandler(asm: Assembler): void {
  asm.alu('sub', LR, LR, { imm: 4 });
  asm.push(0, 1, 2, 12, LR);
  asm.literal(0, STATIC_BASE);
  asm.load(1, 4, { rn: 0 });
  asm.alu('add', 1, 1, { imm: 1 });
  asm.store(1, 4, { rn: 0 });
  asm.alu('mov', 12, 0, { imm: 8 });
  const again = asm.label();
  asm.place(again);
  asm.load(2, 4, { rn: 0, rm: 12, shift: 2 });
  asm.alu('cmp', 0, 1, { rm: 2 });
  const over = asm.label();
  asm.branch(over, 'lo');
  asm.alu('add', 2, 1, { rm: 12, shift: 3 });
  asm.store(2, 4, { rn: 0, rm: 12, shift: 2 });
  asm.place(over);
  asm.alu('sub', 12, 12, { imm: 1 }, { s: true });
  asm.branch(again, 'ne');
  asm.leave(0, 1, 2, 12, PC);
}

function toProgram(lines: readonly Instruction[], entry: number, firstTouch: number, tasks: number): Program {
  const addressX86 = new Uint32Array(lines.length);
  const bytesX86 = new Uint8Array(lines.length);
  let at = CODE_BASE_X86;
  lines.forEach((line, index) => {
    addressX86[index] = at;
    bytesX86[index] = lengthX86(line);
    // The gap between the vectors and the code takes no room.
    if (index >= entry || line.text !== '') at += bytesX86[index];
  });
  return {
    lines,
    shift: Int8Array.from(lines, (line) => line.shift),
    imm: Int32Array.from(lines, (line) => line.imm),
    code: Int32Array.from(lines, (line) => line.opcode),
    addressX86,
    bytesX86,
    entry,
    vector: VECTOR_IRQ,
    firstTouch,
    tasks,
  };
}

/** As long as a compiler's choice for the same work would be. */
function lengthX86(line: Instruction): number {
  switch (line.op) {
    case OP.push:
    case OP.pop:
    case OP.leave: {
      let registers = 0;
      for (let list = line.imm; list !== 0; list &= list - 1) registers++;
      return registers;
    }
    case OP.load:
    case OP.store:
      return line.rn === PC ? 5 : line.imm > 127 ? 6 : line.imm === 0 ? 2 : 3;
    case OP.call:
      return 5;
    case OP.branch:
    case OP.callRegister:
    case OP.host:
      return 2;
    case OP.returns:
    case OP.sleep:
      return 1;
    case OP.data:
      return 4;
    default:
      return line.imm > 127 ? 6 : line.imm > 1 ? 3 : 2;
  }
}
