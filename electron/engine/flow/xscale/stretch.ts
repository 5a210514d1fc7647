/**
 * Follows a buffer from one known place to the next, in one instruction set: which instructions ran, and whether the image allows
 * that. Between two messages no instruction may be one that never goes on to the next, and the one that made a message must be
 * able to.
 */
import { MESSAGE } from '../../../../shared/xscale/messages.ts';
import { ABSENT } from './code.ts';
import { DOES } from './instruction.ts';
import { bareDirect, bareIndirect, directStep, exceptionStep, indirectStep } from './steps.ts';
import { EITHER, ELSEWHERE, has, lose, MISFIT, UNSEEN, type Stretch, type Way } from './way.ts';

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

function mustLeave(does: number): boolean {
  return has(does, DOES.direct | DOES.indirect | DOES.swi | DOES.traps) && !has(does, DOES.conditional);
}
