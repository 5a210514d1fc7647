/** Keeps the note that is being typed in the session storage, so that a reload of the page does not lose it. */
import { load, save } from '../../trace/persisted.ts';
import { isTyped, type Typed } from './typed-note.ts';
import type { TypingStorage } from './typing.svelte.ts';

/** @param path path of the trace */
export function typingStorage(path: string): TypingStorage {
  const key = `typing.${path}`;
  return {
    load: () => load(sessionStorage, key, isTypedOrNull, null),
    save: (typed) => save(sessionStorage, key, typed),
  };
}

function isTypedOrNull(value: unknown): value is Typed | null {
  return value === null || isTyped(value);
}
