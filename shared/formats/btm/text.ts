/**
 * Decodes the lines of an export into columns: the hot path of captures in text.
 *
 *     95455,0,0,1,DF,00100668,524E6465F8ACC2CC
 *
 * This row, worked through in btm.ts, goes through the fast pass: rows whose cells are bare numbers, each with a whole signal. The pass has
 * no calls in its loop over cells, checks every byte, and gives the same columns as `row.ts`, which reads all other rows. It needs no bounds
 * checks: it never steps over a byte that can be a line end, and it only runs on lines whose LF is in the window.
 *
 * Header rows, comments, and everything before the first row are gaps, so that records are bus cycles.
 */
import { type Batch, FLAG, NO_CPU, PART_RECORDS } from '../../records/batch.ts';
import { latin1 } from '../../base/bytes.ts';
import {
  afterMark,
  ASTERISK,
  CR,
  EXCLAMATION,
  HASH,
  HEX,
  isDecimal,
  LF,
  LOWER_X,
  NO_DIGIT,
  QUOTE,
  SEMICOLON,
  SLASH,
  SPACE,
  ZERO,
} from '../../base/characters.ts';
import { indexIn, LONG_LINE, type State, type Window } from '../../format/format.ts';
import { countText, keepText, lineAt, type LinePlace, trimLineEnd } from '../../format/lines.ts';
import { isSameLayout, type Layout, layoutOf, NEEDED_SIGNALS, ROLE, signalsIn } from './columns.ts';
import {
  isMessage,
  KIND_OF,
  leaveOutA3,
  MARK,
  MEMORY,
  NOT_CACHEABLE,
  OTHER,
  PLAIN,
  putBytes,
  putCycle,
  topRequested,
} from './cycles.ts';
import { LOWEST, SPAN } from '../../pentium/bus-cycles.ts';
import { forgetPending, INITIAL, pairingState, putMessage, type Rules, takeState } from './pairing.ts';
import { createRow, EXACT_DIGITS, isCut, readRow, type Row, rowEnd, scaled } from './row.ts';
import { isText } from '../../base/scan.ts';
import { lineShape } from '../../format/diagnostics.ts';
import { type Damaged, readDamaged } from './damaged.ts';

/** Maximum number of cpu digits in the fast pass. */
const SHORT_CPU = 4;
/** Number of hexadecimal digits of the byte enables. */
const ENABLES_DIGITS = 2;
/** Number of hexadecimal digits of the data bus. */
const WHOLE_BUS_DIGITS = 16;
/** Highest data bus bit that messages use: D63-D59 for Intel, D31-D0 for the K5. */
const MESSAGE_TOP = 63;
const K5_MESSAGE_TOP = 31;

/** Decodes an empty batch part by part, whose states it marks, and appends to any other batch. */
export function decodeText(window: Window, state: State, batch: Batch, layout: Layout, rules: Rules): State {
  const capacity = batch.kind.length;
  if (batch.count > 0) return decodeRows(window, state, batch, capacity, layout, rules);
  let after = state;
  let isFull: boolean;
  do {
    const { position } = window;
    const { count } = batch;
    const isLineStart = position === window.base || window.bytes[indexIn(window, position) - 1] === LF;
    const before = after;
    after = decodeRows(window, after, batch, Math.min(capacity, count + PART_RECORDS), layout, rules);
    // Lines before the first row, such as headers, may have changed the state.
    const isState = isLineStart && batch.count > count && batch.start[count] === position;
    batch.parts.push({ state: isState ? before : undefined, first: 0, second: 0 });
    isFull = batch.count === count + PART_RECORDS;
  } while (isFull && batch.count < capacity && window.position < window.end);
  return after;
}

/**
 * Decodes until the batch has `most` rows. The state's `begun` says where the next line is: one of PREAMBLE, ROWS, UNDER_OTHER and HEADED.
 */
