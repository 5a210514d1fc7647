/**
 * Scrolling of lists that are drawn row by row: wheel, trackpad and finger move the same list by the same distance. Every list has its
 * rows move with the hand; only the wheel with Ctrl is the page's own zoom.
 */
import { wheelPixels } from './scroll.ts';

export interface Scrolling {
  /** Pixels of a row. */
  readonly row: number;
  /** Pixels that are in sight. */
  readonly page: () => number;
  /** Moves so many rows on, fractions included; back where it is negative. */
  readonly move: (rows: number) => void;
}

/** For `{@attach scrolling(..)}`. */
export function scrolling({ row, page, move }: Scrolling): (element: HTMLElement) => () => void {
  return (element) => {
    /** The finger that moves the list, and where it was last. */
    let finger: { readonly id: number; readonly y: number } | undefined;

    const wheel = (event: WheelEvent): void => {
      if (event.ctrlKey) return;
      event.preventDefault();
      if (event.deltaY !== 0) move(wheelPixels(event, row, page()) / row);
    };
    const down = (event: PointerEvent): void => {
      if (event.pointerType === 'touch' && event.isPrimary) finger = { id: event.pointerId, y: event.clientY };
    };
    const drag = (event: PointerEvent): void => {
      if (event.pointerId !== finger?.id) return;
      const moved = finger.y - event.clientY;
      finger = { id: event.pointerId, y: event.clientY };
      if (moved !== 0) move(moved / row);
    };
    const up = (event: PointerEvent): void => {
      if (event.pointerId === finger?.id) finger = undefined;
    };

    // The browser itself would move what is around the list.
    element.style.touchAction = 'pan-x pinch-zoom';
    element.addEventListener('wheel', wheel, { passive: false });
    element.addEventListener('pointerdown', down);
    element.addEventListener('pointermove', drag);
    element.addEventListener('pointerup', up);
    element.addEventListener('pointercancel', up);
    return () => {
      element.removeEventListener('wheel', wheel);
      element.removeEventListener('pointerdown', down);
      element.removeEventListener('pointermove', drag);
      element.removeEventListener('pointerup', up);
      element.removeEventListener('pointercancel', up);
    };
  };
}
