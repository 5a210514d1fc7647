// Wheel and finger scroll a list by the same distance.
import { expect, test } from 'vitest';
import { scrolling } from '../../renderer/widgets/scrolling.ts';

function list() {
  const moves: number[] = [];
  const element = Object.assign(new EventTarget(), { style: { touchAction: '' } });
  const remove = scrolling({ row: 20, page: () => 400, move: (rows) => moves.push(rows) })(
    element as unknown as HTMLElement,
  );
  function send(type: string, fields: object): Event {
    const event = Object.assign(new Event(type, { cancelable: true }), { ctrlKey: false, ...fields });
    element.dispatchEvent(event);
    return event;
  }
  const touch = (type: string, clientY: number, fields: object = {}) =>
    send(type, { pointerId: 1, pointerType: 'touch', isPrimary: true, clientY, ...fields });
  return { moves, element, send, touch, remove };
}

test("scrolls by the wheel's unit, and not while Ctrl is pressed", () => {
  const { moves, send } = list();
  send('wheel', { deltaY: 5, deltaMode: 0 });
  send('wheel', { deltaY: -3, deltaMode: 1 });
  send('wheel', { deltaY: 1, deltaMode: 2 });
  const zoom = send('wheel', { deltaY: 100, deltaMode: 0, ctrlKey: true });
  expect([moves, zoom.defaultPrevented]).toEqual([[0.25, -3, 20], false]);
});

test('scrolls with one finger, but not with other pointers', () => {
  const { moves, element, send, touch } = list();
  expect(element.style.touchAction).toBe('pan-x pinch-zoom');
  touch('pointermove', 10);
  send('pointerdown', { pointerId: 2, pointerType: 'mouse', isPrimary: true, clientY: 0 });
  send('pointermove', { pointerId: 2, clientY: 50 });
  touch('pointerdown', 100);
  touch('pointermove', 90);
  touch('pointerdown', 300, { pointerId: 3, isPrimary: false });
  touch('pointermove', 400, { pointerId: 3 });
  touch('pointermove', 130);
  touch('pointerup', 130);
  touch('pointermove', 0);
  expect(moves).toEqual([0.5, -2]);
});
