/**
 * Finds the constant by which an image was moved, if the executed code proves it: stretches of executed opcodes occur once in the image,
 * and with the distance of most of them the whole image matches.
 */
import type { Code, Comparison } from './compare.ts';
import { compareOpcodes, readingsOf } from './compare.ts';
import type { Executed } from './sample.ts';

export interface Move {
  readonly shift: bigint;
  readonly comparison: Comparison;
}

/** Length of a stretch in bytes, and number of stretches that are looked for. */
const STRETCH_BYTES = 16;
const MOST_STRETCHES = 16;
/** A moved image is offered only if so much of it matches. */
const LEAST_SHARE = 0.98;
const LEAST_CHECKED = 8;
/** Loaders move images by multiples of this. Code that lies a few bytes off is of another build, in which other code grew. */
const LEAST_STEP = 256n;
/** Larger images are not searched. */
const MOST_BYTES = 64 * 1024 * 1024;

export function findMove(code: Code, instructions: readonly Executed[], before: Comparison): Move | undefined {
  const votes = new Map<bigint, number>();
  for (const order of ['little', 'big']) {
    for (const { address, bytes } of stretches(instructions, order)) {
      const at = onlyPlace(code, bytes);
      if (at !== undefined) {
        const shift = BigInt.asUintN(64, address - at);
        votes.set(shift, (votes.get(shift) ?? 0) + 1);
      }
    }
  }
  const [best] = [...votes].sort(([, a], [, b]) => b - a);
  if (best === undefined) return undefined;
  const [shift] = best;
  if (shift % LEAST_STEP !== 0n) return undefined;
  const comparison = compareOpcodes(code, shift, instructions);
  const { checked, matching } = comparison.distinct;
  const isBetter = matching > before.distinct.matching && checked >= before.distinct.checked;
  const proves = isBetter && checked >= LEAST_CHECKED && matching >= LEAST_SHARE * checked;
  return proves ? { shift, comparison } : undefined;
}

interface Stretch {
  readonly address: bigint;
  readonly bytes: Uint8Array;
}

/** Returns executed code without a break, evenly spread over the addresses. */
function stretches(instructions: readonly Executed[], order: string): readonly Stretch[] {
  const sorted = instructions.toSorted((a, b) => (a.address < b.address ? -1 : a.address > b.address ? 1 : a.n - b.n));
  const found: Stretch[] = [];
  let open: number[] = [];
  let start = 0n;
  for (const instruction of sorted) {
    const [bytes] = readingsOf(instruction, order);
    const next = start + BigInt(open.length);
    if (bytes === undefined || instruction.address < next) continue;
    if (instruction.address !== next) {
      open = [];
      start = instruction.address;
    }
    open.push(...bytes);
    if (open.length < STRETCH_BYTES) continue;
    found.push({ address: start, bytes: Uint8Array.from(open) });
    start += BigInt(open.length);
    open = [];
  }
  const step = Math.max(1, found.length / MOST_STRETCHES);
  return found.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step));
}

/** Returns the only link-time address at which the image has these bytes. */
function onlyPlace({ segments }: Code, wanted: Uint8Array): bigint | undefined {
  const places: bigint[] = [];
  for (const { address, bytes } of segments) {
    if (bytes.length > MOST_BYTES) continue;
    const held = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = held.indexOf(wanted); at >= 0 && places.length < 2; at = held.indexOf(wanted, at + 1))
      places.push(address + BigInt(at));
  }
  return places.length === 1 ? places[0] : undefined;
}
