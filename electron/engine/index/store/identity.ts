/** Which index belongs to a trace: a key made of what the file is and how it is read, never of where it lies. */
import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Decoder } from '../../../../shared/format/format.ts';
import type { Result } from '../../../../shared/base/result.ts';
import { ok } from '../../../../shared/base/result.ts';
import { homeDirectory } from '../../platform/home.ts';
import { identify } from '../../platform/file-identity.ts';
import type { Source } from '../../platform/source.ts';

/** Raised whenever decoders or rows change what an index says: older files are then built again. */
const INDEX_VERSION = 51;

/** Size, modification time, bytes from all over the file, format with its settings, and the version of the index. */
export function indexKey(source: Source, decoder: Decoder, blockBytes: number): Result<string> {
  const hash = createHash('sha256');
  const settings = Object.entries(decoder.settings).sort(([a], [b]) => (a < b ? -1 : 1));
  hash.update(
    JSON.stringify([
      INDEX_VERSION,
      source.size,
      source.modified,
      decoder.format.id,
      decoder.dialect ?? '',
      settings,
      blockBytes,
    ]),
  );
  const content = identify(source, source.size);
  if (!content.ok) return content;
  hash.update(content.value.probe);
  return ok(hash.digest('hex').slice(0, 32));
}

/** Days after which large files in this folder that nobody opened may be removed: expansions and slices of bundles. */
export const KEPT_DAYS = 30;

/** The user's cache folder for indexes, as each platform has it. */
export function defaultIndexDirectory(): string {
  if (process.platform === 'win32') {
    return path.join(
      process.env['LOCALAPPDATA'] ?? path.join(homeDirectory(), 'AppData', 'Local'),
      'Tracebench',
      'Index',
    );
  }
  if (process.platform === 'darwin') return path.join(homeDirectory(), 'Library', 'Caches', 'Tracebench');
  const cache = process.env['XDG_CACHE_HOME'];
  return path.join(
    cache !== undefined && path.isAbsolute(cache) ? cache : path.join(homeDirectory(), '.cache'),
    'tracebench',
  );
}
