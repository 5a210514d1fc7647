/** A decoded trace as text: one line per record and gap in file order, then the diagnostics. Goldens contain this text. */
import type { Gap } from '../../shared/records/batch.ts';
import type { Decoder } from '../../shared/format/format.ts';
import type { RecordFields } from '../../shared/records/record.ts';
import type { Driven, DrivenRecord } from './drive.ts';

/** Every record of `driven` must have been described. */
export function goldenText(decoder: Decoder, driven: Driven): string {
  const lines: string[] = [];
  let gap = 0;
  const printGaps = (before: number): void => {
    for (let next = driven.gaps[gap]; next !== undefined && next.start < before; next = driven.gaps[++gap]) {
      lines.push(gapLine(next));
    }
  };
  for (const record of driven.records) {
    printGaps(record.start);
    lines.push(recordLine(record));
  }
  printGaps(Number.POSITIVE_INFINITY);
  for (const { code, count, firstOffset, firstRecord } of driven.diagnostics) {
    const sentence = decoder.format.diagnostics[code];
    if (sentence === undefined) throw new Error(`${decoder.format.id} has no sentence for the diagnostic ${code}`);
    lines.push(
      `diagnostic ${code} x${String(count)} first @${String(firstOffset)} record ${String(firstRecord)}: ${sentence}`,
    );
  }
  return lines.map((line) => `${line}\n`).join('');
}

function gapLine(gap: Gap): string {
  return `gap ${gap.name} @${String(gap.start)}+${String(gap.end - gap.start)}`;
}

/** Order of printed fields; a field missing here is a mistake in this list. */
const ORDER: readonly (keyof RecordFields)[] = [
  'time',
  'cpu',
  'address',
  'size',
  'value',
  'register',
  'registers',
  'opcode',
  'isa',
  'target',
  'source',
  'text',
  'flags',
];

function recordLine(record: DrivenRecord): string {
  const { fields } = record;
  if (fields === undefined) throw new Error(`record ${String(record.n)} was not described`);
  const printed = ORDER.filter((name) => fields[name] !== undefined).map(
    (name) => ` ${name}=${printValue(fields[name])}`,
  );
  const missed = Object.keys(fields).length - printed.length - 2;
  if (missed !== 0) throw new Error(`record ${String(record.n)}: ${String(missed)} fields are not printed`);
  const place = `${String(record.n)} @${String(record.start)}+${String(record.end - record.start)}`;
  return `${place} ${fields.kind} ${fields.native}${printed.join('')}`;
}

/** Quotes text, so that blanks at its ends, control characters and line ends are visible. */
function printValue(value: RecordFields[keyof RecordFields]): string {
  if (typeof value === 'object') return value.join(',');
  const text = String(value);
  return /^[\w.:-]+$/.test(text) ? text : JSON.stringify(text);
}
