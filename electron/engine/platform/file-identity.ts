/**
 * Identity of a trace by its content: its size and a digest of bytes sampled from the whole file. It does not depend on the
 * file's name, folder or format.
 */
import { createHash } from 'node:crypto';
import { ok, type Result } from '../../../shared/base/result.ts';
import type { Source } from './source.ts';

export interface TraceIdentity {
  readonly bytes: number;
  /** SHA-256 of the sampled bytes, 64 hexadecimal digits. */
  readonly probe: string;
}

const ENDS = 65536;
const PROBES = 32;
const PROBE = 4096;

/** Identifies the first `bytes` bytes of a file, so that a trace that has grown keeps its identity. */
export function identify(source: Source, bytes: number): Result<TraceIdentity> {
  const hash = createHash('sha256');
  const buffer = new Uint8Array(Math.min(PROBES * PROBE, bytes));
  for (const { offset, length } of spans(bytes)) {
    const read = source.read(offset, buffer, 0, length);
    if (!read.ok) return read;
    hash.update(buffer.subarray(0, length));
  }
  return ok({ bytes, probe: hash.digest('hex') });
}

/** Spans to sample: the first and last 64 KiB, and between them either everything (up to 128 KiB) or 32 probes at equal distances. */
function spans(bytes: number): readonly Span[] {
  const ends = Math.min(ENDS, bytes);
  const first = { offset: 0, length: ends };
  const last = { offset: bytes - ends, length: ends };
  const between = last.offset - ends;
  if (between <= 0) return [first, last];
  if (between <= PROBES * PROBE) return [first, { offset: ends, length: between }, last];
  const probes = Array.from({ length: PROBES }, (_, i): Span => ({
    offset: ends + Math.floor((i * (between - PROBE)) / (PROBES - 1)),
    length: PROBE,
  }));
  return [first, ...probes, last];
}

interface Span {
  readonly offset: number;
  readonly length: number;
}
