/** The instructions that images have at addresses, as the flow through a trace buffer asks for them again and again. */
import type { Images } from '../../../image/images.ts';
import { ABSENT as NOT_KNOWN, createAddressMap } from '../../../collections/address-map.ts';
import { classify, DOES, targetOf } from './instruction.ts';
import { createKnownSteps, type KnownSteps } from './known-steps.ts';

export interface Code {
  /** What came of entries at places, as far as it is the same each time. */
  readonly steps: KnownSteps;
  /** What comes of running `count` instructions from `pc` on and then the next one. */
  run(pc: number, count: number, thumb: boolean): Run;
  /** What an instruction is, as bits of DOES, or one of ABSENT. */
  at(address: number, thumb: boolean): number;
  /** Its 32 or 16 bits; only where `at` tells what it is. */
  word(address: number, thumb: boolean): number;
  /** The instruction in little-endian order, of a Thumb call both halves from the first one on; undefined where `at` does not tell what it is. */
  bytes(address: number, thumb: boolean): Uint8Array | undefined;
  /** Which instruction set an image names for an address; undefined where none does. */
  stateAt(address: number): 'arm' | 'thumb' | undefined;
}

export interface Run {
  /** Whether the instructions before the last one are there and go on to the next. */
  readonly straight: 'yes' | 'no' | 'outside';
  /** The last one, as `Code.at` tells it. */
  readonly at: number;
  readonly does: number;
  /** Where it leads, if that is fixed: of the second half of a call where the first half lies before it. */
  readonly target: number | undefined;
  /** What the instruction before it makes of a jump: a call where that is MOV LR, PC, a return where it takes the register from the stack. */
  readonly paired: 'call' | 'return' | undefined;
}

/** MOV LR, PC: the address two instructions on is where the branch behind it comes back to. */
const LINKS = 0xe1a0e00f;
const THUMB_LINKS = 0x46fe;

/** An answer of `Code.at` in place of what an instruction does. */
export const ABSENT = {
  /** No image has code there: none has bytes, or what it has is data. */
  unknown: -1,
  /** An image says that it is code of the other instruction set, or the address cannot be one of this. */
  otherState: -2,
} as const;

/** Addresses that are remembered; then all are read again. */
const MOST = 200_000;

/** By what is remembered. */
const STATES = [undefined, 'arm', 'thumb'] as const;

/** @param bigEndian how words lie in images that do not tell */
export function createCode(images: Images, bigEndian = false): Code {
  /** By address and instruction set. */
  let known = createAddressMap();
  let states = createAddressMap();

  return {
    steps: createKnownSteps(),
    run,
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
      const told = state === 'arm' ? 1 : state === 'thumb' ? 2 : 0;
      states.set(address, 0, told);
      return STATES[told];
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

  function run(pc: number, count: number, thumb: boolean): Run {
    const size = thumb ? 2 : 4;
    const end = (pc + count * size) >>> 0;
    let straight: Run['straight'] = 'yes';
    for (let i = 0; i < count && straight === 'yes'; i++) {
      const does = at((pc + i * size) >>> 0, thumb);
      if (does === ABSENT.unknown) straight = 'outside';
      else if (does === ABSENT.otherState || mustLeave(does)) straight = 'no';
    }
    const does = at(end, thumb);
    const jumps = has(does, DOES.direct | DOES.indirect) && !has(does, DOES.call | DOES.return);
    const paired = jumps ? pairOf(end, thumb) : undefined;
    return { straight, at: end, does, target: fixedTarget(end, does, thumb), paired };
  }

  function pairOf(address: number, thumb: boolean): Run['paired'] {
    const size = thumb ? 2 : 4;
    if (address < size || at(address - size, thumb) < 0) return undefined;
    const before = word(address - size, thumb);
    if (before === (thumb ? THUMB_LINKS : LINKS)) return 'call';
    const branch = word(address, thumb);
    // Of the same condition as the branch it ran where that was taken.
    if (!thumb && before % 0x10000000 === LINKS % 0x10000000 && before >>> 28 === branch >>> 28) return 'call';
    // POP {..}, then BX of one of those registers.
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
    if (state === 'data') return ABSENT.unknown;
    const word = read(address, thumb);
    return word === undefined ? ABSENT.unknown : classify(word, thumb);
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

/** Whether an instruction, as `Code.at` tells it, is there and does that. */
export function has(does: number | undefined, bits: number): boolean {
  return does !== undefined && does > 0 && (does & bits) !== 0;
}

function mustLeave(does: number): boolean {
  return has(does, DOES.direct | DOES.indirect | DOES.swi | DOES.traps) && !has(does, DOES.conditional);
}
