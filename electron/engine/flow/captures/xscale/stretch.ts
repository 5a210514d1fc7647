/**
 * Follows a buffer from one known place to the next, in one instruction set: which instructions ran, and whether the image allows
 * that. Between two messages no instruction may be one that never goes on to the next, and the one that made a message must be
 * able to.
 */
import { isIndirect, MESSAGE } from '../../../../../shared/xscale/messages.ts';
import { has, type Run } from './code.ts';
import type { Entry } from './entries.ts';
import { DOES } from './instruction.ts';
import { STEP } from './known-steps.ts';
import { bareDirect, bareIndirect, directStep, exceptionStep, indirectStep } from './steps.ts';
import {
  EITHER,
  ELSEWHERE,
  even,
  lose,
  MISFIT,
  NO_KIND,
  NOWHERE,
  ranIn,
  UNSEEN,
  type Stretch,
  type Way,
} from './way.ts';

/**
 * Fills in the way. An entry is followed as it was followed there before, where nothing else matters that is other than it was. That
 * is one loop, which the rate of all captures depends on.
 */
export function followStretch(stretch: Stretch, way: Way): void {
  const { sound, first, last, entries, code, steps } = stretch;
  const { thumb } = way;
  const trail = way.trail.steps;
  way.recalled = false;
  way.fits = true;
  way.contradicts = false;
  way.first = first;
  way.last = NOWHERE;
  way.places = NOWHERE;
  way.noted = false;
  way.lost = undefined;
  way.states = EITHER;
  way.next = NOWHERE;
  let k = first;
  let { pc } = stretch;
  /** The newest step in which an instruction ran. */
  let newest = -1;
  while (k <= last) {
    const { message, count, target = NOWHERE } = entries[k]!;
    let step = -1;
    let next: number = UNSEEN;
    if (sound !== undefined && !sound[k]!) way.lost = 'damage';
    else {
      if (code !== undefined) step = steps.find(pc, howOf(message, count, thumb));
      if (step >= 0) {
        next = steps.rows[step + STEP.next]!;
        const told = steps.rows[step + STEP.target]!;
        const isTold = target >= 0 && even(target) === told;
        const leads = isIndirect(message);
        if (next === MISFIT ? isTold : target < 0 ? leads : told >= 0 && !isTold) step = -1;
        else if (leads && target >= 0 && even(target) === steps.rows[step + STEP.source]!) step = -1;
        else if (next === UNSEEN) way.lost = 'outside';
        else if (leads && next !== MISFIT) next = target;
      }
      if (step < 0) {
        way.last = lastOf(steps.rows, newest, thumb);
        next = stepAnew(stretch, way, k, pc);
        step = trail[k]!;
      }
    }
    if (next === MISFIT) {
      way.fits = false;
      break;
    }
    if (next === UNSEEN) break;
    trail[k++] = step;
    pc = next;
    const sort = steps.rows[step + STEP.ran]!;
    if ((sort & 255) !== 0) newest = step;
    if (sort > 255) way.states = sort >> 8;
    if (next === ELSEWHERE) break;
  }
  way.last = lastOf(steps.rows, newest, thumb);
  way.followed = k - first;
  if (way.fits && k > last) way.next = pc;
}

function lastOf(rows: Float64Array, step: number, thumb: boolean): number {
  return step < 0 ? NOWHERE : (rows[step + STEP.pc]! + (ranIn(rows, step) - 1) * (thumb ? 2 : 4)) >>> 0;
}

/** Follows an entry through the image, and remembers what comes of it where that is so each time. */
function stepAnew(stretch: Stretch, way: Way, k: number, pc: number): number {
  const { code, steps, entries } = stretch;
  const { thumb, found } = way;
  const entry = entries[k]!;
  const { message, count } = entry;
  const run = code?.run(pc, count, thumb);
  const next = followEntry(stretch, way, k, pc, run);
  const isStep = next >= 0 || next === ELSEWHERE;
  const kept = run !== undefined && isAlways(entry, run, next, way.lost !== undefined);
  if (!isStep && !kept) return next;
  const at = steps.add(pc, howOf(message, count, thumb), kept);
  const { rows } = steps;
  const told = isIndirect(message) ? (run?.target ?? NOWHERE) : found.target;
  rows[at + STEP.next] = next;
  rows[at + STEP.source] = found.source;
  rows[at + STEP.target] = isStep ? told : returnTo(entry, run);
  rows[at + STEP.resume] = found.resume;
  rows[at + STEP.kind] = found.kind;
  rows[at + STEP.ran] = found.ran | (message === MESSAGE.rollOver ? 0 : way.states << 8);
  way.trail.steps[k] = at;
  return next;
}

/** Message, count and instruction set in one number. */
function howOf(message: number, count: number, thumb: boolean): number {
  return (message << 6) | (count << 1) | (thumb ? 1 : 0);
}

/** Whether the same comes of the entry at that place each time, but for the target that it names. */
function isAlways({ message, count, target }: Entry, run: Run, next: number, isLost: boolean): boolean {
  if (run.straight !== 'yes') return true;
  // What ran right before matters.
  if (count === 0 && (message === MESSAGE.dataAbort || run.paired !== undefined || has(run.does, DOES.suffix)))
    return false;
  if (next === ELSEWHERE) return !isLost;
  // The target may be why it does not fit, or why it does.
  if (isIndirect(message)) return next !== run.at && has(run.does, DOES.indirect) === next >= 0;
  return next !== MISFIT || target === undefined;
}

/** With this target an entry fits that else does not: that of a debugger's return. NOWHERE where none does. */
function returnTo({ message }: Entry, run: Run | undefined): number {
  return isIndirect(message) && run?.straight === 'yes' && run.does >= 0 ? run.at : NOWHERE;
}

function followEntry(stretch: Stretch, way: Way, k: number, pc: number, run: Run | undefined): number {
  const { thumb, found } = way;
  const { message, count } = stretch.entries[k]!;
  const size = thumb ? 2 : 4;
  found.kind = NO_KIND;
  if (run?.straight === 'no') return MISFIT;
  if (run?.straight === 'outside') return lose(way, 'outside');
  if (count > 0) way.last = (pc + (count - 1) * size) >>> 0;
  found.ran = count;
  const at = (pc + count * size) >>> 0;
  switch (message) {
    case MESSAGE.rollOver:
      return at;
    case MESSAGE.direct:
    case MESSAGE.directCheckpointed:
      return run === undefined ? bareDirect(stretch, way, k, at) : directStep(stretch, way, k, run);
    case MESSAGE.indirect:
    case MESSAGE.indirectCheckpointed:
      return run === undefined ? bareIndirect(stretch, way, k, at) : indirectStep(stretch, way, k, run);
    default:
      return exceptionStep(stretch, way, k, at, run?.does);
  }
}
