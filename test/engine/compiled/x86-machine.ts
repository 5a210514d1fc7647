/**
 * A Pentium in a flat address space, as far as compiled C without floating point needs it. The test decides the targets of interrupts.
 * Written from the Intel Architecture Software Developer's Manual, volume 2 (243191): chapter 2 (ModR/M, SIB), chapter 3
 * (instructions), appendix A (opcodes).
 */
import type { BranchKind } from '../../../shared/flow/events.ts';
import { assert } from '../../../shared/base/result.ts';
import { MOST_INSTRUCTIONS, type Branch, type Interruption, type Program, type Ran, type Run } from './run.ts';

const MEMORY = 0x20_0000;
const [EAX, ECX, EDX, ESP, EBP, ESI, EDI] = [0, 1, 2, 4, 5, 6, 7] as const;

type Size = 1 | 2 | 4;

/** Place of an operand: a register, or memory (-1). */
interface Place {
  readonly register: number;
  readonly address: number;
}

/** `software`: target of INT. */
export function runX86({ image, start, finished, interrupt, nests = false }: Program, software: number): Run {
  const bytes = new Uint8Array(MEMORY);
  bytes.set(image);
  const memory = new DataView(bytes.buffer);
  const r = new Uint32Array(8);
  r[ESP] = MEMORY - 16;
  let [cf, zf, sf, of, pf] = [false, false, false, false, false];
  let interruptible = true;

  // State of the current instruction: the next address, its target, and the operand size unless it is a byte.
  let next = start;
  const went: { to: number | undefined; branch: Branch | undefined } = { to: undefined, branch: undefined };
  let wide: Size = 4;

  const ran: Ran[] = [];
  let interruptions: Interruption[] = [];
  for (let address = start; address !== finished;) {
    assert(ran.length < MOST_INSTRUCTIONS, 'the program finishes');
    const wanted = canInterrupt() ? interrupt(ran.at(-1), address) : undefined;
    if (wanted !== undefined) {
      interruptions.push({ source: address, target: wanted, resume: address });
      enter(address);
      address = wanted;
      continue;
    }
    next = address;
    begin();
    wide = 4;
    step(fetch(1));
    const { to, branch } = went;
    const size = next - address;
    ran.push({
      ...{ address, size, opcode: 0, thumb: false, executed: true, mode: '', sp: r[ESP], interruptions },
      ...(branch && { branch }),
    });
    interruptions = [];
    address = to ?? next;
  }
  return { ran, answer: r[EAX]! };

  function canInterrupt(): boolean {
    if (interruptible || !nests) return interruptible;
    const began = ran
      .slice(-2)
      .some(({ branch, interruptions: came }) => branch?.kind === 'exception' || came.length > 0);
    return interruptions.length === 0 && !began;
  }

  function begin(): void {
    went.to = undefined;
    went.branch = undefined;
  }

  function load(at: number, size: Size): number {
    assert(at >= 0x1000 && at + size <= MEMORY, `there is memory at ${at.toString(16)}`);
    return size === 4 ? memory.getUint32(at, true) : size === 2 ? memory.getUint16(at, true) : memory.getUint8(at);
  }

  function store(at: number, size: Size, value: number): void {
    assert(at >= 0x1000 && at + size <= MEMORY, `there is memory at ${at.toString(16)}`);
    if (size === 4) memory.setUint32(at, value, true);
    else if (size === 2) memory.setUint16(at, value, true);
    else memory.setUint8(at, value);
  }

  function fetch(size: Size): number {
    const value = load(next, size);
    next += size;
    return value;
  }

  /** Signed. */
  function fetchSigned(size: Size): number {
    return signed(fetch(size), size);
  }

  function push(value: number): void {
    r[ESP] = r[ESP]! - 4;
    store(r[ESP], 4, value);
  }

  function pop(): number {
    const value = load(r[ESP]!, 4);
    r[ESP] = r[ESP]! + 4;
    return value;
  }

  function get({ register, address }: Place, size: Size): number {
    if (register < 0) return load(address, size);
    if (size === 4) return r[register]!;
    if (size === 2) return r[register]! & 0xffff;
    return register < 4 ? r[register]! & 255 : (r[register - 4]! >>> 8) & 255;
  }

  function set({ register, address }: Place, size: Size, value: number): void {
    if (register < 0) store(address, size, value);
    else if (size === 4) r[register] = value;
    else if (size === 2) r[register] = (r[register]! & ~0xffff) | (value & 0xffff);
    else if (register < 4) r[register] = (r[register]! & ~255) | (value & 255);
    else r[register - 4] = (r[register - 4]! & ~0xff00) | ((value & 255) << 8);
  }

  function own(register: number): Place {
    return { register, address: 0 };
  }

  /** ModR/M with its SIB and displacement. */
  function operands(): { readonly rm: Place; readonly reg: number } {
    const modrm = fetch(1);
    const [mod, reg, low] = [modrm >> 6, (modrm >> 3) & 7, modrm & 7];
    if (mod === 3) return { rm: own(low), reg };
    let address = 0;
    if (low === 4) {
      const sib = fetch(1);
      const [scale, index, base] = [sib >> 6, (sib >> 3) & 7, sib & 7];
      if (index !== 4) address += r[index]! * 2 ** scale;
      address += base === 5 && mod === 0 ? fetch(4) : r[base]!;
    } else address = low === 5 && mod === 0 ? fetch(4) : r[low]!;
    if (mod === 1) address += fetchSigned(1);
    else if (mod === 2) address += fetch(4);
    return { rm: { register: -1, address: address >>> 0 }, reg };
  }

  function go(kind: BranchKind, target: number, more: Partial<Branch> = {}): void {
    went.to = target >>> 0;
    went.branch = { kind, target: went.to, direct: false, ...more };
  }

  function flags(): number {
    return (
      (cf ? 1 : 0) |
      (pf ? 4 : 0) |
      (zf ? 0x40 : 0) |
      (sf ? 0x80 : 0) |
      (interruptible ? 0x200 : 0) |
      (of ? 0x800 : 0) |
      2
    );
  }

  function setFlags(value: number): void {
    [cf, pf, zf, sf, of] = [1, 4, 0x40, 0x80, 0x800].map((bit) => (value & bit) !== 0) as [
      boolean,
      boolean,
      boolean,
      boolean,
      boolean,
    ];
    interruptible = (value & 0x200) !== 0;
  }

  function enter(resume: number): void {
    push(flags());
    push(8);
    push(resume);
    interruptible = false;
  }

  function setResult(value: number, size: Size): number {
    const result = cut(value, size);
    zf = result === 0;
    sf = signed(result, size) < 0;
    let low = result & 255;
    low ^= low >> 4;
    low ^= low >> 2;
    pf = ((low ^ (low >> 1)) & 1) === 0;
    return result;
  }

  /** ADD, OR, ADC, SBB, AND, SUB, XOR, CMP by their numbers. */
  function compute(operation: number, a: number, b: number, size: Size): number {
    const top = 2 ** (8 * size - 1);
    if (operation === 1 || operation === 4 || operation === 6) {
      cf = of = false;
      return setResult(operation === 1 ? a | b : operation === 4 ? a & b : a ^ b, size);
    }
    const carry = (operation === 2 || operation === 3) && cf ? 1 : 0;
    if (operation === 0 || operation === 2) {
      const sum = a + b + carry;
      const result = setResult(sum, size);
      cf = sum >= 2 * top;
      of = (((a ^ result) & (b ^ result)) >>> 0) % (2 * top) >= top;
      return result;
    }
    const result = setResult(a - b - carry, size);
    cf = a < b + carry;
    of = (((a ^ b) & (a ^ result)) >>> 0) % (2 * top) >= top;
    return result;
  }

  /** ROL, ROR, RCL, RCR, SHL, SHR, SHL, SAR by their numbers. */
  function shift(operation: number, value: number, count: number, size: Size): number {
    const bits = 8 * size;
    let result = value;
    for (let by = count & 31; by > 0; by--) {
      const [low, high] = [result % 2, Math.floor(result / 2 ** (bits - 1)) % 2];
      switch (operation) {
        case 0:
          result = cut(result * 2 + high, size);
          cf = high === 1;
          break;
        case 1:
          result = Math.floor(result / 2) + low * 2 ** (bits - 1);
          cf = low === 1;
          break;
        case 2:
          result = cut(result * 2 + Number(cf), size);
          cf = high === 1;
          break;
        case 3:
          result = Math.floor(result / 2) + Number(cf) * 2 ** (bits - 1);
          cf = low === 1;
          break;
        case 5:
          result = Math.floor(result / 2);
          cf = low === 1;
          break;
        case 7:
          result = Math.floor(result / 2) + high * 2 ** (bits - 1);
          cf = low === 1;
          break;
        default:
          result = cut(result * 2, size);
          cf = high === 1;
      }
    }
    if ((count & 31) === 0 || operation < 4) return result;
    // Only shifts by one: compiled code needs no other.
    of = operation === 4 ? signed(result, size) < 0 !== cf : operation === 5 && signed(value, size) < 0;
    return setResult(result, size);
  }

  /** SHLD, SHRD. */
  function shiftDouble(left: boolean, value: number, more: number, count: number): number {
    const by = count & 31;
    if (by === 0) return value;
    const result = left ? (value << by) | (more >>> (32 - by)) : (value >>> by) | (more << (32 - by));
    cf = ((left ? value >>> (32 - by) : value >>> (by - 1)) & 1) === 1;
    return setResult(result >>> 0, 4);
  }

  function holds(condition: number): boolean {
    const plain = [of, cf, zf, cf || zf, sf, pf, sf !== of, zf || sf !== of][condition >> 1]!;
    return plain !== ((condition & 1) === 1);
  }

  function step(opcode: number): void {
    if (opcode === 0x66) {
      wide = 2;
      step(fetch(1));
      return;
    }
    if (opcode === 0xf3 || opcode === 0xf2) {
      repeat(opcode === 0xf3, fetch(1));
      return;
    }
    const size: Size = (opcode & 1) === 0 ? 1 : wide;
    if (opcode < 0x40 && (opcode & 7) < 6) {
      arithmetic(opcode, size);
      return;
    }
    switch (opcode >> 3) {
      case 0x40 >> 3:
      case 0x48 >> 3:
        count(own(opcode & 7), opcode < 0x48 ? 1 : -1, wide);
        return;
      case 0x50 >> 3:
        push(r[opcode & 7]!);
        return;
      case 0x58 >> 3:
        r[opcode & 7] = pop();
        return;
      case 0x70 >> 3:
      case 0x78 >> 3: {
        const distance = fetchSigned(1);
        if (holds(opcode & 15)) go('jump', next + distance, { direct: true });
        return;
      }
      case 0x90 >> 3: {
        const [kept, place] = [r[EAX]!, own(opcode & 7)];
        set(own(EAX), wide, get(place, wide));
        set(place, wide, kept);
        return;
      }
      case 0xb0 >> 3:
        set(own(opcode & 7), 1, fetch(1));
        return;
      case 0xb8 >> 3:
        set(own(opcode & 7), wide, fetch(wide));
        return;
    }
    switch (opcode) {
      case 0x0f:
        stepFar(fetch(1));
        return;
      case 0x68:
        push(fetch(4));
        return;
      case 0x6a:
        push(fetchSigned(1));
        return;
      case 0x69:
      case 0x6b: {
        const { rm, reg } = operands();
        multiply(reg, get(rm, wide), opcode === 0x69 ? fetchSigned(wide) : fetchSigned(1));
        return;
      }
      case 0x80:
      case 0x81:
      case 0x83: {
        const { rm, reg } = operands();
        const b = cut(opcode === 0x83 ? fetchSigned(1) : fetch(size), size);
        const result = compute(reg, get(rm, size), b, size);
        if (reg !== 7) set(rm, size, result);
        return;
      }
      case 0x84:
      case 0x85: {
        const { rm, reg } = operands();
        compute(4, get(rm, size), get(own(reg), size), size);
        return;
      }
      case 0x86:
      case 0x87: {
        const { rm, reg } = operands();
        const kept = get(rm, size);
        set(rm, size, get(own(reg), size));
        set(own(reg), size, kept);
        return;
      }
      case 0x88:
      case 0x89: {
        const { rm, reg } = operands();
        set(rm, size, get(own(reg), size));
        return;
      }
      case 0x8a:
      case 0x8b: {
        const { rm, reg } = operands();
        set(own(reg), size, get(rm, size));
        return;
      }
      case 0x8d: {
        const { rm, reg } = operands();
        r[reg] = rm.address;
        return;
      }
      case 0x98:
        if (wide === 4) r[EAX] = signed(r[EAX]! & 0xffff, 2);
        else set(own(EAX), 2, signed(r[EAX]! & 255, 1));
        return;
      case 0x99:
        r[EDX] = (r[EAX]! | 0) < 0 ? -1 : 0;
        return;
      case 0xa0:
      case 0xa1:
        set(own(EAX), size, load(fetch(4), size));
        return;
      case 0xa2:
      case 0xa3:
        store(fetch(4), size, get(own(EAX), size));
        return;
      case 0xa4:
      case 0xa5:
      case 0xaa:
      case 0xab:
        string(opcode, size);
        return;
      case 0xa8:
      case 0xa9:
        compute(4, get(own(EAX), size), fetch(size), size);
        return;
      case 0xc0:
      case 0xc1:
      case 0xd0:
      case 0xd1:
      case 0xd2:
      case 0xd3: {
        const { rm, reg } = operands();
        const by = opcode < 0xd0 ? fetch(1) : opcode < 0xd2 ? 1 : r[ECX]! & 255;
        set(rm, size, shift(reg, get(rm, size), by, size));
        return;
      }
      case 0xc2:
      case 0xc3: {
        const dropped = opcode === 0xc2 ? fetch(2) : 0;
        go('return', pop(), { loads: true });
        r[ESP] = r[ESP]! + dropped;
        return;
      }
      case 0xc6:
      case 0xc7: {
        const { rm } = operands();
        set(rm, size, fetch(size));
        return;
      }
      case 0xc9:
        r[ESP] = r[EBP]!;
        r[EBP] = pop();
        return;
      case 0xcd:
        fetch(1);
        enter(next);
        go('exception', software, { resume: next, direct: true });
        return;
      case 0xcf: {
        const target = pop();
        pop();
        setFlags(pop());
        go('return', target, { ends: true });
        return;
      }
      case 0xe8: {
        const distance = fetch(4);
        push(next);
        go('call', next + distance, { resume: next, direct: true });
        return;
      }
      case 0xe9:
      case 0xeb: {
        const distance = opcode === 0xe9 ? fetch(4) : fetchSigned(1);
        go('jump', next + distance, { direct: true });
        return;
      }
      case 0xf6:
      case 0xf7:
        unary(size);
        return;
      case 0xf8:
      case 0xf9:
        cf = opcode === 0xf9;
        return;
      case 0xfc:
        return;
      case 0xfe:
      case 0xff:
        group5(size);
        return;
      default:
        assert(false, `compiled code does not contain ${opcode.toString(16)} at ${next.toString(16)}`);
    }
  }

  /** Both directions between a register and an operand, and the accumulator with an immediate. */
  function arithmetic(opcode: number, size: Size): void {
    const operation = opcode >> 3;
    if ((opcode & 4) !== 0) {
      const result = compute(operation, get(own(EAX), size), fetch(size), size);
      if (operation !== 7) set(own(EAX), size, result);
      return;
    }
    const { rm, reg } = operands();
    const [to, from] = (opcode & 2) === 0 ? [rm, own(reg)] : [own(reg), rm];
    const result = compute(operation, get(to, size), get(from, size), size);
    if (operation !== 7) set(to, size, result);
  }

  /** INC, DEC: the carry is unchanged. */
  function count(place: Place, by: 1 | -1, size: Size): void {
    const carry = cf;
    set(place, size, compute(by === 1 ? 0 : 5, get(place, size), 1, size));
    cf = carry;
  }

  function multiply(register: number, a: number, b: number): void {
    const product = BigInt(signed(a, wide)) * BigInt(signed(cut(b, wide), wide));
    set(own(register), wide, Number(BigInt.asUintN(32, product)));
    cf = of = product !== BigInt.asIntN(8 * wide, product);
  }

  function unary(size: Size): void {
    const { rm, reg } = operands();
    const value = get(rm, size);
    switch (reg) {
      case 0:
        compute(4, value, fetch(size), size);
        return;
      case 2:
        set(rm, size, ~value);
        return;
      case 3:
        set(rm, size, compute(5, 0, value, size));
        return;
      default:
        if (size === 4) multiplyOrDivide(reg, value);
        else stepByte(reg, size, value);
    }
  }

  /** MUL, IMUL of AL and DIV of AX by a byte, which compilers use for small numbers. */
  function stepByte(operation: number, size: Size, value: number): void {
    assert(size === 1 && operation < 7, 'byte operations of compiled code are MUL, IMUL and DIV');
    const [low, all] = [r[EAX]! & 255, r[EAX]! & 0xffff];
    if (operation === 6) {
      assert(value !== 0, 'compiled code does not divide by zero');
      set(own(EAX), 2, ((all % value) << 8) | Math.floor(all / value));
      return;
    }
    const product = operation === 4 ? low * value : signed(low, 1) * signed(value, 1);
    cf = of = product !== (operation === 4 ? product & 255 : signed(product, 1));
    set(own(EAX), 2, product);
  }

  function multiplyOrDivide(operation: number, value: number): void {
    const isSigned = (operation & 1) === 1;
    const big = (number: number): bigint => (isSigned ? BigInt(number | 0) : BigInt(number));
    if (operation < 6) {
      const product = big(r[EAX]!) * big(value);
      r[EAX] = Number(BigInt.asUintN(32, product));
      r[EDX] = Number(BigInt.asUintN(32, product >> 32n));
      cf = of = product !== (isSigned ? BigInt.asIntN(32, product) : BigInt.asUintN(32, product));
      return;
    }
    const both = (BigInt(r[EDX]!) << 32n) | BigInt(r[EAX]!);
    const dividend = isSigned ? BigInt.asIntN(64, both) : both;
    assert(value !== 0, 'compiled code does not divide by zero');
    r[EAX] = Number(BigInt.asUintN(32, dividend / big(value)));
    r[EDX] = Number(BigInt.asUintN(32, dividend % big(value)));
  }

  function group5(size: Size): void {
    const { rm, reg } = operands();
    switch (reg) {
      case 0:
      case 1:
        count(rm, reg === 0 ? 1 : -1, size);
        return;
      case 2: {
        const target = get(rm, 4);
        push(next);
        go('call', target, { resume: next });
        return;
      }
      case 4:
        go('jump', get(rm, 4));
        return;
      case 6:
        push(get(rm, 4));
        return;
      default:
        assert(false, `compiled code has no far calls and jumps (${reg})`);
    }
  }

  function stepFar(opcode: number): void {
    if (opcode >> 4 === 8) {
      const distance = fetch(4);
      if (holds(opcode & 15)) go('jump', next + distance, { direct: true });
      return;
    }
    if (opcode >> 4 === 9) {
      set(operands().rm, 1, Number(holds(opcode & 15)));
      return;
    }
    if (opcode >> 3 === 0xc8 >> 3) {
      const value = r[opcode & 7]!;
      r[opcode & 7] = ((value & 255) << 24) | ((value & 0xff00) << 8) | ((value >>> 8) & 0xff00) | (value >>> 24);
      return;
    }
    switch (opcode) {
      case 0x0b:
        assert(false, 'the program does not reach UD2');
        return;
      case 0x1f:
        operands();
        return;
      case 0xa2:
        r.set([0, 0, 0, 0]);
        go('sequential', next);
        return;
      case 0xa4:
      case 0xa5:
      case 0xac:
      case 0xad: {
        const { rm, reg } = operands();
        const by = (opcode & 1) === 0 ? fetch(1) : r[ECX]! & 255;
        set(rm, 4, shiftDouble(opcode < 0xa8, get(rm, 4), r[reg]!, by));
        return;
      }
      case 0xaf: {
        const { rm, reg } = operands();
        multiply(reg, get(own(reg), wide), get(rm, wide));
        return;
      }
      case 0xb6:
      case 0xb7:
      case 0xbe:
      case 0xbf: {
        const { rm, reg } = operands();
        const size: Size = (opcode & 1) === 0 ? 1 : 2;
        set(own(reg), wide, opcode < 0xb8 ? get(rm, size) : signed(get(rm, size), size));
        return;
      }
      default:
        assert(false, `compiled code does not contain 0f ${opcode.toString(16)} at ${next.toString(16)}`);
    }
  }

  /** One step of a string instruction, upwards. */
  function string(opcode: number, size: Size): void {
    if (opcode >= 0xaa) store(r[EDI]!, size, get(own(EAX), size));
    else {
      store(r[EDI]!, size, load(r[ESI]!, size));
      r[ESI] = r[ESI]! + size;
    }
    r[EDI] = r[EDI]! + size;
  }

  function repeat(equal: boolean, opcode: number): void {
    // REP RET is a RET.
    if (opcode === 0xc3) {
      step(opcode);
      return;
    }
    assert(equal && [0xa4, 0xa5, 0xaa, 0xab].includes(opcode), 'compiled code uses REP only with moves and stores');
    for (; r[ECX] !== 0; r[ECX] = r[ECX]! - 1) string(opcode, (opcode & 1) === 0 ? 1 : 4);
  }
}

function cut(value: number, size: Size): number {
  return size === 4 ? value >>> 0 : value & (size === 2 ? 0xffff : 255);
}

function signed(value: number, size: Size): number {
  return size === 4 ? value | 0 : size === 2 ? (value << 16) >> 16 : (value << 24) >> 24;
}
