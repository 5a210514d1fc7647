/** Reads an image file into memory. */
import { createHash } from 'node:crypto';
import { BAD_IMAGE } from '../../../shared/requests/failures.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { openSource } from '../platform/source.ts';

/** Size limit of an image file, in bytes. */
const MOST_BYTES = 1024 * 1024 * 1024;

/** Fails with BAD_IMAGE and a sentence, or as the source fails. */
export function readWhole(path: string): Result<Uint8Array> {
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
    const bytes = new Uint8Array(size);
    const read = source.value.read(0, bytes, 0, size);
    return read.ok ? ok(bytes.subarray(0, read.value)) : read;
  } finally {
    source.value.close();
  }
}

/** Returns a function that computes the SHA-256 on first use. */
export function digestOf(bytes: Uint8Array): () => string {
  let digest: string | undefined;
  return () => (digest ??= createHash('sha256').update(bytes).digest('hex'));
}
