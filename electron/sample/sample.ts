/**
 * Writes a program-like synthetic trace of any size, the same bytes for the same arguments always.
 *
 * The file is there whole or not at all; it ends with a record, at most one record short of the size asked for. A shorter
 * trace is the beginning of a longer one with the same arguments. A damaged one has neither of the last two.
 */
import { open } from 'node:fs/promises';
import { fail, ok, type Result } from '../../shared/base/result.ts';
import { writeWholeFile } from '../result-file.ts';
import { createDamage, DAMAGE_EVERY, MOST_LONGER } from './damage.ts';
import { createEvents } from './events.ts';
import { SAMPLE_FORMAT_IDS } from './writers/format-ids.ts';
import { createMachine } from './machine.ts';
import { createMemory } from './memory.ts';
import { createProgram, type Locality } from './program.ts';
import { createRandom } from './random.ts';
import { createDispatch } from './work.ts';
import type { SampleFormat } from './writer.ts';
import { SAMPLE_FORMATS } from './writers/index.ts';

export type { Locality };
export { SAMPLE_FORMAT_IDS };

export interface SampleOptions {
  /** One of SAMPLE_FORMAT_IDS. */
  readonly format: string;
  /** Bytes that the file has at most. */
  readonly size: number;
  readonly path: string;
  /** A whole number from 0 to 2^32 - 1. */
  readonly seed: number;
  readonly locality: Locality;
  /** Damage it here and there as transport does. */
  readonly damaged?: boolean;
  readonly signal?: AbortSignal;
  readonly onProgress?: (bytes: number) => void;
}

export interface Sample {
  readonly path: string;
  /** The whole ones that were written, before any damage. */
  readonly records: number;
  readonly bytes: number;
}

/** Fails with `unknown-format`, `too-small`, `cancelled` or `unwritable`; then no file is left. */
export async function sample(options: SampleOptions): Promise<Result<Sample>> {
  const format = SAMPLE_FORMATS.find(({ id }) => id === options.format);
  if (format === undefined) {
    const known = SAMPLE_FORMAT_IDS.join(', ');
    return fail('unknown-format', `no samples can be made of the format ${options.format}; choose one of ${known}`);
  }
  return writeWholeFile(options.path, (unfinished) => write(format, options, unfinished));
}

/** Pieces in which the file is written. */
const PIECE = 4 * 1024 * 1024;

async function write(format: SampleFormat, options: SampleOptions, path: string): Promise<Result<Sample>> {
  const generator = createGenerator(format, options);
  // One piece is made while the other one is written.
  const damage = options.damaged === true ? createDamage(options.seed) : undefined;
  const room = Math.min(PIECE, options.size) + generator.largest;
  let piece = new Uint8Array(room + Math.ceil(room / DAMAGE_EVERY) * MOST_LONGER);
  let other = new Uint8Array(piece.length);
  const file = await open(path, 'wx');
  let bytes = 0;
  let dropped = 0;
  let writing = Promise.resolve();
  try {
    while (bytes < options.size && dropped === 0) {
      if (options.signal?.aborted === true) return fail('cancelled', 'the sample was not finished');
      let filled = 0;
      while (filled < PIECE && bytes + filled < options.size) {
        filled += generator.next(piece.subarray(filled), bytes + filled);
      }
      const left = options.size - bytes;
      if (filled > left) {
        const whole = lastBoundary(format, piece, left);
        dropped = recordsIn(format, piece, whole, filled);
        filled = damage === undefined ? whole : left;
      }
      if (damage !== undefined) filled = Math.min(damage(piece, filled), left);
      await writing;
      writing = writeAll(file, piece, filled);
      // Its failure is met at the next await; until then it must not count as unhandled.
      writing.catch(() => undefined);
      [piece, other] = [other, piece];
      bytes += filled;
      options.onProgress?.(bytes);
    }
    await writing;
  } finally {
    await Promise.allSettled([writing]);
    await file.close();
  }
  // Lines in front of the first record are dropped like records.
  const records = generator.records() - dropped;
  if (records <= 0) return fail('too-small', `not one record fits in ${options.size} bytes; ask for a larger size`);
  return ok({ path: options.path, records, bytes });
}

interface Generator {
  /** Room that `next` needs. */
  readonly largest: number;
  /** Writes the next records to the front of `out`, knowing how many bytes came before; returns how many bytes. */
  next(out: Uint8Array, written: number): number;
  records(): number;
}

function createGenerator(format: SampleFormat, { seed, locality }: SampleOptions): Generator {
  const random = createRandom(seed);
  const program = createProgram(random, locality);
  const memory = createMemory(program.code, locality === 'none');
  const dispatch = createDispatch(program, memory, random, locality);
  const events = createEvents();
  const machine = createMachine(program, memory, random, dispatch, events, format.registers);
  const encoder = format.create(program);
  return {
    largest: events.what.length * format.bytesPerEvent,
    next(out, written) {
      machine.run(written);
      return encoder.encode(events, out);
    },
    records: () => encoder.records,
  };
}

/** End of the last record that lies within the first `limit` bytes. */
function lastBoundary({ framing }: SampleFormat, bytes: Uint8Array, limit: number): number {
  if (framing.kind === 'units') return limit - (limit % framing.bytes);
  return bytes.lastIndexOf(LF, limit - 1) + 1;
}

function recordsIn(format: SampleFormat, bytes: Uint8Array, from: number, to: number): number {
  const { framing } = format;
  if (format.recordsIn !== undefined) return format.recordsIn(bytes, from, to);
  if (framing.kind === 'units') return (to - from) / framing.bytes;
  let lines = 0;
  for (let k = from; k < to; k++) if (bytes[k] === LF) lines++;
  return lines;
}

const LF = 0x0a;

async function writeAll(
  file: { write(bytes: Uint8Array, at: number, length: number): Promise<{ bytesWritten: number }> },
  bytes: Uint8Array,
  length: number,
): Promise<void> {
  let at = 0;
  while (at < length) at += (await file.write(bytes, at, length - at)).bytesWritten;
}
