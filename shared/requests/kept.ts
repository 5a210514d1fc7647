/** Requests about what a person left: traces with their images and views, and settings of the page. The host keeps both. */
import { request, type } from './request.ts';
import {
  finite,
  flag,
  object,
  oneOf,
  optional,
  partOfFile,
  path,
  record,
  text,
  texts,
  type Checked,
} from './schema.ts';
import { sourceFolders, sourceMaps } from './source/source.ts';
import { formatSettings, images } from './trace.ts';

/** How a trace was opened, and the view that was left. */
const left = {
  path,
  /** Format that the person chose; absent if it is detected. */
  format: optional(text(100)),
  options: optional(formatSettings),
  images: optional(images),
  /** Where source files are searched for. */
  folders: optional(sourceFolders),
  maps: optional(sourceMaps),
  /** The view as JSON, which the page writes and checks. It is a few hundred characters long unless a long search was typed. */
  view: optional(text(60_000)),
  /** An evidence bundle, which is kept by its path alone. */
  bundle: optional(flag),
} as const;

/** Largest number of named layouts. */
export const MOST_LAYOUTS = 50;

const settings = {
  theme: optional(oneOf(['dark', 'light'])),
  /** Single-character keys run commands. */
  singleKeys: optional(flag),
  /** Keys that the person chose, by the command's id. */
  keys: optional(texts(500, text(40), 'must be an object of keys')),
  /** Named layouts as JSON, which the page writes and checks. */
  layouts: optional(texts(MOST_LAYOUTS, text(10_000), 'must be an object of layouts')),
  /** The person has seen or left the tour. */
  tourSeen: optional(flag),
} as const;

const trace = partOfFile({
  ...left,
  /** Size and modification time in milliseconds of the trace when it was left. */
  bytes: record,
  modified: finite,
  /** Time when it was left, in milliseconds. */
  at: finite,
});
export type LeftTrace = Checked<typeof trace>;

/** Content of the file about a trace, and of the file of settings. */
export const traceFile = partOfFile({ version: oneOf([1]), trace });
export const settingsFile = partOfFile({ version: oneOf([1]), settings: partOfFile(settings) });

/** Sample traces, by what they show. */
export const SAMPLES = ['who-wrote-this', 'follow-the-calls', 'pentium-bus'] as const;

/** Number of traces that are kept; the oldest are forgotten. */
export const MOST_KEPT = 50;

export const KEPT_REQUESTS = {
  /**
   * Settings, and the traces that were left, the newest first: all, or only the one at `path`. With `settingsOnly` there are no traces,
   * and so no file of a network drive is waited for.
   */
  kept: request({
    arguments: object({ path: optional(path), settingsOnly: optional(flag) }),
    answer: type<Kept>(),
    text: 'raw',
  }),
  /** Keeps how a trace was opened and its view, in place of what was kept before. A page sends the newest view again itself. */
  keepTrace: request({ arguments: object(left), answer: type<Record<string, never>>(), once: true }),
  /** Removes a trace from what is kept. The trace itself stays. */
  forgetTrace: request({ arguments: object({ path }), answer: type<Record<string, never>>() }),
  /** Makes a sample trace in the cache folder, unless it is there, for a person who has none yet. The page may then open it. */
  makeSample: request({ arguments: object({ sample: oneOf(SAMPLES) }), answer: type<{ readonly path: string }>() }),
  /** Changes the settings that are given. */
  keepSettings: request({ arguments: object(settings), answer: type<Record<string, never>>() }),
} as const;

export type KeptSettings = Checked<typeof KEPT_REQUESTS.keepSettings.arguments>;

export interface Kept {
  readonly settings: KeptSettings;
  readonly traces: readonly KeptTrace[];
  /** Sentences about damaged files, each once. */
  readonly problems: readonly string[];
}

export interface KeptTrace extends LeftTrace {
  /** `changed`: another size or time than when it was left. `missing`: there is no such file, or it cannot be reached. */
  readonly state: 'same' | 'changed' | 'missing';
  /** Why this page may not open it, and what to do; absent if it may. */
  readonly refused?: string;
}
