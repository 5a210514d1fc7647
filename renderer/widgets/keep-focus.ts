/**
 * Tells when nobody has the focus any more because what had it is gone, hidden or disabled: the keys of a pane, and what is spoken,
 * would begin again at the top of the page. Where a person takes it away by a click beside everything nothing is told.
 */
export function keepFocus(onlost: (from: Element | null) => void): () => void {
  /** The pane or dialog around it, which may stay. */
  function onfocusout({ target, relatedTarget }: FocusEvent): void {
    if (relatedTarget !== null || !(target instanceof HTMLElement)) return;
    const around = target.parentElement?.closest('[data-pane], dialog') ?? null;
    // Whoever took it away may hand it on: only what nobody has seen to is told.
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