function decodeRows(window: Window, state: State, batch: Batch, most: number, layout: Layout, rules: Rules): State {
  const { bytes, base, length } = window;
  const stop = indexIn(window, window.end);
  const capacity = batch.kind.length;
  const { start: starts, end: ends, time: times, kind: kinds, native: natives, size: sizes, flags, cpu: cpus } = batch;
  const lows = batch.addressLow;
  const { roles, separator, dataBit, dataOpen, lanes, shift, timeExponent, exactDigits } = layout;
  const { noA3 } = rules;
  const columns = roles.length;
  const first = batch.count;
  takeState(state);
  takePrevious(state);
  let begun = state['begun'] ?? PREAMBLE;
  const lastLineFeed = length === 0 ? -1 : bytes.lastIndexOf(LF, length - 1);
  const plainEnd = isPlain(layout) ? lastLineFeed : -1;
  let lastPlain = begun === ROWS ? plainEnd : -1;
  let row = first;
  let at = indexIn(window, window.position);
  // A batch with as many gaps as rows is also full, so that memory use stays bounded.
  /** End of the line that `at` is in; a line may contain several damaged rows. */
  let within = at;
  while ((at < stop || at < within) && row < most && batch.gaps.length < capacity) {
    let control = NOT_CACHEABLE;
    let enables = 0;
    let address = 0;
    let low = 0;
    let high = 0;
    let captured = false;
    let time = Number.NaN;
    let cpu = NO_CPU;
    let p = at;
    fast: {
      if (at > lastPlain) break fast;
      let dp = NO_CPU;
      for (let column = 0; ;) {
        const role = roles[column]!;
        while (bytes[p] === SPACE) p++;
        const quoted = bytes[p] === QUOTE;
        if (quoted) p++;
        switch (role) {
          case ROLE.wr:
          case ROLE.dc:
          case ROLE.mio: {
            const bit = bytes[p]! - ZERO;
            if (bit >>> 0 > 1) break fast;
            control |= bit << (role - ROLE.wr);
            p++;
            break;
          }
          case ROLE.time: {
            const from = p;
            let value = (bytes[p]! - ZERO) >>> 0;
            if (value > 9) break fast;
            for (;;) {
              const digit = (bytes[++p]! - ZERO) >>> 0;
              if (digit > 9) break;
              value = value * 10 + digit;
            }
            if (p - from > EXACT_DIGITS) break fast;
            time = timeExponent === 0 ? value : scaled(value, timeExponent);
            // The slow path sets the mark of fractions and of times beyond 2^53.
            if (timeExponent !== 0 && !Number.isSafeInteger(time)) break fast;
            break;
          }
          case ROLE.enables: {
            const upper = HEX[bytes[p]!]!;
            const lower = HEX[bytes[p + 1]!]!;
            if (((upper | lower) & NO_DIGIT) !== 0) break fast;
            enables = (upper << 4) | lower;
            p += 2;
            break;
          }
          case ROLE.address: {
            if (bytes[p] === ZERO && (bytes[p + 1]! | 0x20) === LOWER_X) p += 2;
            const from = p;
            for (let digit: number; (digit = HEX[bytes[p]!]!) !== NO_DIGIT; p++) address = (address << 4) | digit;
            if (p === from || p - from > 8 || (exactDigits[column]! !== 0 && p - from !== exactDigits[column]!))
              break fast;
            if (shift === 0) address &= ~7;
            else if (address >>> (32 - shift) !== 0) break fast;
            else address <<= shift;
            break;
          }
          case ROLE.data: {
            if (bytes[p] === ZERO && (bytes[p + 1]! | 0x20) === LOWER_X) p += 2;
            const from = p;
            for (let digit: number; p - from < 8 && (digit = HEX[bytes[p]!]!) !== NO_DIGIT; p++)
              low = (low << 4) | digit;
            if (p === from) break fast;
            if (p - from === 8) {
              const upper = low;
              const middle = p;
              low = 0;
              for (let digit: number; p - middle < 8 && (digit = HEX[bytes[p]!]!) !== NO_DIGIT; p++)
                low = (low << 4) | digit;
              const bits = 4 * (p - middle);
              if (bits === 32) high = upper;
              else {
                low |= upper << bits;
                high = bits === 0 ? 0 : upper >>> (32 - bits);
              }
            }
            if (
              (dataOpen && p - from < WHOLE_BUS_DIGITS) ||
              (exactDigits[column]! !== 0 && p - from !== exactDigits[column]!)
            )
              break fast;
            if (dataBit !== 0) {
              if (dataBit < 32 || high !== 0 || (dataBit > 32 && low >>> (64 - dataBit) !== 0)) break fast;
              high = low << (dataBit - 32);
              low = 0;
            }
            captured = true;
            break;
          }
          case ROLE.cpu: {
            const from = p;
            cpu = 0;
            for (let digit: number; (digit = (bytes[p]! - ZERO) >>> 0) < 10; p++) cpu = cpu * 10 + digit;
            if (p === from || p - from > SHORT_CPU) break fast;
            break;
          }
          case ROLE.ready:
            // A wait state is a gap, which the slow path makes.
            if (bytes[p] !== ZERO) break fast;
            p++;
            break;
          case ROLE.dp:
            dp = bytes[p]! - ZERO;
            if (dp >>> 0 > 1) break fast;
            p++;
            break;
          case ROLE.cache: {
            const bit = bytes[p]! - ZERO;
            if (bit >>> 0 > 1) break fast;
            if (bit === 0) control &= ~NOT_CACHEABLE;
            p++;
            break;
          }
          default:
            for (let byte = bytes[p]!; (quoted || byte !== separator) && byte !== LF; byte = bytes[++p]!) {
              if (byte !== QUOTE && byte !== CR) continue;
              if (byte === QUOTE && quoted) break;
              break fast;
            }
        }
        if (quoted && bytes[p++] !== QUOTE) break fast;
        while (bytes[p] === SPACE) p++;
        if (++column === columns) break;
        if (bytes[p++] !== separator) break fast;
      }
      if (bytes[p] !== LF && (bytes[p] !== CR || bytes[++p] !== LF)) break fast;
      p++;
      if (p - at > LONG_LINE) break fast;
      if (cpu === NO_CPU) cpu = dp;
      if (rules.clocks && isRepeat(control, enables, address, low, high, cpu)) {
        batch.gaps.push({ name: 'repeat', start: base + at, end: base + p });
        at = p;
        continue;
      }
      starts[row] = base + at;
      ends[row] = base + p;
      at = p;
      times[row] = time;
      cpus[row] = cpu;
      if (PLAIN[((control & 7) << 8) | enables] === 1 && !noA3) {
        kinds[row] = KIND_OF[control & 7]!;
        natives[row] = (control & 7) + 1;
        lows[row] = address + LOWEST[enables]!;
        sizes[row] = SPAN[enables]!;
        flags[row] = (control & NOT_CACHEABLE) === 0 ? FLAG.address | MARK.cacheable : FLAG.address;
        if (captured && (control & MEMORY) !== 0 && lanes[enables] === 1) putBytes(batch, row, enables, low, high);
      } else if (isMessage(control, enables)) putMessage(batch, row, address, low, high, captured, rules);
      else putOther(batch, row, control, enables, address, noA3);
      row++;
      continue;
    }
    batch.count = row;
    const line = lineAt(window, at);
    begun = decodeLine(window, at, line, begun, batch, layout, rules);
    lastPlain = begun === ROWS ? plainEnd : -1;
    const rest = batch.count > row ? base + line.end - batch.end[row]! : 0;
    row = batch.count;
    at = line.end - (rest | 0);
    within = line.end;
  }
  batch.count = row;
  batch.addressHigh.fill(0, first, row);
  batch.targetHigh.fill(0, first, row);
  window.position = base + at;
  if (at < within) window.end = Math.max(window.end, base + within);
  if (isAbove(begun) && window.position >= window.fileEnd)
    batch.diagnostics.add('no-rows', window.fileEnd, batch.first + batch.count);
  return rules.clocks ? { ...pairingState(), begun, ...previousState() } : { ...pairingState(), begun };
}

