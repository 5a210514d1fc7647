/**
 * The register files of MIPS with 32 and 64 bits. Register 0 is always zero.
 *
 * Source: MIPS Architecture for Programmers volume II-A, release 5 (MD00086), chapter 2; MIPS ABI supplement, 3-11 (names).
 */
import {
  createRegisterFile,
  span,
  whole,
  type GrowingRegisterFile,
  type RegisterLayout,
  type RegisterSpan,
} from '../register-file.ts';

const NAMES = 'zero at v0 v1 a0 a1 a2 a3 t0 t1 t2 t3 t4 t5 t6 t7 s0 s1 s2 s3 s4 s5 s6 s7 t8 t9 k0 k1 gp sp fp ra'.split(
  ' ',
);
const HIGH = 256;
const FLOATS = 272;
const CONTROL = FLOATS + 8 * 32;
const END = CONTROL + 8;

function layout(bytes: number): RegisterLayout[] {
  const registers: RegisterLayout[] = [{ names: ['zero', '0', 'r0'], fields: [] }, whole(['pc'], 0, bytes)];
  for (let n = 1; n < 32; n++)
    registers.push(whole([NAMES[n]!, `${n}`, `r${n}`, ...(n === 30 ? ['s8'] : [])], 8 * n, bytes));
  registers.push(whole(['hi'], HIGH, bytes), whole(['lo'], HIGH + 8, bytes));
  for (let n = 0; n < 32; n++) registers.push(whole([`f${n}`], FLOATS + 8 * n, 8));
  registers.push(whole(['fcsr'], CONTROL, 4));
  return registers;
}

const NUMBERED = /^[rf]?\d+$/;

function create(bytes: number): GrowingRegisterFile {
  return createRegisterFile({
    registers: layout(bytes),
    counter: 'pc',
    end: END,
    plain: (name) => (name.startsWith('$') ? name.slice(1) : name),
    isSystem: (name) => /^[a-z]\w{1,31}$/.test(name) && !NUMBERED.test(name),
  });
}

export const MIPS32_REGISTERS = create(4);
export const MIPS64_REGISTERS = create(8);

export const LINK = 31;
/** The control register of floating point, which holds the conditions. */
export const FLOAT_CONTROL = span(CONTROL, 4);

export function high(bytes: number): RegisterSpan {
  return span(HIGH, bytes);
}

export function low(bytes: number): RegisterSpan {
  return span(HIGH + 8, bytes);
}

export function float(n: number): RegisterSpan {
  return span(FLOATS + 8 * n, 8);
}

/** Names of registers of coprocessor 0 with selection 0. */
const SYSTEM_NAMES: Readonly<Record<number, string>> = {
  0: 'index',
  2: 'entrylo0',
  3: 'entrylo1',
  4: 'context',
  5: 'pagemask',
  6: 'wired',
  8: 'badvaddr',
  10: 'entryhi',
  11: 'compare',
  12: 'status',
  13: 'cause',
  14: 'epc',
  15: 'prid',
  16: 'config',
  30: 'errorepc',
};
const COUNT = 9;
const RANDOM = 1;

/** Returns the bytes of a register of coprocessor 0; undefined for a counter, which changes without an instruction. */
export function systemRegister(number: number, selection: number, bytes: number): RegisterSpan | undefined {
  if (selection === 0 && (number === COUNT || number === RANDOM)) return undefined;
  const file = bytes === 4 ? MIPS32_REGISTERS : MIPS64_REGISTERS;
  const name = (selection === 0 ? SYSTEM_NAMES[number] : undefined) ?? `cp0_${number}_${selection}`;
  return span(file.system(name).low, bytes);
}
