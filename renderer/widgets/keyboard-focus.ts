/**
 * Reports whether an element was focused by keyboard. The arrow keys then move within the element. After a click they belong to the
 * page's commands, so that Down goes to the next record.
 */
import { untrack } from 'svelte';

export function keyboardFocus(change: (isByKeyboard: boolean) => void): (element: HTMLElement) => () => void {
  return (element) => {
    let pressed = false;
    const down = (): void => {
      pressed = true;
      change(false);
    };
    const up = (): void => {
      pressed = false;
    };
    const focus = ({ relatedTarget }: FocusEvent): void => {
      if (!isInMenu(relatedTarget)) change(!pressed);
    };
    // Removing a focused element blurs it while the page is being updated.
    const blur = ({ relatedTarget }: FocusEvent): void => {
      if (!isInMenu(relatedTarget)) untrack(() => change(false));
    };
    element.addEventListener('pointerdown', down);
    element.addEventListener('focus', focus);
    element.addEventListener('blur', blur);
    window.addEventListener('pointerup', up);
    window.addEventListener('pointercancel', up);
    return () => {
      element.removeEventListener('pointerdown', down);
      element.removeEventListener('focus', focus);
      element.removeEventListener('blur', blur);
      window.removeEventListener('pointerup', up);
      window.removeEventListener('pointercancel', up);
    };
  };
}

/** A menu returns the focus that it took, so nothing has changed for the element. */
function isInMenu(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[role=menu]') !== null;
}

/** Focuses an element as the keyboard does, even if it has the focus already. */
export function focusByKeyboard(element: HTMLElement | undefined): void {
  element?.blur();
  element?.focus();
}
