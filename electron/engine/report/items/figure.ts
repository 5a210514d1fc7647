/** A chart in both themes, as the page and the command line draw it. */
import { basename } from 'node:path';
import type { ReportPart } from '../../../../shared/report/plan.ts';
import type { ReportProgress } from '../../../../shared/requests/reports.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { prepareFigure } from '../../figures/draw-figure.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import type { Block } from '../blocks.ts';
import { textDigest } from '../digest.ts';
import type { FigureItem } from '../document.ts';
import { sourceOf } from '../sources.ts';
import { line, recordsText } from '../words.ts';

export type FigurePart = Extract<ReportPart, { readonly kind: 'figure' }>;

const CAPTION = 1000;
const TITLE = 200;

export async function askFigure(
  trace: Trace,
  { figure, caption }: FigurePart,
  name: string,
  task: Task<ReportProgress>,
): Promise<Result<FigureItem>> {
  // A trace that was renamed since is still the one that the report names.
  const prepared = await prepareFigure(trace, figure, basename(name), task);
  if (!prepared.ok) return prepared;
  const { from, to, draw } = prepared.value;
  const light = draw({ theme: 'light' });
  const dark = draw({ theme: 'dark' });
  const isWhole = from === 0 && to >= trace.blocks.records;
  const source = sourceOf(trace, 'figure', { figure, as: 'svg' }, { from, to });
  if (!source.ok) return source;
  return ok({
    kind: 'figure',
    title: headingOf(light.title, name, isWhole ? '' : ` of ${recordsText({ from, to })}`),
    sources: [source.value],
    data: {
      figure,
      title: light.title,
      description: light.description,
      ...(caption === undefined ? {} : { caption }),
      light: textDigest(light.svg),
      dark: textDigest(dark.svg),
    },
    drawing: { light: light.svg, dark: dark.svg },
  });
}

/** The drawing's own title without the name of the trace, which stands above all. */
function headingOf(title: string, name: string, range: string): string {
  const ending = [` of ${name}`, ` in ${name}`].find((each) => title.endsWith(each)) ?? '';
  return line(`${title.slice(0, title.length - ending.length)}${range}`, TITLE);
}

export function figureBlocks({ data, drawing }: FigureItem): Block[] {
  if (drawing === undefined) return [{ block: 'say', text: data.description }];
  return [
    {
      block: 'figure',
      drawing,
      title: data.title,
      description: data.description,
      ...(data.caption === undefined ? {} : { caption: line(data.caption, CAPTION) }),
    },
  ];
}
