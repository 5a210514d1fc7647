/**
 * Places position-independent images where the trace records that their files were mapped. An image is placed only if every record agrees
 * with its segments and nothing else was mapped to its addresses; otherwise it stays where it was linked, and a notice says why. If
 * processes mapped the file at different addresses, the image is placed at each of them, so an address has one meaning.
 */
import path from 'node:path';
import type { ImageProgress } from '../../../shared/requests/requests.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import { toHex, type ByteOffset } from '../../../shared/base/units.ts';
import type { Mapping, MappingLines } from '../../../shared/format/format.ts';
import type { Image } from '../image/image.ts';
import { createImages, type Images } from '../image/images.ts';
import type { Source } from '../platform/source.ts';
import { answerInSlices } from '../threads/in-slices.ts';
import type { Task } from '../threads/task.ts';

/** A mapping of code, and the offset of its first line in the trace. */
interface Found extends Mapping {
  readonly at: number;
}

/** Returns true if the trace may say where an image is. */
export function needsPlace({ list }: Images): boolean {
  return list.some(({ movable }) => movable === true);
}

/**
 * Reads the whole trace in slices, so that other requests are served meanwhile, and reports how far that is. Fails if the trace cannot be
 * read, or with the cancellation of the task.
 */
export async function placeMapped(
  images: Images,
  source: Source,
  lines: MappingLines,
  task: Task<ImageProgress>,
): Promise<Result<Images>> {
  const image = images.list.find(({ movable }) => movable)?.path ?? '';
  const quietUntil = performance.now() + QUIET_MS;
  const mappings = await answerInSlices(findMappings(source, lines), task, (bytes) => {
    if (performance.now() < quietUntil) return;
    const totalBytes = source.size;
    task.progress(() => ({ image, part: 'mappings', bytes, totalBytes, bytesPerSecond: 0, secondsLeft: null }));
  });
  if (!mappings.ok) return mappings;
  return ok(
    createImages(images.list.flatMap((image) => (image.movable === true ? placesOf(image, mappings.value) : [image]))),
  );
}

/** Milliseconds before the first report of progress. */
const QUIET_MS = 500;
/** Bytes between two yields. A longer line is no mapping. */
const PIECE_BYTES = 1024 * 1024;
const LF = 10;

/** Returns the different mappings of code in the trace. Yields the offset that it has reached. */
function* findMappings(
  source: Source,
  { mark, read }: MappingLines,
): Generator<ByteOffset, Result<readonly Found[]>, undefined> {
  const found = new Map<string, Found>();
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  for (let from = 0; from < source.size;) {
    const length = source.read(from, piece, 0, Math.min(PIECE_BYTES, source.size - from));
    if (!length.ok) return length;
    const held = piece.subarray(0, length.value);
    const end = held.lastIndexOf(LF) + 1;
    for (let at = held.indexOf(mark); at >= 0 && at < end; at = held.indexOf(mark, at)) {
      const start = held.lastIndexOf(LF, at) + 1;
      const stop = held.indexOf(LF, at);
      const line = held.toString('utf8', start, stop).trimEnd();
      const mapping = read(line);
      const key = line.slice(line.indexOf(mark));
      if (mapping?.isCode === true && !found.has(key)) found.set(key, { ...mapping, at: from + start });
      at = stop;
      yield from + stop;
    }
    // A line that fills a piece is none of these. A last line without its end may be cut.
    if (from + held.length >= source.size) break;
    from += end > 0 ? end : held.length;
    yield from;
  }
  return ok([...found.values()]);
}

/** Returns the image at each of its addresses, or the image itself with a notice. */
function placesOf(image: Image, mappings: readonly Found[]): readonly Image[] {
  const own = sameFile(image.path, mappings);
  const [first] = own;
  if (first === undefined) return [image];
  const other = own.find(({ file, identity }) => file !== first.file || identity !== first.identity);
  if (other !== undefined)
    return [unplaced(image, `the trace maps two files of this name (bytes ${first.at} and ${other.at})`)];
  const places = new Map<bigint, Found>();
  for (const mapping of own) {
    const base = baseOf(image, mapping);
    if (base === undefined)
      return [unplaced(image, `the mapping at byte ${mapping.at} of the trace does not fit its segments`)];
    if (!places.has(base)) places.set(base, mapping);
  }
  const isOwn = new Set(own);
  for (const [base] of places) {
    const conflict = conflictWith(image, base, mappings, isOwn);
    if (conflict !== undefined)
      return [
        unplaced(image, `other code is mapped to the same addresses ${toHex(base)} (byte ${conflict.at} of the trace)`),
      ];
  }
  return [...places].map(([shift, { at }], i) => ({
    ...image,
    shift,
    mappedBy: at,
    notices: i === 0 ? image.notices : [],
  }));
}

/** Returns the mappings of an image's file: those with its path, or else with its name. */
function sameFile(image: string, mappings: readonly Found[]): readonly Found[] {
  const exact = mappings.filter(({ file }) => file === image);
  if (exact.length > 0) return exact;
  return mappings.filter(({ file }) => path.posix.basename(file) === path.basename(image));
}

function unplaced(image: Image, why: string): Image {
  const name = path.basename(image.path);
  const notice = `${image.path}: its load address is unknown, because ${why}; add its base, as in ${name}@0x555555554000`;
  return { ...image, notices: [...image.notices, notice] };
}

const PAGE = 4096n;

/**
 * Returns the load address by the segment that a mapping contains: the system maps whole pages, so a segment at offset p_offset of the file
 * and address p_vaddr is at base + p_vaddr (System V ABI, chapter 5). Undefined if no segment of code is there, or segments disagree.
 */
function baseOf({ segments }: Image, { address, offset, bytes }: Mapping): bigint | undefined {
  const bases = new Set(
    segments.flatMap(({ flags, address: linked, fileOffset, bytes: own }) => {
      if (flags?.includes('x') !== true || fileOffset === undefined) return [];
      const start = BigInt(fileOffset);
      const overlaps = offset < start + BigInt(own.length) && start < offset + bytes;
      return overlaps ? [address - (linked - start + offset)] : [];
    }),
  );
  const [base] = bases;
  return bases.size === 1 && base !== undefined && base >= 0n && base % PAGE === 0n ? base : undefined;
}

/** Returns a mapping of other code, or of this file at another base, within the addresses of a placed image. */
function conflictWith(
  image: Image,
  base: bigint,
  mappings: readonly Found[],
  own: ReadonlySet<Found>,
): Found | undefined {
  return mappings.find((mapping) => {
    const { address, bytes } = mapping;
    const isWithin = image.segments.some(
      (segment) => address < base + segment.address + segment.memory && base + segment.address < address + bytes,
    );
    return isWithin && !(own.has(mapping) && baseOf(image, mapping) === base);
  });
}
