/**
 * The instruction that made a message: whether the image has one there that can, and where it led. All of these answer an address,
 * or one of MISFIT, UNSEEN and ELSEWHERE.
 */
import { BRANCH } from '../../../../../shared/flow/events.ts';
import { MESSAGE } from '../../../../../shared/xscale/messages.ts';
import { ABSENT, has, type Run } from './code.ts';
import { DOES } from './instruction.ts';
import {
  ARM,
  EITHER,
  ELSEWHERE,
  even,
  lose,
  MISFIT,
  NOWHERE,
  putBranch,
  ran,
  THUMB,
  type Stretch,
  type Way,
} from './way.ts';

/** Without an image: the branch is where the count says. */
export function bareDirect(stretch: Stretch, way: Way, k: number, at: number): number {
  const { target = NOWHERE } = stretch.entries[k]!;
  ran(way, at);
  putBranch(way, BRANCH.unknown, at, target, NOWHERE);
  way.lost = 'no image';
  return ELSEWHERE;
}

/** Nothing tells a branch to itself from the return of a debugger that had stopped here. */
export function bareIndirect(stretch: Stretch, way: Way, k: number, at: number): number {
  const { target = NOWHERE } = stretch.entries[k]!;
  const mayBeReturn = target === at;
  if (!mayBeReturn) ran(way, at);
  putBranch(way, BRANCH.unknown, mayBeReturn ? NOWHERE : at, target, NOWHERE);
  way.states = EITHER;
  way.lost = 'no image';
  return ELSEWHERE;
}

export function directStep(stretch: Stretch, way: Way, k: number, run: Run): number {
  const { at, does } = run;
  const known = stretch.entries[k]!.target;
  way.states = way.thumb ? THUMB : ARM;
  if (does === ABSENT.otherState) return MISFIT;
  if (does === ABSENT.unknown) return lose(way, 'outside');
  if ((does & DOES.direct) === 0) return MISFIT;
  const target = fixedTarget(stretch, way, run);
  const kind = kindOf(stretch, way, run);
  ran(way, at);
  if (target === undefined) {
    way.lost = 'call';
    putBranch(way, kind, at, known ?? NOWHERE, backOf(way, kind, at));
    return ELSEWHERE;
  }
  if (known !== undefined && even(known) !== target) {
    way.contradicts = true;
    return MISFIT;
  }
  putBranch(way, kind, at, target, backOf(way, kind, at));
  return target;
}

export function indirectStep(stretch: Stretch, way: Way, k: number, run: Run): number {
  const { at, does } = run;
  const { thumb } = way;
  const target = stretch.entries[k]!.target;
  way.states = EITHER;
  if (does === ABSENT.otherState) return MISFIT;
  if (does === ABSENT.unknown) return lose(way, 'outside');
  if (target !== undefined && even(target) === at && !mayReturnToItself(stretch, run, thumb)) {
    // A debugger stopped the core and let it go on; only its return is traced.
    way.states = thumb ? THUMB : ARM;
    putBranch(way, BRANCH.unknown, NOWHERE, target, NOWHERE);
    return at;
  }
  if ((does & DOES.indirect) === 0) return MISFIT;
  way.states = statesAfter(does, thumb);
  if ((does & DOES.fixed) !== 0) {
    const told = fixedTarget(stretch, way, run);
    if (told !== undefined && target !== undefined && even(target) !== told) return MISFIT;
  }
  const kind = kindOf(stretch, way, run);
  ran(way, at);
  putBranch(way, kind, at, target ?? NOWHERE, backOf(way, kind, at));
  if (target === undefined) way.lost = 'damage';
  return target ?? ELSEWHERE;
}

/**
 * A return right behind a call, as recursive functions have them, takes another address from memory each time; one from an exception
 * goes back to itself where that came there, in the handler of another. Anything else would lead to itself for ever.
 */
