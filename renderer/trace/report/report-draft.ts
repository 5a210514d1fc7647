/** The draft of a report: its parts in order, each with a key that survives moves and changes. */
import type { ReportPart, ReportPlan } from '../../../shared/report/plan.ts';

export interface Draft {
  readonly title: string;
  readonly parts: readonly Placed[];
}

export interface Placed {
  readonly key: string;
  readonly part: ReportPart;
}

/** @param from draft from which equal parts keep their keys */
export function draftOf({ title, parts }: Pick<ReportPlan, 'title' | 'parts'>, from?: Draft): Draft {
  const known = Map.groupBy(from?.parts ?? [], ({ part }) => JSON.stringify(part));
  return { title, parts: parts.map((part) => known.get(JSON.stringify(part))?.shift() ?? placed(part)) };
}

/** Adds parts after the part with the key `after`, or at the end if there is none. */
export function withParts(draft: Draft, added: readonly Placed[], after: string | null): Draft {
  const at = draft.parts.findIndex(({ key }) => key === after);
  return { ...draft, parts: draft.parts.toSpliced(at < 0 ? draft.parts.length : at + 1, 0, ...added) };
}

export function withPart(draft: Draft, key: string, part: ReportPart): Draft {
  return { ...draft, parts: draft.parts.map((own) => (own.key === key ? { key, part } : own)) };
}

export function withoutPart(draft: Draft, key: string): Draft {
  return { ...draft, parts: draft.parts.filter((own) => own.key !== key) };
}

/** Moves a part to the index `to`. */
export function withMoved(draft: Draft, key: string, to: number): Draft {
  const moved = draft.parts.find((own) => own.key === key);
  if (!moved) return draft;
  const others = draft.parts.filter((own) => own !== moved);
  return { ...draft, parts: others.toSpliced(Math.min(others.length, Math.max(0, to)), 0, moved) };
}

export function placed(part: ReportPart): Placed {
  return { key: crypto.randomUUID(), part };
}

export function isSameDraft(a: Draft, b: Draft): boolean {
  return JSON.stringify(planOf(a)) === JSON.stringify(planOf(b));
}

export function planOf({ title, parts }: Draft): Pick<ReportPlan, 'title' | 'parts'> {
  return { title, parts: parts.map(({ part }) => part) };
}
