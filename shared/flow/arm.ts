/**
 * Classifies ARM, Thumb and AArch64 instructions by opcode: kind of branch, and target of a direct branch.
 *
 * Sources: Arm Architecture Reference Manual, ARMv7-A edition, A5 and A6 (encodings), A8 (BL, BX, LDM, LDR, POP, SUBS PC); ARMv8-A edition,
 * C4.1 (branches, exception generating and system instructions); Armv8-M edition, C2.4 (LE, WLS, DLS and BXAUT). A load of the program
 * counter from the stack or with `LDM` counts as a return, and so does a move from the link register: that is how compilers end functions.
 */
import { BRANCH, NO_BRANCH } from './events.ts';
import { POINT, type Point } from './point.ts';

const LINK_REGISTER = 14;
const STACK_POINTER = 13;
const PROGRAM_COUNTER = 15;

/** Sets branch, target and marks of a point that has its address. `opcode`: the 32 bits as a number. */
export function classifyArm(opcode: number, point: Point): void {
  const op = opcode >>> 0;
  point.branch = NO_BRANCH;
  point.mark |= POINT.vectors;
  if (op >>> 28 === 15) {
    if ((op & 0x0e000000) === 0x0a000000) goTo(point, BRANCH.call, 8 + armOffset(op) + ((op >>> 23) & 2));
    else if ((op & 0x0e50ffff) === 0x08100a00) point.branch = BRANCH.return; // RFE
  } else classifyConditional(op, point);
  if (op >>> 28 >= 14 && point.branch !== NO_BRANCH) point.mark |= POINT.always;
}

/** Classifies an instruction whose bits 31 to 28 are a condition. */
function classifyConditional(op: number, point: Point): void {
  const target = (op >>> 12) & 15;
  switch ((op >>> 25) & 7) {
    case 0:
    case 1:
      classifyData(op, point);
      return;
    case 2:
    case 3:
      if ((op & 0x02000010) === 0x02000010) return; // media instructions
      point.mark |= POINT.memory;
      if ((op & 0x00100000) === 0 || (op & 0x00400000) !== 0) return;
      if (target === LINK_REGISTER && ((op >>> 16) & 15) !== STACK_POINTER) point.mark |= POINT.setsLink;
      if (target !== PROGRAM_COUNTER) return;
      point.branch = ((op >>> 16) & 15) === STACK_POINTER ? BRANCH.return : BRANCH.jump;
      if (((op >>> 16) & 15) === LINK_REGISTER) point.mark |= POINT.usesLink;
      return;
    case 4:
      point.mark |= POINT.memory;
      if ((op & 0x00108000) === 0x00108000) point.branch = BRANCH.return;
      return;
    case 5:
      goTo(point, (op & 0x01000000) === 0 ? BRANCH.jump : BRANCH.call, 8 + armOffset(op));
      return;
    case 6:
      point.mark |= POINT.memory;
      return;
    case 7:
      if ((op & 0x01000000) !== 0) callSupervisor(point);
  }
}

/** Classifies data processing and the encodings in its gaps: BX, BLX, BKPT, multiplications, transfers of half-words. */
function classifyData(op: number, point: Point): void {
  const immediate = (op & 0x02000000) !== 0;
  if (!immediate && (op & 0x90) === 0x90) {
    if ((op & 0x60) !== 0 || (op & 0x01000000) !== 0) point.mark |= POINT.memory;
    return;
  }
  const source = op & 15;
  if ((op & 0x01900000) === 0x01000000) {
    if (immediate) {
      // MOVW, MOVT.
      if ((op & 0x01b0f000) === 0x0100e000) point.mark |= POINT.setsLink;
      return;
    }
    if ((op & 0x0fffffd0) === 0x012fff10)
      point.branch =
        (op & 0x20) !== 0 && (op & 0x10) !== 0 ? BRANCH.call : source === LINK_REGISTER ? BRANCH.return : BRANCH.jump;
    else if ((op & 0x0ffffff0) === 0x012fff20) point.branch = source === LINK_REGISTER ? BRANCH.return : BRANCH.jump;
    // BKPT, HVC, SMC.
    else if ((op & 0x0f9000f0) === 0x01000070 && (op & 0x00600000) !== 0) point.branch = BRANCH.exception;
    return;
  }
  const operation = (op >>> 21) & 15;
  const compares = operation >= 8 && operation <= 11;
  if (compares) return;
  const moves = operation === 13;
  const register = (op >>> 12) & 15;
  if (register === LINK_REGISTER && moves && (op & 0x02000fff) === PROGRAM_COUNTER) point.mark |= POINT.link;
  const first = (op >>> 16) & 15;
  if (register === LINK_REGISTER) {
    point.mark |= POINT.setsLink;
    const adds = operation === ADD;
    if (immediate && first === PROGRAM_COUNTER && (adds || operation === SUBTRACT)) {
      const value = rotated(op);
      setLink(point, point.addressLow + 8 + (adds ? value : -value));
    }
  }
  if (register !== PROGRAM_COUNTER) return;
  if (!moves && first === LINK_REGISTER) point.mark |= POINT.usesLink;
  const restores = (op & 0x00100000) !== 0;
  const fromLink = moves && !immediate && (op & 0xfff) === LINK_REGISTER;
  point.branch = restores || fromLink ? BRANCH.return : BRANCH.jump;
}

