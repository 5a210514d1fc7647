/** Entries of a menu (Menu.svelte), and how the menu moves between them. */
import type { IconName } from './icons.ts';

export interface MenuItem {
  readonly title: string;
  /** Key of the command outside of the menu: `Ctrl+W`. */
  readonly key?: string | undefined;
  readonly icon?: IconName;
  /** Reason why the item cannot be chosen now. */
  readonly refusal?: string | null;
  /** The item begins a new group. */
  readonly begins?: boolean;
  readonly run: () => void;
}

/**
 * Returns the item that a key moves to: arrow keys wrap around, Home and End go to the ends, and a character goes to the next item that
 * starts with it. Undefined if the key does not move.
 */
export function nextItem(titles: readonly string[], at: number, key: string): number | undefined {
  const count = titles.length;
  if (count === 0) return undefined;
  switch (key) {
    case 'ArrowDown':
      return (at + 1) % count;
    case 'ArrowUp':
      return at < 0 ? count - 1 : (at + count - 1) % count;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
  }
  if (Array.from(key).length !== 1 || key === ' ') return undefined;
  const wanted = key.toLowerCase();
  for (let step = 1; step <= count; step += 1) {
    const place = (Math.max(-1, at) + step) % count;
    if (titles[place]?.toLowerCase().startsWith(wanted)) return place;
  }
  return undefined;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** Distance in CSS pixels that a menu keeps from the edges of the window. Its style limits its size accordingly. */
const MARGIN = 8;

/** Returns the corner of a menu that opens at a point: moved to the left and above the point if it would not fit in the window. */
export function cornerOf(
  at: Point,
  size: { readonly width: number; readonly height: number },
  window: { readonly width: number; readonly height: number },
): Point {
  const above = at.y - size.height;
  const right = window.width - size.width - MARGIN;
  const lowest = window.height - size.height - MARGIN;
  return {
    x: Math.max(MARGIN, Math.min(at.x, right)),
    y: at.y <= lowest ? Math.max(MARGIN, at.y) : above >= MARGIN ? above : Math.max(MARGIN, lowest),
  };
}
