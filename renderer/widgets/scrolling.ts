/**
 * Scrolling of lists that are drawn row by row, with wheel, trackpad and touch. The wheel with Ctrl is left to the browser's zoom.
 */
import { wheelPixels } from './scroll.ts';

export interface Scrolling {
  /** Height of a row in pixels. */
  readonly row: number;
  /** Visible height in pixels. */
  readonly page: () => number;
  /** Scrolls down by a number of rows, including fractions; up if negative. */
  readonly move: (rows: number) => void;
}

/** Attachment: `{@attach scrolling({...})}`. */
export function scrolling({ row, page, move }: Scrolling): (element: HTMLElement) => () => void {
  return (element) => {
    /** Touch pointer that scrolls the list, and its last position. */
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

    // The browser would scroll the surroundings of the list.
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
