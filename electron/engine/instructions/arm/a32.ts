/**
 * Effects of instructions of the A32 set.
 *
 * Source: Arm Architecture Reference Manual for Armv7-A and Armv7-R (DDI 0406C), A5 (encodings) and A8.8 (instructions).
 */
import { bit, bits } from '../bits.ts';
import {
  access,
  compute,
  copy,
  createDraft,
  extend,
  makeConditional,
  register,
  registers,
  setConstant,
  type Draft,
} from '../draft.ts';
import { isMemory, type Definition, type Place } from '../effects.ts';
import { span } from '../register-file.ts';
import { C, CONTROL, CPSR, FLAGS, LR, NZ, PC, SPSR, flagsOf, general } from './arm-registers.ts';
import { transferCoprocessor } from './coprocessor.ts';
import { IMMEDIATE, processData, shifted, type Operand2, type Operation } from './data-processing.ts';
import { exclusive } from './exclusive.ts';
import { transferFloat } from './float.ts';
import { processFloat } from './float-data.ts';
import { extendRegister, multiplyHalves, saturate } from './multiply.ts';
import { writeStatus } from './status.ts';
import {
  branchTo,
  call,
  definesCounter,
  load,
  store,
  transferBlock,
  transferPair,
  type Addressing,
} from './transfers.ts';

const OPERATIONS: readonly Operation[] = [
  'and',
  'eor',
  'sub',
  'rsb',
  'add',
  'adc',
  'sbc',
  'rsc',
  'tst',
  'teq',
  'cmp',
  'cmn',
  'orr',
  'mov',
  'bic',
  'mvn',
];
const ALWAYS = 14;
const AHEAD = 8;

/** Returns the effects of a word; undefined if it is not modelled. */
export function decodeA32(word: number): Draft | undefined {
  const condition = word >>> 28;
  const draft = createDraft();
  if (condition === 15) return decodeUnconditional(draft, word) ? draft : undefined;
  if (!decodeConditional(draft, word) || definesCounter(draft)) return undefined;
  if (condition !== ALWAYS) applyCondition(draft, condition);
  return draft;
}

/** Makes the effects depend on a condition. */
export function applyCondition(draft: Draft, condition: number): void {
  const flags = flagsOf(condition);
  makeConditional(draft, flags);
  if (draft.flow === undefined) return;
  if (draft.flow === 'branch') draft.flow = 'conditional';
  draft.decides = [...registers(flags), ...(draft.decides ?? [])];
}

/** Adds flags: Capstone names neither those that such an instruction may set nor those of its condition. */
export function complementArm(draft: Draft, from: readonly Place[], condition: number): void {
  const isFlag = ({ to }: Definition): boolean =>
    !isMemory(to) && to.register.low >= FLAGS.low && to.register.low < CPSR.low + CPSR.bytes;
  draft.definitions = draft.definitions.filter((each) => !isFlag(each));
  draft.definitions.push({ to: register(FLAGS), from: [...from, register(FLAGS)], how: 'computed', conditional: true });
  if (condition < ALWAYS) applyCondition(draft, condition);
}

/** Each decoder returns true if it models the word. */
function decodeUnconditional(draft: Draft, word: number): boolean {
  if (bits(word, 25, 3) === 5) {
    call(draft, undefined);
    return true;
  }
  const isPreload = (word & 0x0d70_f000) >>> 0 === 0x0550_f000 || (word & 0x0d70_f000) >>> 0 === 0x0450_f000;
  const isBarrier = bits(word, 20, 8) === 0x57;
  if (isPreload || isBarrier) return true;
  if ((word & 0x0ff1_0020) >>> 0 === 0x0100_0000) {
    // CPS changes the mode and the interrupt masks.
    compute(draft, CONTROL, [CONTROL]);
    return true;
  }
  return false;
}

