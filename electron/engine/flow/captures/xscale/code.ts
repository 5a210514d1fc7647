/** Instructions of the program images by address, classified once each. */
import type { Images } from '../../../image/images.ts';
import { ABSENT as NOT_KNOWN, createAddressMap } from '../../../collections/address-map.ts';
import { classify, DOES, targetOf } from './instruction.ts';
import { createKnownSteps, type KnownSteps } from './known-steps.ts';

export interface Code {
  /** Steps that entries always take at an address. */
  readonly steps: KnownSteps;
  /**
   * Runs `count` instructions, starting at `pc`, and looks at the next one, which makes the message. `wholeCalls`: a Thumb BL or BLX is one
   * instruction, at the address of its first half.
   */
  run(pc: number, count: number, thumb: boolean, wholeCalls?: boolean): Run;
  /** Returns the effects of both halves of a Thumb BL or BLX at an address, as bits of DOES; undefined if there is none. */
  wholeCallAt(address: number): number | undefined;
  /** Returns the effects of an instruction as bits of DOES, or a value of ABSENT. */
  at(address: number, thumb: boolean): number;
  /** Returns the 32 or 16 bits of an instruction for which `at` returns effects. */
  word(address: number, thumb: boolean): number;
  /** Returns the instruction in little-endian order, for the first half of a Thumb call pair both halves; undefined if `at` has no effects. */
  bytes(address: number, thumb: boolean): Uint8Array | undefined;
  /** Returns the instruction set that an image declares for an address; undefined if none does. */
  stateAt(address: number): 'arm' | 'thumb' | undefined;
}

export interface Run {
  /** `yes` if every counted instruction continues with the next one, `no` if one must branch, `outside` if an image lacks one. */
  readonly straight: 'yes' | 'no' | 'outside';
  /** Address and effects (see `Code.at`) of the instruction after the counted ones. */
  readonly at: number;
  readonly does: number;
  /** Size of that instruction in bytes. */
  readonly size: number;
  /** Its target if the instruction encodes it. The second half of a Thumb call needs the first half at the preceding address. */
  readonly target: number | undefined;
  /** Role that the preceding instruction gives a jump: a call after MOV LR, PC, a return after a POP of the jump's register. */
  readonly paired: 'call' | 'return' | undefined;
}

/** MOV LR, PC sets the return address to the instruction after the next one. */
const LINKS = 0xe1a0e00f;
const THUMB_LINKS = 0x46fe;

/** Results of `Code.at` if the effects of an instruction are not known. */
export const ABSENT = {
  /** No image has bytes at the address, or only data that cannot be followed. */
  unknown: -1,
  /** An image declares code of the other instruction set, or the address is not aligned for this one. */
  otherState: -2,
} as const;

/** Addresses after which the caches are cleared. */
const MOST = 200_000;

/** By cached value. */
const STATES = [undefined, 'arm', 'thumb'] as const;

