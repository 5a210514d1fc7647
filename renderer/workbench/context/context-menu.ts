/**
 * Attachment that gives an element its context menu: `{@attach contextMenu(app, trace, factsOf)}`. It opens on a right click, and on
 * Shift+F10 or the menu key for what keyboard navigation is at. Text fields and selected text keep the menu of the browser.
 */
import type { Attachment } from 'svelte/attachments';
import type { Trace } from '../../trace/trace.svelte.ts';
import { rowText } from '../../widgets/copying.ts';
import type { Point } from '../../widgets/menu.ts';
import type { App } from '../app.ts';
import { itemsFor } from './actions.ts';
import type { Facts } from './facts.ts';

export interface MenuTarget {
  /** Element under the pointer; for the keyboard the active row, else the focused element. */
  readonly element: Element;
  /** Pointer in pixels from the corner of the element with the menu; null for the keyboard. */
  readonly point: Point | null;
}

export interface MenuFacts extends Facts {
  /** Where a menu for the keyboard opens, if not at the active row: an element, or pixels from the corner of the element with the menu. */
  readonly at?: Element | Point | null | undefined;
}

/** @param factsOf returns the facts about a thing, or undefined if there is none */
export function contextMenu(
  app: App,
  trace: Trace,
  factsOf: (target: MenuTarget) => MenuFacts | undefined,
): Attachment<HTMLElement> {
  return (host) => {
    /** Text was selected under the pointer before it was pressed: some systems select a word on a right click. */
    let isOnSelection = false;
    const open = (event: Event, pointer: Point | null, under: Element): void => {
      if (isTextField(under) || (pointer ? isOnSelection : isSelected(under))) return;
      event.preventDefault();
      event.stopPropagation();
      const element = pointer ? under : activeIn(host, under);
      const box = host.getBoundingClientRect();
      const facts = factsOf({ element, point: pointer && { x: pointer.x - box.left, y: pointer.y - box.top } });
      if (!facts) return;
      const row = element.closest('[role=row]');
      const text = facts.text ?? (row && host.contains(row) ? rowText(row) : undefined);
      const items = itemsFor(app, trace, text === undefined ? facts : { ...facts, text });
      if (items.length > 0) app.openMenu(pointer ?? placeFor(host, element, facts.at), facts.name, items);
    };
    const oncontextmenu = (event: MouseEvent): void => {
      const { target, clientX, clientY } = event;
      if (target instanceof Element) open(event, { x: clientX, y: clientY }, target);
    };
    // The keys are handled here, because not every system opens a context menu with them.
    const onkeydown = (event: KeyboardEvent): void => {
      if (isMenuKey(event) && event.target instanceof Element) open(event, null, event.target);
    };
    const onpointerdown = ({ target }: PointerEvent): void => {
      isOnSelection = target instanceof Element && isSelected(target);
    };
    host.addEventListener('pointerdown', onpointerdown, { capture: true });
    host.addEventListener('contextmenu', oncontextmenu);
    host.addEventListener('keydown', onkeydown);
    return () => {
      host.removeEventListener('pointerdown', onpointerdown, { capture: true });
      host.removeEventListener('contextmenu', oncontextmenu);
      host.removeEventListener('keydown', onkeydown);
    };
  };
}

function isMenuKey({ key, shiftKey, ctrlKey, altKey, metaKey }: KeyboardEvent): boolean {
  return !ctrlKey && !altKey && !metaKey && (key === 'ContextMenu' || (key === 'F10' && shiftKey));
}

function isTextField(target: Element): boolean {
  return target.closest('input, textarea, select, [contenteditable]') !== null;
}

function isSelected(target: Element): boolean {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(target, true);
}

/** Returns the element that keyboard navigation is at: the active row, else the first one; without rows the focused element. */
function activeIn(host: HTMLElement, focused: Element): Element {
  const active = document.getElementById(focused.getAttribute('aria-activedescendant') ?? '');
  return active ?? (focused === host ? host.querySelector(FIRST_ROW) : null) ?? focused;
}

const FIRST_ROW = '[role=row]:not(:has([role=columnheader]))';

/** Returns the place in the window where a menu for the keyboard opens. */
function placeFor(host: HTMLElement, active: Element, at: MenuFacts['at']): Point {
  const outer = host.getBoundingClientRect();
  if (at && !(at instanceof Element)) return { x: outer.left + at.x, y: outer.top + at.y };
  const element = at ?? active;
  const box = element.getBoundingClientRect();
  if (element !== host) return { x: Math.max(box.left, outer.left), y: box.bottom };
  return { x: outer.left + outer.width / 2, y: outer.top + outer.height / 2 };
}
