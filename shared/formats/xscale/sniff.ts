/**
 * Detects XScale trace buffers and their container.
 *
 * There is no magic number. Five in eight random bytes are messages, so many entries without a reserved byte are no coincidence. Text
 * read as a buffer has exceptions, but no branches.
 */
import { u32BigEndian, u32LittleEndian } from '../../base/bytes.ts';
import { LF } from '../../base/characters.ts';
import type { Claim, Head, Window } from '../../format/format.ts';
import { isText } from '../../format/heads.ts';
import { entriesOf } from '../../xscale/buffer.ts';
import { BUFFER_BYTES, isBranch, isIndirect, MESSAGE, MESSAGE_OF } from '../../xscale/messages.ts';
import type { Container } from './capture.ts';
import { rawContainer, wordContainer } from './fixed.ts';
import { scanHex } from './hex.ts';
import { OPENOCD_HEADER, openocdCapture } from './openocd.ts';
import type { Dialect } from './options.ts';
import { createFindSlip } from './slip.ts';

/** Largest number of buffers that are judged: some thousand entries are enough. */
const MOST_BUFFERS = 32;
const WORD = 4;
const CHECKPOINTS = 2 * WORD;

export function sniffXscale(head: Head, named = false): Claim | undefined {
  const { bytes, size } = head;
  if (bytes.length === 0) return undefined;
  if (isText(bytes)) return hexClaim(head) ?? (named ? NO_DIGITS : undefined);
  const mayBeWords = holdsSmallWords(bytes);
  const claims = [
    openocdClaim(head),
    mayBeWords ? wordsClaim(head, 'words-checkpoints') : undefined,
    mayBeWords ? wordsClaim(head, 'words') : undefined,
    size % (BUFFER_BYTES + CHECKPOINTS) === 0 ? rawClaim(head, 'checkpoints') : undefined,
    rawClaim(head, 'raw'),
  ];
  const best = claims.reduce((best, claim) => ((claim?.confidence ?? 0) > (best?.confidence ?? 0) ? claim : best));
  return best ?? oneBufferClaim(head);
}

/** Reading of text without bytes in hexadecimal digits, if the user named the format. */
const NO_DIGITS: Claim = { confidence: 0.05, dialect: 'hex', options: {}, reasons: ['it is text'] };

/** Claims a single buffer without entries to judge, with a low confidence. */
function oneBufferClaim({ bytes, size }: Head): Claim | undefined {
  if (size !== BUFFER_BYTES) return undefined;
  const empty = bytes.every((byte) => byte === 0);
  const reversed = bytes[BUFFER_BYTES - 1] === 0 && isBranch(MESSAGE_OF[bytes[0]!]!);
  if (!empty && !reversed) return undefined;
  const why = empty
    ? 'it has 256 bytes, all zero, as a trace buffer of the XScale has that nothing was traced into'
    : 'it has 256 bytes that begin with a message of the XScale and end in zeros, as a trace buffer stored newest first';
  return { confidence: 0.3, dialect: 'raw', options: {}, reasons: [why] };
}

interface Judgement {
  entries: number;
  reserved: number;
  branches: number;
  /** Number of entries that are neither branches nor roll-overs. */
  others: number;
  /** Numbers of the 4 KiB pages of targets. */
  readonly pages: Set<number>;
}

function judge(buffers: readonly Uint8Array[]): Judgement {
  const seen: Judgement = {
    entries: 0,
    reserved: 0,
    branches: 0,
    others: 0,
    pages: new Set(),
  };
  for (const buffer of buffers) {
    if (buffer.every((byte) => byte === 0)) continue;
    const entries = entriesOf(buffer);
    if (entries.length === 0) {
      seen.entries += 16;
      seen.reserved += 16;
    }
    for (const { byte, target } of entries) {
      const message = MESSAGE_OF[byte]!;
      seen.entries++;
      if (message === MESSAGE.reserved) seen.reserved++;
      else if (isBranch(message)) seen.branches++;
      else if (message !== MESSAGE.rollOver) seen.others++;
      if (isIndirect(message) && target !== undefined) seen.pages.add(target >>> 12);
    }
  }
  return seen;
}

/** Returns the confidence: high if all entries are messages, most are branches, and there are enough of them. */
function confidence({ entries, reserved, branches, others }: Judgement): number {
  if (entries === 0 || branches === 0) return 0;
  const legal = (1 - reserved / entries) ** 4;
  const many = Math.min(1, 0.6 + entries / 40);
  const flow = branches >= others ? 1 : 0.4;
  return 0.95 * legal * many * flow;
}

/** Lower weights occur by chance: five in eight random bytes are messages. */
const LEAST_CLAIM = 0.25;

