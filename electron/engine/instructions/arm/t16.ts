/**
 * Effects of 16-bit instructions of the T32 set.
 *
 * Source: Arm Architecture Reference Manual for Armv7-A and Armv7-R (DDI 0406C), A6.2.
 */
import { bit, bits } from '../bits.ts';
import { compute, createDraft, registers, setConstant, type Draft } from '../draft.ts';
import type { Condition } from '../effects.ts';
import { span } from '../register-file.ts';
import { CONTROL, LR, NZ, PC, SP, flagsOf, general } from './arm-registers.ts';
import { IMMEDIATE, processData, shifted, type Operand2, type Operation } from './data-processing.ts';
import { extendRegister } from './multiply.ts';
import { branchTo, call, load, store, transferBlock, type Addressing } from './transfers.ts';

const AHEAD = 4;

/** Operations of two low registers; those without a name are shifts, a negation and a multiplication. */
const OPERATIONS: readonly (Operation | undefined)[] = [
  'and',
  'eor',
  undefined,
  undefined,
  undefined,
  'adc',
  'sbc',
  undefined,
  'tst',
  undefined,
  'cmp',
  'cmn',
  'orr',
  undefined,
  'bic',
  'mvn',
];

/** Returns the effects of a half-word; undefined if it is not modelled. In an IT block, most instructions do not set flags. */
export function decodeT16(word: number, inBlock: boolean): Draft | undefined {
  const draft = createDraft();
  return decode(draft, word, !inBlock) ? draft : undefined;
}

/** Each decoder returns true if it models the word. */
function decode(draft: Draft, word: number, setsFlags: boolean): boolean {
  switch (word >>> 12) {
    case 0:
    case 1:
      return decodeShift(draft, word, setsFlags);
    case 2:
    case 3:
      return decodeImmediate(draft, word, setsFlags);
    case 4:
      if (bit(word, 11)) return decodeLiteral(draft, word);
      return bit(word, 10) ? decodeHigh(draft, word) : decodeLow(draft, word, setsFlags);
    case 5:
      return decodeIndexed(draft, word);
    case 6:
    case 7:
      return transfer(draft, word, bit(word, 12) ? 1 : 4);
    case 8:
      return transfer(draft, word, 2);
    case 9:
      return transferAt(draft, bit(word, 11), at(SP, 4 * bits(word, 0, 8)), bits(word, 8, 3), 4);
    case 10:
      compute(draft, general(bits(word, 8, 3)), bit(word, 11) ? [general(SP)] : []);
      return true;
    case 11:
      return decodeMiscellaneous(draft, word);
    case 12:
      return decodeBlock(draft, word);
    case 13:
      return decodeConditionalBranch(draft, word);
    case 14:
      draft.flow = 'branch';
      return !bit(word, 11);
    default:
      return decodeHalfCall(draft, word);
  }
}

function at(base: number, offset: number): Addressing {
  return { base, offset, mode: 'offset', ahead: AHEAD };
}

function decodeShift(draft: Draft, word: number, setsFlags: boolean): boolean {
  const rd = bits(word, 0, 3);
  const rn = bits(word, 3, 3);
  if (bits(word, 11, 2) !== 3) {
    const second = shifted(rn, bits(word, 11, 2), bits(word, 6, 5));
    processData(draft, { operation: 'mov', setsFlags, rd, rn, second });
    return true;
  }
  const operation = bit(word, 9) ? 'sub' : 'add';
  const second = bit(word, 10) ? IMMEDIATE : shifted(bits(word, 6, 3), 0, 0);
  processData(draft, { operation, setsFlags, rd, rn, second });
  return true;
}

function decodeImmediate(draft: Draft, word: number, setsFlags: boolean): boolean {
  const operation = (['mov', 'cmp', 'add', 'sub'] as const)[bits(word, 11, 2)]!;
  const rd = bits(word, 8, 3);
  processData(draft, { operation, setsFlags: setsFlags || operation === 'cmp', rd, rn: rd, second: IMMEDIATE });
  return true;
}

function decodeLow(draft: Draft, word: number, setsFlags: boolean): boolean {
  const rd = bits(word, 0, 3);
  const rm = bits(word, 3, 3);
  const number = bits(word, 6, 4);
  const operation = OPERATIONS[number];
  if (operation !== undefined) {
    const compares = operation === 'tst' || operation === 'cmp' || operation === 'cmn';
    processData(draft, { operation, setsFlags: setsFlags || compares, rd, rn: rd, second: shifted(rm, 0, 0) });
  } else if (number === 9) {
    processData(draft, { operation: 'rsb', setsFlags, rd, rn: rm, second: IMMEDIATE });
  } else if (number === 13) {
    const from = [general(rm), general(rd)];
    compute(draft, general(rd), from);
    if (setsFlags) compute(draft, NZ, from);
  } else processData(draft, { operation: 'mov', setsFlags, rd, rn: rd, second: shiftedByRegister(rd, rm) });
  return true;
}

