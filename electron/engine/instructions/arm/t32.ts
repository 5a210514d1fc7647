/**
 * Effects of 32-bit instructions of the T32 set. A word has the first half-word in its upper half.
 *
 * Source: Arm Architecture Reference Manual for Armv7-A and Armv7-R (DDI 0406C), A6.3.
 */
import { bit, bits } from '../bits.ts';
import { access, compute, createDraft, registers, setConstant, type Draft } from '../draft.ts';
import { span } from '../register-file.ts';
import { CONTROL, CPSR, PC, SPSR, flagsOf, general } from './arm-registers.ts';
import { transferCoprocessor } from './coprocessor.ts';
import { IMMEDIATE, processData, shifted, type Operand2, type Operation } from './data-processing.ts';
import { exclusive } from './exclusive.ts';
import { transferFloat } from './float.ts';
import { processFloat } from './float-data.ts';
import { extendRegister, multiplyHalves, saturate } from './multiply.ts';
import { writeStatus } from './status.ts';
import { shiftedByRegister } from './t16.ts';
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

const AHEAD = 4;

/** Operations by the bits 24 to 21; those whose result is not wanted (register 15) compare. */
const OPERATIONS: Readonly<Record<number, Operation>> = {
  0: 'and',
  1: 'bic',
  2: 'orr',
  3: 'orn',
  4: 'eor',
  8: 'add',
  10: 'adc',
  11: 'sbc',
  13: 'sub',
  14: 'rsb',
};
const COMPARISONS: Readonly<Record<string, Operation>> = { and: 'tst', eor: 'teq', add: 'cmn', sub: 'cmp' };
const MOVES: Readonly<Record<string, Operation>> = { orr: 'mov', orn: 'mvn' };

/** Returns the effects of a word; undefined if it is not modelled. */
export function decodeT32(word: number): Draft | undefined {
  const draft = createDraft();
  return decode(draft, word) && !definesCounter(draft) ? draft : undefined;
}

/** Each decoder returns true if it models the word. */
function decode(draft: Draft, word: number): boolean {
  const group = bits(word, 27, 2);
  if (group === 2) {
    if (bit(word, 15)) return decodeBranch(draft, word);
    return bit(word, 25) ? decodePlainImmediate(draft, word) : decodeModifiedImmediate(draft, word);
  }
  if (bit(word, 26)) return !bit(word, 28) && decodeCoprocessor(draft, word);
  if (group === 1) {
    if (bit(word, 25)) return process(draft, word, secondOf(word));
    return bit(word, 22) ? decodePair(draft, word) : decodeBlock(draft, word);
  }
  if (!bit(word, 25)) return decodeSingle(draft, word);
  if (!bit(word, 24)) return decodeRegisters(draft, word);
  return bit(word, 23) ? decodeLongMultiply(draft, word) : decodeMultiply(draft, word);
}

function rnOf(word: number): number {
  return bits(word, 16, 4);
}

function rtOf(word: number): number {
  return bits(word, 12, 4);
}

function rdOf(word: number): number {
  return bits(word, 8, 4);
}

function rmOf(word: number): number {
  return bits(word, 0, 4);
}

function secondOf(word: number): Operand2 {
  return shifted(rmOf(word), bits(word, 4, 2), 4 * bits(word, 12, 3) + bits(word, 6, 2));
}

function process(draft: Draft, word: number, second: Operand2): boolean {
  const named = OPERATIONS[bits(word, 21, 4)];
  if (named === undefined) return false;
  const setsFlags = bit(word, 20);
  const rd = rdOf(word);
  const rn = rnOf(word);
  const compared = rd === PC && setsFlags ? COMPARISONS[named] : undefined;
  if (rd === PC && compared === undefined) return false;
  const operation = compared ?? (rn === PC ? MOVES[named] : undefined) ?? named;
  processData(draft, { operation, setsFlags, rd, rn, second });
  return true;
}

function decodeModifiedImmediate(draft: Draft, word: number): boolean {
  const rotates = bit(word, 26) || bit(word, 14);
  // Without a rotation or a repetition, the lowest byte is the value.
  const value = bits(word, 12, 2) === 0 ? { value: bits(word, 0, 8) } : {};
  return process(draft, word, rotates ? { ...IMMEDIATE, carry: 'constant' } : { ...IMMEDIATE, ...value });
}

