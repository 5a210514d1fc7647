/** Colours of the page's theme for canvases, which cannot use CSS variables. */
import type { Hue } from '../../present/base/kinds.ts';
import type { Theme } from '../../present/heat/palette.ts';

export interface ChartColours {
  /** Theme that the colours belong to. */
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

/** Reads the colours. The document must have the theme already. Passing a reactive theme makes the caller read them again when it changes. */
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
