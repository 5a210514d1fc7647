/**
 * Follows a buffer from one known place to the next, in one instruction set: which instructions ran, and whether the image allows
 * that. Between two messages no instruction may be one that never goes on to the next, and the one that made a message must be
 * able to.
 */
import { MESSAGE } from '../../../../shared/xscale/messages.ts';
import { bareDirect, bareIndirect, directStep, exceptionStep, indirectStep } from './steps.ts';
import { EITHER, ELSEWHERE, lose, MISFIT, NO_KIND, NOWHERE, UNSEEN, type Stretch, type Way } from './way.ts';

/** Fills in the way. */
export function followStretch(stretch: Stretch, way: Way): void {
  const { sound, first, last } = stretch;
  way.listed = stretch.listed;
  way.recalled = false;
  way.fits = true;
  way.addresses.length = 0;
  way.last = NOWHERE;
  way.ends.length = 0;
  way.lost = undefined;
  way.states = EITHER;
  way.returns.length = 0;
  way.next = NOWHERE;
  let k = first;
  let { pc } = stretch;
  for (; k <= last; k++) {
    const known = way.addresses.length;
    const newest = way.last;
    way.branches.kind[k] = NO_KIND;
    const isSound = sound === undefined || sound[k]!;
    const next = isSound ? followEntry(stretch, way, k, pc) : lose(way, 'damage');
    if (next === MISFIT) {
      way.fits = false;
      break;
    }
    if (next === UNSEEN) {
      way.addresses.length = known;
      way.last = newest;
      break;
    }
    if (stretch.listed) way.ends.push(way.addresses.length);
    if (next === ELSEWHERE) {
      pc = NOWHERE;
      k++;
      break;
    }
    pc = next;
  }
  way.followed = k - first;
  if (way.fits && k > last) way.next = pc;
}

function followEntry(stretch: Stretch, way: Way, k: number, pc: number): number {
  const { entries, code } = stretch;
  const { thumb } = way;
  const { message, count } = entries[k]!;
  const size = thumb ? 2 : 4;
  const run = code?.run(pc, count, thumb);
  if (run?.straight === 'no') return MISFIT;
  if (run?.straight === 'outside') return lose(way, 'outside');
  if (count > 0) way.last = (pc + (count - 1) * size) >>> 0;
  if (stretch.listed) for (let i = 0; i < count; i++) way.addresses.push((pc + i * size) >>> 0);
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
