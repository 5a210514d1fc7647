/**
 * The leaf functions of the synthetic program, each a loop over data in one of the ways real programs have.
 *
 * Called with r0 = data, r1 = its bytes (a power of two; too few for one turn: nothing is done), r2 = any number.
 * They may change r0 to r3 and r12 and stay within the data, the stack and the static variables.
 */
import { type Assembler, type Condition, LR, PC, SP } from './assembler.ts';
import { STATIC_BASE, STATIC_BYTES, STREWN_BASE, STREWN_FACTOR, STREWN_FLIP } from './layout.ts';
import type { Random } from './random.ts';

export type Kernel = (asm: Assembler, random: Random) => void;

/** They touch every 64-byte line of their data: what fresh data is first given to. */
export const FIRST_TOUCH: readonly Kernel[] = [initialise, initialise, initialise, scanLines];

export const KERNELS: readonly Kernel[] = [
  initialise,
  sum,
  copyHalves,
  hashBytes,
  update,
  extremes,
  probe,
  records,
  columns,
  pairs,
  packed,
  samples,
  frame,
];

/** For data without locality: r0 = an odd number, r1 = turns. Every access to data is at a random word of the strewn region. */
export function strewn(asm: Assembler, random: Random): void {
  asm.push(4, 5, 6, 7, LR);
  asm.literal(4, (random.next() & ~7) | 5);
  asm.alu('mov', 6, 0, { imm: STREWN_BASE });
  asm.literal(7, STREWN_FACTOR);
  const again = asm.label();
  asm.place(again);
  for (let turn = random.between(2, 4); turn > 0; turn--) {
    asm.mul(0, 0, 4);
    asm.alu('mov', 3, 0, { rm: 0, shift: -4 });
    switch (random.below(4)) {
      case 0:
        asm.alu('add', 12, 6, { rm: 3, shift: 2 });
        asm.mul(2, 12, 7);
        asm.store(2, 4, { rn: 12 });
        break;
      case 1:
        asm.load(2, 4, { rn: 6, rm: 3, shift: 2 });
        asm.alu('eor', 2, 2, { imm: STREWN_FLIP });
        asm.store(2, 4, { rn: 6, rm: 3, shift: 2 });
        break;
      default:
        asm.load(2, 4, { rn: 6, rm: 3, shift: 2 });
    }
  }
  asm.alu('sub', 1, 1, { imm: 1 }, { s: true });
  asm.branch(again, 'ne');
  asm.pop(4, 5, 6, 7, PC);
}

/**
 * r1 = r1 / 2^shift; returns at once where that is 0. Then `before` once, and `body` r1 times.
 *
 * No return is conditional, here and below: the formats of x86 are written of the same program, and x86 has none.
 */
function loop(asm: Assembler, shift: number, before: () => void, body: () => void): void {
  const end = asm.label();
  asm.alu('mov', 1, 0, { rm: 1, shift: -shift }, { s: true });
  asm.branch(end, 'eq');
  before();
  const again = asm.label();
  asm.place(again);
  body();
  asm.alu('sub', 1, 1, { imm: 1 }, { s: true });
  asm.branch(again, 'ne');
  asm.place(end);
  asm.returns();
}

/** for (i) { a[i] = x; a[i + 1] = x; ... } with a stride of up to one line. */
function initialise(asm: Assembler, random: Random): void {
  const stride = random.pick([16, 32, 64, 64, 64]);
  const unroll = random.pick([4, 8]);
  const step = stride * unroll;
  loop(
    asm,
    Math.log2(step),
    () => asm.alu('mov', 3, 0, { imm: random.below(256) }),
    () => {
      for (let k = 0; k < unroll; k++) asm.store(3, 4, { rn: 0, offset: k * stride });
      asm.alu('add', 0, 0, { imm: step });
      if (random.chance(1, 2)) asm.alu('add', 3, 3, { imm: random.between(1, 255) });
    },
  );
}

/** Looks at one word of every line. */
function scanLines(asm: Assembler, random: Random): void {
  const offset = 4 * random.below(8);
  loop(
    asm,
    8,
    () => asm.alu('mov', 12, 0, { imm: 0 }),
    () => {
      for (let k = 0; k < 4; k++) asm.load(3, 4, { rn: 0, offset: 64 * k + offset });
      asm.alu('eor', 12, 12, { rm: 3 });
      asm.alu('add', 0, 0, { imm: 256 });
    },
  );
}

