import { basename } from 'node:path';
import type { FigureRequest } from '../../../shared/report/plan.ts';

/** Returns the file name of a figure, such as `sort.byu.heatmap.svg` or `sort.byu.call-graph@2x.png`. */
export function figureName(path: string, request: FigureRequest, as: 'svg' | 'png', scale: 1 | 2): string {
  return `${basename(path)}.${WORDS[request.figure]}${scale === 2 && as === 'png' ? '@2x' : ''}.${as}`;
}

const WORDS: Readonly<Record<FigureRequest['figure'], string>> = {
  heat: 'heatmap',
  overview: 'overview',
  graph: 'call-graph',
  flame: 'flame-graph',
};
