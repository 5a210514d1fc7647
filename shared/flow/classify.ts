/** Classifies an instruction as a kind of branch by everything that its trace contains: opcode, instruction set, disassembly. */
import { BRANCH, NO_BRANCH } from './events.ts';
import { classifyA64, classifyArm, classifyThumb, classifyWideThumb } from './arm.ts';
import { mipsBranch, riscvBranch } from './mips.ts';
import { createPoint, POINT, type Point } from './point.ts';
import { classifyText, writesPlain } from './text.ts';

/** An instruction as the trace contains it. */
export interface Code {
  /** Lower 32 bits of the opcode. */
  opcode: number;
  /** Bytes of the opcode; 0 if the trace has none. */
  size: number;
  /** `other`: known to be none of these. */
  set: 'arm' | 'thumb' | 'a64' | 'other' | 'unknown';
  text: string;
}

export function createCode(): Code {
  return { opcode: 0, size: 0, set: 'unknown', text: '' };
}

/** Sets branch, target and marks of a point that has its address. */
export function classify(code: Code, point: Point): void {
  const { opcode, size, set, text } = code;
  switch (set) {
    case 'arm':
      if (size === 4) classifyArm(opcode, point);
      else classifyText(text, point);
      return;
    case 'thumb':
      if (size === 2) classifyThumb(opcode, point);
      else if (size === 4) {
        classifyWideThumb(opcode, point);
        // Text and opcode of a loop instruction may disagree: the target is then not known.
        const loops = (point.mark & (POINT.direct | POINT.conditional)) === (POINT.direct | POINT.conditional);
        if (loops && /\b0x/.test(text) && !contains(text, point.targetLow, point.targetHigh))
          point.mark &= ~POINT.direct;
      } else classifyText(text, point);
      return;
    case 'a64':
      if (size === 4) classifyA64(opcode, point);
      else classifyText(text, point);
      return;
    case 'other':
      classifyText(text, point);
      return;
    case 'unknown':
      classifyUnknown(code, point);
  }
}

/**
 * Classifies an instruction of an unknown processor. The text gives the kind of branch. The opcode gives the target, decoded for the
 * processor on which it is the same kind of branch to an address that the text contains.
 */
function classifyUnknown({ opcode, size, text }: Code, point: Point): void {
  classifyText(text, point);
  if (writesPlain(text)) classifyWriting(opcode, size, point);
  if (point.branch === BRANCH.jump && returnsByX5(opcode, size) && X5.test(text)) point.branch = BRANCH.return;
  const { branch, mark } = point;
  // Only ARM has its vectors, and its returns name a register or the stack.
  const isOther = (branch === BRANCH.return && (mark & POINT.anywhere) !== 0) || NO_ARM.test(text);
  const vectors = isOther ? 0 : POINT.vectors;
  if (size === 2 && !NO_THUMB.test(text)) {
    classifyThumb(opcode, reset(point));
    const half = (scratch.mark & (POINT.firstHalf | POINT.secondHalf)) !== 0;
    const same = scratch.branch === branch && (branch !== NO_BRANCH || POPS.test(text));
    if (half ? HALVES.test(text) : same) Object.assign(point, scratch, { mark: scratch.mark & ~POINT.anywhere });
    point.mark |= vectors;
    return;
  }
  point.mark |= vectors;
  if (size !== 4 || branch === NO_BRANCH) return;
  for (const read of [classifyArm, classifyWideThumb, classifyA64]) {
    read(opcode, reset(point));
    if (scratch.branch !== branch || (scratch.mark & POINT.direct) === 0) continue;
    if (!contains(text, scratch.targetLow, scratch.targetHigh)) continue;
    Object.assign(point, scratch);
    return;
  }
  if (opcode >>> 28 === ALWAYS) {
    classifyArm(opcode, reset(point));
    if (scratch.branch === branch && (scratch.mark & POINT.direct) === 0) point.mark |= POINT.always;
  }
  const mips = mipsBranch(opcode, point.addressLow);
  const riscv = riscvBranch(opcode, point.addressLow);
  // Neither leaves the 4 GiB around the address, except at the edges, where no target is set.
  const high = point.addressHigh;
  const mayBeMips =
    mips.branch === branch &&
    (MIPS.test(text) || (B.test(text) && opcode >>> 16 === MIPS_B)) &&
    BY_REGISTER.test(text) === (mips.target === undefined);
  // One MIPS opcode in 128 ends like a RISC-V branch. The text of a MIPS branch contains its target.
  const isRiscv = riscv.branch === branch && (!mayBeMips || !contains(text, mips.target, high));
  const isMips = mayBeMips && !isRiscv;
  if (isMips && (!COMPACT.test(text) || isPlainBranch(opcode)))
    point.mark |= POINT.delay | (calls(opcode) ? POINT.always : 0);
  const { target } = isMips ? mips : riscv;
  if ((!isMips && !isRiscv) || target === undefined || !contains(text, target, high)) return;
  point.mark |= POINT.direct;
  point.targetLow = target;
  point.targetHigh = high;
}