function decodeConditional(draft: Draft, word: number): boolean {
  switch (bits(word, 25, 3)) {
    case 0:
      return decodeRegisterForms(draft, word);
    case 1:
      return decodeImmediateForms(draft, word);
    case 2:
      return decodeTransfer(draft, word);
    case 3:
      return bit(word, 4) ? decodeMedia(draft, word) : decodeTransfer(draft, word);
    case 4:
      return decodeBlock(draft, word);
    case 5:
      if (bit(word, 24)) call(draft, undefined);
      else draft.flow = 'branch';
      return true;
    case 6:
      return transferFloat(draft, word);
    default:
      return decodeCoprocessor(draft, word);
  }
}

function decodeRegisterForms(draft: Draft, word: number): boolean {
  if (bit(word, 7) && bit(word, 4)) {
    if (bits(word, 5, 2) !== 0) return decodeExtraTransfer(draft, word);
    return bit(word, 24) ? decodeExclusive(draft, word) : decodeMultiply(draft, word);
  }
  const isMiscellaneous = bits(word, 23, 2) === 2 && !bit(word, 20);
  if (isMiscellaneous) return bit(word, 7) ? decodeHalfMultiply(draft, word) : decodeMiscellaneous(draft, word);
  const rm = bits(word, 0, 4);
  const second = bit(word, 4)
    ? shiftedByRegister(rm, bits(word, 8, 4))
    : shifted(rm, bits(word, 5, 2), bits(word, 7, 5));
  processWord(draft, word, second);
  return true;
}

/** The carry flag stays as it is if the lowest byte of the register with the amount is 0. */
function shiftedByRegister(rm: number, rs: number): Operand2 {
  const amount = span(general(rs).low, 1);
  return { ...(rm === PC ? {} : { register: general(rm) }), plain: false, others: [amount], carry: 'maybe' };
}

function processWord(draft: Draft, word: number, second: Operand2): void {
  processData(draft, {
    operation: OPERATIONS[bits(word, 21, 4)]!,
    setsFlags: bit(word, 20),
    rd: bits(word, 12, 4),
    rn: bits(word, 16, 4),
    second,
  });
}

function decodeImmediateForms(draft: Draft, word: number): boolean {
  const rd = bits(word, 12, 4);
  switch (bits(word, 20, 5)) {
    case 0x10:
      setConstant(draft, general(rd));
      return rd !== PC;
    case 0x14: {
      setConstant(draft, span(general(rd).low + 2, 2));
      return rd !== PC;
    }
    case 0x12:
      // Hints (NOP, WFE) have no field of the status register.
      if (bits(word, 16, 4) !== 0) writeStatus(draft, false, bits(word, 16, 4), undefined);
      return true;
    case 0x16:
      writeStatus(draft, true, bits(word, 16, 4), undefined);
      return true;
    default:
      // A rotated immediate sets the carry flag to its top bit.
      processWord(
        draft,
        word,
        bits(word, 8, 4) === 0 ? { ...IMMEDIATE, value: bits(word, 0, 8) } : { ...IMMEDIATE, carry: 'constant' },
      );
      return true;
  }
}

function decodeMiscellaneous(draft: Draft, word: number): boolean {
  const rd = bits(word, 12, 4);
  const rm = bits(word, 0, 4);
  const operation = bits(word, 21, 2);
  switch (bits(word, 4, 3)) {
    case 0:
      return decodeStatus(draft, word);
    case 1:
      if (operation === 1) branchTo(draft, rm);
      else if (operation === 3) compute(draft, general(rd), [general(rm)]);
      return operation === 1 || operation === 3;
    case 2:
      branchTo(draft, rm);
      return operation === 1;
    case 3:
      call(draft, rm);
      return operation === 1;
    case 5: {
      const from = [general(rm), general(bits(word, 16, 4))];
      compute(draft, general(rd), from);
      saturate(draft, from);
      return true;
    }
    case 7:
      draft.flow = 'trap';
      return operation === 1;
    default:
      return false;
  }
}

