/**
 * Dinero traces, the input of cache simulators: one memory reference per line.
 *
 *     2 0040d0c0           label 2: instruction fetch at 0x40d0c0
 *     0 7fff5a14           label 0: read
 *     1 7fff5a18 4         label 1: write; some writers add the size
 *     r 7fff5a14 8         extended form of Dinero IV: a letter, a hexadecimal address and a hexadecimal size
 *
 * Labels 3, 4 and 5 and letters m, c and v are miscellaneous references, copy-backs and invalidations. Text after the fields is a comment.
 * The plain form has no defined size, so its third field may be anything; the option `third` decides.
 */
import { type Batch, FLAG, NO_CPU } from '../../records/batch.ts';
import { afterMark, CR, HEX, isBlank, LF, NO_DIGIT, SPACE, ZERO } from '../../base/characters.ts';
import { lineShape } from '../../format/diagnostics.ts';
import type { Claim, Decoder, Format, Head, Settings } from '../../format/format.ts';
import { decodeLines, describeText, LINE_DIAGNOSTICS, textSpans, trimLineEnd, visitHead } from '../../format/lines.ts';
import { type FieldSpan, KIND, kindName, type RecordFields } from '../../records/record.ts';
import { ok, type Result } from '../../base/result.ts';
import { completeSettings } from '../../format/settings.ts';
import { joinAddress, toHex } from '../../base/units.ts';
import { utf8 } from '../../base/utf8.ts';
import { hex, hexEnd, hexOf, readHex, skipBlanks, skipHexPrefix } from '../../base/scan.ts';

export const din: Format = {
  id: 'din',
  name: 'Dinero cache simulator trace',
  dialects: [],
  extensions: ['din', 'xdin', 'trace', 'txt'],
  options: [
    {
      name: 'third',
      values: ['auto', 'size', 'comment'],
      default: 'auto',
      text: 'Meaning of a third field after a numeric label; auto takes a hexadecimal number from 1 to 40 as the size',
      autoReads: true,
    },
  ],
  sniff,
  open,
  diagnostics: {
    ...LINE_DIAGNOSTICS,
    'missing-size':
      'A record of the extended form has no size of at most 65535 bytes after the address; its size is unknown.',
    'wide-address': 'The address has more than 64 bits; the record is kept without it.',
  },
};

/** Native codes: 0 for text, label + 1 for the plain form, label + 1 + EXTENDED for the extended form. */
const OTHER = 0;
const EXTENDED = 6;
const NAMES: readonly string[] = ['TEXT', '0', '1', '2', '3', '4', '5', 'r', 'w', 'i', 'm', 'c', 'v'];
const MEANING: readonly string[] = ['read', 'write', 'instruction fetch', 'miscellaneous', 'copy-back', 'invalidate'];
const MARKS: readonly (readonly string[])[] = [[], [], [], ['miscellaneous'], ['copy-back'], ['invalidate']];

/** By label. A miscellaneous reference is like a read (Dinero IV); copy-backs and invalidations access the cache, not the memory. */
const LABEL_KINDS = [KIND.read, KIND.write, KIND.fetch, KIND.read, KIND.special, KIND.special] as const;
const KINDS_OF = new Uint8Array([KIND.other, ...LABEL_KINDS, ...LABEL_KINDS]);
/** Native code by byte; 0 if the byte is not a label. */
const LABELS = new Uint8Array(256);
for (const [code, name] of NAMES.entries()) {
  if (name.length !== 1) continue;
  LABELS[name.charCodeAt(0)] = code;
  LABELS[name.toUpperCase().charCodeAt(0)] = code;
}

const ADDRESS_DIGITS = 16;
/** Maximum number of hexadecimal digits of a size. */
const SIZE_DIGITS = 7;
/** Largest third field of a plain line that `auto` takes as a size: a cache line. */
const PLAUSIBLE_SIZE = 64;
/** Dinero IV stores sizes in 16 bits (d4memref of d4.h), so a larger size is damaged. */
const MOST_BYTES = 65_535;

type Third = 'auto' | 'size' | 'comment';

function open(given: Settings): Result<Decoder> {
  const settings = completeSettings(din, given);
  if (!settings.ok) return settings;
  const third = thirdOf(settings.value['third']);
  const read = (bytes: Uint8Array, at: number, to: number, batch: Batch, row: number): boolean =>
    readLine(bytes, at, to, batch, row, third);
  return ok({
    format: din,
    framing: { kind: 'lines' },
    valuedKinds: [],
    neverAborts: true,
    settings: settings.value,
    initial: {},
    decode(window, state, batch) {
      decodeLines(window, batch, OTHER, read, readPlainLines);
      return state;
    },
    describe: (bytes, batch, index) => describe(bytes, batch, index, third),
    fields: (bytes, batch, index) => fields(bytes, batch, index, third),
    nativeName: (code) => NAMES[code] ?? 'TEXT',
  });
}

