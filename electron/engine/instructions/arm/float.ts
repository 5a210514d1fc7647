/** Loads and stores of floating-point registers of AArch32, which A32 and T32 encode alike below the condition. */
import { bits } from '../bits.ts';
import { access, compute, copy, partOf, register, type Draft } from '../draft.ts';
import { span } from '../register-file.ts';
import { PC, general, single, double } from './arm-registers.ts';

const SINGLE = 10;
const DOUBLE = 11;

/**
 * VLDR, VSTR, VLDM, VSTM, VPUSH, VPOP, and moves of two general registers to and from a double. Returns false for other coprocessors.
 * Source: DDI 0406C, A7.6 and A7.9.
 */
export function transferFloat(draft: Draft, word: number, ahead = 8): boolean {
  const size = (word >>> 8) & 15;
  if (size !== SINGLE && size !== DOUBLE) return false;
  const field = (low: number, count: number): number => bits(word, low, count);
  const [p, u, top, w, loads] = [24, 23, 22, 21, 20].map((at) => field(at, 1) === 1) as [
    boolean,
    boolean,
    boolean,
    boolean,
    boolean,
  ];
  const rn = field(16, 4);
  const first = size === SINGLE ? 2 * field(12, 4) + Number(top) : field(12, 4) + 16 * Number(top);
  const bytes = size === SINGLE ? 4 : 8;
  const at = size === SINGLE ? single : double;
  if (!p && !u && !w) return top && moveTwo(draft, word, size === DOUBLE, loads);
  const isOne = p && !w;
  const count = isOne ? 1 : size === SINGLE ? field(0, 8) : field(0, 8) >> 1;
  if (count === 0 || first + count > 32 || (!isOne && p === u)) return false;
  const offset = 4 * field(0, 8);
  const displacement = isOne ? (u ? offset : -offset) : u ? 0 : -offset;
  const base = rn === PC ? { counter: { ahead, multipleOf: 4 } } : { base: general(rn) };
  const address = rn === PC ? [] : [general(rn)];
  const place = access(draft, loads ? 'read' : 'write', bytes * count, address, {
    ...base,
    scale: 1,
    displacement,
    bits: 32,
  });
  for (let k = 0; k < count; k++) {
    const part = partOf(place, bytes * k, bytes);
    if (loads) copy(draft, register(at(first + k)), part);
    else copy(draft, part, register(at(first + k)));
  }
  if (w && rn !== PC) compute(draft, general(rn), [general(rn)]);
  return true;
}

/** VMOV between two general registers and a double, or two neighbouring singles. */
function moveTwo(draft: Draft, word: number, isDouble: boolean, loads: boolean): boolean {
  if ((word & 0xd0) !== 0x10 || (loads && bits(word, 12, 4) === bits(word, 16, 4))) return false;
  const low = isDouble
    ? double((word & 15) + 16 * ((word >>> 5) & 1)).low
    : single(2 * (word & 15) + ((word >>> 5) & 1)).low;
  [bits(word, 12, 4), bits(word, 16, 4)].forEach((n, k) => {
    const inside = register(span(low + 4 * k, 4));
    if (loads) copy(draft, register(general(n)), inside);
    else copy(draft, inside, register(general(n)));
  });
  return true;
}
