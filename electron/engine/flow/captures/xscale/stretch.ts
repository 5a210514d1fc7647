/**
 * Follows a buffer from one anchor to the next in one instruction set. The image must allow the path: no counted instruction may be one
 * that always branches, and the instruction that made a message must be able to make it.
 */
import { isIndirect, MESSAGE } from '../../../../../shared/xscale/messages.ts';
import { has, type Run } from './code.ts';
import type { Entry } from './entries.ts';
import { DOES } from './instruction.ts';
import { STEP } from './known-steps.ts';
import { bareDirect, bareIndirect, directStep, exceptionStep, indirectStep } from './entry-step.ts';
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
  type Path,
} from './path.ts';

/**
 * Fills in the path. An entry takes a known step if nothing that matters differs; otherwise it is followed through the image. Hot loop:
 * the rate of all captures depends on it.
 */
export function followStretch(stretch: Stretch, path: Path): void {
  const { sound, first, last, entries, code, steps, wholeCalls } = stretch;
  const { thumb } = path;
  const trail = path.trail.steps;
  path.recalled = false;
  path.fits = true;
  path.contradicts = false;
  path.first = first;
  path.last = NOWHERE;
  path.places = NOWHERE;
  path.noted = false;
  path.lost = undefined;
  path.states = EITHER;
  path.next = NOWHERE;
  let k = first;
  let { pc } = stretch;
  /** The latest step in which an instruction ran. */
  let newest = -1;
  while (k <= last) {
    const { message, count, target = NOWHERE } = entries[k]!;
    let step = -1;
    let next: number = UNSEEN;
    if (sound !== undefined && !sound[k]!) path.lost = 'damage';
    else {
      if (code !== undefined) step = steps.find(pc, howOf(message, count, thumb, wholeCalls));
      if (step >= 0) {
        next = steps.rows[step + STEP.next]!;
        const known = steps.rows[step + STEP.target]!;
        const isKnown = target >= 0 && even(target) === known;
        const leads = isIndirect(message);
        if (next === MISFIT ? isKnown : target < 0 ? leads : known >= 0 && !isKnown) step = -1;
        else if (leads && target >= 0 && even(target) === steps.rows[step + STEP.source]!) step = -1;
        else if (next === UNSEEN) path.lost = 'outside';
        else if (leads && next !== MISFIT) next = target;
      }
      if (step < 0) {
        path.last = lastOf(steps.rows, newest, thumb);
        next = followAndKeep(stretch, path, k, pc);
        step = trail[k]!;
      }
    }
    if (next === MISFIT) {
      path.fits = false;
      break;
    }
    if (next === UNSEEN) break;
    trail[k++] = step;
    pc = next;
    const sort = steps.rows[step + STEP.ran]!;
    if ((sort & 255) !== 0) newest = step;
    if (sort > 255) path.states = sort >> 8;
    if (next === ELSEWHERE) break;
  }
  path.last = lastOf(steps.rows, newest, thumb);
  path.followed = k - first;
  path.stopped = pc;
  if (path.fits && k > last) path.next = pc;
}

function lastOf(rows: Float64Array, step: number, thumb: boolean): number {
  return step < 0 ? NOWHERE : (rows[step + STEP.pc]! + (ranIn(rows, step) - 1) * (thumb ? 2 : 4)) >>> 0;
}

/** Follows an entry through the image, and keeps the step if it is the same each time. */
function followAndKeep(stretch: Stretch, path: Path, k: number, pc: number): number {
  const { code, steps, entries, wholeCalls } = stretch;
  const { thumb, found } = path;
  const entry = entries[k]!;
  const { message, count } = entry;
  const run = code?.run(pc, count, thumb, wholeCalls);
  const next = followEntry(stretch, path, k, pc, run);
  const isStep = next >= 0 || next === ELSEWHERE;
  const kept = run !== undefined && isAlways(entry, run, next, path.lost !== undefined);
  if (!isStep && !kept) return next;
  const at = steps.add(pc, howOf(message, count, thumb, wholeCalls), kept);
  const { rows } = steps;
  const target = isIndirect(message) ? (run?.target ?? NOWHERE) : found.target;
  rows[at + STEP.next] = next;
  rows[at + STEP.source] = found.source;
  rows[at + STEP.target] = isStep ? target : returnTo(entry, run);
  rows[at + STEP.resume] = found.resume;
  rows[at + STEP.kind] = found.kind;
  rows[at + STEP.ran] = found.ran | (message === MESSAGE.rollOver ? 0 : path.states << 8);
  path.trail.steps[k] = at;
  return next;
}

/** Packs message, count, instruction set and the reading of Thumb calls into one number. */
function howOf(message: number, count: number, thumb: boolean, wholeCalls: boolean): number {
  return (wholeCalls ? 1 << 11 : 0) | (message << 6) | (count << 1) | (thumb ? 1 : 0);
}

/** Returns true if the entry has the same outcome at this address each time, apart from its own target. */
function isAlways({ message, count, target }: Entry, run: Run, next: number, isLost: boolean): boolean {
  if (run.straight !== 'yes') return true;
  if (has(run.does, DOES.data)) return false;
  // The preceding instruction matters.
  if (count === 0 && (message === MESSAGE.dataAbort || run.paired !== undefined || has(run.does, DOES.suffix)))
    return false;
  if (next === ELSEWHERE) return !isLost;
  // The target may decide whether it fits.
  if (isIndirect(message)) return next !== run.at && has(run.does, DOES.indirect) === next >= 0;
  return next !== MISFIT || target === undefined;
}

/** Returns the target with which a misfit would be a debugger's return and fit; NOWHERE if there is none. */
function returnTo({ message }: Entry, run: Run | undefined): number {
  return isIndirect(message) && run?.straight === 'yes' && run.does >= 0 ? run.at : NOWHERE;
}

function followEntry(stretch: Stretch, path: Path, k: number, pc: number, run: Run | undefined): number {
  const { thumb, found } = path;
  const { message, count } = stretch.entries[k]!;
  const size = thumb ? 2 : 4;
  found.kind = NO_KIND;
  if (run?.straight === 'no') return MISFIT;
  if (run?.straight === 'outside') return lose(path, 'outside');
  if (count > 0) path.last = (pc + (count - 1) * size) >>> 0;
  found.ran = count;
  const at = (pc + count * size) >>> 0;
  switch (message) {
    case MESSAGE.rollOver:
      return at;
    case MESSAGE.direct:
    case MESSAGE.directCheckpointed:
      return run === undefined ? bareDirect(stretch, path, k, at) : directStep(stretch, path, k, run);
    case MESSAGE.indirect:
    case MESSAGE.indirectCheckpointed:
      return run === undefined ? bareIndirect(stretch, path, k, at) : indirectStep(stretch, path, k, run);
    default:
      return exceptionStep(stretch, path, k, at, run?.does);
  }
}
