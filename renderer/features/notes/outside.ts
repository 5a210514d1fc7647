/** What notes ask of the page around them: whether somebody sees it, and a place for what is typed while it is loaded anew. */
import type { Outside } from '../../trace/notes/notes.svelte.ts';
import { load, save } from '../../trace/persisted.ts';
import { isTyped, type Typed } from './typed-note.ts';

/** @param path of the trace */
export function outsideOf(path: string): Outside {
  const key = `typing.${path}`;
  return {
    sight: {
      now: () => document.visibilityState === 'visible',
      onchange(heed) {
        document.addEventListener('visibilitychange', heed);
        return () => document.removeEventListener('visibilitychange', heed);
      },
    },
    keeping: {
      load: () => load(sessionStorage, key, isTypedOrNothing, null),
      save: (typed) => save(sessionStorage, key, typed),
    },
  };
}

function isTypedOrNothing(value: unknown): value is Typed | null {
  return value === null || isTyped(value);
}