function decodeStatus(draft: Draft, word: number): boolean {
  if (bit(word, 9)) return false;
  const saved = bit(word, 22);
  if (!bit(word, 21)) {
    const rd = general(bits(word, 12, 4));
    if (saved) copy(draft, register(rd), register(SPSR));
    else compute(draft, rd, [CPSR]);
    return true;
  }
  writeStatus(draft, saved, bits(word, 16, 4), general(bits(word, 0, 4)));
  return true;
}

function decodeMultiply(draft: Draft, word: number): boolean {
  const operation = bits(word, 21, 3);
  const high = general(bits(word, 16, 4));
  const low = general(bits(word, 12, 4));
  const from = [general(bits(word, 0, 4)), general(bits(word, 8, 4))];
  const result =
    operation >= 4
      ? { to: [low, high], from: operation === 4 || operation === 6 ? from : [...from, low, high] }
      : { to: [high], from: operation === 0 ? from : [...from, low] };
  if (operation === 2) {
    // UMAAL adds both registers.
    result.to = [low, high];
    result.from = [...from, low, high];
  }
  for (const to of result.to) compute(draft, to, result.from);
  if (bit(word, 20)) compute(draft, NZ, result.from);
  return true;
}

/** Multiplications of halves of registers, with and without an addition. Bit 5 distinguishes SMULW from SMLAW. */
function decodeHalfMultiply(draft: Draft, word: number): boolean {
  const kind = (['add', bit(word, 5) ? 'word' : 'word-add', 'long-add', 'plain'] as const)[bits(word, 21, 2)]!;
  multiplyHalves(draft, {
    kind,
    rd: bits(word, 16, 4),
    ra: bits(word, 12, 4),
    rm: bits(word, 8, 4),
    rn: bits(word, 0, 4),
    topN: bit(word, 5),
    topM: bit(word, 6),
  });
  return true;
}

function decodeExclusive(draft: Draft, word: number): boolean {
  const operation = bits(word, 20, 4);
  const base = general(bits(word, 16, 4));
  const rd = bits(word, 12, 4);
  const rm = bits(word, 0, 4);
  const formula = { base, scale: 1, displacement: 0, bits: 32 } as const;
  if (operation === 0 || operation === 4) {
    const bytes = operation === 0 ? 4 : 1;
    const place = access(draft, 'both', bytes, [base], formula);
    extend(draft, general(rd), place, bytes, false);
    copy(draft, place, register(span(general(rm).low, bytes)));
    return true;
  }
  if (operation < 8 || bits(word, 8, 4) !== 15) return false;
  const bytes = [4, 8, 1, 2][(operation - 8) >> 1]!;
  exclusive(draft, { base, bytes, loads: bit(word, 20), rt: bit(word, 20) ? rd : rm, status: rd, displacement: 0 });
  return true;
}

function decodeTransfer(draft: Draft, word: number): boolean {
  const bytes = bit(word, 22) ? 1 : 4;
  const byIndex = bit(word, 25);
  const at = byIndex
    ? indexed(word, bits(word, 0, 4), bits(word, 5, 2), bits(word, 7, 5))
    : { ...addressing(word), offset: bit(word, 23) ? bits(word, 0, 12) : -bits(word, 0, 12) };
  if (isUnpredictable(at)) return false;
  const rt = bits(word, 12, 4);
  if (bit(word, 20)) load(draft, at, rt, bytes, false);
  else store(draft, at, rt, bytes);
  return true;
}

/** No core says what a write to the program counter as a base does. */
function isUnpredictable(at: Addressing): boolean {
  return at.base === PC && at.mode !== 'offset';
}

function addressing(word: number): Addressing {
  const mode = bit(word, 24) ? (bit(word, 21) ? 'pre' : 'offset') : 'post';
  return { base: bits(word, 16, 4), offset: 0, mode, ahead: AHEAD };
}

function indexed(word: number, index: number, type: number, amount: number): Addressing {
  const sign = bit(word, 23) ? 1 : -1;
  return {
    ...addressing(word),
    index,
    ...(type === 0 ? { scale: sign * 2 ** amount } : {}),
    ...(type === 3 && amount === 0 ? { others: [C] } : {}),
  };
}