function thirdOf(value: string | undefined): Third {
  return value === 'size' || value === 'comment' ? value : 'auto';
}

/** Reads lines of a numeric label, a blank and an address of up to 16 digits. The address is read inline: this is the hot path. */
function readPlainLines(
  bytes: Uint8Array,
  from: number,
  stop: number,
  _safe: number,
  base: number,
  batch: Batch,
): number {
  const { start, end, time, kind, native, addressLow, addressHigh, size, cpu, flags } = batch;
  const capacity = kind.length;
  let row = batch.count;
  let at = from;
  while (at < stop && row < capacity) {
    const label = (bytes[at]! - ZERO) >>> 0;
    if (label >= EXTENDED || bytes[at + 1] !== SPACE) break;
    const address = at + 2;
    let p = address;
    let low = 0;
    let high = 0;
    let digit: number;
    for (; (digit = HEX[bytes[p]!]!) !== NO_DIGIT; p++) {
      high = (high << 4) | (low >>> 28);
      low = (low << 4) | digit;
    }
    if (p === address || p - address > ADDRESS_DIGITS) break;
    if (bytes[p] !== LF && (bytes[p] !== CR || bytes[++p] !== LF)) break;
    p++;
    start[row] = base + at;
    end[row] = base + p;
    time[row] = Number.NaN;
    kind[row] = KINDS_OF[label + 1]!;
    native[row] = label + 1;
    addressLow[row] = low;
    addressHigh[row] = high;
    size[row] = 0;
    cpu[row] = NO_CPU;
    flags[row] = FLAG.address;
    row++;
    at = p;
  }
  batch.count = row;
  return at;
}

interface Line {
  code: number;
  labelAt: number;
  addressAt: number;
  addressEnd: number;
  /** Span of the size; empty if there is none. */
  sizeAt: number;
  sizeEnd: number;
  /** Start of the comment. */
  textAt: number;
  low: number;
  high: number;
  size: number;
  wide: boolean;
}

const line: Line = {
  code: OTHER,
  labelAt: 0,
  addressAt: 0,
  addressEnd: 0,
  sizeAt: 0,
  sizeEnd: 0,
  textAt: 0,
  low: 0,
  high: 0,
  size: 0,
  wide: false,
};

function readLine(bytes: Uint8Array, at: number, to: number, batch: Batch, row: number, third: Third): boolean {
  if (!parse(bytes, at, to, third)) return false;
  const unsized = line.code > EXTENDED && line.sizeAt === line.sizeEnd;
  batch.time[row] = Number.NaN;
  batch.kind[row] = KINDS_OF[line.code]!;
  batch.native[row] = line.code;
  batch.addressLow[row] = line.wide ? 0 : line.low;
  batch.addressHigh[row] = line.wide ? 0 : line.high;
  batch.size[row] = line.size;
  batch.cpu[row] = NO_CPU;
  batch.flags[row] = (line.wide ? 0 : FLAG.address) | (line.wide || unsized ? FLAG.malformed : 0);
  const shape = line.wide || unsized ? lineShape(bytes, at, to) : '';
  if (line.wide) batch.diagnostics.add('wide-address', batch.start[row]!, batch.first + row, shape);
  if (unsized) batch.diagnostics.add('missing-size', batch.start[row]!, batch.first + row, shape);
  return true;
}

/** Reads bytes[at, to) into `line`. */
function parse(bytes: Uint8Array, at: number, to: number, third: Third): boolean {
  const label = skipBlanks(bytes, afterMark(bytes, at, to), to);
  if (label >= to) return false;
  line.code = LABELS[bytes[label]!]!;
  line.labelAt = label;
  let p = skipBlanks(bytes, label + 1, to);
  if (line.code === OTHER || p === label + 1) return false;
  line.addressAt = p;
  const digits = skipHexPrefix(bytes, p, to);
  p = readHex(bytes, digits, to);
  if (p === digits || (p < to && !isBlank(bytes[p]!))) return false;
  line.low = hex.low;
  line.high = hex.high;
  line.wide = hex.wide;
  line.addressEnd = p;
  line.sizeAt = line.sizeEnd = line.textAt = skipBlanks(bytes, p, to);
  line.size = 0;
  if (line.code > EXTENDED || third !== 'comment') takeSize(bytes, to, third);
  return true;
}

