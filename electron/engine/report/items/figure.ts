/** A chart in both themes, as the page and the command line draw it. */
import type { FigureWish, ReportPart, ReportProgress } from '../../../../shared/report.ts';
import { ok, type Result } from '../../../../shared/result.ts';
import { prepareFigure } from '../../figures/draw-figure.ts';
import type { Task } from '../../task.ts';
import type { Trace } from '../../trace.ts';
import type { Block } from '../blocks.ts';
import { textDigest } from '../digest.ts';
import type { FigureItem } from '../document.ts';
import { sourceOf } from '../sources.ts';
import { line, recordsText } from '../words.ts';

export type FigurePart = Extract<ReportPart, { readonly kind: 'figure' }>;

const CAPTION = 1000;

export async function askFigure(
  trace: Trace,
  { figure, caption }: FigurePart,
  name: string,
  task: Task<ReportProgress>,
): Promise<Result<FigureItem>> {
  // A trace that was renamed since is still the one that the report names.
  const prepared = await prepareFigure({ ...trace, file: { ...trace.file, path: name } }, figure, task);
  if (!prepared.ok) return prepared;
  const { from, to, draw } = prepared.value;
  const isWhole = from === 0 && to >= trace.blocks.records;
  const title = `${TITLES[figure.figure]}${isWhole ? '' : ` of ${recordsText({ from, to })}`}`;
  const light = draw({ theme: 'light', title });
  const dark = draw({ theme: 'dark', title });
  const source = sourceOf(trace, 'figure', { figure, as: 'svg' }, { from, to });
  if (!source.ok) return source;
  return ok({
    kind: 'figure',
    title,
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

const TITLES: Readonly<Record<FigureWish['figure'], string>> = {
  heat: 'Heatmap',
  overview: 'Overview',
  graph: 'Call graph',
  flame: 'Flame graph',
};

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
