/** Reads an image file into memory that threads share. Long work is done in pieces, between which its thread can be ended. */
import { createHash } from 'node:crypto';
import { BAD_IMAGE } from '../../../shared/requests/failures.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { openSource } from '../platform/source.ts';
import { UNREPORTED, type Report } from './image.ts';
import { sharedBytes } from './shared-memory.ts';

/** Size limit of an image file, in bytes. */
const MOST_BYTES = 1024 * 1024 * 1024;
const PIECE_BYTES = 16 * 1024 * 1024;

/** Fails with BAD_IMAGE and a sentence, or as the source fails. */
export function readWhole(path: string, report: Report = UNREPORTED): Result<Uint8Array> {
  const source = openSource(path);
  if (!source.ok && source.error.code === 'directory') {
    return fail(BAD_IMAGE, `${path}: this is a folder; choose a program image inside it`);
  }
  if (!source.ok) return source;
  const { size } = source.value;
  try {
    if (size === 0) return fail(BAD_IMAGE, `${path}: the image is empty; choose the program that ran`);
    if (size > MOST_BYTES) {
      return fail(
        BAD_IMAGE,
        `${path}: this image has ${size} bytes, and the limit is ${MOST_BYTES}; use a stripped image`,
      );
    }
    const bytes = sharedBytes(size);
    for (let at = 0; at < size;) {
      const read = source.value.read(at, bytes, at, Math.min(PIECE_BYTES, size - at));
      if (!read.ok) return read;
      if (read.value === 0) return ok(bytes.subarray(0, at));
      at += read.value;
      report('file', at, size);
    }
    return ok(bytes);
  } finally {
    source.value.close();
  }
}

/** Returns a function that computes the SHA-256 on first use. */
export function digestOf(bytes: Uint8Array): () => string {
  let digest: string | undefined;
  return () => (digest ??= compute());

  function compute(): string {
    const hash = createHash('sha256');
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) hash.update(bytes.subarray(at, at + PIECE_BYTES));
    return hash.digest('hex');
  }
}
