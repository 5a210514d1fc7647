/** `pages`: accesses per page. */
import type { PageRow } from '../../../shared/requests/requests.ts';
import { KINDS } from '../../../shared/records/record.ts';
import { fail, ok } from '../../../shared/base/result.ts';
import { command } from '../command.ts';
import { group } from '../print/numbers.ts';
import { size } from '../options.ts';
import { createTable } from '../print/table.ts';
import { withTrace } from '../trace.ts';

export const pages = command({
  name: 'pages',
  text: 'Accesses per page, lowest address first',
  trace: 'needed',
  options: { size: size('BYTES', 'size of a page: a power of two from 4k on, 4k by default') },
  async run(context, { size = 4096 }) {
    if (size < 4096 || size > 2 ** 52 || !Number.isInteger(Math.log2(size))) {
      return fail('usage', `--size must be a power of two from 4096 on, not ${size}`);
    }
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