function decodePlainImmediate(draft: Draft, word: number): boolean {
  const rd = general(rdOf(word));
  const rn = rnOf(word);
  switch (bits(word, 20, 5)) {
    case 0:
    case 10:
      compute(draft, rd, rn === PC ? [] : [general(rn)]);
      return true;
    case 4:
      setConstant(draft, rd);
      return true;
    case 12:
      setConstant(draft, span(rd.low + 2, 2));
      return true;
    case 16:
    case 18:
    case 24:
    case 26:
      compute(draft, rd, [general(rn)]);
      saturate(draft, [general(rn)]);
      return true;
    case 20:
    case 28:
      compute(draft, rd, [general(rn)]);
      return true;
    case 22:
      compute(draft, rd, rn === PC ? [rd] : [rd, general(rn)]);
      return true;
    default:
      return false;
  }
}

function decodeBranch(draft: Draft, word: number): boolean {
  if (bit(word, 14)) {
    call(draft, undefined);
    return true;
  }
  if (bit(word, 12)) {
    draft.flow = 'branch';
    return true;
  }
  if (bits(word, 23, 3) !== 7) {
    draft.flow = 'conditional';
    draft.decides = registers(flagsOf(bits(word, 22, 4)));
    return true;
  }
  switch (bits(word, 20, 7)) {
    case 0x38:
    case 0x39:
      return decodeWriteStatus(draft, word);
    case 0x3a:
      // Hints, and CPS with a mode.
      if (bits(word, 8, 3) !== 0) compute(draft, CONTROL, [CONTROL]);
      return true;
    case 0x3b:
      return true;
    case 0x3c:
      branchTo(draft, rnOf(word));
      return true;
    case 0x3e:
      if (bit(word, 5) || bits(word, 0, 8) !== 0) return false;
      compute(draft, general(rdOf(word)), [CPSR]);
      return true;
    case 0x3f:
      compute(draft, general(rdOf(word)), [SPSR]);
      return !bit(word, 5);
    default:
      return false;
  }
}

/** MSR. Microcontrollers use the lowest byte for the number of a special register; 0 is the status register. */
function decodeWriteStatus(draft: Draft, word: number): boolean {
  if (bit(word, 5) || bits(word, 0, 8) !== 0) return false;
  writeStatus(draft, bit(word, 20), bits(word, 8, 4), general(rnOf(word)));
  return true;
}

function decodeCoprocessor(draft: Draft, word: number): boolean {
  if (bits(word, 25, 3) === 6) return transferFloat(draft, word, AHEAD);
  return !bit(word, 24) && (processFloat(draft, word) || transferCoprocessor(draft, word));
}

function decodeBlock(draft: Draft, word: number): boolean {
  const direction = bits(word, 23, 2);
  const list = bits(word, 0, 16);
  if (direction === 0 || direction === 3 || list === 0) return false;
  const up = direction === 1;
  transferBlock(draft, {
    base: rnOf(word),
    list,
    loads: bit(word, 20),
    up,
    before: !up,
    writesBack: bit(word, 21),
    special: false,
  });
  return true;
}

function decodePair(draft: Draft, word: number): boolean {
  const loads = bit(word, 20);
  const rn = rnOf(word);
  const rt = rtOf(word);
  const rt2 = rdOf(word);
  const before = bit(word, 24);
  const writesBack = bit(word, 21);
  if (before || writesBack) {
    // No core says what these registers do.
    if (rt === PC || rt2 === PC || (loads && rt === rt2) || (rn === PC && writesBack)) return false;
    if (loads && writesBack && (rn === rt || rn === rt2)) return false;
    const offset = 4 * bits(word, 0, 8) * (bit(word, 23) ? 1 : -1);
    const mode = before ? (writesBack ? 'pre' : 'offset') : 'post';
    transferPair(draft, { base: rn, offset, mode, ahead: AHEAD }, rt, rt2, loads);
    return true;
  }
  if (rn === PC) return loads && decodeTable(draft, word);
  const base = general(rn);
  if (!bit(word, 23)) {
    exclusive(draft, { base, bytes: 4, displacement: 4 * bits(word, 0, 8), loads, rt, status: rt2 });
    return true;
  }
  const kind = bits(word, 4, 4);
  if (kind < 2) return loads && decodeTable(draft, word);
  const bytes = { 4: 1, 5: 2, 7: 8 }[kind];
  if (bytes === undefined) return false;
  exclusive(draft, { base, bytes, displacement: 0, loads, rt, rt2, status: rmOf(word) });
  return true;
}

/** TBB and TBH: the target is in a table of distances. */
function decodeTable(draft: Draft, word: number): boolean {
  if (bits(word, 5, 3) !== 0 || !bit(word, 23)) return false;
  const bytes = bit(word, 4) ? 2 : 1;
  const rn = rnOf(word);
  const index = general(rmOf(word));
  const start = rn === PC ? { counter: { ahead: AHEAD, multipleOf: 1 } } : { base: general(rn) };
  const address = rn === PC ? [index] : [general(rn), index];
  const place = access(draft, 'read', bytes, address, { ...start, index, scale: bytes, displacement: 0, bits: 32 });
  draft.flow = 'branch';
  draft.decides = [place];
  return true;
}

