/** The changes that an import makes, as a person sees them: notes, views, queries and the report, each once with all its versions. */
import { counted } from '../../../shared/base/numbers.ts';
import type { Note, View } from '../../../shared/requests/notes.ts';
import { isKeptReport } from '../report/kept-report.ts';
import { isSavedQuery } from '../sql/saved-queries.ts';
import { saysTheSame, isSameView } from './note-drafts.ts';
import { recordsText } from './note-place.ts';
import type { Step } from './note-steps.ts';

export interface MergedItem {
  readonly id: string;
  readonly kind: MergedKind;
  readonly title: string;
  /** The notebook has it in another version, and keeps both. */
  readonly isOther: boolean;
}

export type MergedKind = 'note' | 'view' | 'query' | 'report';

/** One and several. */
const WORDS: Readonly<Record<MergedKind, readonly [string, string]>> = {
  note: ['note', 'notes'],
  view: ['saved view', 'saved views'],
  query: ['saved query', 'saved queries'],
  report: ['report', 'reports'],
};

/** Returns what an import changed, in the order of notes and then of views. A change of the order of notes is not among it. */
export function mergedItems({ notes, views }: Pick<Step, 'notes' | 'views'>): readonly MergedItem[] {
  return [
    ...itemsOf(notes, saysTheSame, (note) => ({ kind: 'note', title: titleOf(note) })),
    ...itemsOf(views, isSameView, (view) => ({ kind: kindOf(view), title: view.name })),
  ];
}

/** Returns `2 notes, 1 saved query`; empty if there are no items. */
export function countsText(items: readonly MergedItem[]): string {
  const kinds = Map.groupBy(items, ({ kind }) => kind);
  return [...kinds].map(([kind, its]) => counted(its.length, ...WORDS[kind])).join(', ');
}

function itemsOf<T extends Note | View>(
  pairs: readonly { readonly before: T | undefined; readonly after: T | undefined }[],
  isSame: (a: T, b: T) => boolean,
  facts: (item: T) => Pick<MergedItem, 'kind' | 'title'>,
): readonly MergedItem[] {
  const items = new Map<string, MergedItem>();
  const fresh = new Set(pairs.flatMap(({ before, after }) => (before || !after ? [] : [after.id])));
  for (const { before, after } of pairs) {
    if (!after || (before && isSame(before, after))) continue;
    const id = after.conflictOf ?? after.id;
    const isOther = before !== undefined || !fresh.has(id);
    // The version that the notebook uses stands for its earlier ones.
    if (after.conflictOf === undefined || !items.has(id)) items.set(id, { id, isOther, ...facts(after) });
  }
  return [...items.values()];
}

function kindOf(view: View): MergedKind {
  if (isKeptReport({ id: view.conflictOf ?? view.id })) return 'report';
  return isSavedQuery(view) ? 'query' : 'view';
}

function titleOf({ title, text, place }: Note): string {
  const [line = ''] = text.trim().split('\n');
  return title || line.slice(0, 100) || `Bookmark at record ${recordsText(place)}`;
}
