/** The colours of the page's theme for canvases, which cannot use CSS variables themselves. */
import type { Hue } from './kinds.ts';

export interface ChartColours {
  readonly chart: string;
  readonly pane: string;
  readonly line: string;
  readonly lineStrong: string;
  readonly text: string;
  readonly quiet: string;
  readonly cursor: string;
  readonly accent: string;
  readonly bad: string;
  hue(hue: Hue): string;
}

/** Read anew after the theme has changed. */
export function readColours(element: Element): ChartColours {
  const style = getComputedStyle(element);
  const get = (name: string): string => style.getPropertyValue(name).trim();
  return {
    chart: get('--chart'),
    pane: get('--pane'),
    line: get('--line'),
    lineStrong: get('--line-strong'),
    text: get('--text'),
    quiet: get('--text-3'),
    cursor: get('--cursor'),
    accent: get('--accent'),
    bad: get('--bad'),
    hue: (hue) => get(`--k-${hue}`),
  };
}
