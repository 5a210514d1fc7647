/** Returns all facts about a trace, as far as it is indexed. */
import {
  INDEX_PARTS,
  type Answer,
  type Arguments,
  type ImageFacts,
  type IndexPart,
  type TraceInfo,
} from '../../../../shared/requests/requests.ts';
import { kindName, type Kind, type RecordView } from '../../../../shared/records/record.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { NODE, type IndexFile, type NodeKind } from '../../index/store/index-file.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { recordView, visitBatches } from '../records/block-reader.ts';
import { recordAt } from '../records/records.ts';
import { diagnosticRows } from './diagnostics.ts';

export function info(trace: Trace, { parts = false }: Pick<Arguments<'info'>, 'parts'> = {}): Result<Answer<'info'>> {
  const { ingest, index, reader } = trace;
  const { totals } = ingest;
  const kinds: Partial<Record<Kind, number>> = {};
  totals.kinds.forEach((count, code) => {
    if (count > 0) kinds[kindName(code)] = count;
  });
  const native = Object.fromEntries(totals.natives.map(([code, count]) => [reader.decoder.nativeName(code), count]));
  const time = timeSpan(trace);
  if (!time.ok) return time;
  const found = diagnosticRows(trace);
  if (!found.ok) return found;
  const answer: TraceInfo = {
    file: trace.file,
    format: trace.format,
    ...(trace.images.list.length === 0
      ? {}
      : { images: trace.images.facts().map((image) => withRecord(trace, image)) }),
    records: trace.blocks.records,
    kinds,
    native,
    ...(time.value === undefined ? {} : { time: time.value }),
    ...(totals.lowest === undefined || totals.highest === undefined
      ? {}
      : {
          address: {
            lowest: totals.lowest,
            highest: totals.highest,
            ...(ingest.distinctPages === undefined ? {} : { pages: ingest.distinctPages }),
          },
        }),
    diagnostics: found.value,
    index: {
      path: index.path,
      bytes: index.bytes(),
      complete: ingest.complete,
      seconds: Math.round(ingest.seconds * 1000) / 1000,
      ...(parts && ingest.complete ? { parts: partsOf(index) } : {}),
    },
    reach: reachOf(trace),
    notices: trace.notices,
  };
  return ok(answer);
}

/** Adds the number of the record that gave an image its load address, if it is indexed. */
function withRecord(trace: Trace, image: ImageFacts): ImageFacts {
  const { mappedBy } = image;
  if (mappedBy === undefined) return image;
  const record = recordAt(trace, mappedBy);
  if (!record.ok || record.value.n === null) return image;
  return { ...image, mappedBy: { ...mappedBy, record: record.value.n } };
}

const KIND_OF: Readonly<Record<Exclude<IndexPart, 'file'>, NodeKind>> = {
  blocks: NODE.segment,
  pages: NODE.pages,
  heat: NODE.heat,
  find: NODE.find,
  touches: NODE.touches,
  masks: NODE.masks,
  registers: NODE.registers,
  flow: NODE.flow,
  effects: NODE.effects,
};

function partsOf(index: IndexFile): NonNullable<TraceInfo['index']['parts']> {
  const bytes = index.parts();
  const all = [...bytes.values()].reduce((sum, its) => sum + its, 0);
  return INDEX_PARTS.map((part) => ({
    part,
    bytes: part === 'file' ? Math.max(0, index.bytes() - all) : (bytes.get(KIND_OF[part]) ?? 0),
  }));
}

/** Returns the times of the first and the last record with a time, exact for any size. */
function timeSpan(trace: Trace): Result<TraceInfo['time']> {
  const { blocks, reader } = trace;
  const unit = reader.decoder.timeUnit ?? reader.decoder.format.timeUnit;
  const timed = Array.from({ length: blocks.length }, (_, block) => block).filter(
    (block) => blocks.row(block).timeFirst !== null,
  );
  const [firstBlock, lastBlock] = [timed[0], timed.at(-1)];
  if (unit === undefined || firstBlock === undefined || lastBlock === undefined) return ok(undefined);
  const first = timedRecord(trace, firstBlock, 'first');
  if (!first.ok) return first;
  const last = timedRecord(trace, lastBlock, 'last');
  if (!last.ok) return last;
  if (first.value?.time === undefined || last.value?.time === undefined) return ok(undefined);
  return ok({ first: first.value.time, last: last.value.time, unit });
}

function timedRecord(trace: Trace, block: number, which: 'first' | 'last'): Result<RecordView | undefined> {
  let found: RecordView | undefined;
  const read = visitBatches(trace, block, 0, (decoded) => {
    const { batch } = decoded;
    const order = Array.from({ length: batch.count }, (_, i) => (which === 'first' ? i : batch.count - 1 - i));
    const index = order.find((i) => !Number.isNaN(batch.time[i]!));
    if (index !== undefined) found = recordView(trace, decoded, index);
    return which === 'last' || found === undefined;
  });
  return read.ok ? ok(found) : read;
}
