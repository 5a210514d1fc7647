/**
 * Counts the rows of a capture in text without decoding them: the hot path of exact heatmaps. It takes only rows that the fast pass of
 * text.ts takes, in the usual form, and leaves rare ones to the decoder. It pairs no messages, because neither the kind nor the address of
 * Intel's messages depends on that.
 */
import { NO_ROW, rowAt, type AddressCells } from '../../format/address-cells.ts';
import { indexIn, LONG_LINE, type Window } from '../../format/format.ts';
import { KIND } from '../../records/record.ts';
import { CR, HEX, LF, NO_DIGIT, ZERO } from '../../base/characters.ts';
import { areDigits, digitsAt, spelled } from '../../base/digits.ts';
import { LOWEST } from '../../pentium/bus-cycles.ts';
import { type Layout, ROLE } from './columns.ts';
import { isMessage, KIND_OF, PLAIN } from './cycles.ts';
import { D59, type Rules } from './pairing.ts';
import { EXACT_DIGITS } from './row.ts';
import { isPlain } from './text.ts';

/** Bytes from the start of a row within which this pass reads without looking for the end of the window. */
const REACH = 128;
/**
 * Rows that are counted at once. V8 compiles a long loop before its first end, and discards the code each time that the loop ends with an
 * operation that never ran before.
 */
const STEP = 256;
const ADDRESS_DIGITS = 8;
const DATA_DIGITS = 16;
const READ_ROLES: ReadonlySet<number> = new Set([
  ROLE.time,
  ROLE.wr,
  ROLE.dc,
  ROLE.mio,
  ROLE.enables,
  ROLE.address,
  ROLE.data,
]);

/** True if most rows of the layout can be counted: it has the usual columns, and the rules do not make the address depend on other rows. */
export function canCountPlain(layout: Layout, { k5, noA3, messageData, clocks }: Rules): boolean {
  const { roles, shift, dataBit, dataOpen, exactDigits } = layout;
  const allows = (role: number, digits: number): boolean => {
    const exact = exactDigits[roles.indexOf(role)]!;
    return exact === 0 || exact === digits;
  };
  return (
    isPlain(layout) &&
    roles.every((role) => READ_ROLES.has(role)) &&
    new Set(roles).size === READ_ROLES.size &&
    roles.length === READ_ROLES.size &&
    allows(ROLE.address, ADDRESS_DIGITS) &&
    allows(ROLE.data, DATA_DIGITS) &&
    shift === 0 &&
    dataBit === 0 &&
    !dataOpen &&
    messageData &&
    !k5 &&
    !noA3 &&
    !clocks
  );
}

/** Counts at most `most` rows and advances the window's position. Returns their number. Stops before any line in another form. */
export function countPlainRows(window: Window, most: number, cells: AddressCells, layout: Layout): number {
  let records = 0;
  for (;;) {
    const wanted = Math.min(STEP, most - records);
    const counted = countFew(window, wanted, cells, layout);
    records += counted;
    if (counted < wanted || records === most) return records;
  }
}

function countFew(
  window: Window,
  most: number,
  { rows, kinds, counts, firstCell }: AddressCells,
  { roles, separator }: Layout,
): number {
  const { bytes, base, length } = window;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const lowest = rows.low | 0;
  const last = rows.last >>> 0;
  const first = firstCell | 0;
  const columns = roles.length;
  const safe = length === 0 ? 0 : bytes.lastIndexOf(LF, length - 1) + 1;
  const stop = Math.min(indexIn(window, window.end), safe, bytes.length - REACH) | 0;
  let at = indexIn(window, window.position);
  let records = 0;
  let timeDigits = 0;
  row: for (; at < stop && records < most; records++) {
    let control = 0;
    let enables = 0;
    let address = 0;
    let high = 0;
    let p = at;
    for (let column = 0; ;) {
      const role = roles[column]!;
      if (role === ROLE.time) {
        if (bytes[p + timeDigits] !== separator || timeDigits === 0 || !areDigits(view, p, timeDigits)) {
          timeDigits = digitsAt(bytes, p);
          if (timeDigits === 0 || timeDigits > EXACT_DIGITS) break row;
        }
        p += timeDigits;
      } else if (role === ROLE.enables) {
        const upper = HEX[bytes[p]!]!;
        const lower = HEX[bytes[p + 1]!]!;
        if (((upper | lower) & NO_DIGIT) !== 0) break row;
        enables = (upper << 4) | lower;
        p += 2;
      } else if (role === ROLE.address) {
        const upper = spelled(view.getInt32(p, true));
        const lower = spelled(view.getInt32(p + 4, true));
        if ((upper | lower) < 0) break row;
        address = ((upper << 16) | lower) & ~7;
        p += ADDRESS_DIGITS;
      } else if (role === ROLE.data) {
        const upper = spelled(view.getInt32(p, true));
        const lower = spelled(view.getInt32(p + 4, true));
        const rest = spelled(view.getInt32(p + 8, true)) | spelled(view.getInt32(p + 12, true));
        if ((upper | lower | rest) < 0) break row;
        high = (upper << 16) | lower;
        p += DATA_DIGITS;
      } else {
        const bit = bytes[p]! - ZERO;
        if (bit >>> 0 > 1) break row;
        control |= bit << (role - ROLE.wr);
        p++;
      }
      if (++column === columns) break;
      if (bytes[p++] !== separator) break row;
    }
    if (bytes[p] !== LF && (bytes[p] !== CR || bytes[++p] !== LF)) break;
    if (p - at >= LONG_LINE) break;
    let kind: number;
    if (PLAIN[(control << 8) | enables] === 1) {
      kind = KIND_OF[control]!;
      address += LOWEST[enables]!;
    } else if (isMessage(control, enables)) {
      kind = (high & D59) === 0 ? KIND.special : KIND.branch;
      address = (address & ~15) | (high >>> 28);
    } else break;
    at = p + 1;
    if ((kinds & (1 << kind)) === 0) continue;
    const distance = (address - lowest) >>> 0;
    if (distance > last) continue;
    const row = rowAt(rows, distance);
    if (row === NO_ROW) continue;
    const cell = first + row;
    counts[cell] = counts[cell]! + 1;
  }
  window.position = base + at;
  return records;
}
