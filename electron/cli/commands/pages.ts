/** `pages`: accesses per page. */
import { REQUESTS, type PageRow } from '../../../shared/requests/requests.ts';
import { problemOf } from '../../../shared/requests/schema.ts';
import { KINDS } from '../../../shared/records/record.ts';
import { fail, ok } from '../../../shared/base/result.ts';
import { command } from '../command.ts';
import { group } from '../../../shared/base/numbers.ts';
import { size } from '../options/options.ts';
import { createTable } from '../print/table.ts';
import { withTrace } from '../trace.ts';

export const pages = command({
  name: 'pages',
  text: 'Accesses per page, lowest address first',
  trace: 'needed',
  options: { size: size('BYTES', 'size of a page: a power of two, at least 4k; 4k by default') },
  async run(context, { size = 4096 }) {
    const problem = problemOf(REQUESTS.pages.arguments.entries.size, size);
    if (problem !== undefined) return fail('usage', `--size ${problem.must}, not ${size}`);
    return withTrace(context, async (trace) => {
      const indexed = await trace.index();
      if (!indexed.ok) return indexed;
      const answer = await trace.request('pages', { trace: trace.id, size });
      if (!answer.ok) return answer;
      const { common, out } = context;
      const rows = answer.value.pages;
      await (common.json ? out.json(rows) : out.write(describe(rows, out.colour)));
      return ok(undefined);
    });
  },
});

function describe(rows: readonly PageRow[], colour: boolean): string {
  const table = createTable<PageRow>(
    [
      { title: 'page', right: true, text: ({ page }) => page },
      ...KINDS.map((kind) => ({
        title: kind,
        right: true,
        text: ({ kinds }: PageRow) => (kinds[kind] ? group(kinds[kind]) : ''),
      })),
      { title: 'first', right: true, text: ({ first }) => group(first) },
      { title: 'last', right: true, text: ({ last }) => group(last) },
    ],
    colour,
  );
  return table.lines(rows);
}
