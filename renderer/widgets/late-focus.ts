/**
 * Fulfils wishes for the focus that come before the thing to focus is there: once it is, unless a person has moved the focus
 * elsewhere meanwhile.
 */
export interface LateFocus {
  /** To be called whenever the wish, by its number, or the thing changes; `give` focuses it. */
  readonly wish: (at: number, give: (() => void) | undefined) => void;
}

export function lateFocus(): LateFocus {
  let fulfilled = 0;
  let seen = 0;
  let from: Element | null = null;
  return {
    wish(at, give) {
      if (at === fulfilled) return;
      if (at !== seen) {
        seen = at;
        from = document.activeElement;
      }
      if (!give) return;
      fulfilled = at;
      const now = document.activeElement;
      if (now === from || now === null || now === document.body) give();
    },
  };
}