/** A shift by the lowest byte of a register keeps the carry flag if the byte is 0. */
export function shiftedByRegister(rn: number, rm: number): Operand2 {
  return { register: general(rn), plain: false, others: [span(general(rm).low, 1)], carry: 'maybe' };
}

function decodeHigh(draft: Draft, word: number): boolean {
  const rd = bits(word, 0, 3) + 8 * bits(word, 7, 1);
  const rm = bits(word, 3, 4);
  const operation = bits(word, 8, 2);
  if (operation === 3) {
    if (bit(word, 7)) call(draft, rm);
    else branchTo(draft, rm);
    return true;
  }
  const name = (['add', 'cmp', 'mov'] as const)[operation]!;
  processData(draft, { operation: name, setsFlags: name === 'cmp', rd, rn: rd, second: shifted(rm, 0, 0) });
  return true;
}

function decodeLiteral(draft: Draft, word: number): boolean {
  load(draft, at(PC, 4 * bits(word, 0, 8)), bits(word, 8, 3), 4, false);
  return true;
}

function transferAt(draft: Draft, loads: boolean, where: Addressing, rt: number, bytes: number): boolean {
  if (loads) load(draft, where, rt, bytes, false);
  else store(draft, where, rt, bytes);
  return true;
}

function transfer(draft: Draft, word: number, bytes: number): boolean {
  const where = at(bits(word, 3, 3), bytes * bits(word, 6, 5));
  return transferAt(draft, bit(word, 11), where, bits(word, 0, 3), bytes);
}

function decodeIndexed(draft: Draft, word: number): boolean {
  const where = { ...at(bits(word, 3, 3), 0), index: bits(word, 6, 3), scale: 1 };
  const rt = bits(word, 0, 3);
  const operation = bits(word, 9, 3);
  if (operation < 3) store(draft, where, rt, [4, 2, 1][operation]!);
  else load(draft, where, rt, [1, 4, 2, 1, 2][operation - 3]!, operation === 3 || operation === 7);
  return true;
}

function decodeMiscellaneous(draft: Draft, word: number): boolean {
  const rd = bits(word, 0, 3);
  const rm = bits(word, 3, 3);
  if (bits(word, 8, 4) === 0) {
    compute(draft, general(SP), [general(SP)]);
    return true;
  }
  if ((word & 0x0500) === 0x0100) {
    draft.flow = 'conditional';
    draft.decides = registers([general(rd)]);
    return true;
  }
  switch (bits(word, 8, 4)) {
    case 2: {
      const half = !bit(word, 6);
      extendRegister(draft, {
        rd,
        rm,
        rotation: 0,
        addend: undefined,
        signed: !bit(word, 7),
        kind: half ? 'half' : 'byte',
      });
      return true;
    }
    case 4:
    case 5:
      stack(draft, word, false, LR);
      return (word & 0x1ff) !== 0;
    case 12:
    case 13:
      stack(draft, word, true, PC);
      return (word & 0x1ff) !== 0;
    case 6:
      // CPS and SETEND.
      compute(draft, CONTROL, [CONTROL]);
      return true;
    case 10:
      compute(draft, general(rd), [general(rm)]);
      return bits(word, 6, 2) !== 2;
    case 14:
      draft.flow = 'trap';
      return true;
    case 15:
      if (bits(word, 0, 4) !== 0) beginBlock(draft, word);
      return true;
    default:
      return false;
  }
}

function stack(draft: Draft, word: number, loads: boolean, extra: number): void {
  const list = bits(word, 0, 8) + (bit(word, 8) ? 2 ** extra : 0);
  transferBlock(draft, { base: SP, list, loads, up: loads, before: !loads, writesBack: true, special: false });
}

/** IT: each further bit of the mask above its lowest set bit gives the lowest bit of a condition. */
function beginBlock(draft: Draft, word: number): void {
  const first = bits(word, 4, 4);
  const mask = bits(word, 0, 4);
  const predicates = [first];
  for (let k = 3; (mask & (2 ** k - 1)) !== 0; k--) predicates.push((first & 14) | ((mask >> k) & 1));
  draft.predicates = predicates;
  compute(draft, CONTROL, [CONTROL]);
}

function decodeBlock(draft: Draft, word: number): boolean {
  const base = bits(word, 8, 3);
  const list = bits(word, 0, 8);
  const loads = bit(word, 11);
  transferBlock(draft, { base, list, loads, up: true, before: false, writesBack: true, special: false });
  return list !== 0;
}

function decodeConditionalBranch(draft: Draft, word: number): boolean {
  const condition: Condition = bits(word, 8, 4);
  draft.flow = condition >= 14 ? 'trap' : 'conditional';
  if (condition < 14) draft.decides = registers(flagsOf(condition));
  return true;
}

/** The halves of BL, if a trace has them as two instructions: the first puts a part of the target into the link register. */
function decodeHalfCall(draft: Draft, word: number): boolean {
  if (!bit(word, 11)) setConstant(draft, general(LR));
  else call(draft, LR);
  return true;
}
