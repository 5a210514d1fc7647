/** Compares a bundle with its trace: identity, slices byte by byte with their state, places of notes, and reports, which are recomputed. */
import { group } from '../../../shared/base/numbers.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import { CANCELLED } from '../../../shared/requests/failures.ts';
import type { BundleSlice, Manifest } from '../../../shared/requests/bundle/manifest.ts';
import { readingOf, type Note } from '../../../shared/requests/notes.ts';
import type { Difference, ReportProgress, Verified } from '../../../shared/requests/reports.ts';
import { sliceOrWhole } from '../export/slice.ts';
import { records } from '../queries/records/records.ts';
import { traceDigest } from '../report/digest.ts';
import { verify } from '../report/verify.ts';
import type { Task } from '../threads/task.ts';
import { beyond, reachOf, type Trace } from '../trace.ts';
import { encoded } from './contents.ts';
import { readBundleFile, type ReadBundle } from './read-bundle.ts';

/** Fails with `bundle` if the bundle cannot be read. */
export async function verifyBundle(trace: Trace, path: string, task: Task<ReportProgress>): Promise<Result<Verified>> {
  const reach = reachOf(trace);
  if (!reach.complete) return beyond(reach.records, reach);
  const read = await readBundleFile(path);
  if (!read.ok) return read;
  const bundle = read.value;
  const { manifest, held, problems } = bundle;
  const differing: Difference[] = problems.map((how) => ({ part: 0, what: 'the archive', how }));
  const identity = await identityDifferences(trace, manifest, task);
  if (!identity.ok) return identity;
  differing.push(...identity.value);
  let checked = manifest.members.length + 1;
  // Slices and notes of another trace, or of another reading, have no records here to be compared with.
  if (identity.value.length === 0) {
    for (const note of held.notes) {
      const how = noteDifference(trace, note, manifest);
      if (!how.ok) return how;
      if (how.value !== undefined) differing.push({ part: 0, what: `note '${note.title}'`, how: how.value });
    }
    checked += held.notes.length;
    const parts = [
      ...manifest.slices.map((each) => () => sliceDifferences(trace, each, bundle, task)),
      ...manifest.reports.map((each) => () => reportDifferences(trace, each, bundle, task)),
    ];
    for (const [i, part] of parts.entries()) {
      const found = await part();
      if (task.cancelled()) return task.cancel();
      if (!found.ok) return found;
      differing.push(...found.value.differing);
      checked += found.value.checked;
      task.report({ done: i + 1, of: parts.length, what: 'bundle' });
    }
  }
  return ok({ checked, differing });
}

async function identityDifferences(
  trace: Trace,
  { trace: said }: Manifest,
  task: Task<ReportProgress>,
): Promise<Result<readonly Difference[]>> {
  const { file, probe, blocks, format } = trace;
  const what = 'the trace';
  const differ = (how: string): Result<readonly Difference[]> => ok([{ part: 0, what, how }]);
  if (file.bytes !== said.bytes)
    return differ(`it has ${group(file.bytes)} bytes, and that of the bundle ${group(said.bytes)}`);
  if (probe !== said.probe) return differ('its bytes differ from those of the trace of the bundle');
  const [mine, theirs] = [readingOf(format), readingOf(said.format)];
  if (mine !== theirs) return differ(`it is read as '${mine}', and the bundle as '${theirs}'`);
  if (blocks.records !== said.records)
    return differ(`it has ${group(blocks.records)} records, and the bundle says ${group(said.records)}`);
  if (said.sha256 === undefined) return ok([]);
  const digest = await traceDigest(trace, task, (done, of) => {
    task.progress(() => ({ done, of, what: 'SHA-256 of the trace' }));
  });
  if (!digest.ok) return digest;
  return digest.value === said.sha256 ? ok([]) : differ('its SHA-256 differs from that of the trace of the bundle');
}

interface Found {
  readonly checked: number;
  readonly differing: readonly Difference[];
}

