/**
 * Reads writes from lines that are no rows, so that no older value of the bytes that they changed remains:
 *
 *     1150,1,1,1,00,00140000,00112233G4556677      a damaged cell
 *     1150,1,1,1,00,00140000,00112233445566771180,1,1,1,0F,00140020,0011223300000000      a lost line end
 *
 * Cells may be missing or surplus, so the line is compared with the columns at every shift. At a shift, the address must be readable, and
 * at most one of the other required cells not. Unreadable pins count as pins of a write, and unreadable byte enables as all eight.
 *
 * If the address or the byte enables have several columns, every pair of digits may be a part of an address, so only a line with the right
 * number of cells is read.
 */
import { isBlank, isDecimal, QUOTE } from '../../base/characters.ts';
import { type Layout, ROLE } from './columns.ts';
import { addressOf, enablesOf, readPin, type Row } from './row.ts';
import { NOT_CACHEABLE, WRITE } from './cycles.ts';

const CELLS = 512;
const starts = new Int32Array(CELLS);
const ends = new Int32Array(CELLS);

/** A write at a shift: cell `column + shift` belongs to a column. */
interface Write {
  readonly shift: number;
  readonly enables: number;
  readonly address: number;
}

export interface Damaged {
  /** Start of the next write in the line, or the end of the line; -1 if there is no write. */
  readonly next: number;
  /** The line may contain another write, whose address is not readable. */
  readonly isLost: boolean;
}

/** Fills `row` with the first write in bytes[at, to), without data. `ended`: the line has not lost its end. */
export function readDamaged(
  bytes: Uint8Array,
  at: number,
  to: number,
  ended: boolean,
  layout: Layout,
  row: Row,
): Damaged {
  const cells = split(bytes, at, to, layout.separator);
  const columns = requiredColumns(layout);
  const isWhole = ended && cells === layout.roles.length;
  if (columns.parted) return readParted(bytes, to, isWhole, columns, layout, row);
  let found: Write | undefined;
  // A line that breaks off within the first cells may have been a write, too.
  let isLost = cells <= columns.first && isDecimal(bytes[at]!);
  for (let shift = -columns.first; shift < cells - columns.first; shift++) {
    const digits = shift === 0 && isWhole ? layout.exactDigits : layout.digits;
    const write = writeAt(bytes, shift, columns, layout, digits);
    if (write === undefined) {
      const { pins, known } = pinsAt(bytes, shift, columns);
      // The same applies to a line that breaks off within the pins.
      isLost ||= shift === 0 ? pins === known : pins === WRITE;
      continue;
    }
    if (found !== undefined) {
      fill(row, found, cells, layout);
      return { next: starts[columns.first + shift]!, isLost };
    }
    found = write;
    // Cells up to the address belong to this write.
    if (shift <= 0) isLost = false;
    // The address may consist of the beginning of this write's and the beginning of the next row.
    if (cells > layout.roles.length && isShort(columns.data + shift, layout.digits[columns.data])) isLost = true;
    shift += columns.address[0]! - columns.first;
  }
  if (found === undefined) return { next: -1, isLost };
  fill(row, found, cells, layout);
  return { next: to, isLost };
}

/** Does the same for a layout whose address or byte enables have several columns. */
function readParted(
  bytes: Uint8Array,
  to: number,
  isWhole: boolean,
  columns: Columns,
  layout: Layout,
  row: Row,
): Damaged {
  if (!isWhole) return { next: -1, isLost: true };
  const write = writeAt(bytes, 0, columns, layout, layout.exactDigits);
  if (write !== undefined) {
    fill(row, write, layout.roles.length, layout);
    return { next: to, isLost: false };
  }
  const { pins, known } = pinsAt(bytes, 0, columns);
  return { next: -1, isLost: pins === known };
}

interface Columns {
  /** W/R#, D/C#, M/IO#. */
  readonly pins: readonly number[];
  readonly enables: readonly number[];
  readonly address: readonly number[];
  /** The byte enables or the address have several columns. */
  readonly parted: boolean;
  /** -1 if there is none. */
  readonly data: number;
  /** The lowest of the required ones. */
  readonly first: number;
}

