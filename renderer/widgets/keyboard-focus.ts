/**
 * Whether an element was focused with the keyboard: then its arrows walk it. One that was merely clicked leaves them to
 * the commands, so that a click on a chart and Down go to the next record.
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
    const focus = (): void => change(!pressed);
    // A focused element that is taken off the page loses the focus while the page is being updated.
    const blur = (): void => untrack(() => change(false));
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

/** Focuses an element as the keyboard would, also when it has the focus already. */
export function focusByKeyboard(element: HTMLElement | undefined): void {
  element?.blur();
  element?.focus();
}
