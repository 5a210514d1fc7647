/** Branches that only go about in the function that runs, as most do: passed over in one loop. */
import type { Events } from '../../../../shared/flow/events.ts';
import { FRAME } from './frames.ts';
import { ANYWHERE, WORD, WORDS } from '../functions/branch-table.ts';
import type { StackWork } from './stack-work.ts';

/** Adds such branches among events [from, to), which are alike as `branches` has numbers for; returns the first event that is none, or may be none. */
export type PassInner = (events: Events, branches: Int32Array, from: number, to: number) => number;

/** `counts`: events count instructions. */
export function createInnerBranches({ functions, messages, calls, branch }: StackWork, counts: boolean): PassInner {
  return ({ alike, record }, branches, from, to) => {
    const { frames } = calls;
    const { columns } = frames;
    const top = frames.count - 1;
    if (top < 0 || branch.lastRecord < 0 || alike === undefined) return from;
    const { numbers } = alike;
    const { instructions } = alike.each;
    const known = functions.branches.words;
    const inner = columns.fn[top]! + 1;
    const returns = (columns.known[top]! & FRAME.resume) !== 0;
    const resumeLow = returns ? columns.resumeLow[top]! : -1;
    const high = branch.lastHigh;
    let low = branch.lastLow;
    let units = 0;
    let i = from;
    for (; i < to; i++) {
      const first = branches[numbers[i]!]! * WORDS;
      const goesAboutIn = known[first + WORD.inner]!;
      if (goesAboutIn !== inner && goesAboutIn !== ANYWHERE) break;
      if (messages && (known[first + WORD.sourceLow]! < low || known[first + WORD.sourceHigh] !== high)) break;
      const target = known[first + WORD.targetLow]!;
      if (target === resumeLow) break;
      low = target;
      units += counts ? instructions[numbers[i]!]! : 1;
    }
    if (i === from) return from;
    calls.ran(units);
    branch.lastBefore = 0;
    branch.lastLow = low;
    if (!messages) branch.lastHigh = known[branches[numbers[i - 1]!]! * WORDS + WORD.targetHigh]!;
    branch.lastRecord = record[i - 1]!;
    return i;
  };
}