function requiredColumns({ roles }: Layout): Columns {
  const columnsOf = (role: number) => Array.from(roles.keys()).filter((column) => roles[column] === role);
  const pins = [ROLE.wr, ROLE.dc, ROLE.mio].map((role) => roles.indexOf(role));
  const enables = columnsOf(ROLE.enables);
  const address = columnsOf(ROLE.address);
  const parted = enables.length > 1 || address.length > 1;
  return {
    pins,
    enables,
    address,
    parted,
    data: roles.indexOf(ROLE.data),
    first: Math.min(...pins, ...enables, ...address),
  };
}

function isShort(cell: number, digits = 0): boolean {
  return ends[cell]! - starts[cell]! < digits;
}

function writeAt(
  bytes: Uint8Array,
  shift: number,
  columns: Columns,
  layout: Layout,
  exact: ArrayLike<number>,
): Write | undefined {
  let address = 0;
  for (const column of columns.address) {
    const cell = column + shift;
    const part = addressOf(bytes, starts[cell]!, ends[cell]!, layout.parts[column], layout.shift, exact[column]!);
    if (part < 0) return undefined;
    address |= part;
  }
  const { pins, known } = pinsAt(bytes, shift, columns);
  if ((pins | (known ^ WRITE)) !== WRITE) return undefined;
  let enables = 0;
  let unread = known === WRITE ? 0 : 1;
  for (const column of columns.enables) {
    const cell = column + shift;
    const part = cell < 0 ? -1 : enablesOf(bytes, starts[cell]!, ends[cell]!, layout.parts[column], exact[column]!);
    if (part < 0) unread++;
    else enables |= part;
  }
  // One pin at most.
  const isOne = known === WRITE || [3, 5, 6].includes(known);
  return unread > 1 || !isOne ? undefined : { shift, enables, address };
}

/** Returns the levels of the definition pins at a shift, and which of them are readable. */
function pinsAt(bytes: Uint8Array, shift: number, columns: Columns): { readonly pins: number; readonly known: number } {
  let pins = 0;
  let known = 0;
  columns.pins.forEach((column, bit) => {
    const cell = column + shift;
    const level = cell < 0 ? -1 : readPin(bytes, starts[cell]!, ends[cell]!);
    if (level < 0) return;
    known |= 1 << bit;
    pins |= level << bit;
  });
  return { pins, known };
}

function fill(row: Row, { shift, enables, address }: Write, cells: number, { roles }: Layout): void {
  row.time = Number.NaN;
  row.isWideTime = false;
  row.control = WRITE | NOT_CACHEABLE;
  row.enables = enables;
  row.address = address >>> 0;
  row.low = row.high = 0;
  row.captured = row.waits = false;
  row.lost = true;
  row.dataTop = 63;
  row.cpu = -1;
  row.cells = cells;
  for (let column = 0; column < roles.length; column++) {
    const cell = column + shift;
    const isThere = cell >= 0 && cell < cells;
    row.from[column] = isThere ? starts[cell]! : 0;
    row.to[column] = isThere ? ends[cell]! : 0;
  }
}

/** Splits a line into cells without blanks and quotes. Returns their number. */
function split(bytes: Uint8Array, at: number, to: number, separator: number): number {
  let cells = 0;
  starts.fill(0);
  ends.fill(0);
  // A search of all bytes would take quadratic time if no line has a separator.
  const line = bytes.subarray(0, to);
  for (let from = at; from <= to && cells < CELLS; cells++) {
    const found = line.indexOf(separator, from);
    const end = found < 0 ? to : found;
    let first = from;
    let last = end;
    while (first < last && isPadding(bytes[first]!)) first++;
    while (last > first && isPadding(bytes[last - 1]!)) last--;
    starts[cells] = first;
    ends[cells] = last;
    from = end + 1;
  }
  return cells;
}

function isPadding(byte: number): boolean {
  return byte === QUOTE || isBlank(byte);
}
