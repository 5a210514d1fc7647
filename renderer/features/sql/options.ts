import { oneOf, text } from '../../../shared/requests/schema.ts';
import { sqlValues } from '../../../shared/requests/sql/sql.ts';
import { chartColumns, type ChartColumns } from '../../trace/sql/saved-queries.ts';
import { paneOptions } from '../../trace/pane-options.svelte.ts';

interface SqlOptions {
  sql: string;
  /** Values of named parameters, also of those that other statements had. */
  set: Readonly<Record<string, string>>;
  /** Name of the recipe that the statement began as; empty: none. */
  recipe: string;
  title: string;
  /** Id of the saved query that is open; empty: none. */
  saved: string;
  view: 'table' | 'chart';
  /** Columns of the chart that a person chose. */
  chart: ChartColumns;
}

export const sqlOptions = paneOptions<SqlOptions>(
  'sql',
  {
    sql: text(100_000, 0),
    set: sqlValues,
    recipe: text(100, 0),
    title: text(200, 0),
    saved: text(200, 0),
    view: oneOf(['table', 'chart']),
    chart: chartColumns,
  },
  () => ({ sql: '', set: {}, recipe: '', title: '', saved: '', view: 'table', chart: {} }),
);
