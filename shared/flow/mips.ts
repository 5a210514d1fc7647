/**
 * Classifies MIPS and RISC-V instructions by opcode, for disassembly that both print alike.
 *
 * Sources: MIPS32 Architecture for Programmers, volume II (encodings of jumps and branches; all have a delay slot but the compact ones that
 * release 6 has at some of these opcodes); RISC-V Instruction Set Manual, volume I, 2.5 (JAL, JALR, conditional branches).
 */
import { BRANCH, NO_BRANCH } from './events.ts';

/** Kind of a branch, and the lower half of its target if the instruction encodes it. */
export interface CodedBranch {
  readonly branch: number;
  readonly target?: number;
}

const NONE: CodedBranch = { branch: NO_BRANCH };

export function mipsBranch(opcode: number, address: number): CodedBranch {
  const op = opcode >>> 0;
  const relative = (address + 4 + ((op << 16) >> 14)) >>> 0;
  const from = (op >>> 21) & 31;
  switch (op >>> 26) {
    case 0: {
      const operation = op & 63;
      // Release 6 has JR as a JALR that links nothing.
      if (operation === 9 && ((op >>> 11) & 31) !== 0) return { branch: BRANCH.call };
      return operation === 8 || operation === 9 ? { branch: from === 31 ? BRANCH.return : BRANCH.jump } : NONE;
    }
    case 1: {
      const condition = (op >>> 16) & 31;
      if ((condition & 12) !== 0) return NONE;
      return { branch: (condition & 16) === 0 ? BRANCH.jump : BRANCH.call, target: relative };
    }
    case 2:
    case 3:
    case 29: {
      const target = (((address + 4) & 0xf0000000) | ((op << 6) >>> 4)) >>> 0;
      return { branch: op >>> 26 === 2 ? BRANCH.jump : BRANCH.call, target };
    }
    case 4:
    case 5:
    case 6:
    case 7:
    case 20:
    case 21:
    case 22:
    case 23:
      return { branch: BRANCH.jump, target: relative };
    case 17:
      return from === 8 || from === 9 || from === 13 ? { branch: BRANCH.jump, target: relative } : NONE;
    default:
      return NONE;
  }
}

export function riscvBranch(opcode: number, address: number): CodedBranch {
  const op = opcode >>> 0;
  const register = (op >>> 7) & 31;
  const links = register === 1 || register === 5;
  switch (op & 0x7f) {
    case 0x63: {
      const offset = ((op >> 31) << 12) | ((op & 0x80) << 4) | ((op >>> 20) & 0x7e0) | ((op >>> 7) & 0x1e);
      return { branch: BRANCH.jump, target: (address + offset) >>> 0 };
    }
    case 0x6f: {
      const offset = ((op >> 31) << 20) | (op & 0xff000) | ((op >>> 9) & 0x800) | ((op >>> 20) & 0x7fe);
      return { branch: links ? BRANCH.call : BRANCH.jump, target: (address + offset) >>> 0 };
    }
    case 0x67: {
      const source = (op >>> 15) & 31;
      if (links) return { branch: BRANCH.call };
      return { branch: register === 0 && (source === 1 || source === 5) ? BRANCH.return : BRANCH.jump };
    }
    default:
      return NONE;
  }
}
