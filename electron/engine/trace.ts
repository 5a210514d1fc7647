/** An open trace on the engine thread: its file, decoder, blocks and index, and the build of that index. */
import fs from 'node:fs';
import type { Batch } from '../../shared/records/batch.ts';
import type { FileFacts, FormatFacts, Reach, TraceId } from '../../shared/requests/requests.ts';
import { BEYOND_INDEX } from '../../shared/requests/failures.ts';
import { fail, ok, type Result } from '../../shared/base/result.ts';
import type { RecordNumber } from '../../shared/base/units.ts';
import type { Images } from './image/images.ts';
import type { Ingest } from './index/ingest.ts';
import { identify } from './platform/file-identity.ts';
import type { TraceNotebook } from './notebook/notebook.ts';
import type { Pool } from './threads/pool.ts';
import type { BlockTable } from './index/store/block-table.ts';
import type { IndexFile } from './index/store/index-file.ts';
import type { TraceReader } from './index/trace-reader.ts';

export interface Trace {
  readonly id: TraceId;
  readonly file: FileFacts;
  readonly format: FormatFacts;
  readonly images: Images;
  readonly reader: TraceReader;
  readonly blocks: BlockTable;
  readonly index: IndexFile;
  /** Folder of a temporary index, which is removed when the trace is closed; undefined if the index is kept. */
  readonly temporaryFolder?: string;
  readonly ingest: Ingest;
  readonly pool: Pool;
  readonly notices: string[];
  /** Digest of bytes sampled from the whole file when it was opened. */
  readonly probe: string;
  readonly notebook: TraceNotebook;
  /** For decoding on this thread. */
  readonly batch: Batch;
}

export function reachOf(trace: Trace): Reach {
  const { blocks, ingest } = trace;
  return {
    records: blocks.records,
    bytes: ingest.complete ? trace.file.bytes : blocks.bytes,
    complete: ingest.complete,
  };
}

/** Fails for a record that the trace does not have, or that the index has not reached yet. */
export function beyond(n: RecordNumber, { records, complete }: Reach): Result<never> {
  const [number, count] = [n.toLocaleString('en'), records.toLocaleString('en')];
  return fail(
    BEYOND_INDEX,
    complete
      ? `there is no record ${number}; ${count} are known`
      : `record ${number} is not indexed yet; the index reaches ${count} records`,
  );
}

/**
 * Fails if the file's content has changed since it was opened: answers would mix two files. Adds a notice, but does not fail, if
 * bytes were appended or another file has taken its name: the open content is then unchanged.
 */
export function stillTheSame(trace: Trace): Result<undefined> {
  const changed = trace.reader.source.changed();
  if (changed === 'no') {
    if (isReplaced(trace)) noticeOnce(trace, REPLACED);
    return ok(undefined);
  }
  if (changed === 'grown') {
    const now = identify(trace.reader.source, trace.file.bytes);
    if (now.ok && now.value.probe === trace.probe) {
      const notice = `the file has grown since it was opened: only its first ${String(trace.file.bytes)} bytes are shown; open it again to see the rest`;
      noticeOnce(trace, notice);
      return ok(undefined);
    }
  }
  const how = {
    grown: 'the file was written to while it was open',
    rewritten: 'the file was written to while it was open',
    shrunk: 'the file became shorter while it was open',
    unknown: 'the system can no longer access the file, perhaps because its drive or server is gone',
  }[changed];
  return fail('changed', `${trace.file.path}: ${how}; close it and open it again`);
}

const REPLACED =
  'another file has replaced this one since it was opened: what you see is the old file; open it again to see the new one';

/** Returns true if the file's name now leads to another file, false if it leads to none. */
function isReplaced({ reader }: Trace): boolean {
  try {
    const named = fs.statSync(reader.source.path, { bigint: true, throwIfNoEntry: false });
    return named !== undefined && `${String(named.dev)}:${String(named.ino)}` !== reader.source.identity;
  } catch (error) {
    // The folder may have become unreadable.
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

function noticeOnce({ notices }: Trace, notice: string): void {
  if (!notices.includes(notice)) notices.push(notice);
}
