/**
 * Memory traces of Valgrind's tool lackey, as `valgrind --tool=lackey --trace-mem=yes` prints them:
 *
 *     I  04001090,3        executes an instruction of 3 bytes at 0x4001090
 *      L 1ffeffe7e0,8      loads 8 bytes
 *      S 1ffeffe7d8,8      stores 8 bytes
 *      M 0421c7cc,4        modifies 4 bytes: one instruction loads and then stores them
 *     SB 04001090          enters a superblock (`--trace-superblocks=yes`)
 *
 * Addresses are hexadecimal, sizes decimal. Valgrind's messages (`==pid==`), and often the output of the traced program, go to the same
 * stream, so other text between the records is normal. A modification is one record of kind `write` with the mark `modify`. There are no
 * values, times or processors.
 */
import { type Batch, FLAG, NO_CPU } from '../../records/batch.ts';
import {
  afterMark,
  ASTERISK,
  COLON,
  COMMA,
  CR,
  DOT,
  EQUALS,
  HEX,
  isDecimal,
  LF,
  MINUS,
  NO_DIGIT,
  SPACE,
  UPPER_B,
  UPPER_I,
  UPPER_L,
  UPPER_M,
  UPPER_S,
  ZERO,
} from '../../base/characters.ts';
import { createInstructionFlow, type InstructionSource } from '../../flow/instructions.ts';
import type { Claim, Decoder, Format, Head, Settings } from '../../format/format.ts';
import { decodeLines, describeText, LINE_DIAGNOSTICS, textSpans, trimLineEnd, visitHead } from '../../format/lines.ts';
import { type FieldSpan, KIND, kindName, type RecordFields } from '../../records/record.ts';
import { ok, type Result } from '../../base/result.ts';
import { completeSettings } from '../../format/settings.ts';
import { joinAddress, toHex } from '../../base/units.ts';
import { decimalEnd, decimalOf, hex, readHex, skipBlanks, skipHexPrefix } from '../../base/scan.ts';

export const lackey: Format = {
  id: 'lackey',
  name: 'Valgrind lackey memory trace',
  dialects: [],
  extensions: ['lackey', 'txt', 'log', 'trace'],
  options: [],
  branches: { as: 'instructions', unclassified: true },
  sniff,
  open,
  diagnostics: LINE_DIAGNOSTICS,
};

const OTHER = 0;
const MESSAGE = 1;
const INSTRUCTION = 2;
const LOAD = 3;
const STORE = 4;
const MODIFY = 5;
const SUPERBLOCK = 6;
const NAMES: readonly string[] = ['TEXT', 'MESSAGE', 'I', 'L', 'S', 'M', 'SB'];

/** Kind by native code. */
const KINDS_OF = new Uint8Array([
  KIND.other,
  KIND.other,
  KIND.instruction,
  KIND.read,
  KIND.write,
  KIND.write,
  KIND.event,
]);
/** Native code by byte; 0 if the byte is not the letter of an access. */
const LETTERS = new Uint8Array(256);
LETTERS[UPPER_I] = INSTRUCTION;
LETTERS[UPPER_L] = LOAD;
LETTERS[UPPER_S] = STORE;
LETTERS[UPPER_M] = MODIFY;

const ADDRESS_DIGITS = 16;
const SIZE_DIGITS = 9;
/** Largest access that the tool traces (MAX_DSIZE in its source). A larger one is damaged. */
const MOST_BYTES = 512;

function open(given: Settings): Result<Decoder> {
  const settings = completeSettings(lackey, given);
  if (!settings.ok) return settings;
  return ok({
    format: lackey,
    framing: { kind: 'lines' },
    valuedKinds: [],
    neverAborts: true,
    settings: settings.value,
    initial: {},
    decode(window, state, batch) {
      decodeLines(window, batch, OTHER, readLine, readPlainLines);
      return state;
    },
    describe,
    fields,
    nativeName: (code) => NAMES[code] ?? 'TEXT',
    flow: createInstructionFlow(ADDRESSES_ALONE),
  });
}

