/**
 * Follows a buffer from one known place to the next, in one instruction set: which instructions ran, and whether the image allows
 * that. Between two messages no instruction may be one that never goes on to the next, and the one that made a message must be
 * able to.
 */
import type { BranchKind } from '../../../../shared/flow.ts';
import { MESSAGE } from '../../../../shared/xscale/messages.ts';
import { ABSENT, type Code } from './code.ts';
import type { Entry } from './entries.ts';
import { DOES, targetOf } from './instruction.ts';

export interface Stretch {
  readonly entries: readonly Entry[];
  /** By entry: whether it is what it seems. */
  readonly sound: readonly boolean[];
  /** Undefined without an image. */
  readonly code: Code | undefined;
  /** The entries first..last are followed; after the last one the place is known anew, or the buffer ends. */
  readonly first: number;
  readonly last: number;
  readonly pc: number;
  readonly thumb: boolean;
  /** Where the first half of a Thumb call was executed just before an exception; -1 where none was. */
  readonly half: number;
}

/** What was found on the way. */
export interface Way {
  readonly thumb: boolean;
  /** False where the image and the buffer disagree: then nothing of the rest is true for sure. */
  fits: boolean;
  readonly addresses: number[];
  /** By entry, from the first one on, as far as it was followed: how many addresses are known once it is done. */
  readonly ends: number[];
  readonly branches: Branch[];
  /** Why the way was lost before the last entry; undefined where it was not. */
  lost: Loss | undefined;
  /** The instruction sets that the core can be in behind the last entry. */
  states: number;
  /** As in Stretch, for what follows. */
  half: number;
  /** Where calls come back to. */
  readonly returns: number[];
  /** Instructions that made messages which the image has and which can make such messages. */
  readonly checked: Set<number>;
}

export interface Branch {
  readonly entry: number;
  readonly source?: number;
  readonly target?: number;
  readonly kind: BranchKind;
}

export type Loss = 'no image' | 'outside' | 'call' | 'damage';

export const ARM = 1;
export const THUMB = 2;
export const EITHER = ARM | THUMB;

/** MOV LR, PC: the address two instructions on is where the branch behind it comes back to. */
const LINKS = 0xe1a0e00f;

/** Instructions of an entry with the one that made it; undefined where the buffer does not tell. */
export function instructionsIn({ message, count }: Entry): number | undefined {
  switch (message) {
    case MESSAGE.reserved:
    case MESSAGE.dataAbort:
      return undefined;
    case MESSAGE.rollOver:
    case MESSAGE.prefetchAbort:
    case MESSAGE.irq:
    case MESSAGE.fiq:
      return count;
    default:
      return count + 1;
  }
}

export function followStretch(stretch: Stretch): Way {
  const { entries, sound, first, last } = stretch;
  const way: Way = {
    thumb: stretch.thumb,
    fits: true,
    addresses: [],
    ends: [],
    branches: [],
    lost: undefined,
    states: EITHER,
    half: -1,
    returns: [],
    checked: new Set(),
  };
  let pc = stretch.pc;
  for (let k = first; k <= last; k++) {
    if (!sound[k]!) {
      way.lost = 'damage';
      break;
    }
    const next = runStraight(stretch, way, pc, entries[k]!.count) ? step(stretch, way, k, pc) : MISFIT;
    if (next === MISFIT) {
      way.fits = false;
      break;
    }
    way.ends.push(way.addresses.length);
    if (next === LOST && k < last) break;
    pc = next;
  }
  return way;
}

/** Instead of an address: the image and the buffer disagree; the next place is not known (`way.lost` says why, or it is known otherwise). */
const MISFIT = -2;
const LOST = -1;

/** Adds the instructions that were passed. */
function runStraight({ code, thumb }: Stretch, way: Way, pc: number, count: number): boolean {
  const size = thumb ? 2 : 4;
  for (let i = 0; i < count; i++) {
    const address = (pc + i * size) >>> 0;
    const does = code?.at(address, thumb) ?? ABSENT.unknown;
    if (does === ABSENT.otherState || mustLeave(does)) return false;
    way.addresses.push(address);
  }
  return true;
}

function mustLeave(does: number): boolean {
  return has(does, DOES.direct | DOES.indirect | DOES.swi | DOES.traps) && !has(does, DOES.conditional);
}

/** What made the message; returns where it led. */
function step(stretch: Stretch, way: Way, k: number, pc: number): number {
  const { code, thumb } = stretch;
  const entry = stretch.entries[k]!;
  const at = (pc + entry.count * (thumb ? 2 : 4)) >>> 0;
  const does = code?.at(at, thumb) ?? ABSENT.unknown;
  switch (entry.message) {
    case MESSAGE.rollOver:
      return at;
    case MESSAGE.direct:
    case MESSAGE.directCheckpointed:
      return directStep(stretch, way, k, at, does);
    case MESSAGE.indirect:
    case MESSAGE.indirectCheckpointed:
      return indirectStep(stretch, way, k, at, does);
    default:
      return exceptionStep(stretch, way, k, at, does);
  }
}

