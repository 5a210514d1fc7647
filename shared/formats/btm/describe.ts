/** Describes a record of a capture for people, from its own bytes. Only what pairing added comes from the columns. */
import { type Batch, FLAG } from '../../records/batch.ts';
import { describeText, textSpans } from '../../format/lines.ts';
import { type FieldSpan, kindName, type RecordFields } from '../../records/record.ts';
import { type Hex, joinAddress, toHex, toWireTime, type WireTime } from '../../base/units.ts';
import { DP, HAS_DP, TIME_MARK, UNIT } from './binary-likely.ts';
import { type Layout, ROLE, unitExponent } from './columns.ts';
import {
  BTM,
  BTM_FAST,
  BTM_FIRST,
  cycleText,
  INT_ACK,
  isAccess,
  lanesWithin,
  MARK,
  nativeName,
  NO_DATA,
  NOT_CACHEABLE,
  OTHER,
  SPECIAL,
  topRequested,
  WHOLE_BUS,
} from './cycles.ts';
import { INT_ACK_SECOND, LOWEST, requestedBytes, SPAN } from '../../pentium/bus-cycles.ts';
import { A28, A3, type Rules } from './pairing.ts';
import { readDamaged } from './damaged.ts';
import { createRow, readRow, type Row, rowEnd } from './row.ts';
import { u32LittleEndian } from '../../base/bytes.ts';
import { textOf } from '../../base/scan.ts';
import { LF } from '../../base/characters.ts';

/** Shared row, because creating one takes longer than reading a line, and searches and exports describe millions of lines. */
const LINE = createRow();
/** Template for units, which have no cells. */
const NO_CELLS = createRow();

export function describeLine(
  bytes: Uint8Array,
  batch: Batch,
  index: number,
  layout: Layout,
  rules: Rules,
): RecordFields {
  if (batch.native[index] === OTHER) return describeText(bytes, batch, index, nativeName(OTHER));
  const row = LINE;
  readAgain(bytes, batch, index, layout, row);
  const column = layout.roles.indexOf(ROLE.time);
  const isKnown = column >= 0 && (batch.flags[index]! & MARK.damaged) === 0;
  const time = !isKnown ? undefined : exactTime(cellText(bytes, row, column), layout.timeExponent);
  return describeRow(row, batch, index, rules, time, layout);
}

/** Reads the bytes of a record, a row or a damaged one. */
function readAgain(bytes: Uint8Array, { flags }: Batch, index: number, layout: Layout, row: Row): void {
  const to = rowEnd(bytes, 0, bytes.length);
  if ((flags[index]! & MARK.damaged) === 0) readRow(bytes, 0, to, layout, row);
  else readDamaged(bytes, 0, to, bytes.at(-1) === LF, layout, row);
}

export function describeUnit(bytes: Uint8Array, batch: Batch, index: number, rules: Rules): RecordFields {
  const time = batch.time[index]!;
  return describeRow(unitRow(bytes, batch, index), batch, index, rules, Number.isNaN(time) ? undefined : time, WHOLE);
}

function describeRow(
  row: Row,
  batch: Batch,
  index: number,
  rules: Rules,
  time: WireTime | undefined,
  bus: Bus,
): RecordFields {
  const flags = batch.flags[index]!;
  const native = batch.native[index]!;
  const size = batch.size[index]!;
  const cpu = batch.cpu[index]!;
  const address = toHex(joinAddress(batch.addressLow[index]!, batch.addressHigh[index]!));
  const target = toHex(joinAddress(batch.targetLow[index]!, batch.targetHigh[index]!));
  const known = (flags & FLAG.address) !== 0;
  const value = hasValue(row, bytesRequested(row, batch, index), flags, bus) ? laneValue(row) : undefined;
  const text = native >= BTM ? messageText(native, row, rules) : accessText(native, row, value);
  const marks = marksOf(native, flags, row, rules);
  return {
    ...(time !== undefined && { time }),
    ...(cpu >= 0 && { cpu }),
    kind: kindName(batch.kind[index]!),
    native: nativeName(native),
    ...(known && { address }),
    ...(size > 0 && { size }),
    ...(value !== undefined && { value }),
    ...((flags & FLAG.target) !== 0 && { target }),
    ...(known && native > BTM_FIRST && { source: address }),
    ...(text !== undefined && { text }),
    ...(marks.length > 0 && { flags: marks }),
  };
}

