/**
 * The register files of RISC-V with 32 and 64 bits. Register x0 is always zero.
 *
 * Source: RISC-V Unprivileged ISA 20240411, chapter 2; RISC-V psABI, chapter 1 (names); Privileged ISA, chapter 2 (numbers of CSRs).
 */
import {
  createRegisterFile,
  span,
  whole,
  type GrowingRegisterFile,
  type RegisterLayout,
  type RegisterSpan,
} from '../register-file.ts';

const GENERAL_NAMES =
  'zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6'.split(' ');
const FLOAT_NAMES =
  'ft0 ft1 ft2 ft3 ft4 ft5 ft6 ft7 fs0 fs1 fa0 fa1 fa2 fa3 fa4 fa5 fa6 fa7 fs2 fs3 fs4 fs5 fs6 fs7 fs8 fs9 fs10 fs11 ft8 ft9 ft10 ft11'.split(
    ' ',
  );
const FLOATS = 256;
const VECTORS = 512;
const VECTOR_BYTES = 256;
const FLAGS = VECTORS + 32 * VECTOR_BYTES;
const END = FLAGS + 8;

/** Numbers of control and status registers with names. */
const CSR_NAMES: Readonly<Record<number, string>> = {
  0x100: 'sstatus',
  0x104: 'sie',
  0x105: 'stvec',
  0x140: 'sscratch',
  0x141: 'sepc',
  0x142: 'scause',
  0x143: 'stval',
  0x144: 'sip',
  0x180: 'satp',
  0x300: 'mstatus',
  0x301: 'misa',
  0x302: 'medeleg',
  0x303: 'mideleg',
  0x304: 'mie',
  0x305: 'mtvec',
  0x306: 'mcounteren',
  0x340: 'mscratch',
  0x341: 'mepc',
  0x342: 'mcause',
  0x343: 'mtval',
  0x344: 'mip',
  0x3a0: 'pmpcfg0',
  0x3b0: 'pmpaddr0',
  0xf11: 'mvendorid',
  0xf12: 'marchid',
  0xf13: 'mimpid',
  0xf14: 'mhartid',
};

function layout(bytes: number): RegisterLayout[] {
  const registers: RegisterLayout[] = [{ names: ['x0', 'zero'], fields: [] }, whole(['pc'], 0, bytes)];
  for (let n = 1; n < 32; n++) {
    const aliases = n === 8 ? ['fp'] : [];
    registers.push(whole([GENERAL_NAMES[n]!, `x${n}`, ...aliases], 8 * n, bytes));
  }
  for (let n = 0; n < 32; n++) {
    registers.push(whole([FLOAT_NAMES[n]!, `f${n}`], FLOATS + 8 * n, 8));
    registers.push(whole([`v${n}`], VECTORS + VECTOR_BYTES * n, VECTOR_BYTES));
  }
  registers.push({
    names: ['fcsr'],
    fields: [
      { span: span(FLAGS, 1), bit: 0, bits: 5 },
      { span: span(FLAGS + 1, 1), bit: 5, bits: 3 },
    ],
  });
  registers.push(whole(['fflags'], FLAGS, 1), whole(['frm'], FLAGS + 1, 1));
  return registers;
}

const NUMBERED = /^[xfv]\d+$/;
/** Spike writes a CSR as `c773_mtvec`. */
const WITH_NUMBER = /^c\d+_(\w+)$/;

function create(bytes: number): GrowingRegisterFile {
  return createRegisterFile({
    registers: layout(bytes),
    counter: 'pc',
    end: END,
    plain: (name) => WITH_NUMBER.exec(name)?.[1] ?? name,
    isSystem: (name) => /^[a-z]\w{1,31}$/.test(name) && !NUMBERED.test(name),
  });
}

export const RISCV32_REGISTERS = create(4);
export const RISCV64_REGISTERS = create(8);

export const FFLAGS = span(FLAGS, 1);
const FRM = span(FLAGS + 1, 1);
const FCSR = span(FLAGS, 2);

export function float(n: number): RegisterSpan {
  return span(FLOATS + 8 * n, 8);
}

/** Returns the bytes of a control and status register; undefined for a counter, which changes without an instruction. */
export function statusRegister(number: number, bytes: number): RegisterSpan | undefined {
  if (number <= 3) return [undefined, FFLAGS, FRM, FCSR][number];
  if ((number >= 0xc00 && number < 0xca0) || (number >= 0xb00 && number < 0xba0)) return undefined;
  const file = bytes === 4 ? RISCV32_REGISTERS : RISCV64_REGISTERS;
  const { low } = file.system(CSR_NAMES[number] ?? `csr${number.toString(16)}`);
  return span(low, bytes);
}
