/**
 * The register files of x86 with 32 bits (also for 16-bit code) and 64 bits.
 *
 * Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 1, 3.4 (general registers, EFLAGS), 8.1 and 9.2 (x87, MMX).
 */
import {
  createRegisterFile,
  span,
  whole,
  type GrowingRegisterFile,
  type RegisterField,
  type RegisterLayout,
  type RegisterSpan,
} from '../register-file.ts';

const NAMES = ['ax', 'cx', 'dx', 'bx', 'sp', 'bp', 'si', 'di'] as const;
const SEGMENTS = ['es', 'cs', 'ss', 'ds', 'fs', 'gs'];
const COUNTER = 128;
const FLAGS = 136;
const REST = FLAGS + 7;
const SEGMENT = 148;
const FLOATS = 160;
const FLOAT_BYTES = 10;
const STATUS = FLOATS + 8 * FLOAT_BYTES;
const VECTORS = 256;
export const VECTOR_BYTES = 64;
const MASKS = VECTORS + 32 * VECTOR_BYTES;
const CONTROL_STATUS = MASKS + 64;
const END = CONTROL_STATUS + 8;

/** Positions of the flags in EFLAGS, in the order of their bytes. */
const FLAG_BITS: readonly (readonly [name: string, bit: number])[] = [
  ['cf', 0],
  ['pf', 2],
  ['af', 4],
  ['zf', 6],
  ['sf', 7],
  ['of', 11],
  ['df', 10],
];

const FLAG_FIELDS: readonly RegisterField[] = [
  ...FLAG_BITS.map(([, bit], k) => ({ span: span(FLAGS + k, 1), bit, bits: 1 })),
  { span: span(REST, 1), bit: 8, bits: 2 },
  { span: span(REST + 1, 2), bit: 12, bits: 10 },
];

function layout(is64: boolean): RegisterLayout[] {
  const registers: RegisterLayout[] = [];
  const bytes = is64 ? 8 : 4;
  NAMES.forEach((name, k) => {
    const low = 8 * k;
    if (is64) registers.push(whole([`r${name}`], low, 8));
    registers.push(whole([`e${name}`], low, 4), whole([name], low, 2));
    if (k < 4) registers.push(whole([`${name[0]!}l`], low, 1), whole([`${name[0]!}h`], low + 1, 1));
    else if (is64) registers.push(whole([`${name}l`], low, 1));
  });
  if (is64)
    for (let n = 8; n < 16; n++)
      registers.push(
        whole([`r${n}`], 8 * n, 8),
        whole([`r${n}d`], 8 * n, 4),
        whole([`r${n}w`], 8 * n, 2),
        whole([`r${n}b`, `r${n}l`], 8 * n, 1),
      );
  registers.push(whole(is64 ? ['rip', 'eip', 'ip', 'pc'] : ['eip', 'ip', 'pc'], COUNTER, bytes));
  const flags = is64 ? ['rflags', 'eflags', 'flags'] : ['eflags', 'flags', 'rflags'];
  registers.push({ names: flags, fields: FLAG_FIELDS });
  FLAG_BITS.forEach(([name], k) => registers.push(whole([`eflags.${name}`], FLAGS + k, 1)));
  registers.push(whole(['eflags.system'], REST, 3));
  SEGMENTS.forEach((name, k) => registers.push(whole([name], SEGMENT + 2 * k, 2)));
  for (let n = 0; n < 8; n++) {
    registers.push(whole([`mm${n}`], FLOATS + FLOAT_BYTES * n, 8), whole([`k${n}`], MASKS + 8 * n, 8));
    // The position of a register of the x87 stack depends on the state, so that any of them is any part of the stack.
    registers.push({ names: ['x87', `st(${n})`, `st${n}`], fields: [{ span: FLOAT_STACK, bit: 0, bits: 80 }] });
  }
  registers.push(whole(['fpsw'], STATUS, 2), whole(['fpcw'], STATUS + 2, 2));
  for (let n = 0; n < (is64 ? 32 : 8); n++) {
    const low = VECTORS + VECTOR_BYTES * n;
    registers.push(whole([`xmm${n}`], low, 16), whole([`ymm${n}`], low, 32), whole([`zmm${n}`], low, 64));
  }
  registers.push(whole(['mxcsr'], CONTROL_STATUS, 4));
  return registers;
}

/** The registers of the x87 stack. */
export const FLOAT_STACK = span(FLOATS, 8 * FLOAT_BYTES);

/** The status word of x87. */
export const FLOAT_STATUS = span(STATUS, 2);

const KNOWN = /^(?:[er]?(?:[abcd]x|[sb]p|[sd]i|ip)|[a-d][hl]|r\d+[dwbl]?|[xyz]?mm\d+|st\d*|k\d+)$/;

function create(is64: boolean): GrowingRegisterFile {
  return createRegisterFile({
    registers: layout(is64),
    counter: is64 ? 'rip' : 'eip',
    end: END,
    isSystem: (name) => /^[a-z]\w{1,31}$/.test(name) && !KNOWN.test(name),
  });
}

export const X86_REGISTERS = create(false);
export const X64_REGISTERS = create(true);

export const CF = span(FLAGS, 1);
export const PF = span(FLAGS + 1, 1);
export const AF = span(FLAGS + 2, 1);
export const ZF = span(FLAGS + 3, 1);
export const SF = span(FLAGS + 4, 1);
export const OF = span(FLAGS + 5, 1);
export const DF = span(FLAGS + 6, 1);
/** cf, pf, af, zf, sf and of. */
export const ARITHMETIC = span(FLAGS, 6);
/** All but cf. */
export const WITHOUT_CARRY = span(FLAGS + 1, 5);
/** pf, af, zf and sf. */
export const OF_RESULT = span(FLAGS + 1, 4);
/** cf, pf, af, zf and sf: the lowest byte of EFLAGS. */
export const LOWEST = span(FLAGS, 5);
export const ALL_FLAGS = span(FLAGS, 7 + 3);
export const SYSTEM_FLAGS = span(REST, 3);

export function isGeneral(at: RegisterSpan): boolean {
  return at.low < COUNTER;
}

/** True for a register of vectors, or its lower part. */
export function isVector(at: RegisterSpan): boolean {
  return at.low >= VECTORS && at.low < MASKS;
}

export function isFlag(at: RegisterSpan): boolean {
  return at.low >= FLAGS && at.low < SEGMENT;
}

/** Returns the low bytes of a general register: 0 is the accumulator, then cx, dx, bx, sp, bp, si, di. */
export function general(n: number, bytes: number): RegisterSpan {
  return span(8 * n, bytes);
}

export const AX = 0;
export const CX = 1;
export const DX = 2;
export const BX = 3;
export const SP = 4;
export const BP = 5;
export const SI = 6;
export const DI = 7;

const DECIDING: Readonly<Record<string, readonly RegisterSpan[]>> = {
  o: [OF],
  no: [OF],
  b: [CF],
  ae: [CF],
  e: [ZF],
  ne: [ZF],
  be: [CF, ZF],
  a: [CF, ZF],
  s: [SF],
  ns: [SF],
  p: [PF],
  np: [PF],
  l: [SF, OF],
  ge: [SF, OF],
  le: [ZF, SF, OF],
  g: [ZF, SF, OF],
};

/** Returns the flags that decide a condition, by its letters in a mnemonic; undefined if they are none. */
export function flagsOf(condition: string): readonly RegisterSpan[] | undefined {
  return Object.hasOwn(DECIDING, condition) ? DECIDING[condition] : undefined;
}