/**
 * The text of most cycles follows from their names and marks, also the operand size of a message. Implements `Decoder.wordsKeys`, for both
 * forms: cycles of ports have a value that is not in the columns.
 */
export function wordsKeys(
  { native, flags }: Batch,
  from: number,
  to: number,
  { k5, noA3 }: Rules,
  keys: Int32Array,
): void {
  for (let i = from; i < to; i++) {
    const code = native[i]!;
    const isMessage = code >= BTM;
    const isUnsized = isMessage && !noA3 && (flags[i]! & MARK.sized) === 0;
    const depends = code === OTHER || code === INT_ACK || code === SPECIAL || (isMessage && k5) || isUnsized;
    keys[i] = depends ? 0 : ((flags[i]! << NATIVE_BITS) | code) + 1;
  }
}

/** Number of bits of a native code. The flags of this format have 16 bits. */
const NATIVE_BITS = 4;

/** The part of the data bus that the capture contains. */
type Bus = Pick<Layout, 'lanes'>;
const WHOLE: Bus = { lanes: lanesWithin(WHOLE_BUS) };

/** Returns the number of requested bytes, even if the record has no size because the address of the bytes is unknown. */
function bytesRequested(row: Row, batch: Batch, index: number): number {
  return isAccess(batch.native[index]!) ? SPAN[row.enables]! : batch.size[index]!;
}

/** True if all requested bytes are known. */
function hasValue(row: Row, size: number, flags: number, { lanes }: Bus): boolean {
  const within = lanes[row.enables] === 1 && topRequested(row.enables) <= row.dataTop;
  return size > 0 && row.captured && (flags & (MARK.split | MARK.damaged)) === 0 && within;
}

function accessText(native: number, row: Row, value: Hex | undefined): string | undefined {
  const text = cycleText(native, row.enables, row.address);
  // The interrupt controller drives the vector in the second cycle.
  const vector = native === INT_ACK && row.enables === INT_ACK_SECOND && value !== undefined;
  return vector ? `${text ?? ''}: vector ${value}` : text;
}

/** Returns the requested bytes as a number, with the lowest byte in the lowest place. */
function laneValue(row: Row): Hex {
  const bus = (BigInt(row.high) << 32n) | BigInt(row.low);
  const size = SPAN[row.enables]!;
  const mask = (1n << BigInt(8 * size)) - 1n;
  return toHex((bus >> BigInt(8 * LOWEST[row.enables]!)) & mask);
}

function messageText(native: number, row: Row, { k5 }: Rules): string {
  const what = k5 ? ` of ${K5_MODES[(row.address >>> 29) & 3]!}, CS ${toHex((row.address >>> 4) & 0xffff)}` : '';
  if (native === BTM) return `branch trace message${what}, unknown cycle`;
  const datum = (native === BTM_FIRST) === k5 ? 'source' : 'target';
  if (native === BTM_FIRST) return `branch trace message${what}, first cycle: ${datum}`;
  return native === BTM_FAST
    ? 'branch trace message, fast: source only'
    : `branch trace message${what}, second cycle: ${datum}`;
}

const K5_MODES = ['real mode', 'a reserved mode', 'protected mode', 'virtual 8086 mode'] as const;

function marksOf(native: number, flags: number, row: Row, rules: Rules): readonly string[] {
  const message = native >= BTM;
  const uncaptured = (flags & MARK.noData) !== 0;
  return [
    ...((flags & FLAG.malformed) !== 0 ? ['malformed'] : []),
    ...((flags & MARK.damaged) !== 0 ? ['value-lost'] : []),
    ...((flags & MARK.cacheable) !== 0 ? ['cacheable'] : []),
    ...((flags & MARK.split) !== 0 ? ['split-byte-enables'] : []),
    ...(message && !rules.k5 ? ['linear-address'] : []),
    ...(message && rules.k5 && !uncaptured ? ['segment-offset'] : []),
    ...(uncaptured ? ['no-data-bus'] : []),
    ...((uncaptured && !rules.k5) || (rules.noA3 && isAccess(native)) ? ['address-of-16-bytes'] : []),
    ...(message && !rules.noA3 ? [`operand-size-${operandSize(row, rules)}`] : []),
    ...((flags & MARK.firstMissing) !== 0 ? ['first-cycle-missing'] : []),
    ...((flags & MARK.ambiguous) !== 0 ? ['processor-unknown'] : []),
  ];
}

