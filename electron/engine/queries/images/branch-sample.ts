/**
 * Branches of a trace of branch messages, for comparing them with images. They come from the same blocks as executed instructions do in
 * traces of instructions (sample.ts), so the work is bounded too.
 */
import { BATCH_RECORDS } from '../../../../shared/records/batch.ts';
import { KINDS, KIND } from '../../../../shared/records/record.ts';
import { EVENT, type Events } from '../../../../shared/flow/events.ts';
import { ok } from '../../../../shared/base/result.ts';
import { joinAddress, type RecordNumber } from '../../../../shared/base/units.ts';
import type { Steps } from '../../threads/in-slices.ts';
import type { Trace } from '../../trace.ts';
import { visitBatches } from '../records/block-reader.ts';
import { keepSample, pieces } from './sample.ts';

export interface BranchSample {
  /** Distinct branches with a known source, by first record. */
  readonly branches: readonly TakenBranch[];
  /** Addresses that any branch of the sample went to. */
  readonly targets: ReadonlySet<bigint>;
  /** Number of branch records in the sample, and in the indexed part of the trace. */
  readonly records: number;
  readonly of: number;
}

/** A branch as messages describe it. Messages that differ in the record only are one branch. */
export interface TakenBranch {
  readonly source: bigint;
  /** Undefined if the messages do not contain it. */
  readonly target: bigint | undefined;
  /** Position in BRANCH_KINDS, as the trace says. */
  readonly kind: number;
  /** Operand or code size in bits at the source; 0 if the messages do not contain it. */
  readonly operandSize: number;
  /** First record of the sample with this branch, and the number of such records. */
  readonly n: RecordNumber;
  count: number;
}

/** Upper bound on distinct branches that are kept: disassembling their sources takes half a second. */
const MOST_BRANCHES = 1 << 14;

export const branchSampleOf = keepSample('sampled branches', readSample);

function* readSample(trace: Trace): Steps<BranchSample> {
  const reader = trace.reader.decoder.flow?.createReader();
  const all = createCollector();
  let records = 0;
  for (const { block, from, to } of reader === undefined ? [] : pieces(trace, BATCH_RECORDS)) {
    const first = trace.blocks.length === 0 ? 0 : trace.blocks.firstRecord(block);
    const read = visitBatches(trace, block, from, ({ batch, window }) => {
      for (let i = 0; i < batch.count; i++) if (batch.kind[i] === KIND.branch) records++;
      reader!.add(window, batch);
      return batch.first + batch.count < to;
    });
    if (!read.ok) return read;
    // Events count records from the start of the block.
    all.add(reader!.finish().events, first);
    yield first;
  }
  const of = trace.ingest.totals.kinds[KINDS.indexOf('branch')]!;
  return ok({ branches: all.branches, targets: all.targets, records, of: Math.max(records, of) });
}

function createCollector() {
  const known = new Map<string, TakenBranch>();
  const branches: TakenBranch[] = [];
  const targets = new Set<bigint>();
  return { branches, targets, add };

  function add(events: Events, first: RecordNumber): void {
    const { flags, kind, operandSize, sourceLow, sourceHigh, targetLow, targetHigh, record, count } = events;
    for (let at = 0; at < count; at++) {
      if ((flags[at]! & EVENT.granular) !== 0) continue;
      const hasTarget = (flags[at]! & EVENT.target) !== 0;
      const hasSource = (flags[at]! & EVENT.source) !== 0;
      const key = `${hasSource} ${sourceHigh[at]} ${sourceLow[at]} ${hasTarget} ${targetHigh[at]} ${targetLow[at]} ${kind[at]} ${operandSize[at]}`;
      const same = known.get(key);
      if (same !== undefined) {
        same.count++;
        continue;
      }
      if (known.size >= MOST_BRANCHES) continue;
      const branch = {
        source: joinAddress(sourceLow[at]!, sourceHigh[at]!),
        target: hasTarget ? joinAddress(targetLow[at]!, targetHigh[at]!) : undefined,
        kind: kind[at]!,
        operandSize: operandSize[at]!,
        n: first + record[at]!,
        count: 1,
      };
      known.set(key, branch);
      if (branch.target !== undefined) targets.add(branch.target);
      if (hasSource) branches.push(branch);
    }
  }
}