function sum(asm: Assembler, random: Random): void {
  const unroll = random.pick([1, 2, 4]);
  loop(
    asm,
    2 + Math.log2(unroll),
    () => asm.alu('mov', 12, 0, { imm: 0 }),
    () => {
      for (let k = 0; k < unroll; k++) {
        asm.load(3, 4, { rn: 0, offset: 4, post: true });
        asm.alu(random.pick(['add', 'eor', 'sub'] as const), 12, 12, { rm: 3, shift: random.below(4) });
      }
    },
  );
}

/** The lower half of the data goes to the upper half. */
function copyHalves(asm: Assembler, random: Random): void {
  const size = random.pick([4, 4, 8] as const);
  loop(
    asm,
    3,
    // r1 counts words of half the data: r12 = r0 + 4 r1.
    () => asm.alu('add', 12, 0, { rm: 1, shift: 2 }),
    () => {
      asm.load(2, size, { rn: 0, offset: 4, post: true });
      asm.store(2, size === 8 ? 4 : size, { rn: 12, offset: 4, post: true });
    },
  );
}

function hashBytes(asm: Assembler, random: Random): void {
  loop(
    asm,
    3,
    () => asm.alu('mov', 2, 0, { imm: random.below(256) }),
    () => {
      asm.load(3, 1, { rn: 0, offset: random.pick([1, 2, 8]), post: true });
      asm.alu('eor', 2, 3, { rm: 2, shift: random.between(1, 5) });
      if (random.chance(1, 2)) asm.alu('add', 2, 2, { rm: 2, shift: -random.between(3, 11) });
    },
  );
}

/** a[i] = f(a[i]) */
function update(asm: Assembler, random: Random): void {
  const size = random.pick([1, 2, 4, 4, 4] as const);
  const stride = random.pick([4, 8, 16, 32]);
  loop(
    asm,
    Math.log2(stride),
    () => undefined,
    () => {
      asm.load(3, size, { rn: 0 });
      asm.alu(random.pick(['add', 'eor', 'orr', 'bic', 'rsb'] as const), 3, 3, { imm: random.between(1, 255) });
      if (random.chance(1, 2)) asm.alu('add', 3, 3, { rm: 2, shift: random.below(3) });
      asm.store(3, size, { rn: 0, offset: stride, post: true });
    },
  );
}

/** Counts and keeps extremes by conditional instructions. */
function extremes(asm: Assembler, random: Random): void {
  const [above, below] = random.pick<readonly [Condition, Condition]>([
    ['gt', 'lt'],
    ['hi', 'lo'],
    ['ge', 'mi'],
  ]);
  loop(
    asm,
    3,
    () => asm.alu('mov', 12, 0, { imm: 0 }),
    () => {
      asm.load(3, 4, { rn: 0, offset: 8, post: true });
      asm.alu('cmp', 0, 3, { rm: 2 });
      asm.alu('add', 12, 12, { imm: 1 }, { cond: above });
      asm.alu('mov', 2, 0, { rm: 3 }, { cond: below });
    },
  );
}

/** A hash table: places that jump about within the data, some of them changed. */
function probe(asm: Assembler, random: Random): void {
  loop(
    asm,
    4,
    () => {
      asm.alu('mov', 12, 0, { rm: 1, shift: 2 });
      asm.alu('sub', 12, 12, { imm: 1 });
      asm.alu('mov', 3, 0, { imm: random.below(256) });
    },
    () => {
      asm.alu('add', 3, 3, { rm: 3, shift: 2 });
      asm.alu('add', 3, 3, { imm: 2 * random.below(100) + 1 });
      asm.alu('and', 2, 3, { rm: 12 });
      asm.load(2, 4, { rn: 0, rm: 2, shift: 2 });
      if (random.chance(1, 2)) {
        asm.alu('tst', 0, 2, { imm: random.pick([1, 2, 4]) });
        const over = asm.label();
        asm.branch(over, 'eq');
        asm.alu('and', 2, 3, { rm: 12 });
        asm.store(3, 4, { rn: 0, rm: 2, shift: 2 });
        asm.place(over);
      }
    },
  );
}

