/**
 * Effects of one ARM or Thumb instruction of an XScale core (ARMv5TE) on program flow, and its target if the instruction encodes it.
 *
 * Sources: ARM Architecture Reference Manual (DDI 0100I), A3 (ARM encodings), A6 (Thumb encodings). 80200 Developer's Manual, 13.13: the
 * trace buffer reports only B and BL as direct branches. It reports BLX (1) as indirect, although the instruction encodes the target.
 */

/** Effects of an instruction as bits; 0 for one that always continues with the next instruction. */
export const DOES = {
  /** Reported as a direct branch if taken: B, BL. */
  direct: 1,
  /** Reported as an indirect branch if taken. */
  indirect: 1 << 1,
  swi: 1 << 2,
  /** Traps if executed: an undefined instruction or a breakpoint. */
  traps: 1 << 3,
  /** Has a condition, so its effects may not happen. */
  conditional: 1 << 4,
  call: 1 << 5,
  return: 1 << 6,
  /** Loads the program counter from memory. */
  loadsPc: 1 << 7,
  /** Reads or writes memory. */
  memory: 1 << 8,
  /** May be an undefined instruction: a coprocessor may refuse it, or ARMv5TE leaves the encoding undefined. */
  mayTrap: 1 << 9,
  /** The instruction encodes its target: see `targetOf`. */
  fixed: 1 << 10,
  /** The first half of a Thumb BL or BLX, and the second. */
  prefix: 1 << 11,
  suffix: 1 << 12,
  /** Instruction set after it: ARM, Thumb, or either; without these bits the same as before. */
  toArm: 1 << 13,
  toThumb: 1 << 14,
  toEither: 1 << 15,
  /** Restores the saved status register: a return from an exception. */
  restores: 1 << 16,
  /** A mapping symbol calls it data, such as an instruction that the source writes as a number: it is one only if the core ran it. */
  data: 1 << 17,
} as const;

const ALWAYS = 14;
const LR = 14;
const PC = 15;

/** Returns the effects of an instruction as bits of DOES. `word`: 32 bits of ARM code or 16 of Thumb code. */
export function classify(word: number, thumb: boolean): number {
  return thumb ? classifyThumb(word) : classifyArm(word);
}

/** Returns the target of a `fixed` instruction. `prefix`: the first half of a Thumb BL or BLX if `word` is the second half. */
export function targetOf(word: number, thumb: boolean, address: number, prefix = 0): number {
  if (!thumb) return armTarget(word, address);
  if (word >>> 11 === 0x1f || word >>> 11 === 0x1d) {
    const high = (((prefix & 0x7ff) << 21) >> 21) * 4096;
    // The halves are 2 bytes apart, and the program counter reads as the address of the first half plus 4.
    const target = address + 2 + high + (word & 0x7ff) * 2;
    return (word >>> 11 === 0x1d ? target - (target & 3) : target) >>> 0;
  }
  if (word >>> 8 === 0x47) return ((address + 4) & ~3) >>> 0;
  const offset = word >>> 12 === 0xd ? ((word & 0xff) << 24) >> 23 : ((word & 0x7ff) << 21) >> 20;
  return (address + 4 + offset) >>> 0;
}

function armTarget(word: number, address: number): number {
  if ((word & 0x0e000000) !== 0x0a000000) return (address + 8) >>> 0;
  const half = word >>> 28 === 15 ? ((word >>> 24) & 1) * 2 : 0;
  return (address + 8 + (((word & 0xffffff) << 8) >> 6) + half) >>> 0;
}

function classifyArm(word: number): number {
  const condition = word >>> 28;
  if (condition === 15) return classifyUnconditional(word);
  const does = armEffect(word);
  return does !== 0 && condition !== ALWAYS ? does | DOES.conditional : does;
}

/** Classifies encodings with 1111 in place of a condition. */
function classifyUnconditional(word: number): number {
  if ((word & 0x0e000000) === 0x0a000000) return DOES.indirect | DOES.fixed | DOES.call | DOES.toThumb;
  // PLD
  if ((word & 0x0d70f000) === 0x0550f000) return 0;
  if ((word & 0x0e000000) === 0x0c000000) return DOES.mayTrap | DOES.memory;
  if ((word & 0x0f000000) === 0x0e000000) return DOES.mayTrap;
  return DOES.traps;
}

function armEffect(word: number): number {
  switch ((word >>> 25) & 7) {
    case 0:
      return registerEffect(word);
    case 1:
      // MSR with an immediate, and the undefined encodings next to it, set no register.
      return (word & 0x01900000) === 0x01000000 ? ((word & 0x00200000) === 0 ? DOES.traps : 0) : processing(word);
    case 2:
      return transfer(word);
    case 3:
      return (word & 0x10) !== 0 ? DOES.traps : transfer(word);
    case 4: {
      if ((word & 0x00108000) !== 0x00108000) return DOES.memory;
      const loads = DOES.indirect | DOES.loadsPc | DOES.memory | DOES.return | DOES.toEither;
      return (word & 0x00400000) === 0 ? loads : loads | DOES.restores;
    }
    case 5:
      return DOES.direct | DOES.fixed | ((word & 0x01000000) === 0 ? 0 : DOES.call);
    case 6:
      return DOES.mayTrap | DOES.memory;
    default:
      return (word & 0x01000000) === 0 ? DOES.mayTrap : DOES.swi;
  }
}

