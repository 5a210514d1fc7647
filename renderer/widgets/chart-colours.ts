/** Colours of charts on the page. Their background is that of charts, where a figure has one background everywhere. */
import { CHART_COLOURS, type ChartColours } from '../../present/base/theme.ts';
import type { Theme } from '../../present/heat/palette.ts';

export const PAGE_COLOURS: Readonly<Record<Theme, ChartColours>> = {
  dark: onChart(CHART_COLOURS.dark),
  light: onChart(CHART_COLOURS.light),
};

function onChart(colours: ChartColours): ChartColours {
  return { ...colours, ground: colours.chart };
}