/** True if the fast pass can read the rows: each signal has one column, and that of the byte enables may have two digits. */
export function isPlain({ roles, parts, exactDigits }: Layout): boolean {
  const digits = exactDigits[roles.indexOf(ROLE.enables)]!;
  return parts.every((part) => part === undefined) && (digits === 0 || digits === ENABLES_DIGITS);
}

/** True if the next line is below a row, where `countPlainRows` may read it. */
export function isAmongRows(state: State): boolean {
  return state['begun'] === ROWS;
}

/** Above the first row, where lines are not broken rows, without a header row yet. */
const PREAMBLE = 0;
/** Below a row. Only here lines are read by the fast pass. */
const ROWS = 1;
/** Below the header of another layout, whose rows may look like rows of this one. */
const UNDER_OTHER = 2;
/** Above the first row and below a header row. */
const HEADED = 3;

function isAbove(begun: number): boolean {
  return begun === PREAMBLE || begun === HEADED;
}

// The previous row, which is part of the state if rows are clocks.
const PREVIOUS_NAMES = ['pins', 'address', 'low', 'high'] as const;
const previous = new Float64Array(PREVIOUS_NAMES.length);

function takePrevious(state: State): void {
  for (let k = 0; k < previous.length; k++) previous[k] = state[PREVIOUS_NAMES[k]!] ?? -1;
}

