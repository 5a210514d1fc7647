/** The statement of the pane: its parameters, the recipe or saved query that it came from, its execution, and saving it. */
import { type Recipe, recipeNamed } from '../../../shared/sql/recipes.ts';
import { toHex } from '../../../shared/base/units.ts';
import { attached } from '../../trace/attached.svelte.ts';
import { queryPart, queryView, savedQueries, type SavedQuery } from '../../trace/sql/saved-queries.ts';
import type { Trace } from '../../trace/trace.svelte.ts';
import { sqlOptions } from './options.ts';
import { sqlRun } from './run.svelte.ts';
import { parametersOf } from './statement.ts';

export interface SqlSession {
  /** Names of the parameters of the statement. */
  readonly names: readonly string[];
  readonly recipe: Recipe | undefined;
  readonly saved: readonly SavedQuery[];
  /** The saved query that is open; undefined if there is none. */
  readonly open: SavedQuery | undefined;
  /** The open query differs from what is saved. */
  readonly isChanged: boolean;
  readonly setSql: (sql: string) => void;
  readonly setValue: (name: string, value: string) => void;
  readonly takeRecipe: (recipe: Recipe) => void;
  readonly takeSaved: (query: SavedQuery) => void;
  /** Begins a statement of its own. */
  readonly take: (sql: string, title: string) => void;
  /** Executes the statement. Returns the name of the first parameter without a value instead, if there is one. */
  readonly run: (limit?: number) => string | undefined;
  readonly save: () => Promise<void>;
  readonly remove: () => Promise<void>;
  readonly report: () => void;
}

/** Rows of a query in a report. */
const REPORT_ROWS = 100;

export const sqlSession = attached((trace: Trace): SqlSession => {
  const options = sqlOptions(trace);
  const run = sqlRun(trace);
  const { book } = trace.notes;
  const recipe = $derived(recipeNamed(options.recipe));
  const names = $derived(inOrder(parametersOf(options.sql)));
  const saved = $derived(savedQueries(book.value?.views ?? []));
  const open = $derived(saved.find(({ view }) => view.id === options.saved));
  const values = $derived(valuesOf());
  const isChanged = $derived(
    open !== undefined &&
      (open.view.name !== options.title ||
        open.sql !== options.sql ||
        !isSame(open.set, values) ||
        !isSame(open.chart, options.chart)),
  );

  /** Those of the recipe come first, in its order. */
  function inOrder(found: readonly string[]): readonly string[] {
    const known = (recipe?.parameters ?? []).map(({ name }) => name).filter((name) => found.includes(name));
    return [...known, ...found.filter((name) => !known.includes(name))];
  }

  /** Values of the parameters of the statement, with the defaults of the recipe. */
  function valuesOf(): Readonly<Record<string, string>> {
    const found = names.flatMap((name) => {
      const own = options.set[name] ?? '';
      const value = own === '' ? recipe?.parameters.find((one) => one.name === name)?.by : own;
      return value === undefined ? [] : [[name, value] as const];
    });
    return Object.fromEntries(found);
  }

  /** Values that the page knows: the cursor, its address and the range. */
  function known(name: string): string | undefined {
    const { n, address, range } = trace.cursor;
    switch (name) {
      case 'at':
        return String(n);
      case 'address':
      case 'low':
        return address ? toHex(address.low) : undefined;
      case 'high':
        return address ? toHex(address.low + BigInt(address.bytes - 1)) : undefined;
      case 'from':
        return range ? String(Math.floor(range.from)) : undefined;
      case 'to':
        return range ? String(Math.ceil(range.to)) : undefined;
      default:
        return undefined;
    }
  }

  function begin({ sql, title, set, chart }: Omit<SavedQuery, 'view'>): void {
    options.sql = sql;
    options.title = title;
    options.set = set;
    options.chart = chart;
  }

  return {
    get names() {
      return names;
    },
    get recipe() {
      return recipe;
    },
    get saved() {
      return saved;
    },
    get open() {
      return open;
    },
    get isChanged() {
      return isChanged;
    },
    setSql: (sql) => (options.sql = sql),
    setValue: (name, value) => (options.set = { ...options.set, [name]: value }),
    takeRecipe(next) {
      const found = next.parameters.flatMap(({ name }) => {
        const value = known(name);
        return value === undefined ? [] : [[name, value] as const];
      });
      begin({ sql: next.sql, title: '', set: Object.fromEntries(found), chart: {} });
      options.recipe = next.name;
      options.saved = '';
      run.clear();
    },
    takeSaved({ view, ...query }) {
      begin({ ...query, title: view.name });
      options.recipe = '';
      options.saved = view.id;
      run.clear();
    },
    take(sql, title) {
      begin({ sql, title, set: {}, chart: {} });
      options.recipe = '';
      options.saved = '';
      run.clear();
    },
    run(limit) {
      const missing = names.find((name) => values[name] === undefined);
      if (missing === undefined && options.sql.trim() !== '') run.run({ sql: options.sql, set: values }, limit);
      return missing;
    },
    async save() {
      const title = options.title.trim() === '' ? `Query ${saved.length + 1}` : options.title.trim();
      const view = queryView({ title, sql: options.sql, set: values, chart: options.chart }, open?.view);
      const answer = await book.change('query saved', () => ({ putViews: [view] }));
      if (!answer.ok) {
        trace.say(answer.error.message);
        return;
      }
      options.saved = view.id;
      options.title = title;
      options.set = values;
      trace.say(`The query ${title} was saved in the notebook`);
    },
    async remove() {
      if (!open) return;
      const { id, revision, name } = open.view;
      const answer = await book.change('query removed', () => ({ removeViews: [{ id, revision }] }));
      trace.say(
        answer.ok ? `The query ${name} was removed from the notebook; Ctrl+Z restores it` : answer.error.message,
      );
      if (answer.ok) options.saved = '';
    },
    report() {
      void trace.composer.take(queryPart({ title: options.title.trim(), sql: options.sql, set: values }, REPORT_ROWS));
    },
  };
});

function isSame(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
