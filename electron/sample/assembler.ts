/**
 * Turns the few ARM instructions that the synthetic program is made of into opcodes, disassembly and the columns that the
 * machine executes. Encodings: ARM Architecture Reference Manual (DDI 0100I), A3 and A5; the text is unified syntax.
 */
import { assert } from '../../shared/base/result.ts';

/** Operations of the machine. The second operand of arithmetic operations is `imm`, or register `rm` shifted left (or right) by `shift`. */
export const OP = {
  data: 0,
  and: 1,
  eor: 2,
  sub: 3,
  rsb: 4,
  add: 5,
  tst: 6,
  cmp: 7,
  orr: 8,
  mov: 9,
  bic: 10,
  mul: 11,
  load: 12,
  store: 13,
  push: 14,
  pop: 15,
  leave: 16,
  branch: 17,
  call: 18,
  callRegister: 19,
  returns: 20,
  host: 21,
  sleep: 22,
} as const;

export type AluName = 'and' | 'eor' | 'sub' | 'rsb' | 'add' | 'tst' | 'cmp' | 'orr' | 'mov' | 'bic';
export type Condition = keyof typeof CONDITIONS;

/** Operand 2: a small number, or a register with a shift to the left (negative: to the right). */
export type Operand = { readonly imm: number } | { readonly rm: number; readonly shift?: number };

export interface AluOptions {
  readonly cond?: Condition;
  /** Sets the flags. */
  readonly s?: boolean;
}

/** `offset` bytes from rn; `post`: after the access rn moves by them; `rm`: plus register rm shifted left by `shift`. */
export interface Place {
  readonly rn: number;
  readonly offset?: number;
  readonly post?: boolean;
  readonly rm?: number;
  readonly shift?: number;
}

export interface Label {
  /** Index of the instruction, -1 until placed. */
  at: number;
}

/** One line of the program. */
export interface Instruction {
  op: number;
  cond: number;
  rd: number;
  rn: number;
  rm: number;
  /** Shift of rm: to the left, negative to the right. */
  shift: number;
  /** Operand, offset or list of registers; index of the target in branches. */
  imm: number;
  size: number;
  /** Bits: 1 = operand 2 is `imm`; 2 = sets flags; 4 = post-indexed; 8 = offset is a register. */
  mode: number;
  opcode: number;
  text: string;
  /** Executed in interrupt mode. */
  irq: boolean;
}

export const MODE = { imm: 1, flags: 2, post: 4, register: 8 } as const;

export const CONDITIONS = {
  eq: 0,
  ne: 1,
  hs: 2,
  lo: 3,
  mi: 4,
  pl: 5,
  hi: 8,
  ls: 9,
  ge: 10,
  lt: 11,
  gt: 12,
  le: 13,
  al: 14,
} as const;

export interface Assembler {
  /** Index of the next instruction. */
  readonly here: () => number;
  readonly label: () => Label;
  readonly place: (label: Label) => void;
  readonly alu: (name: AluName, rd: number, rn: number, operand: Operand, options?: AluOptions) => void;
  readonly mul: (rd: number, rm: number, rs: number) => void;
  readonly load: (rd: number, size: 1 | 2 | 4 | 8, place: Place) => void;
  readonly store: (rd: number, size: 1 | 2 | 4 | 8, place: Place) => void;
  /** rd = a 32-bit number or the address of a label, from a word after the function. */
  readonly literal: (rd: number, value: number | Label) => void;
  readonly push: (...registers: number[]) => void;
  readonly pop: (...registers: number[]) => void;
  /** Pops and returns from an interrupt. */
  readonly leave: (...registers: number[]) => void;
  readonly branch: (target: Label, cond?: Condition) => void;
  readonly call: (target: Label) => void;
  readonly callRegister: (rm: number) => void;
  readonly returns: () => void;
  /** Asks the host for work. */
  readonly host: (number: number) => void;
  readonly sleep: (cond?: Condition) => void;
  /** A word that is not executed: a number or the address of a label. */
  readonly word: (value: number | Label) => void;
  /** Ends a function: its literals follow. */
  readonly pool: () => void;
  /** Leaves room up to an index. */
  readonly skipTo: (index: number) => void;
  readonly inInterrupt: (irq: boolean) => void;
  readonly finish: () => readonly Instruction[];
}

const ALU: Readonly<Record<AluName, { readonly op: number; readonly code: number }>> = {
  and: { op: OP.and, code: 0 },
  eor: { op: OP.eor, code: 1 },
  sub: { op: OP.sub, code: 2 },
  rsb: { op: OP.rsb, code: 3 },
  add: { op: OP.add, code: 4 },
  tst: { op: OP.tst, code: 8 },
  cmp: { op: OP.cmp, code: 10 },
  orr: { op: OP.orr, code: 12 },
  mov: { op: OP.mov, code: 13 },
  bic: { op: OP.bic, code: 14 },
};

