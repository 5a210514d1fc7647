/** The instructions that images have at addresses, as the flow through a trace buffer asks for them again and again. */
import type { Images } from '../../image/images.ts';
import { classify } from './instruction.ts';

export interface Code {
  /** What an instruction is, as bits of DOES, or one of ABSENT. */
  at(address: number, thumb: boolean): number;
  /** Its 32 or 16 bits; only where `at` tells what it is. */
  word(address: number, thumb: boolean): number;
  /** Which instruction set an image names for an address; undefined where none does. */
  stateAt(address: number): 'arm' | 'thumb' | undefined;
}

/** An answer of `Code.at` in place of what an instruction does. */
export const ABSENT = {
  /** No image has code there. */
  unknown: -1,
  /** An image says that it is code of the other instruction set, or the address cannot be one of this. */
  otherState: -2,
} as const;

/** Addresses that are remembered; then all are read again. */
const MOST = 200_000;

/** @param bigEndian how words lie in images that do not tell */
export function createCode(images: Images, bigEndian = false): Code {
  const known = new Map<number, number>();

  return {
    at(address, thumb) {
      const key = address * 2 + (thumb ? 1 : 0);
      const before = known.get(key);
      if (before !== undefined) return before;
      if (known.size >= MOST) known.clear();
      const found = look(address, thumb);
      known.set(key, found);
      return found;
    },
    word: (address, thumb) => read(address, thumb) ?? 0,
    stateAt(address) {
      const state = images.codeAt(BigInt(address))?.state;
      return state === 'arm' || state === 'thumb' ? state : undefined;
    },
  };

  function look(address: number, thumb: boolean): number {
    if (address % (thumb ? 2 : 4) !== 0) return ABSENT.otherState;
    const state = images.codeAt(BigInt(address))?.state;
    if (state === (thumb ? 'arm' : 'thumb')) return ABSENT.otherState;
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