const SUBTRACT = 2;
const ADD = 4;

/** Returns the immediate operand of data processing: eight bits, rotated to the right. */
function rotated(op: number): number {
  const by = (op >>> 7) & 30;
  const value = op & 0xff;
  return by === 0 ? value : ((value >>> by) | (value << (32 - by))) >>> 0;
}

/** Notes the value that an instruction puts into the link register. */
function setLink(point: Point, value: number, high = 0): void {
  point.mark |= POINT.setsLink | POINT.knownLink;
  point.targetLow = value >>> 0;
  point.targetHigh = high;
}

/** Returns the signed distance in bytes in the low 24 bits. */
function armOffset(op: number): number {
  return (op << 8) >> 6;
}

/** Classifies a Thumb instruction of 16 bits. */
export function classifyThumb(opcode: number, point: Point): void {
  const op = opcode & 0xffff;
  point.branch = NO_BRANCH;
  point.mark |= POINT.vectors;
  switch (op >>> 12) {
    case 4:
      if (op >>> 8 === 0x47) {
        const register = (op >>> 3) & 15;
        point.branch = (op & 0x80) !== 0 ? BRANCH.call : register === LINK_REGISTER ? BRANCH.return : BRANCH.jump;
        // BX pc: to the ARM code after it.
        if (op === 0x4778) goTo(point, BRANCH.jump, 4 - (point.addressLow & 2));
        else if (point.branch === BRANCH.jump) noteRegisters(point, POINT.byRegister, 1 << register);
      } else if ((op & 0xfd87) === 0x4487) {
        point.branch = (op & 0xff78) === 0x4670 ? BRANCH.return : BRANCH.jump;
      } else if ((op & 0xfd87) === 0x4486) point.mark |= POINT.setsLink | (op === 0x46fe ? POINT.link : 0);
      else if (op >>> 11 === 9) point.mark |= POINT.memory;
      return;
    case 5:
    case 6:
    case 7:
    case 8:
    case 9:
    case 12:
      point.mark |= POINT.memory;
      return;
    case 11:
      if ((op & 0xff00) === 0xbd00) point.branch = BRANCH.return;
      else if ((op & 0xf500) === 0xb100) {
        goTo(point, BRANCH.jump, 4 + ((op >>> 2) & 0x3e) + ((op >>> 3) & 0x40));
        point.mark |= POINT.conditional;
      } else if ((op & 0xff00) === 0xbe00) point.branch = BRANCH.exception;
      if ((op & 0xf600) === 0xb400) point.mark |= POINT.memory;
      if ((op & 0xff00) === 0xbc00) noteRegisters(point, POINT.pops, op & 0xff);
      return;
    case 13:
      if ((op & 0xf00) === 0xf00) callSupervisor(point);
      else if ((op & 0xf00) !== 0xe00) goTo(point, BRANCH.jump, 4 + ((op << 24) >> 23));
      return;
    case 14:
      if ((op & 0x800) === 0) {
        goTo(point, BRANCH.jump, 4 + ((op << 21) >> 20));
        point.mark |= POINT.always;
      } else secondHalf(op, point, true);
      return;
    case 15:
      if ((op & 0x800) === 0) {
        setTarget(point, point.addressLow + 4 + ((op << 21) >> 9));
        point.mark |= POINT.firstHalf;
      } else secondHalf(op, point, false);
  }
}

function callSupervisor(point: Point): void {
  point.branch = BRANCH.exception;
  point.mark |= POINT.supervisor;
}

function secondHalf(op: number, point: Point, toArm: boolean): void {
  point.branch = BRANCH.call;
  point.mark |= POINT.secondHalf | (toArm ? POINT.toArm : 0);
  point.targetLow = (op & 0x7ff) << 1;
}

function noteRegisters(point: Point, mark: number, bits: number): void {
  point.mark |= mark;
  setTarget(point, bits);
}