export const SP = 13;
export const LR = 14;
export const PC = 15;

export function createAssembler(): Assembler {
  const lines: Instruction[] = [];
  /** Done when every label has its place. */
  const fixes: (() => void)[] = [];
  let pending: { readonly line: Instruction; readonly at: number; readonly value: number | Label }[] = [];
  let irq = false;

  const add = (op: number, opcode: number, text: string, fields: Partial<Instruction> = {}): Instruction => {
    const line: Instruction = {
      op,
      cond: opcode >>> 28,
      rd: 0,
      rn: 0,
      rm: 0,
      shift: 0,
      imm: 0,
      size: 0,
      mode: 0,
      opcode: opcode >>> 0,
      text,
      irq,
      ...fields,
    };
    lines.push(line);
    return line;
  };

  const access = (
    loads: boolean,
    rd: number,
    size: 1 | 2 | 4 | 8,
    { rn, offset = 0, post = false, rm, shift = 0 }: Place,
  ): void => {
    const name = `${loads ? 'ldr' : 'str'}${SUFFIX[size]} ${reg(rd)}${size === 8 ? `, ${reg(rd + 1)}` : ''}, `;
    const where = post
      ? `[${reg(rn)}], ${num(offset)}`
      : rm === undefined
        ? `[${reg(rn)}${offset === 0 ? '' : `, ${num(offset)}`}]`
        : `[${reg(rn)}, ${reg(rm)}${shift === 0 ? '' : `, lsl ${num(shift)}`}]`;
    add(loads ? OP.load : OP.store, encodeAccess(loads, rd, size, rn, offset, post, rm, shift), name + where, {
      rd,
      rn,
      rm: rm ?? 0,
      shift,
      imm: offset,
      size,
      mode: (post ? MODE.post : 0) | (rm === undefined ? 0 : MODE.register),
    });
  };

  const several = (op: number, base: number, name: string, registers: readonly number[], end = ''): void => {
    const list = registers.reduce((bits, register) => bits | (1 << register), 0);
    const names = Array.from({ length: 16 }, (_, k) => k).filter((k) => (list >>> k) & 1);
    add(op, base | list, `${name} {${names.map(reg).join(', ')}}${end}`, { imm: list });
  };

  const jump = (op: number, base: number, name: string, target: Label, cond: Condition = 'al'): void => {
    const at = lines.length;
    const line = add(op, ((CONDITIONS[cond] << 28) | base) >>> 0, '');
    fixes.push(() => {
      line.imm = addressOf(target) / 4;
      line.opcode = (line.opcode | ((target.at - at - 2) & 0xffffff)) >>> 0;
      line.text = `${name}${suffix(cond)} #0x${addressOf(target).toString(16)}`;
    });
  };

  const word = (value: number | Label): void => {
    const line = add(OP.data, typeof value === 'number' ? value : 0, '');
    if (typeof value !== 'number') fixes.push(() => (line.opcode = addressOf(value)));
  };

  return {
    here: () => lines.length,
    label: () => ({ at: -1 }),
    place: (label) => {
      label.at = lines.length;
    },
    alu: (name, rd, rn, operand, { cond = 'al', s = false } = {}) => {
      const tests = name === 'tst' || name === 'cmp';
      const sets = s || tests;
      const { op, code } = ALU[name];
      const base = (CONDITIONS[cond] << 28) | (code << 21) | (sets ? 1 << 20 : 0);
      const registers = (tests ? 0 : rd << 12) | (name === 'mov' ? 0 : rn << 16);
      const shift = 'imm' in operand ? 0 : (operand.shift ?? 0);
      const shiftName = shift < 0 ? 'lsr' : 'lsl';
      const bits =
        'imm' in operand
          ? (1 << 25) | rotated(operand.imm)
          : (Math.abs(shift) << 7) | (shift < 0 ? 1 << 5 : 0) | operand.rm;
      const end = (s ? 's' : '') + suffix(cond);
      const second = 'imm' in operand ? num(operand.imm) : reg(operand.rm);
      const text =
        name === 'mov' && shift !== 0
          ? `${shiftName}${end} ${reg(rd)}, ${second}, ${num(Math.abs(shift))}`
          : `${name}${end} ${[...(tests ? [] : [reg(rd)]), ...(name === 'mov' ? [] : [reg(rn)]), second].join(', ')}` +
            (shift === 0 ? '' : `, ${shiftName} ${num(Math.abs(shift))}`);
      add(op, (base | registers | bits) >>> 0, text, {
        rd,
        rn,
        rm: 'imm' in operand ? 0 : operand.rm,
        shift,
        imm: 'imm' in operand ? operand.imm : 0,
        mode: ('imm' in operand ? MODE.imm : 0) | (sets ? MODE.flags : 0),
      });
    },
    mul: (rd, rm, rs) => {
      add(OP.mul, 0xe0000090 | (rd << 16) | (rs << 8) | rm, `mul ${reg(rd)}, ${reg(rm)}, ${reg(rs)}`, {
        rd,
        rm,
        rn: rs,
      });
    },
    load: (rd, size, place) => access(true, rd, size, place),
    store: (rd, size, place) => access(false, rd, size, place),
    literal: (rd, value) => {
      const line = add(OP.load, 0xe59f0000 | (rd << 12), '', { rd, rn: PC, size: 4 });
      pending.push({ line, at: lines.length - 1, value });
    },
    push: (...registers) => several(OP.push, 0xe92d0000, 'push', registers),
    pop: (...registers) => several(OP.pop, 0xe8bd0000, 'pop', registers),
    leave: (...registers) => several(OP.leave, 0xe8fd0000, 'ldm sp!,', registers, ' ^'),
    branch: (target, cond) => jump(OP.branch, 0x0a000000, 'b', target, cond),
    call: (target) => jump(OP.call, 0x0b000000, 'bl', target),
    callRegister: (rm) => add(OP.callRegister, 0xe12fff30 | rm, `blx ${reg(rm)}`, { rm }),
    returns: () => add(OP.returns, 0xe12fff1e, 'bx lr'),
    host: (number) => add(OP.host, 0xef000000 | number, `svc ${num(number)}`, { imm: number }),
    sleep: (cond = 'al') => add(OP.sleep, (CONDITIONS[cond] << 28) | 0x0320f003, `wfi${suffix(cond)}`),
    word,
    pool: () => {
      for (const { line, at, value } of pending) {
        line.imm = (lines.length - at - 2) * 4;
        line.opcode = (line.opcode | line.imm) >>> 0;
        line.text = `ldr ${reg(line.rd)}, [pc, ${num(line.imm)}]`;
        word(value);
      }
      pending = [];
    },
    skipTo: (index) => {
      assert(index >= lines.length, 'the room is already taken');
      while (lines.length < index) add(OP.data, 0, '');
    },
    inInterrupt: (value) => {
      irq = value;
    },
    finish: () => {
      assert(pending.length === 0, 'literals without a pool');
      for (const fix of fixes) fix();
      return lines;
    },
  };
}

