/** Decodes the first records of a file, for previews of files that are not open. */
import { createBatch, resetBatch } from '../../../shared/records/batch.ts';
import { Diagnostics, type Diagnostic } from '../../../shared/format/diagnostics.ts';
import { LONG_LINE, WHOLE_BYTES, type Decoder } from '../../../shared/format/format.ts';
import type { RecordView } from '../../../shared/records/record.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import { createWindowLoader, planBlocks } from '../index/blocks.ts';
import type { Source } from '../platform/source.ts';

const MOST_RECORDS = 12;
/** Maximum number of batches that are decoded to find records: a batch may contain only gaps. */
const MOST_BATCHES = 100;

interface FirstRecords {
  readonly records: readonly RecordView[];
  /** Diagnostics of these records and of the bytes between them. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Returns no records of a file that must be decoded as a whole and is too large for that. Fails if the file cannot be read. */
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
