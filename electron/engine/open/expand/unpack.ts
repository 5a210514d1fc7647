/**
 * Expands gzip, Zstandard and compress files piece by piece, in constant memory.
 *
 * A truncated or damaged file fails with the offset of the damage. The pieces before it are then only a part of the content.
 * Consecutive gzip members or Zstandard frames form one content.
 */
import fs from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import zlib from 'node:zlib';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { createLzwDecoder } from './lzw.ts';
import type { Expandable } from './packing.ts';

/** Receives the next piece (valid until the call resolves) and the number of compressed bytes consumed. Returns false to stop. */
export type TakePiece = (piece: Uint8Array, done: number) => boolean | Promise<boolean>;

/** Returns true at the end of the content, false if `take` stopped. Fails with `truncated`, `damaged`, `too-wide`, `dictionary` or `io`. */
export async function unpack(file: string, as: Expandable, take: TakePiece): Promise<Result<boolean>> {
  switch (as) {
    case 'gzip':
      return unpackMembers(file, take);
    case 'zstd':
      return unpackFrames(file, take);
    case 'compress':
      return unpackCodes(file, take);
  }
}

/** Bytes per read, and the precision of reported offsets of damage. */
const INPUT = 64 * 1024;
const OUTPUT = 256 * 1024;

/**
 * Expands all gzip members. zlib stops at a zero byte after a member and ignores the rest of the file. Zeros are valid
 * padding; anything else after them is reported as damage.
 */
async function unpackMembers(file: string, take: TakePiece): Promise<Result<boolean>> {
  const engine = zlib.createGunzip({ chunkSize: OUTPUT });
  const source = fs.createReadStream(file, { highWaterMark: INPUT });
  const done = await inflate(file, source, 0, engine, take);
  if (!done.ok || !done.value) return done;
  const at = await firstByteOf(file, engine.bytesWritten);
  if (at === undefined) return done;
  const end = String(engine.bytesWritten);
  return fail(
    'damaged',
    `${file}: its content ends at byte ${end}, but after zeros there is more data at byte ${String(at)}; ${GET_ANOTHER}`,
  );
}

/** Returns the offset of the first byte, at `start` or later, that is not zero; undefined if there is none. */
async function firstByteOf(file: string, start: number): Promise<number | undefined> {
  let at = start;
  for await (const piece of fs.createReadStream(file, { start, highWaterMark: INPUT })) {
    const bytes = piece as Uint8Array;
    const found = bytes.findIndex((byte) => byte !== 0);
    if (found >= 0) return at + found;
    at += bytes.length;
  }
  return undefined;
}

/** Passes bytes of the file, which begin at offset `start`, through a zlib engine until the engine ends. */
async function inflate(
  file: string,
  source: Readable,
  start: number,
  engine: zlib.Gunzip | zlib.ZstdDecompress,
  take: TakePiece,
): Promise<Result<boolean>> {
  void feed(source, engine);
  const pieces = (engine as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  let expanded = 0;
  try {
    for (;;) {
      const next = await nextOf(pieces);
      if (!next.ok) return broken(file, next.error, start + engine.bytesWritten, expanded);
      if (next.value === undefined) return ok(true);
      expanded += next.value.length;
      if (!(await take(next.value, start + engine.bytesWritten))) return ok(false);
    }
  } finally {
    source.destroy();
    engine.destroy();
  }
}

/** Feeds the engine until it leaves bytes unconsumed: bytes after its end in a further write may be taken for damage. */
async function feed(source: Readable, engine: zlib.Gunzip | zlib.ZstdDecompress): Promise<void> {
  let given = 0;
  try {
    for await (const piece of source as AsyncIterable<Uint8Array>) {
      await new Promise((resolve) => engine.write(piece, resolve));
      given += piece.length;
      if (engine.destroyed || engine.bytesWritten < given) break;
    }
    engine.end();
  } catch (error) {
    engine.destroy(error instanceof Error ? error : undefined);
  }
}

/** Catches errors of the stream, which are faults of the file. Errors of `take` are not caught. */
async function nextOf(pieces: AsyncIterator<Uint8Array, unknown>): Promise<Result<Uint8Array | undefined, unknown>> {
  try {
    const next = await pieces.next();
    return ok(next.done === true ? undefined : next.value);
  } catch (error) {
    return { ok: false, error };
  }
}

/**
 * Expands all frames; skippable frames have no content. Each frame gets its own engine and exactly its own bytes: bytes after a
 * frame's end in the same write are taken for damage or ignored, depending on timing.
 */
async function unpackFrames(file: string, take: TakePiece): Promise<Result<boolean>> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    for (let at = 0; at < size;) {
      const skipped = await skippable(handle, at, size);
      if (!skipped.ok) return fail(skipped.error.code, `${file}: ${skipped.error.message}`);
      if (skipped.value > 0) {
        at += skipped.value;
        continue;
      }
      const frame = createFrame(handle, at);
      const engine = zlib.createZstdDecompress({ chunkSize: OUTPUT });
      const done = await inflate(file, Readable.from(frame.pieces(), { objectMode: false }), at, engine, take);
      if (!done.ok || !done.value) return done;
      at = frame.end();
    }
    return ok(true);
  } finally {
    await handle.close();
  }
}

interface Frame {
  /** Yields the bytes of the frame, each piece in new memory. Ends at the end of the file if the frame is truncated or damaged. */
  readonly pieces: () => AsyncGenerator<Uint8Array>;
  /** Offset of the byte after the frame; known after the last piece. */
  readonly end: () => number;
}

const BLOCK_HEAD = 3;
const REPEATED_BLOCK = 1;
const RESERVED_BLOCK = 3;
const CHECKSUM_BYTES = 4;

