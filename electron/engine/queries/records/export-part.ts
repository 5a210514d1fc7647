/**
 * Exports records for other tools, part by part. Each answer is small, so that the caller can write a file of any size in constant memory,
 * and can stop at any time.
 *
 * Dinero lines come straight from the columns. The other forms contain all fields of a record.
 */
import { csvLine } from '../../../../shared/base/csv.ts';
import { jsonText } from '../../../../shared/base/visible.ts';
import type { Answer, Arguments } from '../../../../shared/requests/requests.ts';
import { FLAG, type Batch } from '../../../../shared/records/batch.ts';
import {
  inOrder,
  KIND,
  KINDS,
  RECORD_KEYS,
  recordCells,
  type Kind,
  type RecordView,
} from '../../../../shared/records/record.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import { beyond, reachOf, type Trace } from '../../trace.ts';
import { recordView, visitBatches, type Decoded } from './block-reader.ts';

/** Limits of a part, in bytes and in milliseconds. */
const PART_BYTES = 1 << 20;
const SLICE_MS = 50;

export function exportPart(trace: Trace, args: Omit<Arguments<'exportPart'>, 'trace'>): Result<Answer<'exportPart'>> {
  const { blocks } = trace;
  const reach = reachOf(trace);
  if (!reach.complete && args.from >= blocks.records && args.from < (args.to ?? Number.POSITIVE_INFINITY))
    return beyond(args.from, reach);
  const to = Math.min(args.to ?? blocks.records, blocks.records);
  const writer = createWriter(trace, args);
  const until = performance.now() + SLICE_MS;
  let n = args.from;
  while (n < to && writer.hasRoom()) {
    const block = blocks.blockOfRecord(n);
    const from = n - blocks.firstRecord(block);
    const read = visitBatches(trace, block, from, (decoded) => {
      n = writer.add(decoded, n - decoded.first, Math.min(decoded.batch.count, to - decoded.first));
      return n < to && writer.hasRoom() && performance.now() < until;
    });
    if (!read.ok) return read;
    if (performance.now() >= until) break;
  }
  // Records that are not indexed yet are part of the export.
  const end = reach.complete ? to : (args.to ?? Number.POSITIVE_INFINITY);
  return ok({ ...writer.take(), next: n < end ? n : null });
}

interface Writer {
  hasRoom(): boolean;
  /** Takes records [from, to) of the batch until the part is full. Returns the number of the first record that was not examined. */
  add(decoded: Decoded, from: number, to: number): RecordNumber;
  take(): { readonly bytes: Uint8Array; readonly rows: number };
}

function createWriter(trace: Trace, { as, kinds, head }: Omit<Arguments<'exportPart'>, 'trace'>): Writer {
  switch (as) {
    case 'din':
      return dinWriter(wanted(kinds ?? dinKinds(trace)));
    case 'csv':
      return textWriter(trace, wanted(kinds ?? KINDS), recordLine, head === true ? csvLine(RECORD_KEYS) : '');
    case 'jsonl':
      return textWriter(trace, wanted(kinds ?? KINDS), jsonLine, '');
  }
}

/** Returns a table with 1 for each exported kind. */
function wanted(kinds: readonly Kind[]): Uint8Array {
  const table = new Uint8Array(KINDS.length);
  for (const kind of kinds) table[KIND[kind]] = 1;
  return table;
}

/** Returns the memory references of a processor: its accesses and fetches, or instructions if the trace has no fetches. */
function dinKinds(trace: Trace): readonly Kind[] {
  const fetches = (trace.ingest.totals.kinds[KIND.fetch] ?? 0) > 0;
  return [...(fetches ? (['fetch'] as const) : (['instruction', 'skipped'] as const)), 'read', 'write'];
}

/** Dinero label of each kind as an ASCII byte, 0 if there is none. */
const LABELS = new Uint8Array(KINDS.length);
for (const kind of ['read', 'bus-read', 'io-read'] as const) LABELS[KIND[kind]] = 0x30;
for (const kind of ['write', 'bus-write', 'io-write'] as const) LABELS[KIND[kind]] = 0x31;
for (const kind of ['instruction', 'skipped', 'fetch', 'bus-fetch'] as const) LABELS[KIND[kind]] = 0x32;

const SPACE = 0x20;
const LF = 0x0a;
/** Maximum length: a label, a blank, sixteen digits and a line end. */
const LINE_BYTES = 19;
const DIGITS = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));

function dinWriter(kinds: Uint8Array): Writer {
  const out = new Uint8Array(PART_BYTES);
  let filled = 0;
  let rows = 0;
  return {
    hasRoom: () => filled + LINE_BYTES <= PART_BYTES,
    add({ batch, first }, from, to) {
      let i = from;
      for (; i < to && filled + LINE_BYTES <= PART_BYTES; i++) {
        const kind = batch.kind[i]!;
        const label = LABELS[kind]!;
        // Wait states and aborted accesses are not references.
        const happened = (batch.flags[i]! & (FLAG.address | FLAG.noEffect)) === FLAG.address;
        if (kinds[kind] === 0 || label === 0 || !happened) continue;
        out[filled] = label;
        out[filled + 1] = SPACE;
        filled = putAddress(out, filled + 2, batch, i);
        out[filled++] = LF;
        rows++;
      }
      return first + i;
    },
    take: () => ({ bytes: out.subarray(0, filled), rows }),
  };
}

function putAddress(out: Uint8Array, at: number, batch: Batch, i: number): number {
  const high = batch.addressHigh[i]!;
  if (high === 0) return putDigits(out, at, batch.addressLow[i]!, 1);
  return putDigits(out, putDigits(out, at, high, 1), batch.addressLow[i]!, 8);
}

function putDigits(out: Uint8Array, at: number, value: number, least: number): number {
  const end = at + Math.max(least, 8 - (Math.clz32(value) >>> 2));
  for (let to = end - 1, rest = value; to >= at; to--, rest >>>= 4) out[to] = DIGITS[rest & 15]!;
  return end;
}

/** Lines that become bytes at once, while their pieces are young, which spares the garbage collector most of its work. */
const ENCODED = 64;

function textWriter(trace: Trace, kinds: Uint8Array, line: (record: RecordView) => string, start: string): Writer {
  const pieces: Uint8Array[] = [];
  const lines: string[] = [start];
  let filled = start.length;
  let rows = 0;
  return {
    hasRoom: () => filled < PART_BYTES,
    add(decoded, from, to) {
      const { batch, first } = decoded;
      let i = from;
      for (; i < to && filled < PART_BYTES; i++) {
        if (kinds[batch.kind[i]!] === 0) continue;
        const text = line(recordView(trace, decoded, i));
        filled += text.length;
        rows++;
        if (lines.push(text) === ENCODED) encode();
      }
      return first + i;
    },
    take() {
      encode();
      return { bytes: Buffer.concat(pieces), rows };
    },
  };

  function encode(): void {
    pieces.push(Buffer.from(lines.join('')));
    lines.length = 0;
  }
}

function jsonLine(record: RecordView): string {
  return `${jsonText(inOrder(record))}\n`;
}

function recordLine(record: RecordView): string {
  return csvLine(recordCells(record));
}
