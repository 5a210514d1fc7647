/**
 * Saved queries: each is a view of the notebook, so that it persists, is exported with the notes and merged by imports. A view may come
 * from someone else's file, so its content is checked when it is read.
 */
import { jsonValue } from '../../../shared/base/json-value.ts';
import type { View, ViewDraft } from '../../../shared/requests/notes.ts';
import type { ReportPart } from '../../../shared/report/plan.ts';
import { lenient, optional, parse, partOfFile, text, whole, type Checked } from '../../../shared/requests/schema.ts';
import { sqlValues } from '../../../shared/requests/sql/sql.ts';

export interface SavedQuery {
  readonly view: View;
  readonly title: string;
  readonly sql: string;
  /** Values of named parameters. */
  readonly set: Readonly<Record<string, string>>;
  readonly chart: ChartColumns;
}

const columnName = text(10_000, 0);
/** Names of the columns that a person chose for the chart of a result: what each value is of, and the value. Absent ones follow from the result. */
export const chartColumns = partOfFile({ of: optional(columnName), value: optional(columnName) });
export type ChartColumns = Checked<typeof chartColumns>;

const VERSION = 1;
const content = partOfFile({
  query: whole(1, VERSION),
  sql: text(100_000),
  set: lenient(sqlValues),
  chart: lenient(chartColumns),
});

/** Returns true for a view that holds a query instead of what was on screen. */
export function isSavedQuery(view: View): boolean {
  return queryOf(view) !== undefined;
}

/** Returns the saved queries by title. */
export function savedQueries(views: readonly View[]): readonly SavedQuery[] {
  return views
    .flatMap((view) => {
      const query = queryOf(view);
      if (query === undefined) return [];
      const title = view.conflictOf === undefined ? view.name : `${view.name} (earlier version)`;
      return [{ view, title, sql: query.sql, set: query.set ?? {}, chart: query.chart ?? {} }];
    })
    .sort((a, b) => (a.title < b.title ? -1 : Number(a.title > b.title)));
}

/** @param before the view that the query replaces */
export function queryView(
  { title, sql, set, chart = {} }: Pick<SavedQuery, 'title' | 'sql' | 'set'> & Partial<Pick<SavedQuery, 'chart'>>,
  before: Pick<View, 'id' | 'revision'> | undefined,
): ViewDraft {
  return {
    id: before?.id ?? crypto.randomUUID(),
    name: title,
    content: JSON.stringify({ query: VERSION, sql, set, ...(Object.keys(chart).length > 0 && { chart }) }),
    ...(before !== undefined && { revision: before.revision }),
  };
}

export function queryPart(
  { title, sql, set }: Pick<SavedQuery, 'title' | 'sql' | 'set'>,
  most?: number,
): Extract<ReportPart, { readonly kind: 'query' }> {
  return {
    kind: 'query',
    ...(title !== '' && { title }),
    sql,
    ...(Object.keys(set).length > 0 && { set }),
    ...(most !== undefined && { most }),
  };
}

function queryOf(view: View): Checked<typeof content> | undefined {
  // Views of the screen are long and many, and never begin so.
  if (!view.content.startsWith('{"query":')) return undefined;
  const checked = parse(content, jsonValue(view.content));
  return checked.ok ? checked.value : undefined;
}