function decodeExtraTransfer(draft: Draft, word: number): boolean {
  const immediate = (bits(word, 8, 4) << 4) | bits(word, 0, 4);
  const at = bit(word, 22)
    ? { ...addressing(word), offset: bit(word, 23) ? immediate : -immediate }
    : indexed(word, bits(word, 0, 4), 0, 0);
  if (isUnpredictable(at)) return false;
  const rt = bits(word, 12, 4);
  const kind = bits(word, 5, 2);
  if (bit(word, 20)) {
    load(draft, at, rt, kind === 2 ? 1 : 2, kind !== 1);
    return true;
  }
  if (kind === 1) store(draft, at, rt, 2);
  else if (rt % 2 === 0 && rt < LR && (at.mode === 'offset' || at.base >> 1 !== rt >> 1))
    transferPair(draft, at, rt, rt + 1, kind === 2);
  else return false;
  return true;
}

function decodeBlock(draft: Draft, word: number): boolean {
  const block = {
    base: bits(word, 16, 4),
    list: bits(word, 0, 16),
    loads: bit(word, 20),
    up: bit(word, 23),
    before: bit(word, 24),
    writesBack: bit(word, 21),
    special: bit(word, 22),
  };
  if (block.list === 0 || block.base === PC) return false;
  transferBlock(draft, block);
  return true;
}

/** Extensions, packing, bit fields, division and multiplications of Armv6 and Armv7. */
function decodeMedia(draft: Draft, word: number): boolean {
  const rn = bits(word, 16, 4);
  const rd = bits(word, 12, 4);
  const rm = general(bits(word, 0, 4));
  const operation = bits(word, 20, 5);
  const second = bits(word, 5, 3);
  if (rd === PC) return decodeSignedMultiply(draft, word);
  if (operation >= 8 && operation < 16) {
    if (second === 3) return decodeExtend(draft, word);
    const isReverse =
      rn === 15 &&
      ((operation === 11 && (second === 1 || second === 5)) || (operation === 15 && (second === 1 || second === 5)));
    if (!isReverse) return false;
    compute(draft, general(rd), [rm]);
    return true;
  }
  if (operation >= 26 && operation < 28 && bits(word, 5, 2) === 2) {
    compute(draft, general(rd), [rm]);
    return true;
  }
  if (operation >= 30 && bits(word, 5, 2) === 2) {
    compute(draft, general(rd), [rm]);
    return true;
  }
  if (operation >= 28 && operation < 30 && bits(word, 5, 2) === 0) {
    compute(draft, general(rd), bits(word, 0, 4) === PC ? [general(rd)] : [general(rd), rm]);
    return true;
  }
  return false;
}

/** SDIV and UDIV: their result is where other multiplications have one that is added. */
function decodeSignedMultiply(draft: Draft, word: number): boolean {
  const operation = bits(word, 20, 5);
  if ((operation !== 17 && operation !== 19) || bits(word, 5, 3) !== 0) return false;
  compute(draft, general(bits(word, 16, 4)), [general(bits(word, 0, 4)), general(bits(word, 8, 4))]);
  return true;
}

/** SXTB, UXTH and their kin, with a rotation and an addition. */
function decodeExtend(draft: Draft, word: number): boolean {
  const kind = bits(word, 20, 2);
  const signed = !bit(word, 22);
  if (kind === 1) return false;
  extendRegister(draft, {
    rd: bits(word, 12, 4),
    rm: bits(word, 0, 4),
    rotation: bits(word, 10, 2),
    addend: bits(word, 16, 4) === PC ? undefined : bits(word, 16, 4),
    signed,
    kind: kind === 0 ? 'bytes' : kind === 2 ? 'byte' : 'half',
  });
  return true;
}

function decodeCoprocessor(draft: Draft, word: number): boolean {
  if (bit(word, 24)) {
    draft.flow = 'trap';
    return true;
  }
  return processFloat(draft, word) || transferCoprocessor(draft, word);
}
