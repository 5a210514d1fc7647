/**
 * Effects of one instruction: its operands in memory, and each value that it defines with the places that value is made of.
 *
 * Registers are bytes of the processor's register file (`register-file.ts`), so parts and aliases overlap by arithmetic.
 */
import type { RegisterSpan } from './register-file.ts';

/** Bytes that an instruction reads or defines. */
export type Place = RegisterPlace | MemoryPlace;

export interface RegisterPlace {
  readonly register: RegisterSpan;
}

export interface MemoryPlace {
  /** Index in `Effects.memory`. */
  readonly memory: number;
  /** First byte of the place, counted from the lowest address of the operand. */
  readonly offset: number;
  readonly bytes: number;
}

/** A stretch of memory that an instruction accesses. A list of registers that is loaded or stored is one operand, lowest address first. */
export interface MemoryOperand {
  readonly way: 'read' | 'write' | 'both';
  /** 0 if the instruction does not say how long the operand is, such as a string of x86 with a repeat prefix. */
  readonly bytes: number;
  /** Registers that form the address. The program counter is not among them: its value is known. */
  readonly address: readonly RegisterSpan[];
  /** Undefined if the address is no sum of registers, such as an address in a segment. */
  readonly compute?: AddressFormula;
}

/** The lowest address of an operand: `base + (index shifted) + displacement`, or the program counter in place of the base. */
export interface AddressFormula {
  readonly base?: RegisterSpan;
  /** Bytes from the address of the instruction, which is rounded down to a multiple of `multipleOf`, in place of a base register. */
  readonly counter?: { readonly ahead: number; readonly multipleOf: number };
  readonly index?: RegisterSpan;
  /** The index counts so often: `scale` times, or minus so often if it is subtracted. */
  readonly scale: number;
  /** True if the index is a number with a sign: a 32-bit index of a 64-bit address. */
  readonly signedIndex?: boolean;
  readonly displacement: number;
  /** Number of address bits: a sum wraps there. */
  readonly bits: 16 | 32 | 64;
}

/**
 * How an instruction makes a value.
 * - `copy`: `from[0]` has as many bytes as `to`, and these are its bytes. Between a register and memory they are in the byte order of data.
 * - `computed`: a function of all of `from`. Without any, the value comes from outside of the program: a timer, a port, a coprocessor.
 * - `constant`: the instruction and its address alone decide the value.
 */
export type How = 'copy' | 'computed' | 'constant';

/** A value that an instruction defines. All sources are values before the instruction, also of an operand that it reads and writes. */
export interface Definition {
  readonly to: Place;
  readonly from: readonly Place[];
  readonly how: How;
  /**
   * True if the instruction may leave `to` as it is: its condition may fail. Then `to` and what decides (flags, a count) are in `from`, after
   * the sources of the value.
   */
  readonly conditional: boolean;
}

export type FlowKind = 'branch' | 'conditional' | 'call' | 'return' | 'trap';

/** A condition of Arm as the four bits of its encoding: 0 (eq) to 13 (le), 14 (always). */
export type Condition = number;

export interface Effects {
  /** Disassembly. It is made when it is read. */
  readonly text: string;
  /** Length of the instruction in bytes. */
  readonly size: number;
  /** In the order in which the processor accesses them, as far as the architecture orders them. */
  readonly memory: readonly MemoryOperand[];
  /** The program counter is never defined: `flow` and `decides` describe it. */
  readonly definitions: readonly Definition[];
  readonly flow?: FlowKind | undefined;
  /** Places that decide where the program continues: flags of a condition, and the place of an indirect target. */
  readonly decides?: readonly Place[] | undefined;
  /** Conditions of the instructions after an IT instruction of Thumb, in order. */
  readonly predicates?: readonly Condition[] | undefined;
  /**
   * Flags of the condition under which the instruction executes at all; undefined if it always does. In every definition they follow `to` at
   * the end of `from`.
   */
  readonly condition?: readonly Place[] | undefined;
  /**
   * False if the instruction is not modelled. Then every definition uses every register that the instruction reads, and operands in memory
   * are missing: any access that a trace records for the instruction can be one. Flags that it may set are defined conditionally.
   */
  readonly complete: boolean;
}

export function isMemory(place: Place): place is MemoryPlace {
  return 'memory' in place;
}

/**
 * Returns the lowest address of an operand. `valueOf` returns the value of a register before the instruction, without a sign; undefined
 * if it is not known. Returns undefined if a value is missing or the operand has no formula.
 */
export function addressOf(
  operand: MemoryOperand,
  instructionAddress: bigint,
  valueOf: (span: RegisterSpan) => bigint | undefined,
): bigint | undefined {
  const formula = operand.compute;
  if (formula === undefined) return undefined;
  const base = formula.base === undefined ? counterOf(formula, instructionAddress) : valueOf(formula.base);
  const index = formula.index === undefined ? 0n : valueOf(formula.index);
  if (base === undefined || index === undefined) return undefined;
  const { index: span, signedIndex = false, scale, displacement, bits } = formula;
  const number = signedIndex && span !== undefined ? BigInt.asIntN(8 * span.bytes, index) : index;
  return BigInt.asUintN(bits, base + number * BigInt(scale) + BigInt(displacement));
}

function counterOf({ counter }: AddressFormula, instructionAddress: bigint): bigint {
  if (counter === undefined) return 0n;
  return instructionAddress - (instructionAddress % BigInt(counter.multipleOf)) + BigInt(counter.ahead);
}