function claimOf(
  dialect: Dialect,
  seen: Judgement,
  sure: number,
  options: Readonly<Record<string, string>>,
  reasons: readonly string[],
): Claim | undefined {
  const weight = confidence(seen) * sure;
  if (weight < LEAST_CLAIM) return undefined;
  const good = seen.entries - seen.reserved;
  return {
    confidence: weight,
    dialect,
    options,
    reasons: [
      `${String(good)} of ${String(seen.entries)} entries at the start are messages of the trace buffer, read from the end of each buffer`,
      ...reasons,
      ...(seen.entries < 16 ? ['there are few entries to judge from'] : []),
    ],
  };
}

function rawClaim({ bytes, size }: Head, dialect: 'raw' | 'checkpoints'): Claim | undefined {
  const unit = BUFFER_BYTES + (dialect === 'checkpoints' ? CHECKPOINTS : 0);
  const places = placesOf(bytes, rawContainer(dialect === 'checkpoints', 'auto'));
  if (places.length === 0) return undefined;
  const seen = judge(places.map((at) => bytes.subarray(at, at + BUFFER_BYTES)));
  const whole = size % unit === 0;
  if (dialect === 'checkpoints') {
    const little = littleCheckpoints(bytes, places, seen.pages);
    // If both lengths fit, the wrong one meets reserved bytes.
    return claimOf(dialect, seen, 0.99, { endian: little ? 'little' : 'big' }, [
      `the length is a multiple of ${String(unit)}: 256 bytes and two checkpoint registers each`,
      `the checkpoint registers look like addresses of code in ${little ? 'little' : 'big'}-endian order`,
    ]);
  }
  return claimOf(dialect, seen, whole ? 1 : 0.8, {}, [
    whole ? 'the length is a multiple of 256' : 'the last buffer is not whole',
  ]);
}

function wordsClaim({ bytes, size }: Head, dialect: 'words' | 'words-checkpoints'): Claim | undefined {
  const words = BUFFER_BYTES * WORD;
  const unit = words + (dialect === 'words-checkpoints' ? CHECKPOINTS : 0);
  const places = placesOf(bytes, wordContainer(dialect === 'words-checkpoints', 'auto'));
  if (places.length === 0 || (size % unit !== 0 && places.length < 2)) return undefined;
  const parts = places.map((at) => bytes.subarray(at, at + words));
  // In the wrong byte order a buffer with few entries also has few words above 255, but no entries.
  const claims = [true, false].map((little) => {
    const low = little ? 0 : WORD - 1;
    if (!areBytes(parts, low)) return undefined;
    const seen = judge(parts.map((part) => Uint8Array.from({ length: BUFFER_BYTES }, (_, i) => part[WORD * i + low]!)));
    return claimOf(dialect, seen, size % unit === 0 ? 1 : 0.8, { endian: little ? 'little' : 'big' }, [
      `the words are below 256 in ${little ? 'little' : 'big'}-endian order`,
      size % unit === 0 ? `the length is a multiple of ${String(unit)}` : 'the last buffer is not whole',
    ]);
  });
  return claims[0] ?? claims[1];
}

/**
 * Returns true if any stretch as long as a buffer of words has as many zeros as `areBytes` requires, at any alignment. Other files need not
 * be aligned first, which takes much longer.
 */
function holdsSmallWords(bytes: Uint8Array): boolean {
  const length = BUFFER_BYTES * WORD;
  const least = (WORD - 1) * (BUFFER_BYTES - Math.floor(BUFFER_BYTES / WORDS_FOR_ANOTHER));
  let zeros = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] === 0) zeros++;
    if (at >= length && bytes[at - length] === 0) zeros--;
    if (zeros >= least) return true;
  }
  return false;
}

/** One in this many words may be above 255. */
const WORDS_FOR_ANOTHER = 50;

/** Returns true if all but a few words of the parts are below 256. `low`: index of a word's lowest byte. */
function areBytes(parts: readonly Uint8Array[], low: number): boolean {
  let left = Math.floor((parts.length * BUFFER_BYTES) / WORDS_FOR_ANOTHER);
  for (const part of parts) {
    for (let at = 0; at < part.length; at += WORD) {
      let rest = 0;
      for (let byte = 0; byte < WORD; byte++) if (byte !== low) rest |= part[at + byte]!;
      if (rest !== 0 && --left < 0) return false;
    }
  }
  return true;
}

function openocdClaim({ bytes, size }: Head): Claim | undefined {
  const buffers: Uint8Array[] = [];
  let at = 0;
  while (buffers.length < MOST_BUFFERS) {
    const length = openocdCapture(bytes, at, bytes.length);
    if (length === 0) break;
    const depth = (length - OPENOCD_HEADER) / WORD;
    const first = at + OPENOCD_HEADER + WORD - 1;
    buffers.push(Uint8Array.from({ length: depth }, (_, i) => bytes[first + WORD * i]!));
    at += length;
  }
  if (buffers.length === 0) return undefined;
  const ends = at === size || buffers.length === MOST_BUFFERS || bytes.length < size;
  return claimOf('openocd', judge(buffers), ends ? 1 : 0.8, {}, [
    buffers.length === 1
      ? 'a dump of OpenOCD is as long as its depth says'
      : `${String(buffers.length)} dumps of OpenOCD follow each other, each as long as its depth says`,
    ends ? 'they reach to the end' : 'other bytes follow them',
  ]);
}