/** Returns the additional state of captures whose rows are clocks. */
function previousState(): State {
  return Object.fromEntries(PREVIOUS_NAMES.map((name, k) => [name, previous[k]!]));
}

/** True if the row equals the previous one. Makes it the previous row. */
function isRepeat(control: number, enables: number, address: number, low: number, high: number, cpu: number): boolean {
  const pins = ((cpu + 1) * 256 + enables) * 16 + control;
  const same =
    previous[0] === pins && previous[1] === address >>> 0 && previous[2] === low >>> 0 && previous[3] === high >>> 0;
  previous[0] = pins;
  previous[1] = address >>> 0;
  previous[2] = low >>> 0;
  previous[3] = high >>> 0;
  return same;
}

const READ: Row = createRow();

export function initialState(rules: Rules): State {
  const state = { ...INITIAL, begun: PREAMBLE };
  takePrevious(state);
  return rules.clocks ? { ...state, ...previousState() } : state;
}

/** Decodes any line as a row, a gap or kept text: the slow path. Returns the new value of `begun`. */
function decodeLine(
  window: Window,
  at: number,
  { end, ended, long }: LinePlace,
  begun: number,
  batch: Batch,
  layout: Layout,
  rules: Rules,
): number {
  const { bytes, base } = window;
  const to = long ? at : rowEnd(bytes, at, end);
  const under = begun === UNDER_OTHER;
  if (!long && !under && readRow(bytes, at, to, layout, READ) && (ended || !isCut(READ, layout))) {
    const { control, enables, address, low, high, cpu, waits } = READ;
    const repeats = !waits && rules.clocks && isRepeat(control, enables, address, low, high, cpu);
    if (begun === PREAMBLE && layout.assumed)
      batch.diagnostics.add('no-header-row', base + at, batch.first + batch.count);
    if (waits || repeats) {
      batch.gaps.push({ name: waits ? 'wait' : 'repeat', start: base + at, end: base + end });
      return ROWS;
    }
    const row = batch.count++;
    batch.start[row] = base + at;
    batch.end[row] = base + end;
    putRow(batch, row, READ, rules, layout);
    if (READ.lost) countLost(batch, row, bytes, at, to);
    return ROWS;
  }
  const gap = long ? undefined : trimLineEnd(bytes, at, end) === at ? 'blank' : gapName(bytes, at, to, begun, layout);
  const other = gap === undefined && (under || (!long && !isAbove(begun) && isOtherHeader(bytes, at, to, layout)));
  const isDamaged = !long && !under && !other && !isAbove(begun) && (gap === undefined || gap === 'comment');
  const damaged = isDamaged ? readDamaged(bytes, at, to, ended, layout, READ) : NO_ROW;
  // The sign that begins a comment may be a damaged digit.
  if (gap !== undefined && damaged.next < 0) {
    batch.gaps.push({ name: gap, start: base + at, end: base + end });
    if (gap !== 'header') return begun;
    return isAbove(begun) ? HEADED : ROWS;
  }
  const row = batch.count++;
  batch.start[row] = base + at;
  batch.end[row] = base + end;
  if (damaged.isLost)
    batch.diagnostics.add('lost-address', batch.start[row], batch.first + row, lineShape(bytes, at, to));
  const { next } = damaged;
  if (next >= 0) {
    if (next < to) batch.end[row] = base + next;
    forgetPending();
    putRow(batch, row, READ, rules, layout);
    batch.flags[row]! |= MARK.damaged;
    countLost(batch, row, bytes, at, next);
    return begun;
  }
  keepText(batch, row, OTHER);
  // The damaged line may have been several rows, such as the pending message's second cycle and the first cycle of the next one.
  if (!isAbove(begun)) forgetPending();
  const code = other ? 'other-layout' : long ? 'long-line' : ended ? 'unknown-line' : 'cut-line';
  countText(batch, row, code, bytes, at, long ? end : to);
  return other ? UNDER_OTHER : begun;
}