/** Classifies a write to R14 or R15: ARM if it has the length of an ARM instruction and, in ARM state, no condition; otherwise x86-64. */
function classifyWriting(opcode: number, size: number, point: Point): void {
  if (size === 2) classifyThumb(opcode, point);
  else if (size === 4 && opcode >>> 28 === ALWAYS) classifyArm(opcode, point);
}

const ALWAYS = 14;

/** Returns true for JALR and C.JR of RISC-V by the alternate link register t0, which is an ordinary register on other processors. */
function returnsByX5(opcode: number, size: number): boolean {
  return size === 4 ? opcode === 0x28067 : size === 2 && opcode === 0x8282;
}

const X5 = /^\s*(c\.)?j(al)?r\b.*\b(t0|x5)\b/i;
const HALVES = /^\s*(\(?1st instr|blx?\b|\.?(short|word|dcw)|$)/i;
/** No branch itself, but a following branch may go to a register that it loads. */
const POPS = /^\s*pop\b/i;
/** Branches of RISC-V and x86 whose opcodes are other branches in Thumb. */
const NO_THUMB = /^\s*(c\.|b(eq|ne)z|loop|j)/i;
/** Indirect branches of AArch64, MIPS, RISC-V and x86; those of ARM have other mnemonics. */
const NO_ARM = /^\s*((bnd|notrack)\s+)?(bl?r|(c\.)?j|l?(call|jmp))/i;
/** Mnemonics of MIPS branches. ARM branches that begin alike differ in target or opcode, or exchange the instruction set. */
const MIPS = /^\s*(j|b(?![.\sx]))/i;
/** AArch64 has a B too. The B of MIPS is a BEQ of register 0 with itself. */
const B = /^\s*b\s/i;
const MIPS_B = 0x1000;

/** Returns true for JAL, and for BAL, a BGEZAL of register 0 (MIPS32 Architecture for Programmers, volume II): both are unconditional. */
function calls(opcode: number): boolean {
  return opcode >>> 26 === 3 || opcode >>> 16 === 0x0411;
}

/** Returns true for BLEZ and BGTZ, which QEMU prints as `bgeuc` and `bltuc` of release 6. Those have a second register other than 0. */
function isPlainBranch(opcode: number): boolean {
  const operation = opcode >>> 26;
  return (operation === 6 || operation === 7) && ((opcode >>> 16) & 31) === 0;
}

const BY_REGISTER = /^\s*j(al)?r/i;
/** Compact branches, which have no delay slot. */
const COMPACT = /^\s*(b\w*c|j(al)?rc|ji(al)?c)\b/i;

const scratch = createPoint();

function reset(point: Point): Point {
  return Object.assign(scratch, point, { branch: NO_BRANCH });
}

/**
 * Returns true if the text contains this address, with or without `0x`, leading zeros and sign extension from 32 bits. Compares digit by
 * digit, because a program has 100,000 branches and each would need a regular expression of its own.
 */
function contains(text: string, low: number | undefined, high: number): boolean {
  const isExtended = isSignOrZero(high) && low !== undefined && low >= 2 ** 31;
  /** Number of digits of the current number, without leading zeros. */
  let significant = 0;
  let itsLow = 0;
  let itsHigh = 0;
  let any = false;
  for (let i = 0; i <= text.length; i++) {
    const digit = digitOf(text.charCodeAt(i));
    if (digit >= 0) {
      any = true;
      if (significant > 0 || digit > 0) significant++;
      itsHigh = ((itsHigh << 4) | (itsLow >>> 28)) >>> 0;
      itsLow = ((itsLow << 4) | digit) >>> 0;
      continue;
    }
    const isHigh = itsHigh === high || (isExtended && isSignOrZero(itsHigh));
    if (any && significant <= MOST_DIGITS && itsLow === low && isHigh) return true;
    significant = itsLow = itsHigh = 0;
    any = false;
  }
  return false;
}

const MOST_DIGITS = 16;

function isSignOrZero(high: number): boolean {
  return high === 0 || high === 0xffffffff;
}

/** Returns the value of a hexadecimal digit; -1 for other characters and NaN. */
function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