function addressOf(label: Label): number {
  assert(label.at >= 0, 'a label without a place');
  return label.at * 4;
}

const SUFFIX = { 1: 'b', 2: 'h', 4: '', 8: 'd' } as const;
const NAMES = ['r0', 'r1', 'r2', 'r3', 'r4', 'r5', 'r6', 'r7', 'r8', 'sb', 'sl', 'fp', 'ip', 'sp', 'lr', 'pc'] as const;

function reg(number: number): string {
  assert(number >= 0 && number <= PC, 'no such register');
  return NAMES[number]!;
}

function num(value: number): string {
  const size = Math.abs(value);
  return `#${value < 0 ? '-' : ''}${size < 10 ? size : `0x${size.toString(16)}`}`;
}

function suffix(cond: Condition): string {
  return cond === 'al' ? '' : cond;
}

/** An immediate of data processing: eight bits, rotated right by an even number. */
function rotated(value: number): number {
  for (let rotate = 0; rotate < 16; rotate++) {
    const back = rotate === 0 ? value >>> 0 : ((value << (2 * rotate)) | (value >>> (32 - 2 * rotate))) >>> 0;
    if (back < 256) return (rotate << 8) | back;
  }
  throw new Error(`internal error: ${value} is no immediate`);
}

function encodeAccess(
  loads: boolean,
  rd: number,
  size: 1 | 2 | 4 | 8,
  rn: number,
  offset: number,
  post: boolean,
  rm: number | undefined,
  shift: number,
): number {
  const distance = Math.abs(offset);
  const up = offset < 0 ? 0 : 1 << 23;
  const before = post ? 0 : 1 << 24;
  const registers = (rn << 16) | (rd << 12);
  if (size === 1 || size === 4) {
    assert(distance < 4096, 'an offset too far');
    const kind = 0xe4000000 | (loads ? 1 << 20 : 0) | (size === 1 ? 1 << 22 : 0);
    const index = rm === undefined ? distance : (1 << 25) | (shift << 7) | rm;
    return (kind | before | up | registers | index) >>> 0;
  }
  assert(distance < 256 && rm === undefined, 'an offset too far');
  assert(size !== 8 || (rd & 1) === 0, 'a pair starts at an even register');
  const code = size === 2 ? (loads ? 0x001000b0 : 0x000000b0) : loads ? 0x000000d0 : 0x000000f0;
  return (0xe0400000 | code | before | up | registers | ((distance >>> 4) << 8) | (distance & 15)) >>> 0;
}
