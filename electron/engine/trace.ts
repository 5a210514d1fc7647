/** An open trace as the engine thread has it: its file, its decoder, its blocks, its index and whoever builds that. */
import fs from 'node:fs';
import type { Batch } from '../../shared/records/batch.ts';
import type { FileFacts, FormatFacts, Reach, TraceId } from '../../shared/requests/requests.ts';
import { fail, ok, type Result } from '../../shared/base/result.ts';
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
  /** The folder of an index that ends with the trace; absent for one that is kept. */
  readonly temporaryFolder?: string;
  readonly ingest: Ingest;
  readonly pool: Pool;
  readonly notices: string[];
  /** Digest of bytes from all over the file when it was opened. */
  readonly probe: string;
  readonly notebook: TraceNotebook;
  /** For searches on this thread. */
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

/**
 * Fails when the file is no longer the one that was opened: answers would mix two files. What is appended does no harm, but the
 * answers are then not about all of the file; what takes its name leaves the open file as it was. A notice says so.
 */
export function stillTheSame(trace: Trace): Result<undefined> {
  const changed = trace.reader.source.changed();
  if (changed === 'no') {
    if (isReplaced(trace)) tellOnce(trace, REPLACED);
    return ok(undefined);
  }
  if (changed === 'grown') {
    const now = identify(trace.reader.source, trace.file.bytes);
    if (now.ok && now.value.probe === trace.probe) {
      const notice = `the file has grown since it was opened: only its first ${String(trace.file.bytes)} bytes are shown; open it again to see what came behind them`;
      tellOnce(trace, notice);
      return ok(undefined);
    }
  }
  const how = {
    grown: 'the file was written to while it was open',
    rewritten: 'the file was written to while it was open',
    shrunk: 'the file became shorter while it was open',
    unknown: 'the system no longer tells whether the file is the same, perhaps as its drive or server is gone',
  }[changed];
  return fail('changed', `${trace.file.path}: ${how}; close it and open it again`);
}

const REPLACED =
  'another file has taken the place of this one since it was opened: what is shown is the one before; open it again to see the other one';

/** Whether its name leads to another file by now; one that leads nowhere is no other file. */
function isReplaced({ reader }: Trace): boolean {
  try {
    const named = fs.statSync(reader.source.path, { bigint: true, throwIfNoEntry: false });
    return named !== undefined && `${String(named.dev)}:${String(named.ino)}` !== reader.source.identity;
  } catch (error) {
    // Who may not look there learns nothing of it.
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

function tellOnce({ notices }: Trace, notice: string): void {
  if (!notices.includes(notice)) notices.push(notice);
}