/** Objects of one size with fields of their own widths. */
function records(asm: Assembler, random: Random): void {
  const bytes = random.pick([32, 64, 128]);
  const narrow = random.below(bytes / 8);
  loop(
    asm,
    Math.log2(bytes),
    () => undefined,
    () => {
      asm.load(3, 4, { rn: 0 });
      asm.load(12, 2, { rn: 0, offset: bytes / 2 + 2 * narrow });
      asm.alu('add', 3, 3, { rm: 12 });
      asm.store(3, 4, { rn: 0, offset: 8 });
      asm.store(2, 1, { rn: 0, offset: 13 });
      asm.alu('add', 0, 0, { imm: bytes });
    },
  );
}

/** A matrix by columns: long strides, then back to the next column. */
function columns(asm: Assembler, random: Random): void {
  const row = random.pick([64, 128, 256]);
  const across = random.between(2, 4);
  const end = asm.label();
  asm.alu('mov', 1, 0, { rm: 1, shift: -Math.log2(row) }, { s: true });
  asm.branch(end, 'eq');
  asm.alu('mov', 12, 0, { imm: across });
  const column = asm.label();
  asm.place(column);
  asm.push(0, 1);
  const down = asm.label();
  asm.place(down);
  asm.load(3, 4, { rn: 0 });
  if (random.chance(1, 2)) {
    asm.alu('add', 3, 3, { rm: 2 });
    asm.store(3, 4, { rn: 0 });
  }
  asm.alu('add', 0, 0, { imm: row });
  asm.alu('sub', 1, 1, { imm: 1 }, { s: true });
  asm.branch(down, 'ne');
  asm.pop(0, 1);
  asm.alu('add', 0, 0, { imm: 4 });
  asm.alu('sub', 12, 12, { imm: 1 }, { s: true });
  asm.branch(column, 'ne');
  asm.place(end);
  asm.returns();
}

function pairs(asm: Assembler, random: Random): void {
  loop(
    asm,
    4,
    () => undefined,
    () => {
      asm.load(2, 8, { rn: 0, offset: 8 });
      asm.alu('add', 2, 2, { rm: 3, shift: random.below(5) });
      asm.store(2, 8, { rn: 0, offset: 16, post: true });
    },
  );
}

/** Packed structures of six bytes: half of the words are not aligned, some lie in two lines. */
function packed(asm: Assembler, random: Random): void {
  const writes = random.chance(1, 2);
  loop(
    asm,
    3,
    () => asm.alu('mov', 12, 0, { imm: 0 }),
    () => {
      asm.load(3, 4, { rn: 0, offset: 2 });
      asm.alu('add', 12, 12, { rm: 3 });
      if (writes) asm.store(12, 2, { rn: 0 });
      asm.alu('add', 0, 0, { imm: 6 });
    },
  );
}

/** Reads some of the data and counts in a static table. */
function samples(asm: Assembler, random: Random): void {
  const table = STATIC_BASE + 64 * random.below(STATIC_BYTES / 64 - 16);
  loop(
    asm,
    5,
    () => asm.literal(12, table),
    () => {
      asm.load(3, 4, { rn: 0, offset: 32, post: true });
      asm.alu('and', 3, 3, { imm: 255 });
      asm.load(2, 4, { rn: 12, rm: 3, shift: 2 });
      asm.alu('add', 2, 2, { imm: 1 });
      asm.store(2, 4, { rn: 12, rm: 3, shift: 2 });
    },
  );
}

/** Works on locals in its frame. */
function frame(asm: Assembler, random: Random): void {
  const locals = random.between(4, 16);
  const end = asm.label();
  asm.alu('mov', 1, 0, { rm: 1, shift: -6 }, { s: true });
  asm.branch(end, 'eq');
  asm.alu('sub', SP, SP, { imm: 4 * locals });
  asm.store(2, 4, { rn: SP, offset: 4 * random.below(locals) });
  const again = asm.label();
  asm.place(again);
  asm.load(3, 4, { rn: 0, offset: 64, post: true });
  for (let k = random.between(1, 3); k > 0; k--) {
    const at = 4 * random.below(locals);
    asm.load(12, 4, { rn: SP, offset: at });
    asm.alu('add', 12, 12, { rm: 3 });
    asm.store(12, 4, { rn: SP, offset: at });
  }
  asm.alu('sub', 1, 1, { imm: 1 }, { s: true });
  asm.branch(again, 'ne');
  asm.alu('add', SP, SP, { imm: 4 * locals });
  asm.place(end);
  asm.returns();
}
