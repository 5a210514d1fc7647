/** Memory as a dump in hexadecimal and text, followed by spans with the records that last wrote and last accessed them. */
import { KNOWN } from '../../../shared/requests/requests.ts';
import type { MemoryView, UnusedSegment } from '../../../shared/requests/requests.ts';
import { toHex } from '../../../shared/base/units.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import { counted, group } from '../../../shared/base/numbers.ts';
import { unusedText } from '../../../shared/requests/unused-segment.ts';
import { createTable } from './table.ts';

/** A part of the requested memory; `start` is its first address. */
export interface MemoryPart {
  readonly start: bigint;
  readonly view: MemoryView;
}

const ROW = 16;
/** Upper limit of the rows of the second table; --json prints all. */
const MOST_SPANS = 64;

/** Yields texts to print one after the other. */
export function* dump(at: RecordNumber, parts: readonly MemoryPart[], colour: boolean): Generator<string, undefined> {
  const known = parts.reduce((sum, { view }) => sum + view.known.reduce((n, how) => n + Number(how > 0), 0), 0);
  const all = parts.reduce((sum, { view }) => sum + view.length, 0);
  yield `record ${group(at)}: ${group(known)} of ${counted(all, 'byte')} known\n`;
  const last = parts.at(-1);
  const digits = last === undefined ? 0 : toHex(last.start + BigInt(last.view.length) - 1n).length - 2;
  for (const part of parts) yield hexRows(part, digits);
  for (const segment of unusedIn(parts)) yield `${unusedText(segment)}\n`;
  const spans = parts.flatMap(spansOf).filter(({ touched, how }) => touched >= 0 || how !== KNOWN.not);
  if (spans.length === 0) return undefined;
  yield `\n${createTable(COLUMNS, colour).lines(spans.slice(0, MOST_SPANS))}`;
  if (spans.length > MOST_SPANS) yield `and ${group(spans.length - MOST_SPANS)} more spans; --json prints all\n`;
  return undefined;
}

/** Returns the segments of images that were not used, each once. */
export function unusedIn(parts: readonly MemoryPart[]): readonly UnusedSegment[] {
  const all = parts.flatMap(({ view }) => view.unused ?? []);
  return all.filter(
    ({ path, address }, i) => i === all.findIndex((other) => other.path === path && other.address === address),
  );
}

/** Rows begin at multiples of 16; positions before the first byte are blank. */
function hexRows({ start, view }: MemoryPart, digits: number): string {
  const lines: string[] = [];
  const skipped = Number(start % BigInt(ROW));
  for (let row = -skipped; row < view.length; row += ROW) {
    const hex: string[] = [];
    const text: string[] = [];
    for (let at = row; at < row + ROW; at++) {
      const outside = at < 0 || at >= view.length;
      const unknown = outside || view.known[at] === KNOWN.not;
      hex.push(outside ? '  ' : unknown ? '??' : view.bytes[at]!.toString(16).padStart(2, '0'));
      text.push(outside ? ' ' : unknown ? '?' : printable(view.bytes[at]!));
    }
    const place = (start + BigInt(row)).toString(16).padStart(digits, '0');
    const halves = [hex.slice(0, ROW / 2).join(' '), hex.slice(ROW / 2).join(' ')];
    lines.push(`0x${place}  ${halves.join('  ')}  |${text.join('')}|\n`);
  }
  return lines.join('');
}

function printable(byte: number): string {
  return byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.';
}

/** Adjacent bytes with the same last writer, last access and evidence. */
interface Span {
  readonly start: bigint;
  bytes: number;
  readonly writer: number;
  readonly touched: number;
  readonly how: number;
}

function spansOf({ start, view }: MemoryPart): Span[] {
  const spans: Span[] = [];
  for (let i = 0; i < view.length; i++) {
    const next = { writer: view.writers[i]!, touched: view.touched[i]!, how: view.known[i]! };
    const last = spans.at(-1);
    const same = last?.writer === next.writer && last.touched === next.touched && last.how === next.how;
    if (same) last.bytes++;
    else spans.push({ start: start + BigInt(i), bytes: 1, ...next });
  }
  return spans;
}

const HOW: Readonly<Record<number, string>> = {
  [KNOWN.not]: 'unknown',
  [KNOWN.data]: 'data',
  [KNOWN.opcode]: 'opcode',
  [KNOWN.image]: 'image',
};

const COLUMNS = [
  { title: 'from', right: true, text: ({ start }: Span) => toHex(start) },
  { title: 'to', right: true, text: ({ start, bytes }: Span) => toHex(start + BigInt(bytes) - 1n) },
  { title: 'bytes', right: true, text: ({ bytes }: Span) => group(bytes) },
  { title: 'known from', text: ({ how }: Span) => HOW[how] ?? '' },
  { title: 'written by', right: true, text: ({ writer }: Span) => (writer < 0 ? '' : group(writer)) },
  { title: 'accessed by', right: true, text: ({ touched }: Span) => (touched < 0 ? '' : group(touched)) },
];