/** Classifies a Thumb instruction of 32 bits, with the half-word at the lower address in the upper half. */
export function classifyWideThumb(opcode: number, point: Point): void {
  const op = opcode >>> 0;
  const first = op >>> 16;
  const second = op & 0xffff;
  point.branch = NO_BRANCH;
  point.mark |= POINT.vectors;
  if ((first & 0xf800) === 0xf000 && (second & 0x8f00) === 0x0e00) {
    // Data processing with an immediate operand; comparisons write to no register 14.
    point.mark |= POINT.setsLink;
    const value = ((first & 0x400) << 1) | ((second & 0x7000) >>> 4) | (second & 0xff);
    const base = (point.addressLow & ~3) + 4;
    if ((first & 0xfbff) === 0xf20f) setLink(point, base + value);
    else if ((first & 0xfbff) === 0xf2af) setLink(point, base - value);
    return;
  }
  if ((first & 0xfe00) === 0xea00 && (second & 0x0f00) === 0x0e00) point.mark |= POINT.setsLink;
  if ((first & 0xf800) === 0xf000 && (second & 0x8000) !== 0) {
    if ((second & 0x5000) === 0) {
      if ((first & 0x380) !== 0x380) {
        // Bits S, J2, J1, then six and eleven bits, signed.
        const high = ((first & 0x400) << 21) >> 11;
        const offset = high | ((second & 0x800) << 8) | ((second & 0x2000) << 5) | ((first & 0x3f) << 12);
        goTo(point, BRANCH.jump, 4 + (offset | ((second & 0x7ff) << 1)));
      } else if ((op & 0xffffff00) >>> 0 === 0xf3de8f00)
        point.branch = BRANCH.return; // SUBS pc, lr; ERET
      else if ((op & 0xfff0ffff) >>> 0 === 0xf3c08f00)
        point.branch = BRANCH.jump; // BXJ
      else if ((op & 0xffe0f000) >>> 0 === 0xf7e08000) point.branch = BRANCH.exception; // HVC, SMC
      return;
    }
    if ((second & 0xd001) === 0xc001) {
      if ((second & 0x2000) === 0) classifyLoop(first, second, point);
      return;
    }
    const links = (second & 0x4000) !== 0;
    const toArm = links && (second & 0x1000) === 0;
    const target = point.addressLow + 4 + wideOffset(first, second);
    point.branch = links ? BRANCH.call : BRANCH.jump;
    setTarget(point, toArm ? target & ~3 : target);
    point.mark |= POINT.direct;
    return;
  }
  if ((first & 0xfe40) === 0xe800) {
    point.mark |= POINT.memory;
    const loads = (first & 0x10) !== 0;
    const returnsFromException = (first & 0xffd0) === 0xe810 || (first & 0xffd0) === 0xe990;
    if (loads && ((second & 0x8000) !== 0 || (returnsFromException && second === 0xc000))) point.branch = BRANCH.return;
    return;
  }
  if ((first & 0xfff0) === 0xe8d0 && (second & 0xffe0) === 0xf000) {
    point.branch = BRANCH.jump; // TBB, TBH
    point.mark |= POINT.usesLink;
    return;
  }
  if ((first & 0xfe00) === 0xf800 || (first & 0xfe40) === 0xe840) point.mark |= POINT.memory;
  if ((first & 0xfff0) === 0xfb50 && (second & 0x0ff0) === 0x0f10) {
    // BXAUT
    point.branch = (first & 15) === LINK_REGISTER ? BRANCH.return : BRANCH.jump;
    return;
  }
  if ((first & 0xff70) === 0xf850 && second >>> 12 === PROGRAM_COUNTER)
    point.branch = (first & 15) === STACK_POINTER ? BRANCH.return : BRANCH.jump;
  if ((first & 0xff70) !== 0xf850) return;
  if (second >>> 12 === LINK_REGISTER && (first & 15) !== STACK_POINTER) point.mark |= POINT.setsLink;
  if (point.branch === BRANCH.jump && (first & 15) === LINK_REGISTER) point.mark |= POINT.usesLink;
}

/** Classifies the loop instructions LE, LETP, WLS and WLSTP of Armv8.1-M, which have a place where BLX to a half-word would be. */
function classifyLoop(first: number, second: number, point: Point): void {
  const operation = (first >>> 4) & 0x3f;
  const distance = ((second & 0x7fe) << 1) | ((second & 0x800) >>> 10);
  const ends = (first & 15) === PROGRAM_COUNTER;
  if (operation > (ends ? 2 : 4)) return;
  goTo(point, BRANCH.jump, ends ? 4 - distance : 4 + distance);
  // LE without a counter always branches.
  point.mark |= ends && operation === 2 ? POINT.always : POINT.conditional;
}

/** Returns the distance of B.W, BL and BLX: bits S, I1, I2, then ten and eleven bits, signed, times two. */
function wideOffset(first: number, second: number): number {
  const sign = (first >>> 10) & 1;
  const i1 = ((second >>> 13) & 1) ^ sign ^ 1;
  const i2 = ((second >>> 11) & 1) ^ sign ^ 1;
  return (((sign << 24) | (i1 << 23) | (i2 << 22) | ((first & 0x3ff) << 12) | ((second & 0x7ff) << 1)) << 7) >> 7;
}