function hexClaim({ bytes, size }: Head): Claim | undefined {
  const buffers: Uint8Array[] = [];
  let unknown = 0;
  let count = 0;
  for (let at = 0; at < bytes.length && buffers.length < MOST_BUFFERS;) {
    const buffer = new Uint8Array(BUFFER_BYTES);
    const found = scanHex(bytes, at, bytes.length, buffer, () => unknown++);
    count += found.count;
    if (found.leftOut || found.count < BUFFER_BYTES) break;
    buffers.push(buffer);
    at = found.stop;
  }
  if (unknown > 4 * Math.max(1, buffers.length)) return undefined;
  const sure = size > bytes.length && bytes.indexOf(LF) < 0 ? 0.9 : 1;
  const why = 'the text holds bytes in hexadecimal digits';
  return claimOf('hex', judge(buffers), sure, {}, [why]) ?? weakHexClaim(count, why);
}

/** Claims hexadecimal text that is no valid buffer, so that a file opened as this format gets a reason. */
function weakHexClaim(count: number, why: string): Claim | undefined {
  if (count < LEAST_BYTES) return undefined;
  const rest =
    count < BUFFER_BYTES
      ? `${String(count)} of the ${String(BUFFER_BYTES)} of a trace buffer of the XScale`
      : 'but they are no messages of a trace buffer of the XScale';
  return { confidence: 0.05, dialect: 'hex', options: {}, reasons: [`${why}, ${rest}`] };
}

/** Fewer bytes may be words of any text with only the letters a to f. */
const LEAST_BYTES = 16;

/** Returns the offsets of captures of fixed length, also after missing or surplus bytes. */
function placesOf(bytes: Uint8Array, container: Container): readonly number[] {
  const { unit, endsWell } = container;
  const findSlip = createFindSlip(container);
  const end = bytes.length;
  const window: Window = { bytes, length: end, base: 0, position: 0, end, lastLineEnd: end, fileEnd: end };
  const places: number[] = [];
  for (let at = 0; at + unit <= end && places.length < MOST_BUFFERS; at += unit) {
    if (!endsWell(bytes, at) && bytes.subarray(at, at + unit).some((byte) => byte !== 0)) at += findSlip(window, at);
    if (at + unit <= end) places.push(at);
  }
  return places;
}

/**
 * Returns true if checkpoint registers make more sense in little-endian order: as the targets of their entries, then in the same places of
 * the address space as other targets and registers, then small. Their alignment says nothing, because Thumb code is everywhere.
 */
function littleCheckpoints(bytes: Uint8Array, places: readonly number[], pages: ReadonlySet<number>): boolean {
  const registers = registersOf(bytes, places);
  const regions = new Set([...pages].map((page) => page >>> 4));
  let score = 0;
  const found = { little: new Set<number>(), big: new Set<number>() };
  for (const { little, big, target } of registers) {
    if (target !== undefined)
      score += 10_000 * (Number(little >>> 1 === target >>> 1) - Number(big >>> 1 === target >>> 1));
    score += 1000 * (Number(pages.has(little >>> 12)) - Number(pages.has(big >>> 12)));
    score += 100 * (Number(regions.has(little >>> 16)) - Number(regions.has(big >>> 16)));
    score += Math.sign(big - little);
    found.little.add(little >>> 16);
    found.big.add(big >>> 16);
  }
  return score + 100 * (found.big.size - found.little.size) >= 0;
}

interface RegisterReading {
  readonly little: number;
  readonly big: number;
  /** Target of its entry, if the buffer has all of its bytes. */
  readonly target?: number;
}

/** Returns the checkpoint registers that belong to an entry, or all of them if none does. */
function registersOf(bytes: Uint8Array, places: readonly number[]): readonly RegisterReading[] {
  const all: RegisterReading[] = [];
  const used: RegisterReading[] = [];
  for (const place of places) {
    const entries = entriesOf(bytes.subarray(place, place + BUFFER_BYTES));
    for (const register of [0, 1]) {
      const at = place + BUFFER_BYTES + register * WORD;
      const reading = { little: u32LittleEndian(bytes, at), big: u32BigEndian(bytes, at) };
      all.push(reading);
      const entry = entries.find(({ checkpoint }) => checkpoint === register);
      if (entry !== undefined) used.push({ ...reading, ...(entry.target !== undefined && { target: entry.target }) });
    }
  }
  return used.length > 0 ? used : all;
}
