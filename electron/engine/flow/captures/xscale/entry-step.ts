/**
 * Checks the instruction that made a message: the image must have one there that can make it, and gives its target. Every function
 * returns the next address or one of the sentinels MISFIT, UNSEEN and ELSEWHERE.
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
  type Path,
} from './path.ts';

/** Steps over a direct branch without an image: the count gives the address of the branch. */
export function bareDirect(stretch: Stretch, path: Path, k: number, at: number): number {
  const { target = NOWHERE } = stretch.entries[k]!;
  ran(path, at);
  putBranch(path, BRANCH.unknown, at, target, NOWHERE);
  path.lost = 'no image';
  return ELSEWHERE;
}

/** Steps over an indirect branch without an image. A branch to itself cannot be distinguished from the return of a debugger that had stopped here. */
export function bareIndirect(stretch: Stretch, path: Path, k: number, at: number): number {
  const { target = NOWHERE } = stretch.entries[k]!;
  const mayBeReturn = target === at;
  if (!mayBeReturn) ran(path, at);
  putBranch(path, BRANCH.unknown, mayBeReturn ? NOWHERE : at, target, NOWHERE);
  path.states = EITHER;
  path.lost = 'no image';
  return ELSEWHERE;
}

export function directStep(stretch: Stretch, path: Path, k: number, run: Run): number {
  const { at, does } = run;
  const known = stretch.entries[k]!.target;
  path.states = path.thumb ? THUMB : ARM;
  if (does === ABSENT.otherState) return MISFIT;
  if (does === ABSENT.unknown) return lose(path, 'outside');
  if ((does & DOES.direct) === 0) return misfit(path, does);
  const target = fixedTarget(stretch, path, run);
  const kind = kindOf(stretch, path, run);
  ran(path, at);
  if (target === undefined) {
    path.lost = 'call';
    putBranch(path, kind, at, known ?? NOWHERE, backOf(run, kind));
    return ELSEWHERE;
  }
  if (known !== undefined && even(known) !== target) {
    path.contradicts = true;
    return MISFIT;
  }
  putBranch(path, kind, at, target, backOf(run, kind));
  return target;
}

export function indirectStep(stretch: Stretch, path: Path, k: number, run: Run): number {
  const { at, does } = run;
  const { thumb } = path;
  const target = stretch.entries[k]!.target;
  path.states = EITHER;
  if (does === ABSENT.otherState) return MISFIT;
  if (does === ABSENT.unknown) return lose(path, 'outside');
  if (target !== undefined && even(target) === at && !mayReturnToItself(stretch, run, thumb)) {
    // A debugger stopped the core and continued it; only its return is traced.
    path.states = thumb ? THUMB : ARM;
    putBranch(path, BRANCH.unknown, NOWHERE, target, NOWHERE);
    return at;
  }
  if ((does & DOES.indirect) === 0) return misfit(path, does);
  path.states = statesAfter(does, thumb);
  if ((does & DOES.fixed) !== 0) {
    const fixed = fixedTarget(stretch, path, run);
    if (fixed !== undefined && target !== undefined && even(target) !== fixed) return MISFIT;
  }
  const kind = kindOf(stretch, path, run);
  ran(path, at);
  putBranch(path, kind, at, target ?? NOWHERE, backOf(run, kind));
  if (target === undefined) path.lost = 'damage';
  return target ?? ELSEWHERE;
}

/**
 * Returns true if a branch may go to its own address and still end. A return directly after a call, as in recursive functions, loads
 * another address each time. A return from an exception goes to itself if the exception interrupted it in another handler.
 */
function mayReturnToItself({ code }: Stretch, { at, does }: Run, thumb: boolean): boolean {
  if ((does & DOES.restores) !== 0) return true;
  return (does & DOES.loadsPc) !== 0 && has(code?.at((at - (thumb ? 2 : 4)) >>> 0, thumb), DOES.direct | DOES.indirect);
}

/** Returns the return address of a call, NOWHERE for other branches. */
function backOf({ at, size }: Run, kind: number): number {
  return kind === BRANCH.call ? (at + size) >>> 0 : NOWHERE;
}

function kindOf(stretch: Stretch, path: Path, { at, does, paired }: Run): number {
  if ((does & DOES.call) !== 0) return BRANCH.call;
  if ((does & DOES.return) !== 0) return BRANCH.return;
  if (paired === undefined) return BRANCH.jump;
  if (ranBefore(stretch, path, at - (path.thumb ? 2 : 4))) return paired === 'call' ? BRANCH.call : BRANCH.return;
  return path.last < 0 ? BRANCH.unknown : BRANCH.jump;
}

/**
 * Steps over an exception. `does`: effects of the instruction after the counted ones; undefined without an image. The count alone proves the
 * address of an instruction that trapped.
 */
export function exceptionStep(stretch: Stretch, path: Path, k: number, at: number, does: number | undefined): number {
  const { code } = stretch;
  const { thumb } = path;
  const { message } = stretch.entries[k]!;
  path.states = ARM;
  const next = (at + (thumb ? 2 : 4)) >>> 0;
  if (does === ABSENT.otherState && message !== MESSAGE.prefetchAbort) return MISFIT;
  switch (message) {
    case MESSAGE.softwareInterrupt:
      if (cannot(does, DOES.swi)) return MISFIT;
      ran(path, at);
      putBranch(path, BRANCH.exception, at, NOWHERE, next);
      break;
    case MESSAGE.undefinedInstruction:
      if (cannot(does, DOES.traps | DOES.mayTrap)) return MISFIT;
      ran(path, at);
      putBranch(path, BRANCH.exception, at, NOWHERE, next);
      break;
    case MESSAGE.prefetchAbort:
      putBranch(path, BRANCH.exception, at, NOWHERE, at);
      break;
    case MESSAGE.dataAbort: {
      // An aborting load is counted, unless it loads the program counter.
      const counted = path.last >= 0 && has(code?.at(path.last, thumb), DOES.memory);
      const isLoad = !counted && has(does, DOES.loadsPc);
      if (isLoad) ran(path, at);
      putBranch(path, BRANCH.exception, isLoad ? at : NOWHERE, NOWHERE, NOWHERE);
      break;
    }
    default:
      putBranch(path, BRANCH.interrupt, at, NOWHERE, at);
  }
  return ELSEWHERE;
}

/** Returns the result for an instruction that cannot have made its message. Data may have changed since the program was built. */
function misfit(path: Path, does: number): number {
  return (does & DOES.data) === 0 ? MISFIT : lose(path, 'outside');
}

/** Returns true if the image has the instruction and it has none of these effects. */
function cannot(does: number | undefined, bits: number): boolean {
  return does !== undefined && does >= 0 && (does & (bits | DOES.data)) === 0;
}

/** Returns the target of a fixed branch; undefined for the second half of a call pair if the first half did not run before it. */
function fixedTarget(stretch: Stretch, path: Path, { at, does, target }: Run): number | undefined {
  if ((does & DOES.suffix) === 0) return target;
  return ranBefore(stretch, path, at - 2) ? target : undefined;
}

/** Returns true if the instruction at `address` ran last, apart from exceptions and their handlers. */
function ranBefore({ interrupted }: Stretch, path: Path, address: number): boolean {
  if (path.last >= 0) return path.last === address;
  path.recalled = true;
  return interrupted.has(address);
}

function statesAfter(does: number, thumb: boolean): number {
  if ((does & DOES.toEither) !== 0) return EITHER;
  if ((does & DOES.toArm) !== 0) return ARM;
  if ((does & DOES.toThumb) !== 0) return THUMB;
  return thumb ? THUMB : ARM;
}
