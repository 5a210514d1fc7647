/**
 * Executes the synthetic program and says what happens: every instruction, access, register change and interrupt.
 *
 * It is a real, if small, ARM: registers, flags and memory are computed, so that values in the trace agree with each other.
 * Interrupt mode has its own r13, r14 and spsr.
 */
import { assert } from '../../shared/base/result.ts';
import { CONDITIONS, LR, MODE, OP, PC, SP } from './assembler.ts';
import { CPSR, EVENT, EVENT_CAPACITY, EVENT_RESERVE, type Events, SIZE_SHIFT, SPSR } from './events.ts';
import { IRQ_STACK_TOP } from './layout.ts';
import type { Memory } from './memory.ts';
import type { Program } from './program.ts';
import type { Random } from './random.ts';
import type { Dispatch, Work } from './work.ts';

export interface Machine {
  /** Fills the events again until they are nearly full; `written` = bytes of trace so far. */
  run(written: number): void;
}

/** Flags as bits of a nibble. */
const NEGATIVE = 8;
const ZERO = 4;
const CARRY = 2;
const OVERFLOW = 1;

const MODE_USER = 0x53;
const MODE_IRQ = 0xd2;
const IRQ_VECTOR = 0x20;
const DISK_PORT = 0x1f0;
const SERIAL_STATUS = 0x3fd;
const SERIAL_DATA = 0x3f8;
const INTERRUPT_CONTROLLER = 0x20;

/** By condition * 16 + flags. */
const HOLDS = conditionTable();

