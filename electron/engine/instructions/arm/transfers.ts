/** Loads and stores of AArch32, the same for the encodings A32, T32 and T16. */
import {
  access,
  compute,
  computeFrom,
  copy,
  extend,
  partOf,
  register,
  registers,
  setConstant,
  type Draft,
} from '../draft.ts';
import { isMemory, type AddressFormula } from '../effects.ts';
import type { RegisterSpan } from '../register-file.ts';
import { CPSR, LR, PC, SP, SPSR, general, userBank } from './arm-registers.ts';

/** Where a load or store of one or two registers goes. */
export interface Addressing {
  readonly base: number;
  /** Immediate offset; 0 if there is an index register. */
  readonly offset: number;
  readonly index?: number;
  /** The index counts so often, negative if it is subtracted; undefined if the shift is no multiplication. */
  readonly scale?: number;
  /** The carry flag, if the shift of the index is RRX. */
  readonly others?: readonly RegisterSpan[];
  /** Whether the offset is added before the access, after it, or before it with the sum written to the base. */
  readonly mode: 'offset' | 'pre' | 'post';
  /** Bytes between an instruction and the value that it reads as its program counter: 8, or 4 in Thumb, which rounds it down. */
  readonly ahead: number;
}

function indexOf({ index }: Addressing): readonly RegisterSpan[] {
  return index === undefined || index === PC ? [] : [general(index)];
}

function addressRegisters(at: Addressing): readonly RegisterSpan[] {
  const base = at.base === PC ? [] : [general(at.base)];
  return at.mode === 'post' ? base : [...base, ...indexOf(at), ...(at.others ?? [])];
}

function formulaOf(at: Addressing): AddressFormula | undefined {
  const start = at.base === PC ? { counter: { ahead: at.ahead, multipleOf: 4 } } : { base: general(at.base) };
  if (at.mode === 'post') return { ...start, scale: 1, displacement: 0, bits: 32 };
  if (at.index === undefined) return { ...start, scale: 1, displacement: at.offset, bits: 32 };
  if (at.scale === undefined || at.index === PC) return undefined;
  return { ...start, index: general(at.index), scale: at.scale, displacement: 0, bits: 32 };
}

function writeBack(draft: Draft, at: Addressing): void {
  if (at.mode === 'offset' || at.base === PC) return;
  const base = general(at.base);
  compute(draft, base, [base, ...indexOf(at), ...(at.others ?? [])]);
}

export function load(draft: Draft, at: Addressing, rt: number, bytes: number, signed: boolean): void {
  const place = access(draft, 'read', bytes, addressRegisters(at), formulaOf(at));
  if (rt === PC) {
    draft.flow = at.base === SP && at.mode === 'post' ? 'return' : 'branch';
    draft.decides = [place];
  } else extend(draft, general(rt), place, bytes, signed);
  if (at.base !== rt) writeBack(draft, at);
}

export function store(draft: Draft, at: Addressing, rt: number, bytes: number): void {
  const place = access(draft, 'write', bytes, addressRegisters(at), formulaOf(at));
  if (rt === PC) computeFrom(draft, place, []);
  else copy(draft, place, register({ low: general(rt).low, bytes }));
  writeBack(draft, at);
}

/** Loads or stores two registers: `rt` at the lower address. */
export function transferPair(draft: Draft, at: Addressing, rt: number, rt2: number, loads: boolean): void {
  const place = access(draft, loads ? 'read' : 'write', 8, addressRegisters(at), formulaOf(at));
  [rt, rt2].forEach((n, k) => {
    const word = partOf(place, 4 * k, 4);
    if (loads) copy(draft, register(general(n)), word);
    else copy(draft, word, register(general(n)));
  });
  writeBack(draft, at);
}

/** A load or store of a list of registers. */
export interface Block {
  readonly base: number;
  /** Bit n stands for register n. */
  readonly list: number;
  readonly loads: boolean;
  readonly up: boolean;
  /** True if the base is changed before each access: the first word is not at the base, or not the last for a descending list. */
  readonly before: boolean;
  readonly writesBack: boolean;
  /** True for the form with `^`: registers of user mode, or with the program counter a return from an exception. */
  readonly special: boolean;
}

export function transferBlock(draft: Draft, block: Block): void {
  const { base, list, loads, up, before, special } = block;
  const numbers = Array.from({ length: 16 }, (_, n) => n).filter((n) => ((list >> n) & 1) === 1);
  const bytes = 4 * numbers.length;
  const displacement = up ? Number(before) * 4 : 4 * Number(!before) - bytes;
  const place = access(draft, loads ? 'read' : 'write', bytes, [general(base)], {
    base: general(base),
    scale: 1,
    displacement,
    bits: 32,
  });
  const loadsCounter = loads && numbers.includes(PC);
  const file = special && !loadsCounter ? userBank : general;
  numbers.forEach((n, k) => {
    const word = partOf(place, 4 * k, 4);
    if (n === PC) {
      if (!loads) computeFrom(draft, word, []);
    } else if (loads) copy(draft, register(file(n)), word);
    else copy(draft, word, register(file(n)));
  });
  // A base that is loaded keeps the loaded value.
  if (block.writesBack && !(loads && numbers.includes(base))) compute(draft, general(base), [general(base)]);
  if (!loadsCounter) return;
  draft.flow = base === SP || special ? 'return' : 'branch';
  draft.decides = [partOf(place, bytes - 4, 4)];
  if (special) computeFrom(draft, register(CPSR), [register(SPSR)]);
}

/** A branch with link: the return address is a constant. */
export function call(draft: Draft, target: number | undefined): void {
  setConstant(draft, general(LR));
  draft.flow = 'call';
  if (target !== undefined && target !== PC) draft.decides = registers([general(target)]);
}

/** A branch to an address in a register. */
export function branchTo(draft: Draft, target: number): void {
  draft.flow = target === LR ? 'return' : 'branch';
  if (target !== PC) draft.decides = registers([general(target)]);
}

/** True if a definition is one of the program counter, which no core allows: branches and loads describe the flow instead. */
export function definesCounter({ definitions }: Draft): boolean {
  return definitions.some(({ to }) => !isMemory(to) && to.register.low === general(PC).low);
}
