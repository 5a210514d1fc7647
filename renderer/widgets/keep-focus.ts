/**
 * Calls back when the focus is lost because the focused element was removed, hidden or disabled: keyboard and screen reader would
 * start again at the top of the page. A click on the background does not count as a loss.
 *
 * @param onlost receives the pane or dialog around the element, which may still exist
 */
export function keepFocus(onlost: (from: Element | null) => void): () => void {
  function onfocusout({ target, relatedTarget }: FocusEvent): void {
    if (relatedTarget !== null || !(target instanceof HTMLElement)) return;
    const around = target.parentElement?.closest('[data-pane], dialog') ?? null;
    // The code that removed the element may focus another one first.
    setTimeout(() => {
      if (document.activeElement === document.body && !canHaveFocus(target)) onlost(around);
    });
  }
  document.addEventListener('focusout', onfocusout);
  return () => document.removeEventListener('focusout', onfocusout);
}

function canHaveFocus(element: HTMLElement): boolean {
  return element.isConnected && element.checkVisibility() && !element.matches(':disabled');
}
