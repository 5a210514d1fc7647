/** The first records of a file, straight from its bytes: what a person sees before anything is opened or indexed. */
import { createBatch, resetBatch } from '../../../shared/records/batch.ts';
import { Diagnostics, type Diagnostic } from '../../../shared/format/diagnostics.ts';
import { LONG_LINE, WHOLE_BYTES, type Decoder } from '../../../shared/format/format.ts';
import type { RecordView } from '../../../shared/records/record.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import { createWindowLoader, planBlocks } from '../index/blocks.ts';
import type { Source } from '../platform/source.ts';

const MOST_RECORDS = 12;
/** Batches looked at before a file without records is given up: a batch may hold nothing but gaps. */
const MOST_BATCHES = 100;

interface FirstRecords {
  readonly records: readonly RecordView[];
  /** In these records and between them. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Empty for a file that is too large to be decoded as a whole; fails where the file cannot be read. */
export function firstRecords(source: Source, decoder: Decoder): Result<FirstRecords> {
  const records: RecordView[] = [];
  const diagnostics = new Diagnostics();
  const { framing } = decoder;
  const plan = planBlocks(framing, source.size);
  if (plan.blocks === 0 || (framing.kind === 'whole' && source.size > WHOLE_BYTES)) {
    return ok({ records, diagnostics: [] });
  }
  const loaded = createWindowLoader(source, decoder, plan).load(0, undefined, decoder.initial);
  if (!loaded.ok) return loaded;
  const window = loaded.value;
  const batch = createBatch(MOST_RECORDS);
  let state = decoder.initial;
  for (let round = 0; round < MOST_BATCHES && records.length < MOST_RECORDS && window.position < window.end; round++) {
    resetBatch(batch, records.length);
    state = decoder.decode(window, state, batch);
    diagnostics.addAll(batch.diagnostics.list());
    for (let i = 0; i < batch.count && records.length < MOST_RECORDS; i++) {
      const [start, end] = [batch.start[i]!, batch.end[i]!];
      const own = window.bytes.subarray(start, Math.min(end, start + LONG_LINE, window.length));
      records.push({ n: records.length, offset: start, bytes: end - start, ...decoder.describe(own, batch, i) });
    }
  }
  return ok({ records, diagnostics: diagnostics.list() });
}