/** Classifies encodings whose bits 27 to 25 are zero: data processing with registers, and the extensions in its gaps. */
function registerEffect(word: number): number {
  if ((word & 0x0ffffff0) === 0x012fff10) return exchange(word & 15);
  if ((word & 0x0ffffff0) === 0x012fff30) return DOES.indirect | DOES.call | DOES.toEither;
  if ((word & 0x0ff000f0) === 0x01200070) return DOES.traps;
  if ((word & 0x90) === 0x90) return extendedEffect(word);
  // MRS, MSR, CLZ and the signal processing extension
  if ((word & 0x01900000) === 0x01000000) return isMiscellaneous(word) ? 0 : DOES.mayTrap;
  return processing(word);
}

/** Classifies multiplications and the load and store extension (A3.14.1, A3.14.4). */
function extendedEffect(word: number): number {
  if ((word & 0x60) === 0) {
    // SWP, SWPB
    if ((word & 0x01000000) !== 0) return (word & 0x00b00000) === 0 ? DOES.memory : DOES.memory | DOES.mayTrap;
    return (word & 0x00c00000) === 0x00400000 ? DOES.mayTrap : 0;
  }
  // LDRD and STRD of an odd register
  const isDouble = (word & 0x00100040) === 0x40;
  return isDouble && (word & 0x1000) !== 0 ? DOES.memory | DOES.mayTrap : DOES.memory;
}

/** Returns true for the miscellaneous instructions that ARMv5TE defines and that are no branches (A3.14.3). */
function isMiscellaneous(word: number): boolean {
  const operation = (word >>> 21) & 3;
  switch ((word >>> 4) & 15) {
    case 0:
    case 5:
      return true;
    case 1:
      return operation === 3;
    default:
      return (word & 0x90) === 0x80;
  }
}

function exchange(register: number): number {
  if (register === PC) return DOES.indirect | DOES.fixed | DOES.toArm;
  return DOES.indirect | DOES.toEither | (register === LR ? DOES.return : 0);
}

function processing(word: number): number {
  // TST, TEQ, CMP and CMN only compare.
  if ((word & 0x01800000) === 0x01000000 || ((word >>> 12) & 15) !== PC) return 0;
  if ((word & 0x00100000) !== 0) return DOES.indirect | DOES.return | DOES.toEither | DOES.restores;
  return DOES.indirect | ((word & 0x0fffffff) === 0x01a0f00e ? DOES.return : 0);
}

function transfer(word: number): number {
  const loadsWord = (word & 0x00500000) === 0x00100000;
  if (!loadsWord || ((word >>> 12) & 15) !== PC) return DOES.memory;
  // LDR PC, [SP], #4
  const pops = (word & 0x0fffffff) === 0x049df004;
  return DOES.memory | DOES.indirect | DOES.loadsPc | DOES.toEither | (pops ? DOES.return : 0);
}

function classifyThumb(half: number): number {
  switch (half >>> 12) {
    case 4:
      if (half >>> 10 === 0x11) return thumbHighRegisters(half);
      return (half & 0x0800) === 0 ? 0 : DOES.memory;
    case 5:
    case 6:
    case 7:
    case 8:
    case 9:
    case 12:
      return DOES.memory;
    case 11:
      return thumbMiscellaneous(half);
    case 13:
      return thumbConditional(half);
    case 14:
      if ((half & 0x0800) === 0) return DOES.direct | DOES.fixed;
      return (half & 1) === 0 ? DOES.indirect | DOES.fixed | DOES.suffix | DOES.call | DOES.toArm : DOES.traps;
    case 15:
      return (half & 0x0800) === 0 ? DOES.prefix : DOES.direct | DOES.fixed | DOES.suffix | DOES.call;
    default:
      return 0;
  }
}

/** Classifies ADD, CMP and MOV of high registers, BX and BLX. */
function thumbHighRegisters(half: number): number {
  const source = (half >>> 3) & 15;
  const operation = (half >>> 8) & 3;
  if (operation === 3) return (half & 0x80) === 0 ? exchange(source) : DOES.indirect | DOES.call | DOES.toEither;
  const target = (half & 7) | ((half >>> 4) & 8);
  if (operation === 1 || target !== PC) return 0;
  return DOES.indirect | (operation === 2 && source === LR ? DOES.return : 0);
}

function thumbMiscellaneous(half: number): number {
  if ((half & 0x0f00) === 0) return 0;
  if ((half & 0x0600) !== 0x0400) return DOES.traps;
  const pops = (half & 0x0900) === 0x0900;
  return pops ? DOES.memory | DOES.indirect | DOES.loadsPc | DOES.return | DOES.toEither : DOES.memory;
}

function thumbConditional(half: number): number {
  const condition = (half >>> 8) & 15;
  if (condition === 15) return DOES.swi;
  return condition === 14 ? DOES.traps : DOES.direct | DOES.fixed | DOES.conditional;
}
