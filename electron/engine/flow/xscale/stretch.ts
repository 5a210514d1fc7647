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
  /** What ran last before exceptions so far: where one comes back, what lies before goes on. */
  readonly interrupted: ReadonlySet<number>;
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
  /** Where it goes on when this is undone: behind a call or the instruction that was an exception, at what an interrupt kept from running. */
  readonly resume?: number;
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
  const { sound, first, last } = stretch;
  const way: Way = {
    thumb: stretch.thumb,
    fits: true,
    addresses: [],
    ends: [],
    branches: [],
    lost: undefined,
    states: EITHER,
    returns: [],
    checked: new Set(),
  };
  let pc = stretch.pc;
  for (let k = first; k <= last; k++) {
    const known = way.addresses.length;
    const next = sound[k]! ? followEntry(stretch, way, k, pc) : lose(way, 'damage');
    if (next === MISFIT) {
      way.fits = false;
      break;
    }
    if (next === UNSEEN) {
      way.addresses.length = known;
      break;
    }
    way.ends.push(way.addresses.length);
    if (next === ELSEWHERE && k < last) break;
    pc = next;
  }
  return way;
}

function followEntry(stretch: Stretch, way: Way, k: number, pc: number): number {
  const { entries, code, thumb } = stretch;
  const { message, count } = entries[k]!;
  const size = thumb ? 2 : 4;
  for (let i = 0; i < count; i++) {
    const address = (pc + i * size) >>> 0;
    const does = code?.at(address, thumb) ?? 0;
    if (does === ABSENT.unknown) return lose(way, 'outside');
    if (does === ABSENT.otherState || mustLeave(does)) return MISFIT;
    way.addresses.push(address);
  }
  const at = (pc + count * size) >>> 0;
  switch (message) {
    case MESSAGE.rollOver:
      return at;
    case MESSAGE.direct:
    case MESSAGE.directCheckpointed:
      return code === undefined ? bareDirect(stretch, way, k, at) : directStep(stretch, way, k, at, code.at(at, thumb));
    case MESSAGE.indirect:
    case MESSAGE.indirectCheckpointed:
      return code === undefined
        ? bareIndirect(stretch, way, k, at)
        : indirectStep(stretch, way, k, at, code.at(at, thumb));
    default:
      return exceptionStep(stretch, way, k, at, code?.at(at, thumb) ?? ABSENT.unknown);
  }
}

/** Instead of an address: the image and the buffer disagree. */
const MISFIT = -3;
/** Nothing is known of the entry's instructions; `way.lost` says why. */
const UNSEEN = -2;
/** Where it went on is not known from the way here; `way.lost` says why, unless it is known otherwise. */
const ELSEWHERE = -1;

function lose(way: Way, loss: Loss): typeof UNSEEN {
  way.lost = loss;
  return UNSEEN;
}

function mustLeave(does: number): boolean {
  return has(does, DOES.direct | DOES.indirect | DOES.swi | DOES.traps) && !has(does, DOES.conditional);
}

/** Without an image: the branch is where the count says. */
function bareDirect({ entries }: Stretch, way: Way, k: number, at: number): number {
  const { target } = entries[k]!;
  way.addresses.push(at);
  way.branches.push({ entry: k, source: at, ...(target !== undefined && { target }), kind: 'unknown' });
  way.lost = 'no image';
  return ELSEWHERE;
}

/** Nothing tells a branch to itself from the return of a debugger that had stopped here. */
function bareIndirect({ entries }: Stretch, way: Way, k: number, at: number): number {
  const { target } = entries[k]!;
  const mayBeReturn = target === at;
  if (!mayBeReturn) way.addresses.push(at);
  way.branches.push({
    entry: k,
    ...(!mayBeReturn && { source: at }),
    ...(target !== undefined && { target }),
    kind: 'unknown',
  });
  way.states = EITHER;
  way.lost = 'no image';
  return ELSEWHERE;
}

function directStep(stretch: Stretch, way: Way, k: number, at: number, does: number): number {
  const { thumb } = stretch;
  const known = stretch.entries[k]!.target;
  way.states = thumb ? THUMB : ARM;
  if (does === ABSENT.otherState) return MISFIT;
  if (does === ABSENT.unknown) return lose(way, 'outside');
  if ((does & DOES.direct) === 0) return MISFIT;
  const kind = (does & DOES.call) === 0 ? 'jump' : 'call';
  const target = fixedTarget(stretch, way, at, does);
  way.checked.add(at);
  way.addresses.push(at);
  if (target === undefined) {
    way.lost = 'call';
    const end = known === undefined ? {} : { target: known };
    way.branches.push({ entry: k, source: at, ...end, kind, ...backOf(way, kind, at) });
    return ELSEWHERE;
  }
  if (known !== undefined && known - (known % 2) !== target) return MISFIT;
  way.branches.push({ entry: k, source: at, target, kind, ...backOf(way, kind, at) });
  return target;
}

