import type { Visibility } from './notebook.svelte.ts';

/** Reports whether the page is in front, and calls back when that changes. */
export const pageVisibility: Visibility = {
  isVisible: () => document.visibilityState === 'visible',
  onChange(callback) {
    document.addEventListener('visibilitychange', callback);
    return () => document.removeEventListener('visibilitychange', callback);
  },
};
