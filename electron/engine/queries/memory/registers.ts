/**
 * Returns the known register contents after a record took effect. Applies the final register values of the stretches before its block in
 * order, and then the records of the block up to `at`.
 */
import type { Answer, Arguments } from '../../../../shared/requests/requests.ts';
import { NO_CPU } from '../../../../shared/records/batch.ts';
import { createRegisterFile, type RegisterFile } from '../../../../shared/records/registers.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { BlockNumber, RecordNumber } from '../../../../shared/base/units.ts';
import { createRegisterCounter, decodeRegisterSets, type RegisterSet } from '../../index/builders/register-sets.ts';
import { nodesBefore, nodesReady, spanOf } from '../../index/pyramid.ts';
import { NODE } from '../../index/store/index-file.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { visitBatches } from '../records/block-reader.ts';

export function registers(
  trace: Trace,
  { at, cpu }: Omit<Arguments<'registers'>, 'trace'>,
): Result<Answer<'registers'>> {
  const files = new Map<number, RegisterFile>();
  const { blocks, index, ingest } = trace;
  if (blocks.length > 0) {
    const block = blocks.blockOfRecord(Math.min(at, blocks.records - 1));
    // The nodes up to the end of a block need no decoding of it.
    const isEnd = block + 1 < blocks.length && at === blocks.firstRecord(block + 1) - 1;
    const last = isEnd ? block + 1 : block;
    const ready = (level: number): number => nodesReady(level, blocks.length, ingest.complete);
    for (const { level, node } of nodesBefore(last, ready)) {
      const first = blocks.firstRecord(node * spanOf(level));
      setAll(files, decodeRegisterSets(index.blob(NODE.registers, level, node)), first);
    }
    const sets = isEnd ? ok([]) : setsOfBlock(trace, last, at);
    if (!sets.ok) return sets;
    setAll(files, sets.value, blocks.firstRecord(last));
  }
  return ok({
    at,
    files: [...files]
      .filter(([its]) => cpu === undefined || its === cpu)
      .sort(([a], [b]) => a - b)
      .map(([its, file]) => ({ ...(its === NO_CPU ? {} : { cpu: its }), registers: file.known() })),
    reach: reachOf(trace),
  });
}

function setAll(files: Map<number, RegisterFile>, sets: readonly RegisterSet[], first: RecordNumber): void {
  for (const { cpu, name, value, record } of sets) {
    const file = files.get(cpu) ?? createRegisterFile();
    files.set(cpu, file);
    file.set(name, value ?? undefined, first + record);
  }
}

/** Returns the last values set by the records of a block up to `at`. */
function setsOfBlock(trace: Trace, block: BlockNumber, at: RecordNumber): Result<readonly RegisterSet[]> {
  const counter = createRegisterCounter();
  const read = visitBatches(trace, block, 0, ({ batch, window, first }) => {
    counter.add(trace.reader.decoder, window, batch, Math.min(batch.count, at - first + 1));
    return first + batch.count <= at;
  });
  return read.ok ? ok(counter.finish()) : read;
}
