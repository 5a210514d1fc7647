/** A call, an interrupt or an exception opens a frame, which knows where its caller goes on. */
import { EVENT } from '../../../../shared/flow/events.ts';
import { EDGE } from '../tally/call-edges.ts';
import { addTo } from '../tally/call-tally.ts';
import { FRAME } from './frames.ts';
import { ENTERED, UNKNOWN } from '../functions/functions.ts';
import type { HiddenBranches } from './hidden-branches.ts';
import { WORD } from '../functions/branch-table.ts';
import type { StackWork } from './stack-work.ts';

/** Adds the branch to the stack as what an edge of this kind, a code of EDGE, is; `inferred`: that it is one was concluded. */
export type EnterCall = (kind: number, flags: number, record: number, inferred?: boolean) => void;

const CALL = ENTERED.indexOf('call');
const EXCEPTION = ENTERED.indexOf('exception');
const INTERRUPT = ENTERED.indexOf('interrupt');

export function createCallEntry({ functions, tally, calls, branch }: StackWork, hidden: HiddenBranches): EnterCall {
  const { edges } = tally;
  return enter;

  function enter(kind: number, flags: number, record: number, concluded = (flags & EVENT.inferred) !== 0): void {
    const { words, at } = branch;
    const { frames } = calls;
    const hasTarget = (flags & EVENT.target) !== 0;
    const hasResume = (flags & EVENT.resume) !== 0;
    const target = words[at + WORD.target]!;
    const resume = words[at + WORD.resume]!;
    // A call to where it would go on fetches an address, or is one that was not traced.
    if (kind === EDGE.call && hasTarget && hasResume && target === resume && !functions.beginsAt(target)) return;
    const entered =
      kind === EDGE.call || kind === EDGE.unknown ? CALL : kind === EDGE.exception ? EXCEPTION : INTERRUPT;
    const callee = hasTarget ? functions.calledAt(target, ENTERED[entered]!, record) : UNKNOWN;
    // Compilers jump with BL where a function of Thumb code is longer than a branch reaches.
    const isWithin = kind === EDGE.call && hasTarget && callee === calls.top() && !functions.beginsAt(target);
    const inferred = concluded || (isWithin && functions.hasSymbol(callee));
    if (hasResume) functions.resumesAt(resume, record);
    edges.add(calls.top(), callee, kind, inferred, record);
    addTo(tally.calls, callee, 1);
    const frame = calls.reserve(record);
    const { columns } = frames;
    const parent = columns.context[frame - 1]!;
    columns.fn[frame] = callee;
    columns.known[frame] =
      (hasResume ? FRAME.resume : 0) |
      ((flags & EVENT.source) !== 0 ? FRAME.site : 0) |
      (inferred || !hasTarget ? FRAME.inferred : 0);
    columns.entered[frame] = entered;
    columns.since[frame] = record;
    columns.called[frame] = record;
    columns.resumeLow[frame] = words[at + WORD.resumeLow]!;
    columns.resumeHigh[frame] = words[at + WORD.resumeHigh]!;
    columns.siteLow[frame] = words[at + WORD.sourceLow]!;
    columns.siteHigh[frame] = words[at + WORD.sourceHigh]!;
    if (entered !== CALL) hidden.noteInterrupt(frame, flags, record);
    calls.open(frame, parent, record);
    frames.contexts.columns.calls[columns.context[frame]!]!++;
  }
}
