/** One instruction of x86 with its operands, as Capstone decodes them, and the definitions of registers of its mode. */
import { access, computeFrom, copy, register, setConstant, type Draft } from '../draft.ts';
import { isMemory, type AddressFormula, type MemoryOperand, type Place } from '../effects.ts';
import type { RawCapstone } from '../raw-capstone.ts';
import { span, type RegisterFile, type RegisterSpan } from '../register-file.ts';
import { general, isGeneral, SP } from './x86-registers.ts';

export interface Context {
  readonly draft: Draft;
  /** Without prefixes. */
  readonly mnemonic: string;
  readonly operands: readonly Operand[];
  readonly mode: 16 | 32 | 64;
  /** Bytes of an address, as the instruction and its prefixes choose. */
  readonly addressBytes: number;
  /** True if a string instruction has a prefix that repeats it, which its text may lack. */
  readonly repeats: boolean;
  /** True if a prefix changes the size of the operands. */
  readonly isResized: boolean;
}

/** Adds the effects of an instruction; returns false if it does not model these operands. */
export type Handler = (context: Context) => boolean;

export type Operand = RegisterOperand | ImmediateOperand | MemoryReference;

interface RegisterOperand {
  readonly kind: 'register';
  readonly bytes: number;
  readonly at: RegisterSpan;
}

interface ImmediateOperand {
  readonly kind: 'immediate';
  readonly bytes: number;
  readonly value: bigint;
}

export interface MemoryReference {
  readonly kind: 'memory';
  readonly bytes: number;
  readonly address: readonly RegisterSpan[];
  readonly compute?: AddressFormula;
}

/** `cs_x86` and `cs_x86_op` of Capstone 5.0 (include/capstone/x86.h). */
const ADDRESS_SIZE = 9;
const COUNT = 64;
const OPERANDS = 72;
const OPERAND_BYTES = 48;
const VALUE = 8;
const SIZE = 32;
const REGISTER = 1;
const IMMEDIATE = 2;

/** Capstone's names of no register; the last two are the encoding of no index. */
const NO_REGISTERS: ReadonlySet<string> = new Set(['', 'eiz', 'riz']);

export function addressBytesOf(raw: RawCapstone): number {
  return raw.byte(ADDRESS_SIZE);
}

export function isResized(raw: RawCapstone): boolean {
  return raw.byte(2) === 0x66;
}

export function repeatsOf(raw: RawCapstone): boolean {
  const prefix = raw.byte(0);
  return prefix === 0xf2 || prefix === 0xf3;
}

/** Returns the operands of the instruction that was read last; undefined if one has an unknown register. */
export function operandsOf(
  raw: RawCapstone,
  file: RegisterFile,
  mode: 16 | 32 | 64,
  size: number,
): Operand[] | undefined {
  const operands: Operand[] = [];
  const count = raw.byte(COUNT);
  for (let k = 0; k < count; k++) {
    const at = OPERANDS + OPERAND_BYTES * k;
    const type = raw.word(at);
    const bytes = raw.byte(at + SIZE);
    if (type === REGISTER) {
      const spans = file.spansOf(raw.nameOf(raw.word(at + VALUE)));
      if (spans?.length !== 1) return undefined;
      operands.push({ kind: 'register', bytes, at: spans[0]! });
    } else if (type === IMMEDIATE) operands.push({ kind: 'immediate', bytes, value: raw.long(at + VALUE) });
    else operands.push(referenceOf(raw, file, at + VALUE, { mode, size, bytes }));
  }
  return operands;
}

function referenceOf(
  raw: RawCapstone,
  file: RegisterFile,
  at: number,
  { mode, size, bytes }: { mode: 16 | 32 | 64; size: number; bytes: number },
): MemoryReference {
  const segment = raw.nameOf(raw.word(at));
  const base = raw.nameOf(raw.word(at + 4));
  const isRelative = base === 'rip' || base === 'eip';
  const from = isRelative ? undefined : spanNamed(file, base);
  const by = spanNamed(file, raw.nameOf(raw.word(at + 8)));
  const address: RegisterSpan[] = [];
  if (from !== undefined) address.push(from);
  if (by !== undefined) address.push(by);
  // Segments other than FS and GS start at 0 in flat memory; in 16-bit code no one knows.
  const displacement = Number(raw.long(at + 16));
  if (mode === 16 || segment === 'fs' || segment === 'gs' || !Number.isSafeInteger(displacement)) {
    if (segment !== '') address.push(spanNamed(file, segment)!);
    return { kind: 'memory', bytes, address };
  }
  const width = raw.byte(ADDRESS_SIZE);
  const compute: { -readonly [Key in keyof AddressFormula]: AddressFormula[Key] } = {
    scale: by === undefined ? 1 : raw.word(at + 12),
    displacement,
    bits: width === 8 ? 64 : width === 2 ? 16 : 32,
  };
  if (isRelative) compute.counter = { ahead: size, multipleOf: 1 };
  if (from !== undefined) compute.base = from;
  if (by !== undefined) compute.index = by;
  return { kind: 'memory', bytes, address, compute };
}

function spanNamed(file: RegisterFile, name: string): RegisterSpan | undefined {
  return NO_REGISTERS.has(name) ? undefined : file.spansOf(name)?.[0];
}

/** Bytes of a register or of an operand in memory as a place that can be read, written or both. */
export function placeOf({ draft }: Context, operand: Operand, way: MemoryOperand['way']): Place | undefined {
  if (operand.kind === 'immediate') return undefined;
  if (operand.kind === 'register') return register(operand.at);
  return access(draft, way, operand.bytes, operand.address, operand.compute);
}

/** Returns an operand as a list of sources: an immediate is none. */
export function sourcesOf(context: Context, operand: Operand): Place[] {
  const place = placeOf(context, operand, 'read');
  return place === undefined ? [] : [place];
}

/** Defines a place; a 32-bit register of 64-bit mode has its upper half cleared. */
export function define(context: Context, to: Place, from: readonly Place[]): void {
  computeFrom(context.draft, to, from);
  clearUpper(context, to);
}

export function defineCopy(context: Context, to: Place, from: Place): void {
  copy(context.draft, to, from);
  clearUpper(context, to);
}

/** Clears the upper half of a register whose lower half is a result. */
export function clearUpper({ draft, mode }: Context, to: Place): void {
  if (mode !== 64 || isMemory(to)) return;
  const { low, bytes } = to.register;
  if (bytes === 4 && isGeneral(to.register)) setConstant(draft, span(low + 4, 4));
}

/** Defines flags. */
export function setFlags({ draft }: Context, flags: RegisterSpan, from: readonly Place[]): void {
  computeFrom(draft, register(flags), from);
}

export function stackBytes({ mode }: Context): number {
  return mode === 64 ? 8 : mode === 32 ? 4 : 2;
}

/** The stack pointer of the mode. */
export function stackPointer(context: Context): RegisterSpan {
  return general(SP, stackBytes(context));
}

/** Adds an access of the stack, `displacement` bytes from where the stack pointer points before the instruction. */
export function accessStack(
  context: Context,
  way: 'read' | 'write',
  bytes: number,
  displacement: number,
): Place & { memory: number; offset: number; bytes: number } {
  const base = stackPointer(context);
  const compute: AddressFormula = { base, scale: 1, displacement, bits: context.mode };
  return context.mode === 16
    ? access(context.draft, way, bytes, [base])
    : access(context.draft, way, bytes, [base], compute);
}

export function moveStack(context: Context): void {
  const pointer = stackPointer(context);
  computeFrom(context.draft, register(pointer), [register(pointer)]);
}
