/** The options of every command. */
import type { ImagePlace } from '../../../shared/requests/requests.ts';
import { whole } from '../../../shared/requests/schema.ts';
import { assignments, flag, images, number, path, word, type Values } from './options.ts';

/** Options for reading a trace; commands without a trace do not show them in their help. */
const TRACE_OPTIONS = {
  format: word('ID', 'read the file in this format instead of detecting it (see `tracebench formats`)', 'a format id'),
  option: assignments('set an option of the format; repeatable'),
  image: images(
    'the program that ran: ELF, Intel HEX, S-record, raw bytes at BASE, or a list of symbols as nm prints it; repeatable; auto: the matching ELF file beside the trace',
  ),
  'raw-names': flag(
    'show symbols of the program as the linker knows them, such as _ZN3app4workEv instead of app::work()',
  ),
  'index-dir': path('DIR', 'keep the index there instead of in the cache folder'),
  jobs: number('N', whole(1, 256), 'decode with this many threads'),
  strict: flag('end with exit code 1 if anything in the trace could not be read'),
} as const;

export const GENERAL_OPTIONS = {
  json: flag('print JSON, for scripts'),
  quiet: flag('print no progress and no notices'),
  help: { ...flag('print this help'), short: 'h' },
} as const;

export const COMMON_OPTIONS = { ...TRACE_OPTIONS, ...GENERAL_OPTIONS } as const;

export type Common = Values<typeof COMMON_OPTIONS>;

/** Returns the images of a command, with the names that it asks for. */
export function imagesOf({ image, 'raw-names': rawNames }: Common): readonly ImagePlace[] | undefined {
  return rawNames === true ? image?.map((place) => ({ ...place, rawNames })) : image;
}

/** Returns true for `--image auto`, which names no file: the program is looked for beside the trace. `./auto` is a file. */
export function isAutomatic({ path, base, shift }: ImagePlace): boolean {
  return path === 'auto' && base === undefined && shift === undefined;
}