function indirectStep(stretch: Stretch, way: Way, k: number, at: number, does: number): number {
  const { thumb } = stretch;
  const target = stretch.entries[k]!.target;
  const end = target === undefined ? {} : { target };
  way.states = EITHER;
  if (does === ABSENT.otherState) return MISFIT;
  if (does === ABSENT.unknown) return lose(way, 'outside');
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
  const kind = indirectKind(stretch, way, at, does);
  way.checked.add(at);
  way.addresses.push(at);
  way.branches.push({ entry: k, source: at, ...end, kind, ...backOf(way, kind, at) });
  if (target === undefined) way.lost = 'damage';
  return target ?? ELSEWHERE;
}

/** Where a call comes back to, also for whoever wants to know which instruction set lies there. */
function backOf({ thumb, returns }: Way, kind: BranchKind, at: number): Pick<Branch, 'resume'> {
  if (kind !== 'call') return {};
  const resume = (at + (thumb ? 2 : 4)) >>> 0;
  returns.push(resume);
  return { resume };
}

function indirectKind(stretch: Stretch, way: Way, at: number, does: number): BranchKind {
  if ((does & DOES.call) !== 0) return 'call';
  const { code, thumb } = stretch;
  if (!thumb && code?.at(at - 4, false) === 0 && code.word(at - 4, false) === LINKS) {
    if (ranBefore(stretch, way, at - 4)) return 'call';
    if (way.addresses.length === 0) return 'unknown';
  }
  return (does & DOES.return) === 0 ? 'jump' : 'return';
}

function exceptionStep(stretch: Stretch, way: Way, k: number, at: number, does: number): number {
  const { entries, code, thumb } = stretch;
  const { message } = entries[k]!;
  /** Whether the instruction is there and cannot have caused this. */
  const isNo = (bits: number): boolean => does >= 0 && (does & bits) === 0;
  way.states = ARM;
  const before = way.addresses.at(-1);
  const behind = (at + (thumb ? 2 : 4)) >>> 0;
  if (code !== undefined && does === ABSENT.unknown && makesOne(message)) return lose(way, 'outside');
  if (does === ABSENT.otherState && message !== MESSAGE.prefetchAbort) return MISFIT;
  switch (message) {
    case MESSAGE.softwareInterrupt:
      if (isNo(DOES.swi)) return MISFIT;
      way.addresses.push(at);
      way.branches.push({ entry: k, source: at, kind: 'exception', resume: behind });
      break;
    case MESSAGE.undefinedInstruction:
      if (isNo(DOES.traps | DOES.coprocessor)) return MISFIT;
      way.addresses.push(at);
      way.branches.push({ entry: k, source: at, kind: 'exception', resume: behind });
      break;
    case MESSAGE.prefetchAbort:
      way.branches.push({ entry: k, source: at, kind: 'exception', resume: at });
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
      way.branches.push({ entry: k, source: at, kind: 'interrupt', resume: at });
  }
  return ELSEWHERE;
}

/** Whether the exception comes of the instruction behind those that are counted. */
function makesOne(message: number): boolean {
  return message === MESSAGE.softwareInterrupt || message === MESSAGE.undefinedInstruction;
}

/** Undefined for the second half of a call whose first half was not seen. */
function fixedTarget(stretch: Stretch, way: Way, at: number, does: number): number | undefined {
  const { code, thumb } = stretch;
  if (code === undefined) return undefined;
  if ((does & DOES.suffix) === 0) return targetOf(code.word(at, thumb), thumb, at);
  if (!ranBefore(stretch, way, at - 2) || !has(code.at(at - 2, true), DOES.prefix)) return undefined;
  return targetOf(code.word(at, true), true, at, code.word(at - 2, true));
}

/** Whether the instruction at `address` ran last, but for exceptions and what they led to. */
function ranBefore({ interrupted }: Stretch, { addresses }: Way, address: number): boolean {
  const last = addresses.at(-1);
  return last === undefined ? interrupted.has(address) : last === address;
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