function directStep(stretch: Stretch, way: Way, k: number, at: number, does: number): number {
  const { code, thumb } = stretch;
  const known = stretch.entries[k]!.target;
  way.states = thumb ? THUMB : ARM;
  if (does === ABSENT.otherState) return MISFIT;
  if (does === ABSENT.unknown) {
    way.addresses.push(at);
    way.lost = code === undefined ? 'no image' : 'outside';
    way.branches.push({ entry: k, source: at, ...(known !== undefined && { target: known }), kind: 'unknown' });
    return LOST;
  }
  if ((does & DOES.direct) === 0) return MISFIT;
  const kind = (does & DOES.call) === 0 ? 'jump' : 'call';
  const target = fixedTarget(stretch, way, at, does);
  way.checked.add(at);
  way.addresses.push(at);
  if (target === undefined) {
    way.lost = 'call';
    way.branches.push({ entry: k, source: at, ...(known !== undefined && { target: known }), kind });
    return LOST;
  }
  if (known !== undefined && known - (known % 2) !== target) return MISFIT;
  if (kind === 'call') way.returns.push((at + (thumb ? 2 : 4)) >>> 0);
  way.branches.push({ entry: k, source: at, target, kind });
  return target;
}

function indirectStep(stretch: Stretch, way: Way, k: number, at: number, does: number): number {
  const { code, thumb } = stretch;
  const target = stretch.entries[k]!.target;
  const end = target === undefined ? {} : { target };
  way.states = EITHER;
  if (does === ABSENT.otherState) return MISFIT;
  if (does === ABSENT.unknown) {
    // Where there is no image, nothing tells a branch from the return of a debugger that had stopped here.
    if (target !== at) {
      way.addresses.push(at);
      way.branches.push({ entry: k, source: at, ...end, kind: 'unknown' });
    } else {
      way.branches.push({ entry: k, ...end, kind: 'unknown' });
    }
    way.lost = code === undefined ? 'no image' : 'outside';
    return LOST;
  }
  if ((does & DOES.indirect) === 0) {
    // A debugger stopped the core and let it go on; only its return is traced.
    if (target === undefined || target - (target % 2) !== at) return MISFIT;
    way.states = thumb ? THUMB : ARM;
    way.branches.push({ entry: k, ...end, kind: 'unknown' });
    return at;
  }
  way.states = statesAfter(does, thumb);
  if ((does & DOES.fixed) !== 0) {
    const told = fixedTarget(stretch, way, at, does);
    if (told !== undefined && target !== undefined && target - (target % 2) !== told) return MISFIT;
  }
  const links = !thumb && way.addresses.at(-1) === at - 4 && code?.word(at - 4, false) === LINKS;
  const kind = (does & DOES.call) !== 0 || links ? 'call' : (does & DOES.return) !== 0 ? 'return' : 'jump';
  if (kind === 'call') way.returns.push((at + (thumb ? 2 : 4)) >>> 0);
  way.checked.add(at);
  way.addresses.push(at);
  way.branches.push({ entry: k, source: at, ...end, kind });
  if (target === undefined) way.lost = 'damage';
  return target ?? LOST;
}

function exceptionStep(stretch: Stretch, way: Way, k: number, at: number, does: number): number {
  const { entries, code, thumb } = stretch;
  const { message } = entries[k]!;
  /** Whether the instruction is there and cannot have caused this. */
  const isNo = (bits: number): boolean => does >= 0 && (does & bits) === 0;
  way.states = ARM;
  const before = way.addresses.at(-1);
  if (does === ABSENT.otherState && message !== MESSAGE.prefetchAbort) return MISFIT;
  switch (message) {
    case MESSAGE.softwareInterrupt:
      if (isNo(DOES.swi)) return MISFIT;
      way.addresses.push(at);
      way.branches.push({ entry: k, source: at, kind: 'exception' });
      break;
    case MESSAGE.undefinedInstruction:
      if (isNo(DOES.traps | DOES.coprocessor)) return MISFIT;
      way.addresses.push(at);
      way.branches.push({ entry: k, source: at, kind: 'exception' });
      break;
    case MESSAGE.prefetchAbort:
      way.branches.push({ entry: k, source: at, kind: 'exception' });
      break;
    case MESSAGE.dataAbort: {
      // A load that aborts is counted, one into the program counter is not.
      const counted = before !== undefined && has(code?.at(before, thumb), DOES.memory);
      if (!counted && has(does, DOES.loadsPc)) {
        way.addresses.push(at);
        way.branches.push({ entry: k, source: at, kind: 'exception' });
      } else {
        way.branches.push({ entry: k, kind: 'exception' });
      }
      break;
    }
    default:
      way.branches.push({ entry: k, source: at, kind: 'interrupt' });
  }
  const newest = way.addresses.at(-1);
  if (thumb && newest !== undefined && has(code?.at(newest, true), DOES.prefix)) way.half = newest;
  return LOST;
}

/** Undefined for the second half of a call whose first half was not seen. */
function fixedTarget({ code, thumb, half }: Stretch, way: Way, at: number, does: number): number | undefined {
  if (code === undefined) return undefined;
  if ((does & DOES.suffix) === 0) return targetOf(code.word(at, thumb), thumb, at);
  const before = way.addresses.at(-1) ?? half;
  if (before !== at - 2 || !has(code.at(before, true), DOES.prefix)) return undefined;
  return targetOf(code.word(at, true), true, at, code.word(before, true));
}

/** Whether the instruction is there and does that. */
function has(does: number | undefined, bits: number): boolean {
  return does !== undefined && does > 0 && (does & bits) !== 0;
}

function statesAfter(does: number, thumb: boolean): number {
  if ((does & DOES.toEither) !== 0) return EITHER;
  if ((does & DOES.toArm) !== 0) return ARM;
  if ((does & DOES.toThumb) !== 0) return THUMB;
  return thumb ? THUMB : ARM;
}
