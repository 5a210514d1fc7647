/** The tool that writes up a trace. Nothing is written to a file. */
import { fail, ok } from '../../../../shared/base/result.ts';
import { TEXT_MOST } from '../findings.ts';
import { tool } from '../tool.ts';

export const report = tool({
  name: 'report',
  title: 'Report',
  description:
    'The report of the trace as Markdown, in pages: notes that people made, summary, functions, calls and diagnostics. Pass `cursor` for the next page.',
  arguments: {},
  required: [],
  async run(_, trace, { cursor, call }) {
    const made = await trace.request('report', { trace: trace.id, as: 'md' }, { signal: call.signal });
    if (!made.ok) return made;
    const text = readable(new TextDecoder().decode(made.value.files[0]?.bytes));
    if (cursor > 0 && cursor >= text.length) return fail('usage', `report: the cursor ${cursor} is behind its end`);
    // Pages end with a line where one fits.
    const room = TEXT_MOST - 100;
    const end = text.length - cursor <= room ? text.length : endOfPage(text, cursor, cursor + room);
    const next = end < text.length ? `\n\n[characters ${cursor} to ${end} of ${text.length}; next: "${end}"]` : '';
    return ok(text.slice(cursor, end) + next);
  },
});

/** Leaves out what is for `verify`, and drawings, which are files of their own. */
function readable(markdown: string): string {
  const data = markdown.lastIndexOf('\n<!-- tracebench-report\n');
  return markdown
    .slice(0, data < 0 ? undefined : data)
    .replaceAll(/^<!-- (?:end of )?part \d+ [\da-f]{16} -->\n/gm, '')
    .replaceAll(/^!\[.*\]\(<?report\.\d+\.svg>?\)\n\n?/gm, '');
}

function endOfPage(text: string, from: number, to: number): number {
  const line = text.lastIndexOf('\n', to);
  return line > from ? line + 1 : to;
}