/** @param bigEndian byte order of raw images, which do not declare one */
export function createCode(images: Images, bigEndian = false): Code {
  /** Effects by address and instruction set. */
  let known = createAddressMap();
  let states = createAddressMap();

  return {
    steps: createKnownSteps(),
    run,
    wholeCallAt,
    at,
    word,
    bytes(address, thumb) {
      const does = at(address, thumb);
      if (does < 0) return undefined;
      const isCall = has(does, DOES.prefix) && has(at(address + 2, true), DOES.suffix);
      const value = isCall ? word(address, true) + word(address + 2, true) * 0x10000 : word(address, thumb);
      const bytes = new Uint8Array(thumb && !isCall ? 2 : 4);
      bytes.forEach((_, i) => (bytes[i] = value >>> (8 * i)));
      return bytes;
    },
    stateAt(address) {
      const before = states.get(address, 0);
      if (before !== NOT_KNOWN) return STATES[before];
      if (states.size >= MOST) states = createAddressMap();
      const state = images.codeAt(BigInt(address))?.state;
      const code = state === 'arm' ? 1 : state === 'thumb' ? 2 : 0;
      states.set(address, 0, code);
      return STATES[code];
    },
  };

  function at(address: number, thumb: boolean): number {
    const before = known.get(address, thumb ? 1 : 0);
    if (before !== NOT_KNOWN) return before;
    if (known.size >= MOST) known = createAddressMap();
    const found = look(address, thumb);
    known.set(address, thumb ? 1 : 0, found);
    return found;
  }

  function word(address: number, thumb: boolean): number {
    return read(address, thumb) ?? 0;
  }

  function run(pc: number, count: number, thumb: boolean, wholeCalls = false): Run {
    const size = thumb ? 2 : 4;
    const end = (pc + count * size) >>> 0;
    let straight: Run['straight'] = 'yes';
    for (let i = 0; i < count && straight === 'yes'; i++) {
      const does = at((pc + i * size) >>> 0, thumb);
      if (does === ABSENT.unknown) straight = 'outside';
      else if (does === ABSENT.otherState) straight = 'no';
      else if (mustLeave(does)) straight = has(does, DOES.data) ? 'outside' : 'no';
    }
    const call = thumb && wholeCalls ? wholeCallAt(end) : undefined;
    if (call !== undefined) {
      const target = targetOf(word(end + 2, true), true, end + 2, word(end, true));
      return { straight, at: end, does: call, size: 4, target, paired: undefined };
    }
    const own = at(end, thumb);
    // A second half on its own is not executed.
    const does = wholeCalls && has(own, DOES.suffix) ? 0 : own;
    const jumps = has(does, DOES.direct | DOES.indirect) && !has(does, DOES.call | DOES.return);
    const paired = jumps ? pairOf(end, thumb) : undefined;
    return { straight, at: end, does, size, target: fixedTarget(end, does, thumb), paired };
  }

  function wholeCallAt(address: number): number | undefined {
    const second = (address + 2) >>> 0;
    if (!has(at(address, true), DOES.prefix) || !has(at(second, true), DOES.suffix)) return undefined;
    return at(second, true) & ~DOES.suffix;
  }

  function pairOf(address: number, thumb: boolean): Run['paired'] {
    const size = thumb ? 2 : 4;
    if (address < size || at(address - size, thumb) < 0) return undefined;
    const before = word(address - size, thumb);
    if (before === (thumb ? THUMB_LINKS : LINKS)) return 'call';
    const branch = word(address, thumb);
    // With the same condition as the branch, it ran whenever the branch was taken.
    if (!thumb && before % 0x10000000 === LINKS % 0x10000000 && before >>> 28 === branch >>> 28) return 'call';
    // POP {..} followed by BX of one of the popped registers.
    const popped = thumb && (branch & 0xffc7) === 0x4700 && (before & 0xff00) === 0xbc00;
    return popped && ((before >>> ((branch >>> 3) & 7)) & 1) === 1 ? 'return' : undefined;
  }

  function fixedTarget(address: number, does: number, thumb: boolean): number | undefined {
    if (!has(does, DOES.fixed)) return undefined;
    if (!has(does, DOES.suffix)) return targetOf(word(address, thumb), thumb, address);
    if (address < 2 || !has(at(address - 2, true), DOES.prefix)) return undefined;
    return targetOf(word(address, true), true, address, word(address - 2, true));
  }

  function look(address: number, thumb: boolean): number {
    if (address % (thumb ? 2 : 4) !== 0) return ABSENT.otherState;
    const state = images.codeAt(BigInt(address))?.state;
    if (state === (thumb ? 'arm' : 'thumb')) return ABSENT.otherState;
    const word = read(address, thumb);
    if (word === undefined) return ABSENT.unknown;
    const does = classify(word, thumb);
    if (state !== 'data') return does;
    // Data gives no target.
    return has(does, DOES.fixed | DOES.prefix) ? ABSENT.unknown : does | DOES.data;
  }

  function read(address: number, thumb: boolean): number | undefined {
    const code = images.codeAt(BigInt(address));
    if (code?.machine.arm === false) return undefined;
    const bytes = images.bytesAt(BigInt(address), thumb ? 2 : 4);
    if (bytes === undefined || bytes.length < (thumb ? 2 : 4)) return undefined;
    const big = code === undefined ? bigEndian : !code.machine.codeLittleEndian;
    if (thumb) return big ? (bytes[0]! << 8) | bytes[1]! : (bytes[1]! << 8) | bytes[0]!;
    const [a, b, c, d] = [bytes[0]!, bytes[1]!, bytes[2]!, bytes[3]!];
    return (big ? (a << 24) | (b << 16) | (c << 8) | d : (d << 24) | (c << 16) | (b << 8) | a) >>> 0;
  }
}

/** Returns true if `does`, a result of `Code.at`, contains effects and one of them is in `bits`. */
export function has(does: number | undefined, bits: number): boolean {
  return does !== undefined && does > 0 && (does & bits) !== 0;
}

function mustLeave(does: number): boolean {
  return has(does, DOES.direct | DOES.indirect | DOES.swi | DOES.traps) && !has(does, DOES.conditional);
}