/** Lines contain only the address and the size of an instruction. */
const ADDRESSES_ALONE: InstructionSource = {
  code(_window, _batch, _row, code) {
    code.size = code.opcode = 0;
    code.set = 'other';
    code.text = '';
    return 0;
  },
  tail: () => 0,
};

/** Reads the first four forms above, with LF or CR LF. Numbers are read inline: this is the hot path. */
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
    let p = at;
    let code: number;
    if (bytes[p] === UPPER_I) {
      code = INSTRUCTION;
      if (bytes[++p] !== SPACE) break;
    } else {
      if (bytes[p] !== SPACE) break;
      code = LETTERS[bytes[++p]!]!;
      if (code < LOAD) break;
    }
    if (bytes[++p] !== SPACE) break;
    const address = ++p;
    let low = 0;
    let high = 0;
    let digit: number;
    for (; (digit = HEX[bytes[p]!]!) !== NO_DIGIT; p++) {
      high = (high << 4) | (low >>> 28);
      low = (low << 4) | digit;
    }
    if (p === address || p - address > ADDRESS_DIGITS || bytes[p] !== COMMA) break;
    const count = ++p;
    let bytesTouched = 0;
    for (; (digit = (bytes[p]! - ZERO) >>> 0) < 10; p++) bytesTouched = bytesTouched * 10 + digit;
    if (p === count || p - count > SIZE_DIGITS || bytesTouched > MOST_BYTES) break;
    if (bytes[p] !== LF && (bytes[p] !== CR || bytes[++p] !== LF)) break;
    p++;
    start[row] = base + at;
    end[row] = base + p;
    time[row] = Number.NaN;
    kind[row] = KINDS_OF[code]!;
    native[row] = code;
    addressLow[row] = low;
    addressHigh[row] = high;
    size[row] = bytesTouched;
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
  letterAt: number;
  letterEnd: number;
  addressAt: number;
  addressEnd: number;
  sizeAt: number;
  low: number;
  high: number;
  size: number;
}

const line: Line = {
  code: OTHER,
  letterAt: 0,
  letterEnd: 0,
  addressAt: 0,
  addressEnd: 0,
  sizeAt: 0,
  low: 0,
  high: 0,
  size: 0,
};

function readLine(bytes: Uint8Array, at: number, to: number, batch: Batch, row: number): boolean {
  if (!parse(bytes, at, to)) return false;
  const access = line.code !== MESSAGE;
  batch.time[row] = Number.NaN;
  batch.kind[row] = KINDS_OF[line.code]!;
  batch.native[row] = line.code;
  batch.addressLow[row] = access ? line.low : 0;
  batch.addressHigh[row] = access ? line.high : 0;
  batch.size[row] = access ? line.size : 0;
  batch.cpu[row] = NO_CPU;
  batch.flags[row] = access ? FLAG.address : 0;
  return true;
}

/** Reads bytes[at, to) into `line`. Any blanks around the letter, `0x`, and a missing leading blank are accepted. */
function parse(bytes: Uint8Array, at: number, to: number): boolean {
  if (isMessage(bytes, afterMark(bytes, at, to), to)) {
    line.code = MESSAGE;
    return true;
  }
  let p = skipBlanks(bytes, afterMark(bytes, at, to), to);
  if (p >= to) return false;
  line.letterAt = p;
  line.code = LETTERS[bytes[p]!]!;
  if (line.code === STORE && p + 1 < to && bytes[p + 1] === UPPER_B) {
    line.code = SUPERBLOCK;
    p++;
  }
  line.letterEnd = p + 1;
  const afterLetter = skipBlanks(bytes, p + 1, to);
  if (line.code === OTHER || afterLetter === p + 1) return false;
  p = afterLetter;
  line.addressAt = p;
  const digits = skipHexPrefix(bytes, p, to);
  p = readHex(bytes, digits, to);
  line.low = hex.low;
  line.high = hex.high;
  line.addressEnd = line.sizeAt = p;
  line.size = 0;
  if (p === digits || p - digits > ADDRESS_DIGITS) return false;
  if (line.code === SUPERBLOCK) return p === to;
  if (p >= to || bytes[p] !== COMMA) return false;
  p = skipBlanks(bytes, p + 1, to);
  line.sizeAt = p;
  p = decimalEnd(bytes, p, to);
  line.size = decimalOf(bytes, line.sizeAt, p);
  return p === to && p > line.sizeAt && p - line.sizeAt <= SIZE_DIGITS && line.size <= MOST_BYTES;
}

