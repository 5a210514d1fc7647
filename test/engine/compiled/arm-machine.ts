/**
 * An ARM of architecture 5TE without coprocessors, as far as compiled C without floating point needs it: ARM and Thumb code, modes with
 * banked registers, exceptions with vectors at 0. Loads and stores above its memory abort. Written from the ARM Architecture Reference
 * Manual (DDI 0100I), parts A3 to A5 (ARM) and A6, A7 (Thumb), A2.6 (exceptions).
 */
import type { BranchKind } from '../../../shared/flow/events.ts';
import { assert } from '../../../shared/base/result.ts';
import {
  MOST_INSTRUCTIONS,
  type Access,
  type Branch,
  type Interruption,
  type Program,
  type Ran,
  type Run,
} from './run.ts';

const MEMORY = 0x10_0000;
const [SP, LR, PC] = [13, 14, 15];

const MODES: Readonly<Record<number, string>> = {
  0x10: 'usr',
  0x11: 'fiq',
  0x12: 'irq',
  0x13: 'svc',
  0x17: 'abt',
  0x1b: 'und',
  0x1f: 'sys',
};
const [SUPERVISOR, ABORT, UNDEFINED, IRQ, FIQ] = [0x13, 0x17, 0x1b, 0x12, 0x11];

export function runArm({ image, start, finished, interrupt }: Program): Run {
  const bytes = new Uint8Array(MEMORY);
  bytes.set(image);
  const memory = new DataView(bytes.buffer);
  const r = new Uint32Array(16);
  let [n, z, c, v] = [false, false, false, false];
  let thumb = false;
  let mode: number = SUPERVISOR;
  let [noIrq, noFiq] = [true, true];
  /** Stack pointer, link register and saved status of each mode. */
  const banks = new Map<number, { sp: number; lr: number; spsr: number }>();
  const fast = { own: [0, 0, 0, 0, 0], others: [0, 0, 0, 0, 0] };

  // State of the current instruction.
  let address = start;
  let next = 0;
  const done: { branch: Branch | undefined; aborted: boolean } = { branch: undefined, aborted: false };
  let accesses: Access[] = [];
  /** Registers and status as the instruction before left them. */
  const shown = new Uint32Array(17);

  const ran: Ran[] = [];
  let interruptions: Interruption[] = [];
  while (address !== finished) {
    assert(ran.length < MOST_INSTRUCTIONS, 'the program finishes');
    const wanted = noIrq ? undefined : interrupt(ran.at(-1), address);
    if (wanted !== undefined && !(wanted === 0x1c && noFiq)) {
      interruptions.push({ source: address, target: wanted, resume: address });
      enter(wanted === 0x1c ? FIQ : IRQ, wanted, address + 4);
      address = wanted;
      continue;
    }
    const [wasThumb, wasMode] = [isThumb(), MODES[mode] ?? ''];
    const size = wasThumb ? 2 : 4;
    next = address + size;
    begin();
    r[PC] = address + 2 * size;
    const before = r.slice();
    const opcode = wasThumb ? memory.getUint16(address, true) : memory.getUint32(address, true);
    let executed = true;
    if (wasThumb) {
      // A conditional B is the only Thumb instruction that can fail its condition.
      executed = opcode >>> 12 !== 13 || holds((opcode >>> 8) & 15);
      if (executed) stepThumb(opcode);
    } else if (holds(opcode >>> 28)) stepArm(opcode);
    else executed = false;
    if (done.aborted) abort(before);
    ran.push({
      address,
      size,
      opcode,
      thumb: wasThumb,
      executed,
      mode: wasMode,
      sp: r[SP]!,
      accesses,
      changes: changes(),
      interruptions,
      ...(done.branch && { branch: done.branch }),
    });
    interruptions = [];
    address = next;
  }
  return { ran, answer: r[0]! };

  function isThumb(): boolean {
    return thumb;
  }

  function begin(): void {
    done.branch = undefined;
    done.aborted = false;
    accesses = [];
  }

  function changes(): readonly (readonly [string, number])[] {
    const visible = Uint32Array.from([...r.subarray(0, PC), 0, status()]);
    const changed = [...visible.entries()].filter(([k, value]) => value !== shown[k]);
    shown.set(visible);
    return changed.map(([k, value]) => [k === 16 ? 'cpsr' : `r${k}`, value]);
  }

  function abort(before: Uint32Array): void {
    r.set(before);
    done.branch = { kind: 'exception', target: 0x10, resume: address + 4, direct: true, aborts: true };
    enter(ABORT, 0x10, address + 8);
    next = 0x10;
  }

  function holds(condition: number): boolean {
    switch (condition >>> 1) {
      case 0:
        return z !== ((condition & 1) === 1);
      case 1:
        return c !== ((condition & 1) === 1);
      case 2:
        return n !== ((condition & 1) === 1);
      case 3:
        return v !== ((condition & 1) === 1);
      case 4:
        return (c && !z) !== ((condition & 1) === 1);
      case 5:
        return (n === v) !== ((condition & 1) === 1);
      case 6:
        return (!z && n === v) !== ((condition & 1) === 1);
      default:
        return true;
    }
  }

  function status(): number {
    const flags = (n ? 8 : 0) + (z ? 4 : 0) + (c ? 2 : 0) + (v ? 1 : 0);
    return (flags * 0x1000_0000 + ((noIrq ? 0x80 : 0) | (noFiq ? 0x40 : 0) | (thumb ? 0x20 : 0) | mode)) >>> 0;
  }

  function setStatus(value: number, control: boolean, flags: boolean): void {
    if (flags)
      [n, z, c, v] = [31, 30, 29, 28].map((bit) => ((value >>> bit) & 1) === 1) as [boolean, boolean, boolean, boolean];
    if (!control) return;
    noIrq = (value & 0x80) !== 0;
    noFiq = (value & 0x40) !== 0;
    changeMode(value & 0x1f);
  }

  function changeMode(to: number): void {
    assert(MODES[to] !== undefined, 'the processor has this mode');
    const bank = (one: number): number => (one === 0x10 ? 0x1f : one);
    const spsr = banks.get(bank(mode))?.spsr ?? 0;
    banks.set(bank(mode), { sp: r[SP]!, lr: r[LR]!, spsr });
    if ((mode === FIQ) !== (to === FIQ)) {
      const kept = [...r.subarray(8, 13)];
      r.set(mode === FIQ ? fast.others : fast.own, 8);
      if (mode === FIQ) fast.own = kept;
      else fast.others = kept;
    }
    mode = to;
    const own = banks.get(bank(to));
    r[SP] = own?.sp ?? 0;
    r[LR] = own?.lr ?? 0;
  }

  function enter(to: number, vector: number, link: number): void {
    const spsr = status();
    changeMode(to);
    banks.set(to, { sp: r[SP]!, lr: link, spsr });
    r[LR] = link;
    thumb = false;
    noIrq = true;
    if (vector === 0x1c) noFiq = true;
  }

  function trap(to: number, vector: number): void {
    done.branch = { kind: 'exception', target: vector, resume: next, direct: true };
    enter(to, vector, next);
    next = vector;
  }

  /** Ends an exception and restores the interrupted status. */
  function restore(): void {
    const { spsr } = banks.get(mode) ?? { spsr: 0 };
    setStatus(spsr, true, true);
    thumb = (spsr & 0x20) !== 0;
  }

  /** True if MOV LR, PC came directly before. */
  function isLinked(): boolean {
    return r[LR] === next;
  }

  function go(kind: BranchKind, target: number, more: Partial<Branch> = {}): void {
    next = (thumb ? target & ~1 : target & ~3) >>> 0;
    done.branch = { kind, target: next, direct: false, ...more };
  }

  /** The same with the instruction set in bit 0. */
  function exchange(kind: BranchKind, target: number, more: Partial<Branch> = {}): void {
    thumb = (target & 1) !== 0;
    go(kind, target, more);
  }

  function load(at: number, size: 1 | 2 | 4): number {
    if (at + size > MEMORY) {
      done.aborted = true;
      return 0;
    }
    assert(at % size === 0, 'compiled code accesses data aligned');
    const value =
      size === 4 ? memory.getUint32(at, true) : size === 2 ? memory.getUint16(at, true) : memory.getUint8(at);
    accesses.push({ way: 'read', address: at, size, value });
    return value;
  }

  function store(at: number, size: 1 | 2 | 4, value: number): void {
    if (at + size > MEMORY) {
      done.aborted = true;
      return;
    }
    assert(at % size === 0, 'compiled code accesses data aligned');
    if (size === 4) memory.setUint32(at, value, true);
    else if (size === 2) memory.setUint16(at, value, true);
    else memory.setUint8(at, value);
    accesses.push({
      way: 'write',
      address: at,
      size,
      value: (size === 4 ? value : value & (2 ** (8 * size) - 1)) >>> 0,
    });
  }

  function setNZ(value: number): void {
    n = value >>> 31 === 1;
    z = value >>> 0 === 0;
  }

  function sum(a: number, b: number, carry: number, sets: boolean): number {
    const wide = (a >>> 0) + (b >>> 0) + carry;
    const result = wide >>> 0;
    if (sets) {
      setNZ(result);
      c = wide >= 2 ** 32;
      v = ((a ^ result) & (b ^ result)) >>> 31 === 1;
    }
    return result;
  }

  /** Shifts by an immediate (0 stands for 32 of LSR and ASR, and for RRX of ROR); sets the carry if requested. */
  function shiftBy(type: number, value: number, by: number, sets: boolean): number {
    if (type === 3 && by === 0) {
      const result = ((value >>> 1) | (c ? 0x8000_0000 : 0)) >>> 0;
      if (sets) c = (value & 1) === 1;
      return result;
    }
    return shift(type, value, by === 0 && type !== 0 ? 32 : by, sets);
  }

  function shift(type: number, value: number, by: number, sets: boolean): number {
    if (by === 0) return value >>> 0;
    const bit = (at: number): boolean => ((value >>> at) & 1) === 1;
    switch (type) {
      case 0:
        if (sets) c = by <= 32 && bit(32 - by === 32 ? 0 : 32 - by);
        return by < 32 ? (value << by) >>> 0 : 0;
      case 1:
        if (sets) c = by <= 32 && bit(by - 1);
        return by < 32 ? value >>> by : 0;
      case 2:
        if (sets) c = bit(Math.min(by, 32) - 1);
        return (value >> Math.min(by, 31)) >>> 0;
      default: {
        const turn = by & 31;
        if (sets) c = bit((turn + 31) & 31);
        return turn === 0 ? value >>> 0 : ((value >>> turn) | (value << (32 - turn))) >>> 0;
      }
    }
  }

  /** Data-processing operations by their codes; undefined for operations without a result. */
  function compute(operation: number, a: number, b: number, sets: boolean): number | undefined {
    const logic = (value: number): number => {
      if (sets) setNZ(value);
      return value >>> 0;
    };
    switch (operation) {
      case 0:
        return logic(a & b);
      case 1:
        return logic(a ^ b);
      case 2:
        return sum(a, ~b, 1, sets);
      case 3:
        return sum(b, ~a, 1, sets);
      case 4:
        return sum(a, b, 0, sets);
      case 5:
        return sum(a, b, Number(c), sets);
      case 6:
        return sum(a, ~b, Number(c), sets);
      case 7:
        return sum(b, ~a, Number(c), sets);
      case 8:
        logic(a & b);
        return undefined;
      case 9:
        logic(a ^ b);
        return undefined;
      case 10:
        sum(a, ~b, 1, true);
        return undefined;
      case 11:
        sum(a, b, 0, true);
        return undefined;
      case 12:
        return logic(a | b);
      case 13:
        return logic(b);
      case 14:
        return logic(a & ~b);
      default:
        return logic(~b);
    }
  }

  function stepArm(op: number): void {
    const [rn, rd, rs, rm] = [(op >>> 16) & 15, (op >>> 12) & 15, (op >>> 8) & 15, op & 15];
    const called = { resume: next };
    if (op >>> 28 === 15) {
      assert((op & 0x0e000000) === 0x0a000000, 'the only unconditional instruction of compiled code is BLX');
      r[LR] = next;
      const target = address + 8 + ((op << 8) >> 6) + ((op >>> 23) & 2);
      exchange('call', target + 1, { ...called, direct: true });
    } else if ((op & 0x0ffffff0) === 0x012fff10) {
      const isCall = isLinked();
      const more = isCall ? { resume: next } : {};
      exchange(isCall ? 'call' : rm === LR ? 'return' : 'jump', r[rm]!, more);
    } else if ((op & 0x0ffffff0) === 0x012fff30) {
      const target = r[rm]!;
      r[LR] = next;
      exchange('call', target, called);
    } else if ((op & 0x0fff0ff0) === 0x016f0f10) r[rd] = Math.clz32(r[rm]!);
    else if ((op & 0x0fc000f0) === 0x00000090) {
      r[rn] = Math.imul(r[rm]!, r[rs]!) + ((op & 0x200000) === 0 ? 0 : r[rd]!);
      if ((op & 0x100000) !== 0) setNZ(r[rn]);
    } else if ((op & 0x0f8000f0) === 0x00800090) multiplyLong(op, rn, rd, r[rs]!, r[rm]!);
    else if ((op & 0x0f900090) === 0x01000080) multiplyHalves(op, rn, rd, rs, rm);
    else if ((op & 0x0e000090) === 0x00000090 && (op & 0x60) !== 0) moveHalf(op, rn, rd, rm);
    else if ((op & 0x0fbf0fff) === 0x010f0000) r[rd] = (op & 0x400000) === 0 ? status() : (banks.get(mode)?.spsr ?? 0);
    else if ((op & 0x0db0f000) === 0x0120f000) {
      const value = (op & 0x02000000) === 0 ? r[rm]! : shift(3, op & 255, 2 * rs, false);
      if ((op & 0x400000) === 0) setStatus(value, (op & 0x10000) !== 0, (op & 0x80000) !== 0);
      else banks.set(mode, { sp: r[SP]!, lr: r[LR]!, spsr: value });
    } else if ((op & 0x0c000000) === 0) process(op, rn, rd, rs, rm);
    else if ((op & 0x0e000010) === 0x06000010) trap(UNDEFINED, 4);
    else if ((op & 0x0c000000) === 0x04000000) moveWord(op, rn, rd, rm);
    else if ((op & 0x0e000000) === 0x08000000) moveMany(op, rn);
    else if ((op & 0x0e000000) === 0x0a000000) {
      const links = (op & 0x01000000) !== 0;
      if (links) r[LR] = next;
      go(links ? 'call' : 'jump', address + 8 + ((op << 8) >> 6), { direct: true, ...(links && called) });
    } else if ((op & 0x0f000000) === 0x0f000000) trap(SUPERVISOR, 8);
    else assert(false, `compiled code does not contain ${op.toString(16)} at ${address.toString(16)}`);
  }

  function process(op: number, rn: number, rd: number, rs: number, rm: number): void {
    const operation = (op >>> 21) & 15;
    const sets = (op & 0x100000) !== 0;
    const logical = sets && [0, 1, 8, 9, 12, 13, 14, 15].includes(operation);
    const immediate = (op & 0x02000000) !== 0;
    const byRegister = !immediate && (op & 0x10) !== 0;
    const carry = c;
    // A register-specified shift takes another cycle, in which the program counter advances.
    const of = (register: number): number => (register === PC && byRegister ? r[PC]! + 4 : r[register]!);
    const a = of(rn);
    const b = immediate
      ? shift(3, op & 255, 2 * rs, logical)
      : byRegister
        ? shift((op >>> 5) & 3, of(rm), r[rs]! & 255, logical)
        : shiftBy((op >>> 5) & 3, r[rm]!, (op >>> 7) & 31, logical);
    // Only logical operations use the carry of the shifter.
    if (!logical) c = carry;
    const result = compute(operation, a, b, sets && rd !== PC);
    if (result === undefined) return;
    if (rd !== PC) {
      r[rd] = result;
      return;
    }
    const fromLink = operation === 13 && !immediate && (op & 0xfff) === LR;
    if (sets) restore();
    const isCall = !sets && isLinked();
    const more = sets ? { ends: true } : isCall ? { resume: next } : {};
    go(isCall ? 'call' : sets || fromLink ? 'return' : 'jump', result, more);
  }

  function multiplyLong(op: number, high: number, low: number, a: number, b: number): void {
    const signed = (op & 0x400000) !== 0;
    const wide = (value: number): bigint => (signed ? BigInt(value | 0) : BigInt(value));
    const more = (op & 0x200000) === 0 ? 0n : (BigInt(r[high]!) << 32n) | BigInt(r[low]!);
    const result = BigInt.asUintN(64, wide(a) * wide(b) + more);
    r[low] = Number(result & 0xffff_ffffn);
    r[high] = Number(result >> 32n);
    if ((op & 0x100000) === 0) return;
    n = result >> 63n === 1n;
    z = result === 0n;
  }

  /** SMLA, SMLAW, SMULW, SMUL with halves of registers. */
  function multiplyHalves(op: number, rd: number, rn: number, rs: number, rm: number): void {
    const half = (register: number, top: boolean): number => (top ? r[register]! >> 16 : (r[register]! << 16) >> 16);
    const b = half(rs, (op & 0x40) !== 0);
    switch ((op >>> 21) & 3) {
      case 0:
        r[rd] = half(rm, (op & 0x20) !== 0) * b + r[rn]!;
        return;
      case 1: {
        const product = Number((BigInt(r[rm]! | 0) * BigInt(b)) >> 16n);
        r[rd] = (op & 0x20) !== 0 ? product : product + r[rn]!;
        return;
      }
      case 3:
        r[rd] = half(rm, (op & 0x20) !== 0) * b;
        return;
      default:
        assert(false, 'compiled code has no SMLAL of halves');
    }
  }

  function indexed(op: number, rn: number, offset: number): { readonly at: number; readonly back: number | undefined } {
    const moved = ((op & 0x800000) === 0 ? r[rn]! - offset : r[rn]! + offset) >>> 0;
    const before = (op & 0x01000000) !== 0;
    return { at: before ? moved : r[rn]!, back: before && (op & 0x200000) === 0 ? undefined : moved };
  }

  function moveHalf(op: number, rn: number, rd: number, rm: number): void {
    const offset = (op & 0x400000) === 0 ? r[rm]! : ((op >>> 4) & 0xf0) | (op & 15);
    const { at, back } = indexed(op, rn, offset);
    const loads = (op & 0x100000) !== 0;
    const kept = [r[rd]!, r[(rd + 1) & 15]!] as const;
    if (back !== undefined) r[rn] = back;
    switch ((op >>> 5) & 3) {
      case 1:
        if (loads) r[rd] = load(at, 2);
        else store(at, 2, kept[0]);
        return;
      case 2:
        if (loads) r[rd] = (load(at, 1) << 24) >> 24;
        else {
          r[rd] = load(at, 4);
          r[rd + 1] = load(at + 4, 4);
        }
        return;
      default:
        if (loads) r[rd] = (load(at, 2) << 16) >> 16;
        else {
          store(at, 4, kept[0]);
          store(at + 4, 4, kept[1]);
        }
    }
  }

  function moveWord(op: number, rn: number, rd: number, rm: number): void {
    // PLD has no effect.
    if (op >>> 28 === 15) return;
    const offset = (op & 0x02000000) === 0 ? op & 0xfff : shiftBy((op >>> 5) & 3, r[rm]!, (op >>> 7) & 31, false);
    const { at, back } = indexed(op, rn, offset);
    const size = (op & 0x400000) === 0 ? 4 : 1;
    const value = rd === PC ? r[PC]! + 4 : r[rd]!;
    if (back !== undefined) r[rn] = back;
    if ((op & 0x100000) === 0) store(at, size, value);
    else if (rd !== PC) r[rd] = load(at, size);
    else {
      const target = load(at, 4);
      if (!done.aborted) exchange(rn === SP ? 'return' : 'jump', target, { loads: true });
    }
  }

  function moveMany(op: number, rn: number): void {
    const listed = Array.from({ length: 16 }, (_, i) => i).filter((i) => ((op >>> i) & 1) === 1);
    const up = (op & 0x800000) !== 0;
    const before = (op & 0x01000000) !== 0;
    const moved = up ? r[rn]! + 4 * listed.length : r[rn]! - 4 * listed.length;
    let at = (up ? r[rn]! + (before ? 4 : 0) : moved + (before ? 0 : 4)) >>> 0;
    const loads = (op & 0x100000) !== 0;
    const special = (op & 0x400000) !== 0;
    assert(!special || (loads && listed.includes(PC)), 'compiled code moves no registers of other modes');
    const values = r.slice();
    if ((op & 0x200000) !== 0) r[rn] = moved;
    let target: number | undefined;
    for (const register of listed) {
      if (!loads) store(at, 4, register === PC ? values[PC]! + 4 : values[register]!);
      else if (register === PC) target = load(at, 4);
      else r[register] = load(at, 4);
      at += 4;
    }
    if (target === undefined || done.aborted) return;
    if (special) {
      restore();
      go('return', target, { loads: true, ends: true });
    } else exchange('return', target, { loads: true });
  }

  function stepThumb(op: number): void {
    const [rd, rm, third] = [op & 7, (op >>> 3) & 7, (op >>> 6) & 7];
    const top = (op >>> 8) & 7;
    const called = { resume: next };
    switch (op >>> 12) {
      case 0:
      case 1: {
        const kind = (op >>> 11) & 3;
        if (kind < 3) {
          const result = shiftBy(kind, r[rm]!, (op >>> 6) & 31, true);
          setNZ(result);
          r[rd] = result;
        } else {
          const b = (op & 0x400) === 0 ? r[third]! : third;
          r[rd] = (op & 0x200) === 0 ? sum(r[rm]!, b, 0, true) : sum(r[rm]!, ~b, 1, true);
        }
        return;
      }
      case 2:
      case 3: {
        const result = compute([13, 10, 4, 2][(op >>> 11) & 3]!, r[top]!, op & 255, true);
        if (result !== undefined) r[top] = result;
        return;
      }
      case 4:
        if ((op & 0xf800) === 0x4800) r[top] = load(((r[PC]! & ~3) + 4 * (op & 255)) >>> 0, 4);
        else if ((op & 0xfc00) === 0x4000) processThumb((op >>> 6) & 15, rd, rm);
        else processHigh(op, rd | ((op >>> 4) & 8), (op >>> 3) & 15, called);
        return;
      case 5: {
        const at = (r[rm]! + r[third]!) >>> 0;
        const kind = (op >>> 9) & 7;
        if (kind < 3) store(at, ([4, 2, 1] as const)[kind]!, r[rd]!);
        else if (kind === 3) r[rd] = (load(at, 1) << 24) >> 24;
        else if (kind === 7) r[rd] = (load(at, 2) << 16) >> 16;
        else r[rd] = load(at, ([4, 2, 1] as const)[kind - 4]!);
        return;
      }
      case 6:
      case 7:
      case 8: {
        const size = ([4, 1, 2] as const)[(op >>> 12) - 6]!;
        const at = (r[rm]! + size * ((op >>> 6) & 31)) >>> 0;
        if ((op & 0x800) === 0) store(at, size, r[rd]!);
        else r[rd] = load(at, size);
        return;
      }
      case 9: {
        const at = (r[SP]! + 4 * (op & 255)) >>> 0;
        if ((op & 0x800) === 0) store(at, 4, r[top]!);
        else r[top] = load(at, 4);
        return;
      }
      case 10:
        r[top] = ((op & 0x800) === 0 ? r[PC]! & ~3 : r[SP]!) + 4 * (op & 255);
        return;
      case 11:
        if ((op & 0xff00) === 0xb000) r[SP] = r[SP]! + ((op & 0x80) === 0 ? 4 : -4) * (op & 127);
        else if ((op & 0xf600) === 0xb400) pushOrPop(op);
        else assert(false, `compiled code does not contain ${op.toString(16)}`);
        return;
      case 12: {
        const listed = Array.from({ length: 8 }, (_, i) => i).filter((i) => ((op >>> i) & 1) === 1);
        let at = r[top]!;
        for (const register of listed) {
          if ((op & 0x800) === 0) store(at, 4, r[register]!);
          else r[register] = load(at, 4);
          at += 4;
        }
        if ((op & 0x800) === 0 || !listed.includes(top)) r[top] = at;
        return;
      }
      case 13: {
        const condition = (op >>> 8) & 15;
        if (condition === 15) trap(SUPERVISOR, 8);
        else if (condition === 14) trap(UNDEFINED, 4);
        else go('jump', address + 4 + ((op << 24) >> 23), { direct: true });
        return;
      }
      case 14:
        if ((op & 0x800) === 0) go('jump', address + 4 + ((op << 21) >> 20), { direct: true });
        else secondHalf(op, true);
        return;
      default:
        if ((op & 0x800) === 0) r[LR] = address + 4 + ((op << 21) >> 9);
        else secondHalf(op, false);
    }
  }

  function secondHalf(op: number, toArm: boolean): void {
    const target = (r[LR]! + ((op & 0x7ff) << 1)) >>> 0;
    r[LR] = next | 1;
    const more = { resume: next, direct: true };
    exchange('call', toArm ? (target & ~3) >>> 0 : target | 1, more);
  }

  function processThumb(operation: number, rd: number, rm: number): void {
    const [a, b] = [r[rd]!, r[rm]!];
    const shifts: Readonly<Record<number, number>> = { 2: 0, 3: 1, 4: 2, 7: 3 };
    const type = shifts[operation];
    if (type !== undefined) {
      r[rd] = shift(type, a, b & 255, true);
      setNZ(r[rd]);
      return;
    }
    switch (operation) {
      case 5:
        r[rd] = sum(a, b, Number(c), true);
        return;
      case 6:
        r[rd] = sum(a, ~b, Number(c), true);
        return;
      case 9:
        r[rd] = sum(0, ~b, 1, true);
        return;
      case 13:
        r[rd] = Math.imul(a, b);
        setNZ(r[rd]);
        return;
      default: {
        // AND, EOR, TST, CMP, CMN, ORR, BIC and MVN have the same codes as in ARM code.
        const result = compute(operation, a, b, true);
        if (result !== undefined) r[rd] = result;
      }
    }
  }

  function processHigh(op: number, rd: number, rm: number, called: { readonly resume: number }): void {
    switch ((op >>> 8) & 3) {
      case 0:
        if (rd === PC) go('jump', r[PC]! + r[rm]!);
        else r[rd] = r[rd]! + r[rm]!;
        return;
      case 1:
        compute(10, r[rd]!, r[rm]!, true);
        return;
      case 2:
        if (rd === PC) go(rm === LR ? 'return' : 'jump', r[rm]!);
        else r[rd] = r[rm]!;
        return;
      default: {
        const target = r[rm]!;
        const links = (op & 0x80) !== 0;
        if (links) r[LR] = next | 1;
        exchange(links ? 'call' : rm === LR ? 'return' : 'jump', target, links ? called : {});
      }
    }
  }

  function pushOrPop(op: number): void {
    const pops = (op & 0x800) !== 0;
    const listed = Array.from({ length: 8 }, (_, i) => i).filter((i) => ((op >>> i) & 1) === 1);
    if ((op & 0x100) !== 0) listed.push(pops ? PC : LR);
    let at = pops ? r[SP]! : r[SP]! - 4 * listed.length;
    if (!pops) r[SP] = at;
    let target: number | undefined;
    for (const register of listed) {
      if (!pops) store(at, 4, r[register]!);
      else if (register === PC) target = load(at, 4);
      else r[register] = load(at, 4);
      at += 4;
    }
    if (pops) r[SP] = at;
    if (target !== undefined) exchange('return', target, { loads: true });
  }
}