/** Reads the third field if it is a size; otherwise it begins the comment. */
function takeSize(bytes: Uint8Array, to: number, third: Third): void {
  const digits = skipHexPrefix(bytes, line.sizeAt, to);
  const p = hexEnd(bytes, digits, to);
  if (p === digits || p - digits > SIZE_DIGITS || (p < to && !isBlank(bytes[p]!))) return;
  const size = hexOf(bytes, digits, p);
  const sure = line.code > EXTENDED || third === 'size';
  if (size > MOST_BYTES || (!sure && (size === 0 || size > PLAUSIBLE_SIZE))) return;
  line.size = size;
  line.sizeEnd = p;
  line.textAt = skipBlanks(bytes, p, to);
}

function describe(bytes: Uint8Array, batch: Batch, index: number, third: Third): RecordFields {
  const native = batch.native[index]!;
  if (native === OTHER) return describeText(bytes, batch, index, NAMES[OTHER]!);
  const to = trimLineEnd(bytes, 0, bytes.length);
  parse(bytes, 0, to, third);
  const mark = batch.flags[index]!;
  const flags = [...((mark & FLAG.malformed) === 0 ? [] : ['malformed']), ...MARKS[labelOf(native)]!];
  return {
    kind: kindName(batch.kind[index]!),
    native: NAMES[native]!,
    ...((mark & FLAG.address) === 0
      ? {}
      : { address: toHex(joinAddress(batch.addressLow[index]!, batch.addressHigh[index]!)) }),
    ...(line.size === 0 ? {} : { size: line.size }),
    ...(line.textAt === to ? {} : { text: utf8(bytes.subarray(line.textAt, to)) }),
    ...(flags.length === 0 ? {} : { flags }),
  };
}

function fields(bytes: Uint8Array, batch: Batch, index: number, third: Third): readonly FieldSpan[] {
  const native = batch.native[index]!;
  if (native === OTHER) return textSpans(bytes);
  const to = trimLineEnd(bytes, 0, bytes.length);
  parse(bytes, 0, to, third);
  const address = toHex(joinAddress(batch.addressLow[index]!, batch.addressHigh[index]!));
  return [
    { name: 'label', start: line.labelAt, end: line.labelAt + 1, text: MEANING[labelOf(native)]! },
    {
      name: 'address',
      start: line.addressAt,
      end: line.addressEnd,
      text: line.wide ? 'more than 64 bits' : address,
    },
    { name: 'size', start: line.sizeAt, end: line.sizeEnd, text: `${line.size} ${line.size === 1 ? 'byte' : 'bytes'}` },
    { name: 'text', start: line.textAt, end: to, text: utf8(bytes.subarray(line.textAt, to)) },
  ].filter(({ start, end }) => start < end);
}

/** Returns the label, 0 to 5, of either form. */
function labelOf(native: number): number {
  return (native - 1) % EXTENDED;
}

/** With this many records a match by chance is unlikely. */
const MANY_RECORDS = 8;

function sniff(head: Head): Claim | undefined {
  const { bytes } = head;
  let records = 0;
  let extended = 0;
  let thirds = 0;
  let sizes = 0;
  const labels = new Set<number>();
  const lines = visitHead(head, (at, to) => {
    if (!parse(bytes, at, to, 'auto') || (line.code > EXTENDED && line.sizeEnd === line.sizeAt)) return;
    records++;
    labels.add(line.code);
    if (line.code > EXTENDED) extended++;
    else if (line.addressEnd < to) {
      thirds++;
      if (line.sizeEnd > line.sizeAt) sizes++;
    }
  });
  if (records === 0 || records < lines / 2) return undefined;
  const share = records / lines;
  const sure = records >= MANY_RECORDS && labels.size > 1 ? 0.95 : records > 1 ? 0.6 : 0.4;
  const third = thirds === 0 ? undefined : sizes === thirds ? 'size' : 'comment';
  return {
    confidence: share > 0.9 ? sure * share : 0.45 * share,
    options: third === undefined ? {} : { third },
    reasons: [
      `${records} of the first ${lines} lines are a label and a hexadecimal address`,
      ...(extended > 0 ? [`${extended} have a letter and a size, the extended form of Dinero IV`] : []),
      ...(third === 'size' ? ['the third field is always small enough to be a size'] : []),
      ...(third === 'comment' ? ['the third field is not always a size, so it is taken as a comment'] : []),
    ],
  };
}
