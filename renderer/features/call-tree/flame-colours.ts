/** The colours of the page's theme for flame charts; the theme must be in force already. */
import type { FlameColours } from './draw-flame.ts';
import type { Theme } from '../../../present/heat/palette.ts';

/** Boxes have so much of their hue that words on them keep a contrast of 4.5 to 1. */
const STRENGTH: Readonly<Record<Theme, number>> = { dark: 0.4, light: 0.28 };

export function readFlameColours(element: Element, theme: Theme): FlameColours {
  const style = getComputedStyle(element);
  const get = (name: string): string => style.getPropertyValue(name).trim();
  return {
    ground: get('--chart'),
    text: get('--text'),
    quiet: get('--text-3'),
    hues: [1, 2, 3, 4, 5, 6, 7, 8].map((at) => get(`--f-${at}`)),
    strength: STRENGTH[theme],
    font: `11px ${get('--mono')}`,
  };
}
