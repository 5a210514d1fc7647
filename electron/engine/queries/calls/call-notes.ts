/** Describes the uncertain parts of a call analysis in sentences. */
import { group } from '../../../../shared/base/numbers.ts';
import type { CallCounts, Note, NoteKind } from '../../flow/tally/call-tally.ts';
import { NOTE_KINDS } from '../../flow/tally/call-tally.ts';
import { MOST_LEVELS } from '../../flow/tally/contexts.ts';
import { MOST_FRAMES } from '../../flow/stack/frames.ts';

export function callNotes(tally: CallCounts): string[] {
  const { contexts, edges, notes } = tally;
  return [
    ...NOTE_KINDS.filter((kind) => notes[kind].count > 0).map((kind) => SENTENCES[kind](notes[kind])),
    ...(contexts.cut ? [`The tree is cut at ${MOST_LEVELS} levels: deeper calls are counted together.`] : []),
    ...(edges.left > 0
      ? [`${group(edges.left)} calls are omitted, because too many pairs of functions call each other.`]
      : []),
  ];
}

const SENTENCES: Readonly<Record<NoteKind, (note: Note) => string>> = {
  unwound: (note) => `${times(note)} a return left several calls at once, as longjmp does.`,
  elsewhere: (note) =>
    `${times(note)} a return led to an address that is not the return address of an open call. The caller is unknown, and may be another thread.`,
  resumed: (note) => `${times(note)} a return led back to calls that an earlier return had left.`,
  lost: (note) =>
    `${times(note)} the trace has a gap, lacks messages or can be read in two ways. The open calls are unknown there.`,
  below: (note) =>
    `${times(note)} a return led to a caller that was open before the trace began. Such callers are inferred from the return address.`,
  coarse: (note) =>
    `${times(note)} the source and target of a branch are known to 16 bytes only, so calls cannot be distinguished from other branches.`,
  hidden: ({ count }) =>
    `${count === 1 ? 'Once' : `${group(count)} times`} an interrupt hid the target of a branch, and did not return there. ` +
    'The calls that were open then are uncertain.',
  unclear: (note) =>
    `${times(note)} it is unknown if a branch called, returned or jumped. The calls that were open are omitted until a return leads back to them.`,
  dropped: (note) => `${times(note)} more than ${MOST_FRAMES} calls were open. The outer half of them was dropped.`,
};

function times({ count, first }: Note): string {
  const record = group(first);
  return count === 1 ? `At record ${record}` : `${group(count)} times, first at record ${record},`;
}