function decodeSingle(draft: Draft, word: number): boolean {
  const loads = bit(word, 20);
  const rt = rtOf(word);
  const size = bits(word, 21, 2);
  const signed = bit(word, 24);
  if (size === 3 || (!loads && signed)) return false;
  const where = addressOf(word, loads);
  if (where === undefined) return false;
  // PLD and PLI.
  if (loads && rt === PC && size < 2) return where.mode === 'offset';
  if (loads) load(draft, where, rt, 2 ** size, signed);
  else store(draft, where, rt, 2 ** size);
  return true;
}

function addressOf(word: number, loads: boolean): Addressing | undefined {
  const base = rnOf(word);
  const where = { base, offset: 0, mode: 'offset', ahead: AHEAD } as const;
  if (base === PC) return loads ? { ...where, offset: bits(word, 0, 12) * (bit(word, 23) ? 1 : -1) } : undefined;
  if (bit(word, 23)) return { ...where, offset: bits(word, 0, 12) };
  if (bit(word, 11)) {
    const mode = bit(word, 10) ? (bit(word, 8) ? 'pre' : 'offset') : 'post';
    return { ...where, offset: bits(word, 0, 8) * (bit(word, 9) ? 1 : -1), mode };
  }
  return bits(word, 6, 5) === 0 ? { ...where, index: rmOf(word), scale: 2 ** bits(word, 4, 2) } : undefined;
}

/** Shifts by a register, extensions, reversals and the count of leading zeros. */
function decodeRegisters(draft: Draft, word: number): boolean {
  const operation = bits(word, 20, 4);
  const rd = rdOf(word);
  const rn = rnOf(word);
  const rm = rmOf(word);
  if (operation < 8 && bits(word, 4, 4) === 0) {
    const second = shiftedByRegister(rn, rm);
    processData(draft, { operation: 'mov', setsFlags: bit(word, 20), rd, rn, second });
    return rd !== PC;
  }
  if (operation < 6 && bit(word, 7)) {
    const kind = operation < 2 ? 'half' : operation < 4 ? 'bytes' : 'byte';
    const addend = rn === PC ? undefined : rn;
    extendRegister(draft, { rd, rm, rotation: bits(word, 4, 2), addend, signed: !bit(word, 20), kind });
    return true;
  }
  if (bits(word, 6, 2) !== 2) return false;
  if (operation === 8) {
    compute(draft, general(rd), [general(rm), general(rn)]);
    saturate(draft, [general(rm), general(rn)]);
    return true;
  }
  compute(draft, general(rd), [general(rm)]);
  return operation === 9 || operation === 11;
}

function decodeMultiply(draft: Draft, word: number): boolean {
  const rd = rdOf(word);
  const rn = rnOf(word);
  const rm = rmOf(word);
  const ra = rtOf(word);
  const operation = bits(word, 20, 3);
  if (bits(word, 6, 2) !== 0) return false;
  if (operation === 0) {
    compute(draft, general(rd), [general(rn), general(rm), ...(ra === PC ? [] : [general(ra)])]);
    return bits(word, 4, 2) < 2;
  }
  if (operation === 1) {
    const kind = ra === PC ? 'plain' : 'add';
    multiplyHalves(draft, { kind, rd, ra, rn, rm, topN: bit(word, 5), topM: bit(word, 4) });
    return true;
  }
  if (operation !== 3 || bit(word, 5)) return false;
  const kind = ra === PC ? 'word' : 'word-add';
  multiplyHalves(draft, { kind, rd, ra, rn, rm, topN: false, topM: bit(word, 4) });
  return true;
}

function decodeLongMultiply(draft: Draft, word: number): boolean {
  const high = general(rdOf(word));
  const low = general(rtOf(word));
  const factors = [general(rnOf(word)), general(rmOf(word))];
  const kind = 16 * bits(word, 20, 3) + bits(word, 4, 4);
  switch (kind) {
    case 0x1f:
    case 0x3f:
      compute(draft, high, factors);
      return true;
    case 0x00:
    case 0x20:
      for (const to of [low, high]) compute(draft, to, factors);
      return true;
    case 0x40:
    case 0x60:
    case 0x66:
      for (const to of [low, high]) compute(draft, to, [...factors, low, high]);
      return true;
    default:
      if (kind < 0x48 || kind > 0x4b) return false;
      multiplyHalves(draft, {
        kind: 'long-add',
        rd: rdOf(word),
        ra: rtOf(word),
        rn: rnOf(word),
        rm: rmOf(word),
        topN: bit(word, 5),
        topM: bit(word, 4),
      });
      return true;
  }
}