/** `registers`: whether anybody wants to hear of register changes. */
export function createMachine(
  program: Program,
  memory: Memory,
  random: Random,
  dispatch: Dispatch,
  events: Events,
  registers: boolean,
): Machine {
  const { shift: shifts, imm: imms } = program;
  const packed = packLines(program);
  const { what: whats, a: as, b: bs, c: cs } = events;
  const r = new Int32Array(16);
  const work: Work = { base: 0, bytes: 0, value: 0, task: 0, fresh: false };
  let pc = program.entry;
  let flags = ZERO;
  let mode = MODE_USER;
  let bankedSp = IRQ_STACK_TOP;
  let bankedLr = 0;
  let spsrFlags = 0;
  let spsrShown = 0;
  let count = 0;
  let countdown = random.between(20000, 60000);

  const emit = (kind: number, size: number, a: number): void => {
    whats[count] = kind | (size << SIZE_SHIFT);
    as[count++] = a;
  };
  const emitValue = (kind: number, size: number, a: number, b: number): void => {
    whats[count] = kind | (size << SIZE_SHIFT);
    bs[count] = b;
    as[count++] = a;
  };
  const set = (register: number, value: number): void => {
    if (r[register] === value) return;
    r[register] = value;
    if (registers) emitValue(EVENT.register, register, 0, value);
  };
  const showStatus = (): void => {
    if (registers) emitValue(EVENT.register, CPSR, 0, (flags << 28) | mode);
  };
  const read = (address: number, size: number): number => {
    const value = memory.load(address, size);
    emitValue(EVENT.read, size, address | 0, value);
    return value;
  };
  const write = (address: number, size: number, value: number): void => {
    memory.store(address, size, value);
    emitValue(EVENT.write, size, address | 0, size === 4 ? value : value & (size === 1 ? 0xff : 0xffff));
  };
  /** Switches r13 and r14 to the banked registers of the other mode. */
  const swapBank = (link: number): void => {
    const sp = r[SP]!;
    const lr = r[LR]!;
    set(SP, bankedSp);
    set(LR, link);
    bankedSp = sp;
    bankedLr = lr;
  };

  const interrupt = (): void => {
    emitValue(EVENT.interrupt, 0, IRQ_VECTOR, pc);
    spsrFlags = flags;
    swapBank(pc * 4 + 4);
    mode = MODE_IRQ;
    const saved = (spsrFlags << 28) | MODE_USER;
    if (registers && saved !== spsrShown) emitValue(EVENT.register, SPSR, 0, saved);
    spsrShown = saved;
    showStatus();
    pc = program.vector;
    countdown = random.between(20000, 60000);
  };

  const ask = (written: number): void => {
    dispatch(work, written);
    if (work.fresh) for (let k = random.between(1, 4); k > 0; k--) emit(EVENT.ioRead, 4, DISK_PORT);
    else if (random.chance(1, 8)) {
      emit(EVENT.ioRead, 1, SERIAL_STATUS);
      emit(EVENT.ioWrite, 1, SERIAL_DATA);
    }
    set(0, work.base | 0);
    set(1, work.bytes);
    set(2, work.value);
    set(3, work.task);
  };

  const access = (at: number, word: number): void => {
    const rd = (word >>> RD) & 15;
    const rn = (word >>> RN) & 15;
    const how = (word >>> HOW) & 15;
    const size = (word >>> SIZE) & 15;
    const base = rn === PC ? at * 4 + 8 : r[rn]!;
    const moved = (base + ((how & MODE.register) !== 0 ? r[(word >>> RM) & 15]! << shifts[at]! : imms[at]!)) | 0;
    const address = ((how & MODE.post) !== 0 ? base : moved) >>> 0;
    if ((word & 31) === OP.load) {
      if (size === 8) {
        const low = memory.load(address, 4);
        const high = memory.load(address + 4, 4);
        cs[count] = high;
        emitValue(EVENT.read, 8, address | 0, low);
        set(rd, low);
        set(rd + 1, high);
      } else set(rd, read(address, size));
    } else if (size === 8) {
      memory.store(address, 4, r[rd]!);
      memory.store(address + 4, 4, r[rd + 1]!);
      cs[count] = r[rd + 1]!;
      emitValue(EVENT.write, 8, address | 0, r[rd]!);
    } else write(address, size, r[rd]!);
    if ((how & MODE.post) !== 0) set(rn, moved);
  };

  const push = (list: number): void => {
    let words = 0;
    for (let bits = list; bits !== 0; bits &= bits - 1) words++;
    const bottom = r[SP]! - 4 * words;
    let address = bottom;
    for (let register = 0; register < 16; register++) {
      if (((list >>> register) & 1) === 0) continue;
      write(address, 4, r[register]!);
      address += 4;
    }
    set(SP, bottom);
  };

  /** Returns the index that was popped into pc, or `next`. */
  const pop = (list: number, next: number): number => {
    let address = r[SP]!;
    let target = next;
    // All reads come first, as one instruction makes them; then the registers change.
    const first = count;
    for (let register = 0; register < 16; register++) {
      if (((list >>> register) & 1) === 0) continue;
      read(address, 4);
      address += 4;
    }
    let at = first;
    for (let register = 0; register < 16; register++) {
      if (((list >>> register) & 1) === 0) continue;
      const value = bs[at++]!;
      if (register === PC) target = value >>> 2;
      else set(register, value);
    }
    set(SP, address);
    return target;
  };

  const alu = (at: number, word: number): void => {
    const op = word & 31;
    const how = (word >>> HOW) & 15;
    let b: number;
    let carry = flags & CARRY;
    if ((how & MODE.imm) !== 0) b = imms[at]!;
    else {
      const shift = shifts[at]!;
      const value = r[(word >>> RM) & 15]!;
      if (shift === 0) b = value;
      else if (shift > 0) {
        b = value << shift;
        carry = (value >>> (32 - shift)) & 1 ? CARRY : 0;
      } else {
        b = (value >>> -shift) | 0;
        carry = (value >>> (-shift - 1)) & 1 ? CARRY : 0;
      }
    }
    const a = r[(word >>> RN) & 15]!;
    let result: number;
    let overflow = flags & OVERFLOW;
    switch (op) {
      case OP.and:
      case OP.tst:
        result = a & b;
        break;
      case OP.eor:
        result = a ^ b;
        break;
      case OP.orr:
        result = a | b;
        break;
      case OP.bic:
        result = a & ~b;
        break;
      case OP.mov:
        result = b;
        break;
      case OP.add:
        result = (a + b) | 0;
        carry = result >>> 0 < a >>> 0 ? CARRY : 0;
        overflow = (a ^ result) & (b ^ result) & 0x80000000 ? OVERFLOW : 0;
        break;
      case OP.rsb:
        result = (b - a) | 0;
        carry = b >>> 0 >= a >>> 0 ? CARRY : 0;
        overflow = (b ^ a) & (b ^ result) & 0x80000000 ? OVERFLOW : 0;
        break;
      default:
        result = (a - b) | 0;
        carry = a >>> 0 >= b >>> 0 ? CARRY : 0;
        overflow = (a ^ b) & (a ^ result) & 0x80000000 ? OVERFLOW : 0;
    }
    if (op !== OP.cmp && op !== OP.tst) set((word >>> RD) & 15, result);
    if ((how & MODE.flags) === 0) return;
    const after = (result < 0 ? NEGATIVE : 0) | (result === 0 ? ZERO : 0) | carry | overflow;
    if (after === flags) return;
    flags = after;
    showStatus();
  };

  return {
    run(written) {
      const full = EVENT_CAPACITY - EVENT_RESERVE;
      count = 0;
      while (count < full) {
        if (--countdown <= 0 && mode === MODE_USER) interrupt();
        const at = pc;
        pc = at + 1;
        const word = packed[at]!;
        if (HOLDS[((word >>> COND) & 15) * 16 + flags] === 0) {
          emit(EVENT.skipped, 0, at);
          continue;
        }
        emit(EVENT.executed, 0, at);
        switch (word & 31) {
          case OP.mul:
            set((word >>> RD) & 15, Math.imul(r[(word >>> RM) & 15]!, r[(word >>> RN) & 15]!));
            break;
          case OP.load:
          case OP.store:
            access(at, word);
            break;
          case OP.push:
            push(imms[at]!);
            break;
          case OP.pop:
            pc = pop(imms[at]!, pc);
            break;
          case OP.leave:
            emit(EVENT.ioWrite, 1, INTERRUPT_CONTROLLER);
            pc = pop(imms[at]!, pc);
            mode = MODE_USER;
            flags = spsrFlags;
            swapBank(bankedLr);
            showStatus();
            break;
          case OP.branch:
            pc = imms[at]!;
            break;
          case OP.call:
            set(LR, pc * 4);
            pc = imms[at]!;
            break;
          case OP.callRegister:
            set(LR, pc * 4);
            pc = r[(word >>> RM) & 15]! >>> 2;
            break;
          case OP.returns:
            pc = r[LR]! >>> 2;
            break;
          case OP.host:
            ask(written);
            break;
          case OP.sleep:
            emit(EVENT.halt, 0, 0);
            countdown = 0;
            break;
          case OP.data:
            assert(false, `the program ran into its data at ${(at * 4).toString(16)}`);
            break;
          default:
            alu(at, word);
        }
      }
      events.count = count;
    },
  };
}

