/** Returns the diagnostics of a trace: by code for a summary, and by shape with a sample of the first occurrence. */
import type { Answer, DiagnosticGroup, DiagnosticRow, ShapeRow } from '../../../../shared/requests/requests.ts';
import { READ_CONTRADICTS } from '../../../../shared/requests/requests.ts';
import { byCode, OTHER_SHAPES, type Diagnostic } from '../../../../shared/format/diagnostics.ts';
import type { Format } from '../../../../shared/format/format.ts';
import { assert, ok, type Result } from '../../../../shared/base/result.ts';
import type { ByteOffset } from '../../../../shared/base/units.ts';
import { utf8 } from '../../../../shared/base/utf8.ts';
import { visible } from '../../../../shared/base/visible.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { records } from '../records/records.ts';

/** Maximum number of bytes in a sample, for text and for binary input. */
const TEXT_BYTES = 160;
const HEX_BYTES = 24;

/**
 * Returns diagnostics with samples. Reads a few bytes of the file per shape, so it is meant for display and not for every refresh of a
 * summary.
 */
export function diagnostics(trace: Trace): Result<Answer<'diagnostics'>> {
  const groups: DiagnosticGroup[] = [];
  const rows = diagnosticRows(trace);
  if (!rows.ok) return rows;
  const all = trace.ingest.totals.diagnostics;
  for (const row of rows.value) {
    const shaped = all.filter(({ code }) => code === row.code).sort(byFrequency);
    const found = shaped.length === 0 ? [{ ...row, shape: '' }] : shaped;
    const shapes: ShapeRow[] = [];
    for (const { shape, count, firstOffset, firstRecord } of found) {
      const sample = sampleAt(trace, firstOffset);
      if (!sample.ok) return sample;
      shapes.push({ shape, count, firstOffset, firstRecord, ...sample.value });
    }
    groups.push({ ...row, shapes });
  }
  return ok({ groups, reach: reachOf(trace) });
}

/** Groups diagnostics by code, with the format's description of each code. */
export function rowsByCode(found: readonly Diagnostic[], format: Format): readonly DiagnosticRow[] {
  return byCode(found).map(({ code, count, firstOffset, firstRecord }) => ({
    code,
    count,
    firstOffset,
    firstRecord,
    text: format.diagnostics[code] ?? code,
  }));
}

/** Returns all diagnostics of a trace by code. Contradicting reads come last. */
export function diagnosticRows(trace: Trace): Result<readonly DiagnosticRow[]> {
  const { totals } = trace.ingest;
  const rows = rowsByCode(totals.diagnostics, trace.reader.decoder.format);
  const { bytes, record, earlier } = totals.contradictions;
  if (bytes === 0) return ok(rows);
  assert(record >= 0, 'the first contradiction is recorded together with the count');
  const first = records(trace, { from: record, count: 1 });
  if (!first.ok) return first;
  return ok([
    ...rows,
    {
      code: READ_CONTRADICTS,
      count: bytes,
      firstOffset: first.value.records[0]?.offset ?? 0,
      firstRecord: record,
      ...(earlier < 0 ? {} : { earlier }),
      text: 'A read returned another value than the last access to the same bytes: a write was not recorded, or records are missing.',
    },
  ]);
}

/** Orders by descending frequency. The row for all remaining shapes comes last regardless of its count. */
function byFrequency(a: Diagnostic, b: Diagnostic): number {
  const others = Number(a.shape === OTHER_SHAPES) - Number(b.shape === OTHER_SHAPES);
  return others || b.count - a.count || a.firstOffset - b.firstOffset || (a.shape < b.shape ? -1 : 1);
}

type Sample = Pick<ShapeRow, 'sample' | 'sampleIs'>;

function sampleAt({ reader, file }: Trace, offset: ByteOffset): Result<Sample> {
  const bytes = new Uint8Array(Math.min(TEXT_BYTES, Math.max(0, file.bytes - offset)));
  const read = reader.source.read(offset, bytes, 0, bytes.length);
  if (!read.ok) return read;
  const line = lineOf(bytes);
  switch (reader.decoder.framing.kind) {
    case 'lines':
      return ok(textSample(line));
    case 'units':
      return ok(hexSample(bytes));
    case 'whole':
      return ok(isText(line) ? textSample(line) : hexSample(bytes));
  }
}

const LF = 10;
const CR = 13;
const TAB = 9;

function lineOf(bytes: Uint8Array): Uint8Array {
  const end = bytes.indexOf(LF);
  const line = end < 0 ? bytes : bytes.subarray(0, end);
  return line.at(-1) === CR ? line.subarray(0, -1) : line;
}

function isText(line: Uint8Array): boolean {
  return line.length > 0 && line.every((byte) => byte === TAB || (byte >= 32 && byte !== 127));
}

/** Replaces invisible characters by their names, so that a sample is always one line. */
function textSample(line: Uint8Array): Sample {
  return { sample: visible(utf8(line)).replaceAll('\t', ' '), sampleIs: 'text' };
}

function hexSample(bytes: Uint8Array): Sample {
  const shown = Array.from(bytes.subarray(0, HEX_BYTES), (byte) => byte.toString(16).padStart(2, '0'));
  return { sample: shown.join(' '), sampleIs: 'hex' };
}
