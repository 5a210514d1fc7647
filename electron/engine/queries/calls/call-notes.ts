/** What is not certain about calls, in sentences. */
import type { CallCounts, Note, NoteKind } from '../../flow/tally/call-tally.ts';
import { NOTE_KINDS } from '../../flow/tally/call-tally.ts';
import { MOST_LEVELS } from '../../flow/tally/contexts.ts';
import { MOST_FRAMES } from '../../flow/stack/frames.ts';

export function callNotes(tally: CallCounts): string[] {
  const { contexts, edges, notes } = tally;
  return [
    ...NOTE_KINDS.filter((kind) => notes[kind].count > 0).map((kind) => SENTENCES[kind](notes[kind])),
    ...(contexts.cut ? [`The tree is cut at ${MOST_LEVELS} levels: deeper calls are counted together.`] : []),
    ...(edges.left > 0 ? [`${grouped(edges.left)} calls between too many pairs of functions are left out.`] : []),
  ];
}

const SENTENCES: Readonly<Record<NoteKind, (note: Note) => string>> = {
  unwound: (note) => `${times(note)} a return left several calls at once, as longjmp does.`,
  elsewhere: (note) =>
    `${times(note)} a return led to where no open call goes on; what called there is not known, and may be another thread.`,
  resumed: (note) => `${times(note)} a return led back to calls that had been left that way.`,
  lost: (note) =>
    `${times(note)} the trace has a gap, lacks messages or leaves two ways of reading it; which calls were open is not known there.`,
  below: (note) =>
    `${times(note)} a return led below what the trace began in; such callers are inferred from where they go on.`,
  coarse: (note) =>
    `${times(note)} the ends of a branch are known to 16 bytes only, which does not tell calls from other branches.`,
  hidden: ({ count }) =>
    `${count === 1 ? 'Once' : `${grouped(count)} times`} an interrupt kept from being seen where a branch went, and did not return there; ` +
    'what was open then is not certain.',
  unclear: (note) =>
    `${times(note)} nothing tells whether a branch called, returned or jumped; calls that were open then are left out until a return leads back to them.`,
  dropped: (note) => `${times(note)} more than ${MOST_FRAMES} calls were open; the outer half of them was forgotten.`,
};

function times({ count, first }: Note): string {
  const record = grouped(first);
  return count === 1 ? `At record ${record}` : `${grouped(count)} times, first at record ${record},`;
}

function grouped(value: number): string {
  return value.toLocaleString('en');
}
