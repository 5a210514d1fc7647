/** Drag and click gestures for charts, borders and scroll bars, with any pointing device. */
export interface Point {
  /** Distance in pixels from the element's left and top edge. */
  readonly x: number;
  readonly y: number;
}

export interface DragHandlers {
  /** False refuses the gesture. */
  start?(point: Point, event: PointerEvent): boolean | undefined;
  /** Called once the pointer has moved too far for a click. */
  move(point: Point, begin: Point, event: PointerEvent): void;
  end?(point: Point, begin: Point, event: PointerEvent): void;
  /** The pointer was released where it was pressed. */
  click?(point: Point, event: PointerEvent): void;
  /** The browser cancelled the gesture. */
  cancel?(): void;
}

/** Distance in pixels that the pointer may move during a click. */
const CLICK_DISTANCE = 3;

/** Attachment: `{@attach drag(handlers)}`. */
export function drag(handlers: DragHandlers): (element: HTMLElement) => () => void {
  return (element) => {
    let begin: Point | undefined;
    let moving = false;

    const pointOf = (event: PointerEvent): Point => {
      const box = element.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    const down = (event: PointerEvent): void => {
      if (event.button !== 0) return;
      const point = pointOf(event);
      if (handlers.start?.(point, event) === false) return;
      begin = point;
      moving = false;
      element.setPointerCapture(event.pointerId);
    };
    const move = (event: PointerEvent): void => {
      if (!begin) return;
      const point = pointOf(event);
      if (!moving && Math.hypot(point.x - begin.x, point.y - begin.y) <= CLICK_DISTANCE) return;
      moving = true;
      handlers.move(point, begin, event);
    };
    const up = (event: PointerEvent): void => {
      if (!begin) return;
      const from = begin;
      begin = undefined;
      if (moving) handlers.end?.(pointOf(event), from, event);
      else handlers.click?.(pointOf(event), event);
    };
    const cancel = (): void => {
      if (begin) handlers.cancel?.();
      begin = undefined;
    };
    element.addEventListener('pointerdown', down);
    element.addEventListener('pointermove', move);
    element.addEventListener('pointerup', up);
    element.addEventListener('pointercancel', cancel);
    return () => {
      element.removeEventListener('pointerdown', down);
      element.removeEventListener('pointermove', move);
      element.removeEventListener('pointerup', up);
      element.removeEventListener('pointercancel', cancel);
    };
  };
}
