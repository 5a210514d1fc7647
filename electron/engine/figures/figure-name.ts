/** What a figure's file is called: after the trace and what it shows. */
import { basename } from 'node:path';
import type { FigureRequest } from '../../../shared/report/plan.ts';

/** `sort.byu.heatmap.svg`, `sort.byu.call-graph@2x.png`. */
export function figureName(path: string, wish: FigureRequest, as: 'svg' | 'png', scale: 1 | 2): string {
  return `${basename(path)}.${WORDS[wish.figure]}${scale === 2 && as === 'png' ? '@2x' : ''}.${as}`;
}

const WORDS: Readonly<Record<FigureRequest['figure'], string>> = {
  heat: 'heatmap',
  overview: 'overview',
  graph: 'call-graph',
  flame: 'flame-graph',
};