/** Reads the Zstandard frame at offset `start`, whose end follows from the headers of its blocks (RFC 8878, section 3.1.1). */
function createFrame(handle: FileHandle, start: number): Frame {
  let end = Infinity;
  return {
    end: () => end,
    async *pieces() {
      const head = new Uint8Array(6);
      await handle.read(head, 0, head.length, start);
      let block = start + frameHead(head[4]!);
      const checksum = (head[4]! & 4) === 0 ? 0 : CHECKSUM_BYTES;
      for (let at = start; at < end;) {
        const piece = new Uint8Array(INPUT);
        const { bytesRead } = await handle.read(piece, 0, INPUT, at);
        if (bytesRead === 0) return;
        while (end === Infinity && block < at + bytesRead) {
          const blockHead = new Uint8Array(BLOCK_HEAD);
          const read = await handle.read(blockHead, 0, BLOCK_HEAD, block);
          if (read.bytesRead < BLOCK_HEAD) break;
          const value = blockHead[0]! | (blockHead[1]! << 8) | (blockHead[2]! << 16);
          const type = (value >> 1) & 3;
          if (type === RESERVED_BLOCK) break;
          block += BLOCK_HEAD + (type === REPEATED_BLOCK ? 1 : value >> 3);
          if ((value & 1) === 1) end = block + checksum;
        }
        yield piece.subarray(0, Math.min(bytesRead, end - at));
        at += bytesRead;
      }
    },
  };
}

/** Returns the number of bytes before a frame's first block, from the frame header descriptor (RFC 8878, section 3.1.1.1). */
function frameHead(descriptor: number): number {
  const single = (descriptor >> 5) & 1;
  const contentSize = [single, 2, 4, 8][descriptor >> 6]!;
  const dictionary = [0, 1, 2, 4][descriptor & 3]!;
  return 4 + 1 + (1 - single) + dictionary + contentSize;
}

const FRAME = 0xfd2fb528;
/** First of the sixteen magic numbers of skippable frames (RFC 8878, section 3.1.2). */
const SKIPPABLE = 0x184d2a50;
const SKIPPABLE_HEAD = 8;

/** Returns the length of the skippable frame at offset `at`, 0 if an ordinary frame starts there. */
async function skippable(handle: FileHandle, at: number, size: number): Promise<Result<number>> {
  const head = new DataView(new ArrayBuffer(SKIPPABLE_HEAD));
  const { bytesRead } = await handle.read(head, 0, SKIPPABLE_HEAD, at);
  if (bytesRead < 4) return fail('truncated', breaksOff(size, 'a frame'));
  const magic = head.getUint32(0, true);
  if (magic === FRAME) return ok(0);
  if ((magic & ~15) >>> 0 !== SKIPPABLE) {
    return fail('damaged', `no Zstandard frame starts at byte ${String(at)} where one should; ${GET_ANOTHER}`);
  }
  const bytes = SKIPPABLE_HEAD + head.getUint32(4, true);
  if (bytesRead < SKIPPABLE_HEAD || at + bytes > size) return fail('truncated', breaksOff(size, 'a frame'));
  return ok(bytes);
}

async function unpackCodes(file: string, take: TakePiece): Promise<Result<boolean>> {
  const decoder = createLzwDecoder();
  const handle = await open(file, 'r');
  const input = new Uint8Array(INPUT);
  try {
    for (;;) {
      const { bytesRead } = await handle.read(input, 0, INPUT);
      if (bytesRead === 0) break;
      const read = input.subarray(0, bytesRead);
      for (let at = 0; at < bytesRead;) {
        const piece = decoder.push(read, at);
        at = piece.next;
        if (piece.output.length > 0 && !(await take(piece.output, decoder.consumed))) return ok(false);
        if (piece.broken) {
          return fail('damaged', `${file}: it is damaged at byte ${String(decoder.consumed)}; ${GET_ANOTHER}`);
        }
      }
    }
    return decoder.mayEnd() ? ok(true) : fail('truncated', `${file}: ${breaksOff(decoder.consumed, 'a code')}`);
  } finally {
    await handle.close();
  }
}

const GET_ANOTHER = 'get a complete copy, or unpack what can be unpacked yourself and open that';

function breaksOff(at: number, inside: string): string {
  return `it breaks off at byte ${String(at)}, inside ${inside}; ${GET_ANOTHER}`;
}

/** Explains an error of zlib or of the disk. `at`: number of bytes of the file that were consumed before. */
function broken(file: string, error: unknown, at: number, expanded: number): Result<never> {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const after = `after ${String(expanded)} bytes of trace`;
  if (code === 'Z_BUF_ERROR') {
    return fail('truncated', `${file}: it breaks off at byte ${String(at)}, ${after}; ${GET_ANOTHER}`);
  }
  if (code === 'ZSTD_error_frameParameter_windowTooLarge') {
    return fail(
      'too-wide',
      `${file}: it was packed with --long, at byte ${String(at)}, which takes too much memory; unpack it with unzstd --long=31`,
    );
  }
  if (code === 'ZSTD_error_dictionary_wrong') {
    return fail(
      'dictionary',
      `${file}: it was packed with a dictionary, at byte ${String(at)}, which the file does not contain; unpack it with unzstd -D DICTIONARY`,
    );
  }
  if (code.startsWith('Z_') || code.startsWith('ZSTD_')) {
    const until = String(Math.min(at + INPUT, fs.statSync(file, { throwIfNoEntry: false })?.size ?? at));
    return fail('damaged', `${file}: it is damaged between byte ${String(at)} and ${until}, ${after}; ${GET_ANOTHER}`);
  }
  if (!(error instanceof Error) || code === '') throw error;
  return fail('io', `${file}: it cannot be read at byte ${String(at)} (${error.message}); check the drive`);
}