/** Returns the operand size of the message's own end of the branch: pin A3, or pin A28 on the K5. */
function operandSize({ address }: Row, { k5 }: Rules): string {
  return (address & (k5 ? A28 : A3)) === 0 ? '16' : '32';
}

export function lineSpans(
  bytes: Uint8Array,
  batch: Batch,
  index: number,
  layout: Layout,
  rules: Rules,
): readonly FieldSpan[] {
  if (batch.native[index] === OTHER) return textSpans(bytes);
  const row = createRow();
  readAgain(bytes, batch, index, layout, row);
  const spans: FieldSpan[] = [];
  layout.roles.forEach((role, cell) => {
    const [start, end] = [row.from[cell]!, row.to[cell]!];
    if (end <= start) return;
    const title = layout.titles[cell]!;
    const name = title === '' ? `column ${String(cell + 1)}` : title;
    spans.push({ name, start, end, text: meaning(role, row, batch, index, rules, layout, cellText(bytes, row, cell)) });
  });
  return spans;
}

function meaning(
  role: number,
  row: Row,
  batch: Batch,
  index: number,
  rules: Rules,
  layout: Layout,
  cell: string,
): string {
  switch (role) {
    case ROLE.wr:
      return pinText('W/R#', row.control & 1, 'read', 'write');
    case ROLE.dc:
      return pinText('D/C#', (row.control >>> 1) & 1, 'code or control', 'data');
    case ROLE.mio:
      return pinText('M/IO#', (row.control >>> 2) & 1, 'port or special', 'memory');
    case ROLE.cache:
      return pinText('CACHE#', Number((row.control & NOT_CACHEABLE) !== 0), 'may move a cache line', 'single');
    case ROLE.dp:
      return pinText('D/P#', Math.max(0, batch.cpu[index]!), 'primary processor', 'dual processor');
    case ROLE.time:
      return `${String(batch.time[index])} ${layout.timeUnit}`;
    case ROLE.enables:
      return enablesText(row);
    case ROLE.address:
      return addressText(row, batch, index, rules);
    case ROLE.data:
      return dataText(row, batch, index, rules, layout);
    case ROLE.ready:
      return pinText('BRDY#', Number(row.waits), 'the cycle is complete', 'the cycle continues');
    case ROLE.cpu:
      return `processor ${String(batch.cpu[index])}`;
    default:
      return cell;
  }
}

function pinText(pin: string, bit: number, low: string, high: string): string {
  return `${pin}=${String(bit)}: ${bit === 0 ? low : high}`;
}

function enablesText({ enables }: Row): string {
  const on = requestedBytes(enables);
  const text = on.length === 0 ? 'no byte' : on.length === 8 ? 'all eight bytes' : `bytes ${on.join(', ')}`;
  return `${enables.toString(2).padStart(8, '0')}: ${text}`;
}

function addressText(row: Row, batch: Batch, index: number, rules: Rules): string {
  const pins = toHex(row.address);
  const captured = rules.noA3 ? `pins A31-A4: ${toHex((row.address & ~15) >>> 0)}` : `pins A31-A3: ${pins}`;
  if (batch.native[index]! < BTM || (rules.noA3 && !rules.k5)) return captured;
  const size = `operand size ${operandSize(row, rules)}`;
  if (!rules.k5) return `linear address bits 31-4 of ${pins}; A3=${String((row.address >>> 3) & 1)}: ${size}`;
  const cycle = row.address >>> 31 === 0 ? 'first' : 'second';
  return `A31: ${cycle} cycle; ${K5_MODES[(row.address >>> 29) & 3]!}; ${size}; CS ${toHex((row.address >>> 4) & 0xffff)}`;
}