function mayReturnToItself({ code }: Stretch, { at, does }: Run, thumb: boolean): boolean {
  if ((does & DOES.restores) !== 0) return true;
  return (does & DOES.loadsPc) !== 0 && has(code?.at((at - (thumb ? 2 : 4)) >>> 0, thumb), DOES.direct | DOES.indirect);
}

/** Where a call comes back to. */
function backOf({ thumb }: Way, kind: number, at: number): number {
  return kind === BRANCH.call ? (at + (thumb ? 2 : 4)) >>> 0 : NOWHERE;
}

function kindOf(stretch: Stretch, way: Way, { at, does, paired }: Run): number {
  if ((does & DOES.call) !== 0) return BRANCH.call;
  if ((does & DOES.return) !== 0) return BRANCH.return;
  if (paired === undefined) return BRANCH.jump;
  if (ranBefore(stretch, way, at - (way.thumb ? 2 : 4))) return paired === 'call' ? BRANCH.call : BRANCH.return;
  return way.last < 0 ? BRANCH.unknown : BRANCH.jump;
}

/** `does`: what `Code.at` tells of the instruction behind those that are counted; undefined without an image. */
export function exceptionStep(stretch: Stretch, way: Way, k: number, at: number, does: number | undefined): number {
  const { code } = stretch;
  const { thumb } = way;
  const { message } = stretch.entries[k]!;
  way.states = ARM;
  const behind = (at + (thumb ? 2 : 4)) >>> 0;
  if (does === ABSENT.unknown && makesOne(message)) return lose(way, 'outside');
  if (does === ABSENT.otherState && message !== MESSAGE.prefetchAbort) return MISFIT;
  switch (message) {
    case MESSAGE.softwareInterrupt:
      if (cannot(does, DOES.swi)) return MISFIT;
      ran(way, at);
      putBranch(way, BRANCH.exception, at, NOWHERE, behind);
      break;
    case MESSAGE.undefinedInstruction:
      if (cannot(does, DOES.traps | DOES.coprocessor)) return MISFIT;
      ran(way, at);
      putBranch(way, BRANCH.exception, at, NOWHERE, behind);
      break;
    case MESSAGE.prefetchAbort:
      putBranch(way, BRANCH.exception, at, NOWHERE, at);
      break;
    case MESSAGE.dataAbort: {
      // A load that aborts is counted, one into the program counter is not.
      const counted = way.last >= 0 && has(code?.at(way.last, thumb), DOES.memory);
      const isLoad = !counted && has(does, DOES.loadsPc);
      if (isLoad) ran(way, at);
      putBranch(way, BRANCH.exception, isLoad ? at : NOWHERE, NOWHERE, NOWHERE);
      break;
    }
    default:
      putBranch(way, BRANCH.interrupt, at, NOWHERE, at);
  }
  return ELSEWHERE;
}

/** Whether the instruction is there and does none of that. */
function cannot(does: number | undefined, bits: number): boolean {
  return does !== undefined && does >= 0 && (does & bits) === 0;
}

/** Whether the exception comes of the instruction behind those that are counted. */
function makesOne(message: number): boolean {
  return message === MESSAGE.softwareInterrupt || message === MESSAGE.undefinedInstruction;
}

/** Undefined for the second half of a call whose first half was not seen. */
function fixedTarget(stretch: Stretch, way: Way, { at, does, target }: Run): number | undefined {
  if ((does & DOES.suffix) === 0) return target;
  return ranBefore(stretch, way, at - 2) ? target : undefined;
}

/** Whether the instruction at `address` ran last, but for exceptions and what they led to. */
function ranBefore({ interrupted }: Stretch, way: Way, address: number): boolean {
  if (way.last >= 0) return way.last === address;
  way.recalled = true;
  return interrupted.has(address);
}

function statesAfter(does: number, thumb: boolean): number {
  if ((does & DOES.toEither) !== 0) return EITHER;
  if ((does & DOES.toArm) !== 0) return ARM;
  if ((does & DOES.toThumb) !== 0) return THUMB;
  return thumb ? THUMB : ARM;
}