/** Classifies an AArch64 instruction. */
export function classifyA64(opcode: number, point: Point): void {
  const op = opcode >>> 0;
  point.branch = NO_BRANCH;
  if ((op & 0x7c000000) === 0x14000000) goFar(point, op >>> 31 === 1 ? BRANCH.call : BRANCH.jump, (op << 6) >> 4);
  else if ((op & 0xff000000) >>> 0 === 0x54000000 || (op & 0x7e000000) === 0x34000000)
    goMaybe(point, ((op << 8) >> 13) << 2);
  else if ((op & 0x7e000000) === 0x36000000) goMaybe(point, ((op << 13) >> 18) << 2);
  else if ((op & 0xfe000000) >>> 0 === 0xd6000000) {
    // BR, BLR, RET, .., ERET, and their authenticated forms (bit 24: with a modifier).
    const operation = (op >>> 21) & 7;
    if (operation === 0) {
      point.branch = BRANCH.jump;
      if (((op >>> 5) & 31) === LINK_REGISTER_64) point.mark |= POINT.usesLink;
    } else if (operation === 1) point.branch = BRANCH.call;
    else if (operation === 2 || operation === 4) point.branch = BRANCH.return;
    point.mark |= POINT.anywhere;
    setTarget(point, Number(operation === 4));
  } else if ((op & 0xffc0001f) >>> 0 === 0x5500001f) {
    // RETAASPPC, RETABSPPC.
    point.branch = BRANCH.return;
    point.mark |= POINT.anywhere;
    setTarget(point, 0);
  } else if ((op & 0xff000000) >>> 0 === 0xd4000000) {
    const operation = (op >>> 21) & 7;
    if ((operation === 0 && (op & 3) !== 0) || operation === 1) point.branch = BRANCH.exception;
  } else if ((op & 0x0a000000) === 0x08000000) point.mark |= POINT.memory;
  if (point.branch === NO_BRANCH) noteLink64(op, point);
}

const LINK_REGISTER_64 = 30;
const STACK_POINTER_64 = 31;

/** Notes writes to the link register of AArch64: C4.1, data processing, loads of a literal and of one register. */
function noteLink64(op: number, point: Point): void {
  const base = (op >>> 5) & 31;
  const adds = (op & 0x1f000000) === 0x0b000000;
  if (adds && (base === LINK_REGISTER_64 || ((op >>> 16) & 31) === LINK_REGISTER_64)) point.mark |= POINT.usesLink;
  if ((op & 31) !== LINK_REGISTER_64) return;
  if ((op & 0x1f000000) === 0x10000000) {
    // ADR, ADRP.
    const distance = (((op << 8) >> 13) << 2) | ((op >>> 29) & 3);
    if (op >>> 31 === 0) goFar(point, NO_BRANCH, distance);
    else {
      const pages = point.addressHigh * 2 ** 20 + (point.addressLow >>> 12) + distance;
      point.targetLow = (pages % 2 ** 20) * 2 ** 12;
      point.targetHigh = Math.floor(pages / 2 ** 20) >>> 0;
    }
    point.mark = (point.mark & ~POINT.direct) | POINT.setsLink | POINT.knownLink;
    return;
  }
  const processes = (op & 0x1c000000) === 0x10000000 || (op & 0x0e000000) === 0x0a000000;
  const loads =
    (op & 0xff000000) >>> 0 === 0x58000000 || ((op & 0xfec00000) >>> 0 === 0xf8400000 && base !== STACK_POINTER_64);
  if (processes || loads) point.mark |= POINT.setsLink;
}

/** Sets a direct branch to `distance` bytes from its own 32-bit address. */
function goTo(point: Point, branch: number, distance: number): void {
  point.branch = branch;
  point.mark |= POINT.direct;
  setTarget(point, point.addressLow + distance);
}

function setTarget(point: Point, target: number): void {
  point.targetLow = target >>> 0;
  point.targetHigh = 0;
}

/** Sets a conditional direct jump with a 64-bit address. */
function goMaybe(point: Point, distance: number): void {
  goFar(point, BRANCH.jump, distance);
  point.mark |= POINT.conditional;
}

/** Sets a direct branch with a 64-bit address. */
function goFar(point: Point, branch: number, distance: number): void {
  const sum = point.addressLow + distance;
  const carry = sum < 0 ? -1 : sum >= 2 ** 32 ? 1 : 0;
  point.branch = branch;
  point.mark |= POINT.direct;
  point.targetLow = sum >>> 0;
  point.targetHigh = (point.addressHigh + carry) >>> 0;
}
