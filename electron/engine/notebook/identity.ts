/**
 * Which trace is this, wherever it lies, whatever it is called and however it is read? Its size and a digest of bytes
 * from all over it.
 */
import { createHash } from 'node:crypto';
import { ok, type Result } from '../../../shared/base/result.ts';
import type { Source } from '../platform/source.ts';

export interface TraceIdentity {
  readonly bytes: number;
  /** Digest of what was looked at, 64 hexadecimal digits. */
  readonly probe: string;
}

const ENDS = 65536;
const PROBES = 32;
const PROBE = 4096;

/** Of the first `bytes` of a file: of a trace that has grown since, what it was then. */
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

/** The first and last 64 KiB, and what lies between them: all of it where that is little, else 32 probes at even distances. */
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
