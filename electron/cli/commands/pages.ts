/** `pages`: accesses per page. */
import { addressOfPage, pageRows, type PageColumns } from '../../../shared/requests/addresses.ts';
import { REQUESTS } from '../../../shared/requests/requests.ts';
import { problemOf } from '../../../shared/requests/schema.ts';
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
      const { value } = answer;
      await (common.json ? out.json(pageRows(value)) : out.write(describe(value, out.colour)));
      return ok(undefined);
    });
  },
});

function describe(pages: PageColumns, colour: boolean): string {
  const { kinds, counts, first, last } = pages;
  const count = (place: number, k: number): number => counts[place * kinds.length + k]!;
  const table = createTable<number>(
    [
      { title: 'page', right: true, text: (place) => addressOfPage(pages, place) },
      ...kinds.map((kind, k) => ({
        title: kind,
        right: true,
        text: (place: number) => (count(place, k) > 0 ? group(count(place, k)) : ''),
      })),
      { title: 'first', right: true, text: (place) => group(first[place]!) },
      { title: 'last', right: true, text: (place) => group(last[place]!) },
    ],
    colour,
  );
  return table.lines([...pages.numbers.keys()]);
}
