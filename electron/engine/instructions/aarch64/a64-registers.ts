/**
 * The register file of AArch64.
 *
 * Source: Arm Architecture Reference Manual for A-profile (DDI 0487), B1.2 (registers), C5.2 (special-purpose registers), D17 (names and
 * encodings of system registers).
 */
import {
  createRegisterFile,
  span,
  whole,
  type RegisterField,
  type RegisterLayout,
  type RegisterSpan,
} from '../register-file.ts';

const SP_LOW = 8 * 31;
const FIRST_FLAG = 256;
const REST = FIRST_FLAG + 4;
const COUNTER = 264;
const VECTORS = 272;
const SCALABLE = VECTORS + 16 * 32;
const SCALABLE_BYTES = 240;
const END = SCALABLE + SCALABLE_BYTES * 32;

const CONDITION_FIELDS: readonly RegisterField[] = ['n', 'z', 'c', 'v'].map((_, k) => ({
  span: span(FIRST_FLAG + k, 1),
  bit: 31 - k,
  bits: 1,
}));

const VECTOR_PARTS: readonly (readonly [letter: string, bytes: number])[] = [
  ['b', 1],
  ['h', 2],
  ['s', 4],
  ['d', 8],
  ['q', 16],
];

function layout(): RegisterLayout[] {
  const registers: RegisterLayout[] = [];
  for (let n = 0; n < 31; n++) {
    const alias = { 16: ['ip0'], 17: ['ip1'], 29: ['fp'], 30: ['lr'] }[n] ?? [];
    registers.push(whole([`x${n}`, ...alias], 8 * n, 8), whole([`w${n}`], 8 * n, 4));
  }
  registers.push(whole(['sp', 'x31'], SP_LOW, 8), whole(['wsp'], SP_LOW, 4), whole(['pc'], COUNTER, 8));
  registers.push({ names: ['xzr'], fields: [] }, { names: ['wzr'], fields: [] });
  registers.push({ names: ['nzcv'], fields: CONDITION_FIELDS });
  registers.push({
    names: ['pstate', 'cpsr'],
    fields: [...CONDITION_FIELDS, { span: span(REST, 4), bit: 0, bits: 28 }],
  });
  ['n', 'z', 'c', 'v'].forEach((flag, k) => registers.push(whole([`pstate.${flag}`], FIRST_FLAG + k, 1)));
  registers.push(whole(['pstate.control'], REST, 4));
  for (let n = 0; n < 32; n++) {
    registers.push(whole([`v${n}`], VECTORS + 16 * n, 16));
    for (const [letter, bytes] of VECTOR_PARTS) registers.push(whole([`${letter}${n}`], VECTORS + 16 * n, bytes));
    const upper = span(SCALABLE + SCALABLE_BYTES * n, SCALABLE_BYTES);
    registers.push({
      names: [`z${n}`],
      fields: [
        { span: vector(n), bit: 0, bits: 128 },
        { span: upper, bit: 128, bits: 8 * SCALABLE_BYTES },
      ],
    });
    registers.push(whole([`z${n}<2047:128>`], upper.low, upper.bytes));
  }
  return registers;
}

export function vector(n: number): RegisterSpan {
  return span(VECTORS + 16 * n, 16);
}

export function vectorPart(n: number, bytes: number): RegisterSpan {
  return span(VECTORS + 16 * n, bytes);
}

/** Returns the whole register of which a span is the low part. */
export function widened(part: RegisterSpan): RegisterSpan {
  if (part.low < FIRST_FLAG) return span(part.low, Math.max(8, part.bytes));
  return part.low >= VECTORS && part.low < SCALABLE ? span(part.low, Math.max(16, part.bytes)) : part;
}

const NUMBERED = /^[xwvqdshbrz]\d+$/;

/** The stack pointer is that of the exception level (`EL1h`), or that of level 0 (`EL1t`). */
function current(name: string, mode: string): string {
  const [, level, stack] = /^el([0-3])([ht])/.exec(mode) ?? [];
  return level !== undefined && name === `sp_el${stack === 't' ? '0' : level}` ? 'sp' : name;
}

