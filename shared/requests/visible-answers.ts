/**
 * Makes hidden characters visible in answers and events before a person sees them. Each request's definition says whether its text is
 * `raw`; all other text comes from traces and images. Fields named `path` are kept, because they identify files.
 */
import { createLru } from '../base/lru.ts';
import type { Result } from '../base/result.ts';
import { visible } from '../base/visible.ts';
import type { RequestDefinition } from './request.ts';
import { REQUESTS, type RequestName } from './requests.ts';

export interface VisibleAnswers {
  /** Rewrites the answer in place; the caller must own it. */
  readonly answer: (name: RequestName, answer: Result<unknown>) => void;
  /** Rewrites the event in place; the caller must own it. */
  readonly event: (name: RequestName, event: unknown) => void;
  /** Returns arguments with the originals of texts from earlier answers. */
  readonly originals: <T extends object>(args: T) => T;
}

/** Number of rewritten texts whose originals are remembered. */
const REMEMBERED = 10_000;

export function createVisibleAnswers(): VisibleAnswers {
  /** Maps rewritten texts to their originals. */
  const origins = createLru<string, string>(REMEMBERED);
  let hasChanged = false;

  function show(text: string): string {
    const shown = visible(text);
    if (shown === text) return text;
    hasChanged = true;
    origins.set(shown, text);
    return shown;
  }

  return {
    answer(name, answer) {
      if (!answer.ok) rewrite(answer.error, show);
      else if (!isRaw(name)) rewrite(answer.value, show);
    },
    event(name, event) {
      if (!isRaw(name)) rewrite(event, show);
    },
    originals<T extends object>(args: T): T {
      const original = (_: string, value: unknown) =>
        typeof value === 'string' ? (origins.get(value) ?? value) : value;
      return !hasChanged ? args : (JSON.parse(JSON.stringify(args, original)) as T);
    },
  };
}

function isRaw(name: RequestName): boolean {
  const definition: RequestDefinition = REQUESTS[name];
  return definition.text === 'raw';
}

/** Changes strings and keys inside plain objects and arrays, except fields named `path`. Typed arrays are skipped. */
function rewrite(value: unknown, change: (text: string) => string): void {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  const holder = value as Record<string, unknown>;
  for (const key of Object.keys(holder)) {
    if (key === 'path') continue;
    const inner = holder[key];
    const name = Array.isArray(value) ? key : change(key);
    if (name !== key) Reflect.deleteProperty(holder, key);
    if (typeof inner === 'string') holder[name] = change(inner);
    else {
      if (name !== key) holder[name] = inner;
      rewrite(inner, change);
    }
  }
}
