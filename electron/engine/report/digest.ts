/** Computes SHA-256 digests of traces, in slices with pauses for other requests. Digests are cached while the trace is open. */
import { createHash } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import { ok, type Result } from '../../../shared/base/result.ts';
import type { Source } from '../platform/source.ts';
import type { Task } from '../threads/task.ts';
import { stillTheSame, type Trace } from '../trace.ts';

/** Bytes per slice, which take some milliseconds. */
const SLICE = 2 * 1024 * 1024;

const kept = new WeakMap<Trace, string>();

/** Returns the digest of the bytes that the trace had when it was opened. `report` receives the number of processed bytes. */
export async function traceDigest(
  trace: Trace,
  task: Task<unknown>,
  report: (done: number, of: number) => void,
): Promise<Result<string>> {
  const known = kept.get(trace);
  if (known !== undefined) return ok(known);
  const digest = await digestOf(trace.reader.source, trace.file.bytes, task, report);
  if (!digest.ok) return digest;
  // If the file was written while it was read, the digest is meaningless.
  const same = stillTheSame(trace);
  if (!same.ok) return same;
  kept.set(trace, digest.value);
  return digest;
}

export function textDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function digestOf(
  source: Source,
  size: number,
  task: Task<unknown>,
  report: (done: number, of: number) => void,
): Promise<Result<string>> {
  const hash = createHash('sha256');
  const slice = new Uint8Array(Math.min(SLICE, Math.max(1, size)));
  for (let at = 0; at < size;) {
    const read = source.read(at, slice, 0, Math.min(slice.length, size - at));
    if (!read.ok) return read;
    hash.update(slice.subarray(0, read.value));
    at += read.value;
    report(at, size);
    await breathe();
    if (task.cancelled()) return task.cancel();
  }
  return ok(hash.digest('hex'));
}
