/** SHA-256 of traces, read in slices between which others get their turn, and kept as long as the trace is open. */
import { createHash } from 'node:crypto';
import { setImmediate as breathe } from 'node:timers/promises';
import { ok, type Result } from '../../../shared/base/result.ts';
import type { Source } from '../platform/source.ts';
import type { Task } from '../threads/task.ts';
import { stillTheSame, type Trace } from '../trace.ts';

/** Some milliseconds' worth. */
const SLICE = 2 * 1024 * 1024;

const kept = new WeakMap<Trace, string>();

/** Of the bytes that the trace had when it was opened; `report` hears how many are done. */
export async function traceDigest(
  trace: Trace,
  task: Task<unknown>,
  report: (done: number, of: number) => void,
): Promise<Result<string>> {
  const known = kept.get(trace);
  if (known !== undefined) return ok(known);
  const digest = await digestOf(trace.reader.source, trace.file.bytes, task, report);
  if (!digest.ok) return digest;
  // What was written to while it was read is the digest of nothing.
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
