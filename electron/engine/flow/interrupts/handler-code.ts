/**
 * Is what begins at an address a handler of interrupts, by the program's image? All ways through its own code end with IRET then,
 * none with RET. That tells an interrupt that came right before a branch through a register or the stack from that branch.
 */
import { BRANCH, NO_BRANCH } from '../../../../shared/flow/events.ts';
import { joinAddress } from '../../../../shared/base/units.ts';
import type { Images } from '../../image/images.ts';
import type { Isa } from '../../image/machine.ts';
import type { ImageCode } from '../classify/image-code.ts';
import type { StraightRuns } from '../classify/straight-runs.ts';

export interface HandlerCode {
  /** Whether a handler begins at the address: HANDLER, PLAIN where a function begins there that is none, or what is within one; else UNDECIDED. */
  at(low: number, high: number, isa: Isa | undefined): number;
  /** Whether a branch through a register may be how a program gets to a handler: a jump to the next one from one, a call behind PUSHF. */
  mayEnter(branch: number, low: number, high: number, isa: Isa | undefined): boolean;
}

export const PLAIN = 0;
export const HANDLER = 1;
export const UNDECIDED = 2;

const RETURNS = 1;
const RESTORES = 2;
/** Its opcode. */
const PUSHF = 0x9c;
/** More instructions are not looked at. */
const MOST = 1024;
const MOST_KEPT = 1 << 16;

export function createHandlerCode(images: Images, code: ImageCode, runs: StraightRuns): HandlerCode {
  /** By instruction set and high half: what was found of addresses. */
  const ways = new Map<string, Map<number, number>>();
  const kinds = new Map<string, Map<number, number>>();
  return { at: (low, high, isa) => kept(kinds, kindAt, low, high, isa), mayEnter };

  function kindAt(low: number, high: number, isa: Isa | undefined): number {
    const hit = images.symbolAt(joinAddress(low, high));
    if (hit !== undefined && hit.offset > 0n) return PLAIN;
    const ends = endsOf(low, high, isa);
    return ends === RESTORES ? HANDLER : ends === RETURNS ? PLAIN : UNDECIDED;
  }

  function mayEnter(branch: number, low: number, high: number, isa: Isa | undefined): boolean {
    const address = joinAddress(low, high);
    if (branch === BRANCH.call) return address > 0n && images.bytesAt(address - 1n, 1)?.[0] === PUSHF;
    if (branch !== BRANCH.jump) return false;
    const hit = images.symbolAt(address);
    if (hit === undefined || hit.offset > BigInt(low)) return true;
    return endsOf(low - Number(hit.offset), high, isa) !== RETURNS;
  }

  function endsOf(low: number, high: number, isa: Isa | undefined): number {
    return kept(ways, follow, low, high, isa);
  }

  /** How the ways from an address on end: RETURNS, RESTORES, both or neither. */
  function follow(low: number, high: number, isa: Isa | undefined): number {
    const seen = new Set<number>();
    const open = [low];
    let ends = 0;
    for (let at = open.pop(); at !== undefined && seen.size < MOST; at = open.pop()) {
      const instruction = seen.has(at) ? undefined : code.at(at, high, isa);
      seen.add(at);
      if (instruction === undefined) continue;
      const { branch, target, table, restores, ends: always, size } = instruction;
      if (branch === BRANCH.return) ends |= restores ? RESTORES : RETURNS;
      else {
        if (branch === BRANCH.jump && target?.high === high) open.push(target.low);
        if (branch === BRANCH.jump && table !== undefined) open.push(...runs.table(table));
        const goesOn = branch === NO_BRANCH || branch === BRANCH.call || branch === BRANCH.exception || !always;
        if (goesOn) open.push(at + size);
      }
    }
    return ends;
  }

  function kept(
    all: Map<string, Map<number, number>>,
    find: (low: number, high: number, isa: Isa | undefined) => number,
    low: number,
    high: number,
    isa: Isa | undefined,
  ): number {
    const key = `${isa ?? ''} ${high}`;
    const known = all.get(key) ?? new Map<number, number>();
    if (known.size === 0) all.set(key, known);
    const there = known.get(low);
    if (there !== undefined) return there;
    if (known.size >= MOST_KEPT) known.clear();
    const found = find(low, high, isa);
    known.set(low, found);
    return found;
  }
}
