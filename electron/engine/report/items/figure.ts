/** Report part with a chart in both themes, drawn as on the page and by the command line. */
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

export async function makeFigure(
  trace: Trace,
  { figure, caption }: FigurePart,
  name: string,
  task: Task<ReportProgress>,
): Promise<Result<FigureItem>> {
  // Uses the trace name in the report, because the trace may have been renamed since.
  const prepared = await prepareFigure(trace, figure, basename(name), task);
  if (!prepared.ok) return prepared;
  const { from, to, draw } = prepared.value;
  // The heading of the part is the title.
  const light = draw({ theme: 'light', isTitled: false });
  const dark = draw({ theme: 'dark', isTitled: false });
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

/** Returns the title of the drawing without the name of the trace, which the report's head already shows. */
function headingOf(title: string, name: string, range: string): string {
  const ending = [` of ${name}`, ` in ${name}`].find((each) => title.endsWith(each)) ?? '';
  return line(`${title.slice(0, title.length - ending.length)}${range}`, TITLE);
}

/** Returns a description that begins with the title without it, because the heading states it. */
function withoutTitle(description: string, title: string): string {
  if (!description.startsWith(`${title}, `)) return description;
  const rest = description.slice(title.length + 2);
  return `${rest.charAt(0).toUpperCase()}${rest.slice(1)}`;
}

export function figureBlocks({ data, drawing }: FigureItem): Block[] {
  if (drawing === undefined) return [{ block: 'say', text: data.description }];
  return [
    {
      block: 'figure',
      drawing,
      title: data.title,
      description: withoutTitle(data.description, data.title),
      ...(data.caption === undefined ? {} : { caption: line(data.caption, CAPTION) }),
    },
  ];
}
