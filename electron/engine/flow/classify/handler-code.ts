/**
 * Rule: code is a handler of interrupts if all ways through it end with IRET and none with RET, in the program's image. This
 * distinguishes an interrupt right before an indirect branch from the branch itself.
 *
 * Example: a message says that `ret` at 0x1040 went to 0x9000. All ways from 0x9000 lead to IRET, so it was an interrupt that came
 * before the `ret` was executed.
 */
import { BRANCH, NO_BRANCH } from '../../../../shared/flow/events.ts';
import { joinAddress } from '../../../../shared/base/units.ts';
import type { Images } from '../../image/images.ts';
import type { Isa } from '../../image/machine.ts';
import type { ImageCode } from './image-code.ts';
import type { StraightRuns } from './straight-runs.ts';

export interface HandlerCode {
  /** Returns HANDLER if a handler begins at the address; PLAIN for other functions and addresses within functions; else UNDECIDED. */
  at(low: number, high: number, isa: Isa | undefined): number;
}

export const PLAIN = 0;
export const HANDLER = 1;
export const UNDECIDED = 2;

const RETURNS = 1;
const RESTORES = 2;
/** Instructions that are followed. */
const MOST = 1024;
const MOST_KEPT = 1 << 16;

export function createHandlerCode(images: Images, code: ImageCode, runs: StraightRuns): HandlerCode {
  /** Results by instruction set and high half, then by the low half of the address. */
  const kinds = new Map<string, Map<number, number>>();
  return {
    at(low, high, isa) {
      const key = `${isa ?? ''} ${high}`;
      const known = kinds.get(key) ?? new Map<number, number>();
      if (known.size === 0) kinds.set(key, known);
      const there = known.get(low);
      if (there !== undefined) return there;
      if (known.size >= MOST_KEPT) known.clear();
      const kind = kindAt(low, high, isa);
      known.set(low, kind);
      return kind;
    },
  };

  function kindAt(low: number, high: number, isa: Isa | undefined): number {
    const hit = images.symbolAt(joinAddress(low, high));
    if (hit !== undefined && hit.offset > 0n) return PLAIN;
    const ends = follow(low, high, isa);
    return ends === RESTORES ? HANDLER : ends === RETURNS ? PLAIN : UNDECIDED;
  }

  /** Returns how the ways that start at an address end: RETURNS, RESTORES, both or neither. */
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
        const fallsThrough = branch === NO_BRANCH || branch === BRANCH.call || branch === BRANCH.exception || !always;
        if (fallsThrough) open.push(at + size);
      }
    }
    return ends;
  }
}
