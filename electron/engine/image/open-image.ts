/** Opens image files: THE LIST of readers, and raw bytes for what none of them recognises. */
import { resolve } from 'node:path';
import { BAD_IMAGE } from '../../../shared/requests/failures.ts';
import type { ImagePlace } from '../../../shared/requests/requests.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { elfImage } from './elf/elf-image.ts';
import { intelHex } from './hex/intel-hex.ts';
import { sRecords } from './hex/s-records.ts';
import { UNREPORTED, type Image, type ImageContent, type ImageReader, type Report } from './image.ts';
import { readRawImage } from './raw-image.ts';
import { digestOf, readWhole } from './read-whole.ts';
import { symbolList } from './symbol-list.ts';
import { unreadImage } from './unread-images.ts';

const READERS: readonly ImageReader[] = [elfImage, intelHex, sRecords, symbolList];

/** Reads an image. Fails with BAD_IMAGE and a sentence, or as the source fails. */
export function openImage(place: ImagePlace, report: Report = UNREPORTED): Result<Image> {
  const file = readWhole(place.path, report);
  if (!file.ok) return file;
  const bytes = file.value;
  const reader = READERS.find((candidate) => candidate.recognises(bytes));
  const content = reader?.read(bytes, place, report) ?? readOther(bytes, place);
  if (!content.ok) return content;
  return ok({
    ...content.value,
    path: resolve(place.path),
    ...(place.rawNames === true && { rawNames: true as const }),
    size: bytes.length,
    digest: digestOf(bytes),
  });
}

function readOther(bytes: Uint8Array, { path, base }: ImagePlace): Result<ImageContent> {
  const unread = unreadImage(bytes);
  if (unread !== undefined) return fail(BAD_IMAGE, `${path}: ${unread}`);
  if (base !== undefined) return readRawImage(bytes, path, BigInt(base));
  return fail(
    BAD_IMAGE,
    `${path}: this is neither an ELF, Intel HEX or S-record file nor a list of symbols as nm prints it; for raw bytes, add their base, as in ${path}@0x8000`,
  );
}
