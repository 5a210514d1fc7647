/** Opens image files: THE LIST of readers, and raw bytes for what none of them recognises. */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { BAD_IMAGE } from '../../../shared/requests/failures.ts';
import type { ImagePlace } from '../../../shared/requests/requests.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { openSource } from '../platform/source.ts';
import { elfImage } from './elf/elf-image.ts';
import { intelHex } from './hex/intel-hex.ts';
import { sRecords } from './hex/s-records.ts';
import type { Image, ImageReader } from './image.ts';
import { readRawImage } from './raw-image.ts';
import { symbolList } from './symbol-list.ts';

const READERS: readonly ImageReader[] = [elfImage, intelHex, sRecords, symbolList];

/** Size limit of an image file, in bytes. */
const MOST_BYTES = 1024 * 1024 * 1024;

/** Reads an image. Fails with BAD_IMAGE and a sentence, or as the source fails. */
export function openImage(place: ImagePlace): Result<Image> {
  const file = readWhole(place.path);
  if (!file.ok) return file;
  const bytes = file.value;
  const reader = READERS.find((candidate) => candidate.recognises(bytes));
  const content =
    reader?.read(bytes, place) ??
    (place.base === undefined
      ? fail(
          BAD_IMAGE,
          `${place.path}: this is neither an ELF, Intel HEX or S-record file nor a list of symbols as nm prints it; for raw bytes, add their base, as in ${place.path}@0x8000`,
        )
      : readRawImage(bytes, place.path, BigInt(place.base)));
  if (!content.ok) return content;
  return ok({ ...content.value, path: resolve(place.path), size: bytes.length, digest: digestOf(bytes) });
}

function readWhole(path: string): Result<Uint8Array> {
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

function digestOf(bytes: Uint8Array): () => string {
  let digest: string | undefined;
  return () => (digest ??= createHash('sha256').update(bytes).digest('hex'));
}
