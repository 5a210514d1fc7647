/**
 * Keeps beside the indexes which format was chosen for a file: rating its head by every format takes longer than most questions. The choice
 * depends on the head, the size, the arguments and the program alone. A digest of the first three is the name under which it is kept, and
 * another program replaces it.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { crc32 } from 'node:zlib';
import type { FormatFacts, OpenArguments } from '../../../shared/requests/requests.ts';
import type { Head } from '../../../shared/format/format.ts';
import { PRIVATE } from '../platform/private-files.ts';

export type Chosen = Omit<FormatFacts, 'dialect'>;

export interface KnownFormat {
  /** Undefined if the choice was not made before by this very program. */
  readonly choice: Chosen | undefined;
  /** Does nothing if the folder does not exist or cannot be written. */
  keep(chosen: Chosen): void;
}

/** `folder`: that of the indexes. */
export function knownFormat(
  folder: string,
  { bytes, size }: Head,
  { format, options = {} }: Pick<OpenArguments, 'format' | 'options'>,
): KnownFormat {
  // Sources change one by one: nothing is kept.
  if (import.meta.url.endsWith('.ts')) return { choice: undefined, keep: () => undefined };
  const hash = createHash('sha256');
  hash.update(JSON.stringify([size, format ?? '', Object.entries(options).sort()]));
  const file = path.join(folder, `${hash.update(bytes).digest('hex').slice(0, 32)}.format`);
  return {
    choice: readChoice(file),
    keep(chosen) {
      const text = JSON.stringify({ program: program(), chosen } satisfies Kept);
      const unfinished = `${file}.${String(process.pid)}.unfinished`;
      try {
        fs.writeFileSync(unfinished, `${String(crc32(text))} ${text}`, { mode: PRIVATE });
        fs.renameSync(unfinished, file);
      } catch (error) {
        if (!(error instanceof Error && 'code' in error)) throw error;
      }
    },
  };
}

interface Kept {
  readonly program: number;
  readonly chosen: Chosen;
}

let own: number | undefined;

/** A checksum of this bundle, which contains all formats. */
function program(): number {
  own ??= crc32(fs.readFileSync(fileURLToPath(import.meta.url)));
  return own;
}

/** Returns undefined if there is no such file, if it is damaged, or if another program wrote it. */
function readChoice(file: string): Chosen | undefined {
  try {
    const kept = fs.readFileSync(file, 'utf8');
    const text = kept.slice(kept.indexOf(' ') + 1);
    if (kept !== `${String(crc32(text))} ${text}`) return undefined;
    const { program: writer, chosen } = JSON.parse(text) as Kept;
    return writer === program() ? chosen : undefined;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return undefined;
  }
}
