/** The colours of the page's theme for canvases, which cannot use CSS variables themselves. */
import type { Hue } from '../../present/base/kinds.ts';
import type { Theme } from '../../present/heat/palette.ts';

export interface ChartColours {
  /** The theme they were read in. */
  readonly theme: Theme;
  readonly chart: string;
  readonly pane: string;
  readonly line: string;
  readonly lineStrong: string;
  readonly text: string;
  readonly quiet: string;
  readonly cursor: string;
  readonly accent: string;
  readonly bad: string;
  readonly hue: (hue: Hue) => string;
}

/** The theme must be in force already: whoever reads it from a store reads the colours anew when it changes. */
export function readColours(element: Element, theme: Theme): ChartColours {
  const style = getComputedStyle(element);
  const get = (name: string): string => style.getPropertyValue(name).trim();
  return {
    theme,
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