const NO_ROW: Damaged = { next: -1, isLost: false };

/** Counts an access whose value cannot be read. */
function countLost(batch: Batch, row: number, bytes: Uint8Array, at: number, to: number): void {
  batch.flags[row]! |= FLAG.malformed;
  batch.diagnostics.add('lost-value', batch.start[row]!, batch.first + row, lineShape(bytes, at, to));
}

function putRow(batch: Batch, row: number, read: Row, rules: Rules, { lanes }: Layout): void {
  const { control, enables, address, low, high, captured, cpu, dataTop } = read;
  batch.time[row] = read.time;
  batch.cpu[row] = cpu;
  if (isMessage(control, enables)) {
    const has = captured && dataTop >= (rules.k5 ? K5_MESSAGE_TOP : MESSAGE_TOP);
    putMessage(batch, row, address, low, high, has, rules);
  } else putOther(batch, row, control, enables, address, rules.noA3);
  const plain = PLAIN[((control & 7) << 8) | enables] === 1 && (control & MEMORY) !== 0 && !rules.noA3;
  const within = lanes[enables] === 1 && topRequested(enables) <= dataTop;
  if (plain && captured && within) putBytes(batch, row, enables, low, high);
  if (read.isWideTime) batch.flags[row]! |= FLAG.wideTime;
}

/** Fills the columns of a cycle that is neither a message nor a plain access. */
function putOther(batch: Batch, row: number, control: number, enables: number, address: number, noA3: boolean): void {
  putCycle(batch, row, control, enables, address);
  if (noA3) leaveOutA3(batch, row);
}

/** Returns the name of the gap for a line that is not a row; undefined if it is a broken row. */
function gapName(bytes: Uint8Array, at: number, to: number, begun: number, layout: Layout): string | undefined {
  if (isHeader(bytes, at, to, layout.header)) return 'header';
  const mark = bytes[at]!;
  if (
    mark === HASH ||
    mark === EXCLAMATION ||
    mark === SEMICOLON ||
    mark === ASTERISK ||
    (mark === SLASH && bytes[at + 1] === SLASH)
  )
    return 'comment';
  return isAbove(begun) ? 'preamble' : undefined;
}

/** True if a line is the header row of a capture with other columns, whose rows may look like rows of this one. */
function isOtherHeader(bytes: Uint8Array, at: number, to: number, layout: Layout): boolean {
  if (to - at > MOST_HEADER || isDecimal(bytes[at]!)) return false;
  const text = latin1(bytes.subarray(at, to));
  if (compared.text !== text || compared.layout !== layout)
    compared = { text, layout, isOther: hasOtherLayout(text, layout) };
  return compared.isOther;
}

/** The last line that was compared, because a capture repeats its header row. */
let compared: { readonly text: string; readonly layout?: Layout; readonly isOther: boolean } = {
  text: '',
  isOther: false,
};

function hasOtherLayout(header: string, layout: Layout): boolean {
  if (signalsIn(header) < NEEDED_SIGNALS) return false;
  const other = layoutOf(header, '', layout.shift, 'auto');
  return !other.ok || !isSameLayout(other.value, layout);
}

const MOST_HEADER = 4096;

function isHeader(bytes: Uint8Array, at: number, to: number, header: string): boolean {
  return isText(bytes, afterMark(bytes, at, to), to, header);
}
