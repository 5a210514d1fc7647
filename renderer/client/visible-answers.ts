/**
 * What a page may show of an answer: in answers that are only looked at, text of traces and images stands with nothing hidden in it.
 *
 * Paths, which outlive the page, what people wrote, and files that are handed on stay as they are. A name that was changed on its way in is changed back where
 * it is asked about.
 */
import type { RequestName } from '../../shared/requests/requests.ts';
import { createLru } from '../../shared/base/lru.ts';
import type { Result } from '../../shared/base/result.ts';
import { visible } from '../../shared/base/visible.ts';

export interface Shown {
  /** Changes it in place: it must be the caller's own. */
  readonly answer: (name: RequestName, answer: Result<unknown>) => void;
  readonly event: (name: RequestName, event: unknown) => void;
  /** What a text of an earlier answer stands for. */
  readonly origin: (text: string) => string;
}

/** Names that are remembered. */
const KEPT = 10_000;

export function createShown(): Shown {
  /** Text as it is shown -> what it stands for, where these differ. */
  const origins = createLru<string, string>(KEPT);

  function show(text: string): string {
    const clean = visible(text);
    if (clean !== text) origins.set(clean, text);
    return clean;
  }

  return {
    answer(name, answer) {
      if (!answer.ok) rewrite(answer.error, show);
      else if (LOOKED_AT.has(name)) rewrite(answer.value, show);
    },
    event(name, event) {
      if (LOOKED_AT.has(name)) rewrite(event, show);
    },
    origin: (text) => origins.get(text) ?? text,
  };
}

const LOOKED_AT: ReadonlySet<RequestName> = new Set<RequestName>([
  'detect',
  'preview',
  'images',
  'open',
  'info',
  'diagnostics',
  'records',
  'bytes',
  'names',
  'symbols',
  'symbolsNamed',
  'find',
  'findAll',
  'recordsAt',
  'registers',
  'access',
  'branches',
  'branchEvents',
  'captures',
  'captureFlow',
  'calls',
  'tree',
  'spans',
  'stack',
  'step',
  'between',
  'nextCall',
]);

/** Changes strings and keys inside a value of plain objects and arrays, but no paths; arrays of numbers are left alone. */
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