/** True for Valgrind's messages: they begin with `==123==`, `--123--` or `**123**`, with a time stamp `==00:00:00:01.234 123==`. */
function isMessage(bytes: Uint8Array, at: number, to: number): boolean {
  const sign = bytes[at];
  if ((sign !== EQUALS && sign !== MINUS && sign !== ASTERISK) || to - at < 5 || bytes[at + 1] !== sign) return false;
  const number = afterTimeStamp(bytes, at + 2, to);
  const p = decimalEnd(bytes, number, to);
  return p > number && p + 1 < to && bytes[p] === sign && bytes[p + 1] === sign;
}

/** Returns the index after a time stamp of days, hours, minutes and seconds, `00:00:00:01.234 `; `at` if there is none. */
function afterTimeStamp(bytes: Uint8Array, at: number, to: number): number {
  let p = at;
  let colons = 0;
  for (; p < to && (isDecimal(bytes[p]!) || bytes[p] === COLON || bytes[p] === DOT); p++)
    if (bytes[p] === COLON) colons++;
  return colons === 3 && p < to && bytes[p] === SPACE ? p + 1 : at;
}

function describe(bytes: Uint8Array, batch: Batch, index: number): RecordFields {
  const native = batch.native[index]!;
  if (native <= MESSAGE) return describeText(bytes, batch, index, NAMES[native]!);
  return {
    kind: kindName(batch.kind[index]!),
    native: NAMES[native]!,
    address: toHex(joinAddress(batch.addressLow[index]!, batch.addressHigh[index]!)),
    ...(batch.size[index] === 0 ? {} : { size: batch.size[index]! }),
    ...(native === MODIFY ? { flags: ['modify'] } : {}),
  };
}

const MEANING: readonly string[] = [
  '',
  '',
  'instruction executed',
  'load',
  'store',
  'modify: load, then store',
  'superblock entered',
];

function fields(bytes: Uint8Array, batch: Batch, index: number): readonly FieldSpan[] {
  const native = batch.native[index]!;
  if (native <= MESSAGE) return textSpans(bytes);
  const to = trimLineEnd(bytes, 0, bytes.length);
  parse(bytes, 0, to);
  return [
    { name: 'access', start: line.letterAt, end: line.letterEnd, text: MEANING[native]! },
    {
      name: 'address',
      start: line.addressAt,
      end: line.addressEnd,
      text: toHex(joinAddress(batch.addressLow[index]!, batch.addressHigh[index]!)),
    },
    { name: 'size', start: line.sizeAt, end: to, text: `${line.size} ${line.size === 1 ? 'byte' : 'bytes'}` },
  ].filter(({ start, end }) => start < end);
}

/** More records than this prove the format. */
const FEW_RECORDS = 4;

function sniff(head: Head): Claim | undefined {
  const { bytes } = head;
  let records = 0;
  let messages = 0;
  let superblocks = 0;
  const lines = visitHead(head, (at, to) => {
    if (!parse(bytes, at, to)) return;
    if (line.code === MESSAGE) messages++;
    else records++;
    if (line.code === SUPERBLOCK) superblocks++;
  });
  if (records === 0) return undefined;
  const share = records / (lines - messages);
  // The traced program prints between the records, so a quarter of many lines is enough.
  const sure = records > FEW_RECORDS ? (share >= 0.9 ? 0.97 : share >= 0.25 ? 0.85 : 0.3) : share >= 0.5 ? 0.6 : 0.3;
  return {
    confidence: sure,
    options: {},
    reasons: [
      `${records - superblocks} of the first ${lines} lines are accesses: a letter I, L, S or M, an address, a comma and a size`,
      ...(superblocks > 0 ? [`${superblocks} are superblocks: SB and an address`] : []),
      ...(messages > 0 ? ["the other lines include Valgrind's own messages"] : []),
    ],
  };
}