function dataText(row: Row, batch: Batch, index: number, rules: Rules, bus: Bus): string {
  if (!row.captured || batch.native[index] === BTM) return 'not captured';
  const native = batch.native[index]!;
  if (native >= BTM && rules.k5) return `D31-D0: EIP ${toHex(row.low)}`;
  if (native >= BTM) {
    const cycle = native === BTM_FIRST ? 'first cycle' : 'second or fast cycle';
    const bits = (row.high >>> 28).toString(2).padStart(4, '0');
    return `D63-D60: address bits 3-0 ${bits}; D59=${String((row.high >>> 27) & 1)}: ${cycle}; D58-D0 reserved`;
  }
  const known = hasValue(row, bytesRequested(row, batch, index), batch.flags[index]!, bus);
  return known ? `value ${laneValue(row)}` : 'data bus';
}

export function unitSpans(bytes: Uint8Array, batch: Batch, index: number, rules: Rules): readonly FieldSpan[] {
  if (bytes.length < UNIT) return [];
  const row = unitRow(bytes, batch, index);
  const pins = (['W/R#', 'D/C#', 'M/IO#', 'CACHE#', 'D/P#', 'D/P# captured', 'no data'] as const)
    .map((pin, bit) => `${pin}=${String((bytes[5]! >>> bit) & 1)}`)
    .join(' ');
  const since = bytes[6]! | (bytes[7]! << 8);
  return [
    { name: 'address A31-A3', start: 0, end: 4, text: addressText(row, batch, index, rules) },
    { name: 'byte enables BE7#-BE0#', start: 4, end: 5, text: enablesText(row) },
    { name: 'control', start: 5, end: 6, text: pins },
    { name: 'time', start: 6, end: 8, text: `${String(since)} ns after the previous cycle` },
    { name: 'data D63-D0', start: 8, end: 16, text: dataText(row, batch, index, rules, WHOLE) },
  ];
}

function unitRow(bytes: Uint8Array, batch: Batch, index: number): Row {
  const control = bytes[5]!;
  return {
    ...NO_CELLS,
    time: batch.time[index]!,
    control: control & ~(DP | HAS_DP | NO_DATA | TIME_MARK),
    enables: bytes[4]!,
    address: (u32LittleEndian(bytes, 0) & ~7) >>> 0,
    low: u32LittleEndian(bytes, 8),
    high: u32LittleEndian(bytes, 12),
    captured: (control & NO_DATA) === 0,
    cpu: batch.cpu[index]!,
  };
}

function cellText(bytes: Uint8Array, row: Row, cell: number): string {
  return textOf(bytes, row.from[cell]!, row.to[cell]!);
}

/** Converts a time cell to nanoseconds with all of its digits; undefined if it is empty. */
function exactTime(cell: string, columnExponent: number): WireTime | undefined {
  const match = /^([+-]?)(\d*)(?:[.,](\d*))?(?:e([+-]?\d+))?(\D*)$/i.exec(cell);
  if (match === null || cell === '') return undefined;
  const [, sign, whole = '', fraction = '', power = '0', unit = ''] = match;
  const own = unit.trimStart().replace(/^(\u00c2\u00b5|\u00ce\u00bc)/, '\u00b5');
  const exponent = (own === '' ? columnExponent : (unitExponent(own) ?? columnExponent)) + Number(power);
  const digits = (whole + fraction).padEnd(
    whole.length + fraction.length + Math.max(0, exponent - fraction.length),
    '0',
  );
  const places = Math.max(0, fraction.length - exponent);
  const padded = digits.padStart(places + 1, '0');
  const integer = padded.slice(0, padded.length - places).replace(/^0+(?=\d)/, '');
  const rest = withoutZeros(padded.slice(padded.length - places));
  const minus = sign === '-' ? '-' : '';
  return rest === '' ? toWireTime(BigInt(minus + integer)) : `${minus}${integer}.${rest}`;
}

/** Removes the zeros at the end of a fraction. */
function withoutZeros(fraction: string): string {
  let end = fraction.length;
  while (fraction[end - 1] === '0') end--;
  return fraction.slice(0, end);
}