export const A64_REGISTERS = createRegisterFile({
  registers: layout(),
  counter: 'pc',
  current,
  end: END,
  isSystem: (name) => /^[a-z]\w{1,31}$/.test(name) && !NUMBERED.test(name),
});

export const SP = span(SP_LOW, 8);
export const NZ = span(FIRST_FLAG, 2);
export const CV = span(FIRST_FLAG + 2, 2);
export const C = span(FIRST_FLAG + 2, 1);
export const NZCV = span(FIRST_FLAG, 4);
export const CONTROL = span(REST, 4);
export const LINK = 30;
/** Number that stands for the zero register or the stack pointer. */
export const ZERO = 31;
export const FPSR = A64_REGISTERS.system('fpsr');

const flag = (k: number): RegisterSpan => span(FIRST_FLAG + k, 1);
const DECIDING: readonly (readonly RegisterSpan[])[] = [
  [flag(1)],
  [flag(2)],
  [flag(0)],
  [flag(3)],
  [flag(1), flag(2)],
  [flag(0), flag(3)],
  [flag(0), flag(1), flag(3)],
  [],
];

/** Returns the flags that decide a condition, given as the four bits of its encoding. */
export function flagsOf(condition: number): readonly RegisterSpan[] {
  return DECIDING[condition >> 1]!;
}

/** Names of system registers by op0, op1, CRn, CRm and op2. Others have the generic name of the architecture. */
const SYSTEM_NAMES: Readonly<Record<string, string>> = {
  s3_0_c1_c0_0: 'sctlr_el1',
  s3_0_c2_c0_0: 'ttbr0_el1',
  s3_0_c2_c0_1: 'ttbr1_el1',
  s3_0_c2_c0_2: 'tcr_el1',
  s3_0_c4_c0_0: 'spsr_el1',
  s3_0_c4_c0_1: 'elr_el1',
  s3_0_c4_c1_0: 'sp_el0',
  s3_4_c4_c1_0: 'sp_el1',
  s3_6_c4_c1_0: 'sp_el2',
  s3_0_c4_c2_0: 'spsel',
  s3_0_c4_c2_2: 'currentel',
  s3_0_c5_c2_0: 'esr_el1',
  s3_0_c6_c0_0: 'far_el1',
  s3_0_c10_c2_0: 'mair_el1',
  s3_0_c12_c0_0: 'vbar_el1',
  s3_0_c13_c0_4: 'tpidr_el1',
  s3_3_c4_c2_1: 'daif',
  s3_3_c4_c4_0: 'fpcr',
  s3_3_c4_c4_1: 'fpsr',
  s3_3_c13_c0_2: 'tpidr_el0',
  s3_3_c13_c0_3: 'tpidrro_el0',
  s3_4_c1_c0_0: 'sctlr_el2',
  s3_4_c1_c1_0: 'hcr_el2',
  s3_4_c4_c0_0: 'spsr_el2',
  s3_4_c4_c0_1: 'elr_el2',
  s3_4_c12_c0_0: 'vbar_el2',
  s3_6_c1_c0_0: 'sctlr_el3',
  s3_6_c1_c1_0: 'scr_el3',
  s3_6_c4_c0_0: 'spsr_el3',
  s3_6_c4_c0_1: 'elr_el3',
  s3_6_c12_c0_0: 'vbar_el3',
};

/** Counters: they change without an instruction. */
const COUNTERS: ReadonlySet<string> = new Set([
  's3_3_c14_c0_1',
  's3_3_c14_c0_2',
  's3_3_c14_c0_5',
  's3_3_c14_c0_6',
  's3_3_c9_c13_0',
]);
const NZCV_NAME = 's3_3_c4_c2_0';

/** Returns the bytes of a system register by the fields of MRS and MSR; undefined for a counter. */
export function systemRegister(word: number): RegisterSpan | undefined {
  const field = (low: number, count: number): number => (word >>> low) & (2 ** count - 1);
  const generic = `s${field(19, 2)}_${field(16, 3)}_c${field(12, 4)}_c${field(8, 4)}_${field(5, 3)}`;
  if (generic === NZCV_NAME) return NZCV;
  return COUNTERS.has(generic) ? undefined : A64_REGISTERS.system(SYSTEM_NAMES[generic] ?? generic);
}