async function sliceDifferences(
  trace: Trace,
  { member, state, from, to, stateRecords, stateBytes, header, start, stop }: BundleSlice,
  { members }: ReadBundle,
  task: Task<ReportProgress>,
): Promise<Result<Found>> {
  const what = `records ${group(from)} to ${group(to - 1)}`;
  const differ = (how: string): Result<Found> => ok({ checked: 1, differing: [{ part: 0, what, how }] });
  const content = members.get(member);
  const stateText = members.get(state);
  // A missing or changed member is among the problems of the archive.
  if (content === undefined || stateText === undefined) return ok({ checked: 0, differing: [] });
  const made = await sliceOrWhole(trace, { from, to }, task);
  if (!made.ok) return made.error.code === CANCELLED ? made : differ(made.error.message);
  const { lines, state: known, ...bounds } = made.value;
  const head = encoded(lines);
  const isSame =
    bounds.header === header &&
    bounds.start === start &&
    bounds.stop === stop &&
    bounds.stateRecords === stateRecords &&
    head.length === stateBytes;
  if (!isSame) return differ('they are at other bytes of the trace than the bundle says');
  if (content.length !== header + stateBytes + stop - start) return differ('the slice has another length than it says');
  const pieces: readonly (readonly [number, Uint8Array])[] = [
    [0, content.subarray(0, header)],
    [start, content.subarray(header + stateBytes)],
  ];
  for (const [offset, piece] of pieces) {
    const at = firstDifference(trace, offset, piece);
    if (!at.ok) return at;
    if (at.value !== undefined) return differ(`byte ${group(at.value)} of the trace differs from the slice`);
  }
  if (Buffer.compare(content.subarray(header, header + stateBytes), head) !== 0)
    return differ('the lines that set its registers differ from what the trace shows');
  if (new TextDecoder().decode(stateText) !== `${JSON.stringify(known, undefined, 2)}\n`)
    return differ('the state before them differs from what the trace shows');
  return ok({ checked: 1, differing: [] });
}

/** Returns the offset in the trace of the first byte that differs; undefined if all are equal. */
function firstDifference(trace: Trace, offset: number, piece: Uint8Array): Result<number | undefined> {
  const own = new Uint8Array(piece.length);
  const read = trace.reader.source.read(offset, own, 0, own.length);
  if (!read.ok) return read;
  const at = piece.findIndex((byte, i) => byte !== own[i]);
  return ok(at < 0 ? undefined : offset + at);
}

/** A note that was made in the reading of the bundle names the byte where its record begins. */
function noteDifference(trace: Trace, { place }: Note, { trace: said }: Manifest): Result<string | undefined> {
  if (place.reading !== readingOf(said.format)) return ok(undefined);
  const found = records(trace, { from: place.n, count: 1 });
  if (!found.ok) return found;
  const [record] = found.value.records;
  if (record === undefined) return ok(`the trace has no record ${group(place.n)}`);
  return ok(
    record.offset === place.offset
      ? undefined
      : `record ${group(place.n)} begins at byte ${group(record.offset)}, and the note says ${group(place.offset)}`,
  );
}

async function reportDifferences(
  trace: Trace,
  { member, title }: Manifest['reports'][number],
  { members }: ReadBundle,
  task: Task<ReportProgress>,
): Promise<Result<Found>> {
  const content = members.get(member);
  if (content === undefined) return ok({ checked: 0, differing: [] });
  const what = `report '${title}'`;
  const verified = await verify(trace, { report: new TextDecoder().decode(content) }, task);
  if (!verified.ok) {
    if (verified.error.code === CANCELLED) return verified;
    return ok({ checked: 0, differing: [{ part: 0, what, how: verified.error.message }] });
  }
  const { checked, differing } = verified.value;
  return ok({
    checked,
    differing: differing.map(({ part, what: where, how }) => ({ part, what: `${what}, ${where}`, how })),
  });
}
