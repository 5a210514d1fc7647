/** The options that every command takes. */
import { assignments, count, flag, images, path, word } from './options.ts';
import type { Values } from './command.ts';

/** How a trace is read: of no use to commands that have none, and not in their help. */
const TRACE_OPTIONS = {
  format: word('ID', 'read the file as this format instead of detecting it (see `tracebench formats`)', 'a format id'),
  option: assignments('set an option of the format; repeatable'),
  image: images('what ran: ELF, raw bytes at BASE, or a list of symbols as nm prints it; repeatable'),
  'index-dir': path('DIR', 'keep the index there instead of in the cache folder'),
  jobs: count('N', 1, 256, 'decode with this many threads'),
  strict: flag('end with exit code 1 when anything in the trace could not be read'),
} as const;

export const GENERAL_OPTIONS = {
  json: flag('print JSON, for scripts'),
  quiet: flag('print no progress and no notices'),
  help: { ...flag('print this help'), short: 'h' },
} as const;

export const COMMON_OPTIONS = { ...TRACE_OPTIONS, ...GENERAL_OPTIONS } as const;

export type Common = Values<typeof COMMON_OPTIONS>;
