/** Finds the last and the next record that sets bits of a register, under its own name, the name of a part, or an alias. */
import { KIND } from '../../../../shared/records/record.ts';
import { namesSet, settersOf } from '../../../../shared/records/registers.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { BlockNumber, RecordNumber } from '../../../../shared/base/units.ts';
import { createRegisterCounter, decodeRegisterSets, type RegisterSet } from '../../index/builders/register-sets.ts';
import { blocksNotSkipped, blocksNotSkippedBackwards, nodesReady, spanOf } from '../../index/pyramid.ts';
import { NODE } from '../../index/store/index-file.ts';
import type { Trace } from '../../trace.ts';
import { recordBytes, visitBatches } from '../records/block-reader.ts';

/** Returns the newest record n <= at that sets the register. */
export function lastSetting(
  trace: Trace,
  name: string,
  cpu: number | undefined,
  at: RecordNumber,
): Result<RecordNumber | undefined> {
  const { blocks, index, ingest } = trace;
  const last = blocks.blockOfRecord(Math.min(at, blocks.records - 1));
  const counter = createRegisterCounter();
  const sets = settersOf(name);
  const read = visitBatches(trace, last, 0, ({ batch, window, first }) => {
    counter.add(trace.reader.decoder, window, batch, Math.min(batch.count, at - first + 1));
    return first + batch.count <= at;
  });
  if (!read.ok) return read;
  const inLast = newest(counter.finish(), sets, cpu);
  if (inLast !== undefined) return ok(blocks.firstRecord(last) + inLast);
  const ready = (level: number): number => nodesReady(level, blocks.length, ingest.complete);
  let found: RecordNumber | undefined;
  const skip = (level: number, node: number): boolean => {
    if (found !== undefined) return true;
    const record = newest(decodeRegisterSets(index.blob(NODE.registers, level, node)), sets, cpu);
    if (record !== undefined) found = blocks.firstRecord(node * spanOf(level)) + record;
    return true;
  };
  // A node describes all of its blocks, so `skip` always returns true and the walk never yields a block.
  const candidates = blocksNotSkippedBackwards(0, last, ready, skip);
  while (candidates.next().done !== true);
  return ok(found);
}

type NameTest = (name: string) => boolean;

function newest(all: readonly RegisterSet[], sets: NameTest, cpu: number | undefined): RecordNumber | undefined {
  return all.findLast((set) => (cpu === undefined || set.cpu === cpu) && sets(set.name))?.record;
}

/** Returns the oldest record n > at that sets the register. */
export function nextSetting(
  trace: Trace,
  name: string,
  cpu: number | undefined,
  at: RecordNumber,
): Result<RecordNumber | undefined> {
  const { blocks, index, ingest } = trace;
  const sets = settersOf(name);
  const first = blocks.blockOfRecord(at + 1);
  const inFirst = firstInBlock(trace, first, sets, cpu, at + 1);
  if (!inFirst.ok || inFirst.value !== undefined) return inFirst;
  const ready = (level: number): number => nodesReady(level, blocks.length, ingest.complete);
  const skip = (level: number, node: number): boolean =>
    newest(decodeRegisterSets(index.blob(NODE.registers, level, node)), sets, cpu) === undefined;
  for (const block of blocksNotSkipped(first + 1, blocks.length, ready, skip))
    return firstInBlock(trace, block, sets, cpu, 0);
  return ok(undefined);
}

function firstInBlock(
  trace: Trace,
  block: BlockNumber,
  sets: NameTest,
  cpu: number | undefined,
  from: RecordNumber,
): Result<RecordNumber | undefined> {
  const { decoder } = trace.reader;
  /** Maps the number of a register set to true if the wanted register is in it. */
  const known = new Map<number, boolean>();
  let found: RecordNumber | undefined;
  const start = Math.max(0, from - trace.blocks.firstRecord(block));
  const read = visitBatches(trace, block, start, (decoded) => {
    const { batch, first } = decoded;
    for (let i = Math.max(0, from - first); i < batch.count && found === undefined; i++) {
      if (batch.kind[i] !== KIND.register || (cpu !== undefined && batch.cpu[i] !== cpu)) continue;
      const code = batch.registers[i]!;
      let sought = code === 0 ? undefined : known.get(code);
      if (sought === undefined) {
        sought = namesSet(decoder.describe(recordBytes(decoded, i), batch, i)).some(([name]) => sets(name));
        if (code !== 0) known.set(code, sought);
      }
      if (sought) found = first + i;
    }
    return found === undefined;
  });
  return read.ok ? ok(found) : read;
}