/** Where the parts of a packed instruction begin; the operation has the lowest five bits. */
const RD = 5;
const RN = 9;
const RM = 13;
const COND = 17;
const SIZE = 21;
const HOW = 25;

/** All but the shift and the immediate of each instruction in one word: one load instead of seven. */
function packLines({ lines }: Program): Int32Array {
  return Int32Array.from(
    lines,
    ({ op, rd, rn, rm, cond, size, mode }) =>
      op | (rd << RD) | (rn << RN) | (rm << RM) | (cond << COND) | (size << SIZE) | (mode << HOW),
  );
}

function conditionTable(): Uint8Array {
  const table = new Uint8Array(16 * 16);
  for (let flags = 0; flags < 16; flags++) {
    const n = (flags & NEGATIVE) !== 0;
    const z = (flags & ZERO) !== 0;
    const c = (flags & CARRY) !== 0;
    const v = (flags & OVERFLOW) !== 0;
    const holds: Readonly<Record<keyof typeof CONDITIONS, boolean>> = {
      eq: z,
      ne: !z,
      hs: c,
      lo: !c,
      mi: n,
      pl: !n,
      hi: c && !z,
      ls: !c || z,
      ge: n === v,
      lt: n !== v,
      gt: !z && n === v,
      le: z || n !== v,
      al: true,
    };
    for (const [name, yes] of Object.entries(holds)) if (yes) table[conditionCode(name) * 16 + flags] = 1;
  }
  return table;
}

function conditionCode(name: string): number {
  for (const [known, code] of Object.entries(CONDITIONS)) if (known === name) return code;
  throw new Error(`internal error: no condition ${name}`);
}
