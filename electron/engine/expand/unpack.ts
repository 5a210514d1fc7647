/**
 * The content of a gzip, Zstandard or compress file, piece by piece, in memory that does not grow with the file.
 *
 * A file that breaks off or is damaged fails with the byte where: what came before is then only a part, and whoever takes it
 * must not take it for the whole. Several gzip members and several Zstandard frames in a row are one content.
 */
import fs from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import zlib from 'node:zlib';
import { fail, ok, type Result } from '../../../shared/result.ts';
import { createLzwDecoder } from './lzw.ts';
import type { Expandable } from './packing.ts';

/** Takes the next piece (valid until it resolves) and how many bytes of the packed file are done; false stops. */
export type TakePiece = (piece: Uint8Array, done: number) => boolean | Promise<boolean>;

/** True when all of it was taken, false when `take` stopped. Fails with `truncated`, `damaged`, `too-wide` or `io`. */
export async function unpack(file: string, as: Expandable, take: TakePiece): Promise<Result<boolean>> {
  switch (as) {
    case 'gzip': {
      const done = await inflate(file, 0, zlib.createGunzip({ chunkSize: OUTPUT }), take);
      return done.ok ? ok(!done.value.stopped) : done;
    }
    case 'zstd':
      return unpackFrames(file, take);
    case 'compress':
      return unpackCodes(file, take);
  }
}

/** Bytes read at once: damage is told as closely. */
const INPUT = 64 * 1024;
const OUTPUT = 256 * 1024;

interface Inflated {
  /** Packed bytes that were used. */
  readonly used: number;
  readonly stopped: boolean;
}

/** From byte `start` of the file through one of zlib's engines, until that has met its end. */
async function inflate(
  file: string,
  start: number,
  engine: zlib.Gunzip | zlib.ZstdDecompress,
  take: TakePiece,
): Promise<Result<Inflated>> {
  const source = fs.createReadStream(file, { start, highWaterMark: INPUT });
  source.on('error', (error) => engine.destroy(error));
  source.pipe(engine);
  const pieces = (engine as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  let expanded = 0;
  try {
    for (;;) {
      const next = await nextOf(pieces);
      if (!next.ok) return broken(file, next.error, start + engine.bytesWritten, expanded);
      if (next.value === undefined) return ok({ used: engine.bytesWritten, stopped: false });
      expanded += next.value.length;
      if (!(await take(next.value, start + engine.bytesWritten)))
        return ok({ used: engine.bytesWritten, stopped: true });
    }
  } finally {
    source.destroy();
    engine.destroy();
  }
}

/** What the stream failed with is the file's fault; what `take` fails with is not. */
async function nextOf(pieces: AsyncIterator<Uint8Array, unknown>): Promise<Result<Uint8Array | undefined, unknown>> {
  try {
    const next = await pieces.next();
    return ok(next.done === true ? undefined : next.value);
  } catch (error) {
    return { ok: false, error };
  }
}

/** Frame after frame; skippable ones have no content. An engine takes one frame, or several where they end with a read. */
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
      const done = await inflate(file, at, zlib.createZstdDecompress({ chunkSize: OUTPUT }), take);
      if (!done.ok) return done;
      if (done.value.stopped) return ok(false);
      if (done.value.used === 0) return fail('truncated', `${file}: ${breaksOff(at, 'a frame')}`);
      at += done.value.used;
    }
    return ok(true);
  } finally {
    await handle.close();
  }
}

const FRAME = 0xfd2fb528;
/** The sixteen magics from here on begin frames without content (RFC 8878, 3.1.2). */
const SKIPPABLE = 0x184d2a50;
const SKIPPABLE_HEAD = 8;

/** Bytes of the skippable frame at `at`, 0 where an ordinary one starts. */
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

const GET_ANOTHER = 'get a whole copy, or unpack what can be unpacked yourself and open that';

function breaksOff(at: number, inside: string): string {
  return `it breaks off at byte ${String(at)}, inside ${inside}; ${GET_ANOTHER}`;
}

/** What zlib, or the disk, had to say: `at` is the byte of the file up to which all was well. */
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
  if (code.startsWith('Z_') || code.startsWith('ZSTD_')) {
    const until = String(Math.min(at + INPUT, fs.statSync(file, { throwIfNoEntry: false })?.size ?? at));
    return fail('damaged', `${file}: it is damaged between byte ${String(at)} and ${until}, ${after}; ${GET_ANOTHER}`);
  }
  if (!(error instanceof Error) || code === '') throw error;
  return fail('io', `${file}: it cannot be read at byte ${String(at)} (${error.message}); check the drive`);
}
