/**
 * Rows of the tables `records` and `accesses`, as columns. A row has the fields of RecordView. Values, addresses and names that occur
 * again get their code from a table, so that most rows convert nothing.
 */
import { LONG_LINE, type Decoder, type Window } from '../../../shared/format/format.ts';
import { FLAG, type Batch } from '../../../shared/records/batch.ts';
import { MOVES, type RecordFields } from '../../../shared/records/record.ts';
import { pageOf, type Hex, type RecordNumber, type WireTime } from '../../../shared/base/units.ts';
import { createRepeats } from './repeats.ts';
import {
  codeOfHalves,
  dictionaryColumn,
  differenceColumn,
  setCode,
  setInteger,
  setValue,
  type Column,
  type DictionaryColumn,
} from '../../parquet/column.ts';

export type RecordTable = 'records' | 'accesses';

export interface RecordColumns {
  readonly columns: readonly Column[];
  readonly rows: () => number;
  /** Appends the rows of records [from, to) of a batch. `first` is the number of the batch's first record. */
  add(window: Window, batch: Batch, first: RecordNumber, from: number, to: number): void;
}

/** `signed`: addresses and values are signed integers with the same 64 bits. */
export function createRecordColumns(decoder: Decoder, table: RecordTable, signed: boolean): RecordColumns {
  const wide = signed ? 'int64' : 'uint64';
  const column = {
    n: differenceColumn('n'),
    offset: differenceColumn('offset'),
    bytes: dictionaryColumn('bytes', 'int64', false),
    time: differenceColumn('time', true),
    timeText: dictionaryColumn('time_text', 'text'),
    cpu: dictionaryColumn('cpu', 'int32'),
    kind: dictionaryColumn('kind', 'text', false),
    native: dictionaryColumn('native', 'text', false),
    page: dictionaryColumn('page', 'int64'),
    address: dictionaryColumn('address', wide),
    size: dictionaryColumn('size', 'int64'),
    register: dictionaryColumn('register', 'text'),
    value: dictionaryColumn('value', wide),
    valueWide: dictionaryColumn('value_wide', 'text'),
    registers: dictionaryColumn('registers', 'text'),
    opcode: dictionaryColumn('opcode', 'text'),
    isa: dictionaryColumn('isa', 'text'),
    text: dictionaryColumn('text', 'text'),
    target: dictionaryColumn('target', wide),
    source: dictionaryColumn('source', wide),
    flags: dictionaryColumn('flags', 'text'),
  };
  const all = table === 'records';
  const columns: readonly Column[] = all
    ? Object.values(column).filter((its) => its !== column.page)
    : [
        column.n,
        column.time,
        column.timeText,
        column.cpu,
        column.kind,
        column.native,
        column.page,
        column.address,
        column.size,
        column.value,
        column.valueWide,
        column.flags,
      ];
  const hexCodes = new Map<DictionaryColumn, Map<Hex, number>>(
    [column.address, column.value, column.target, column.source].map((its) => [its, new Map()]),
  );
  const fields = columns.filter((its) => its.way === 'dictionary').filter((its) => !OF_A_ROW.has(its.spec.name));
  const { address, target, source, value } = column;
  const repeats = createRepeats(decoder, fields, { address, target, source, value, setAddress });
  let row = 0;
  return { columns, rows: () => row, add };

  function add(window: Window, batch: Batch, first: RecordNumber, from: number, to: number): void {
    repeats?.prepare(window, batch, from, to);
    for (let i = from; i < to; i++) {
      if (!all && (MOVES[batch.kind[i]!] === 0 || (batch.flags[i]! & HAPPENED) !== FLAG.address)) continue;
      setInteger(column.n, row, first + i);
      if (all) {
        const start = batch.start[i]!;
        setInteger(column.offset, row, start);
        setNumber(column.bytes, row, batch.end[i]! - start);
      }
      if (repeats?.set(window, batch, i, row) === true) {
        const time = batch.time[i]!;
        if (!Number.isNaN(time)) setTime(time);
      } else {
        setDescribed(describe(window, batch, i));
        repeats?.learn(row);
      }
      row++;
    }
  }

  function describe(window: Window, batch: Batch, i: number): RecordFields {
    const start = batch.start[i]! - window.base;
    const end = Math.min(batch.end[i]! - window.base, start + LONG_LINE, window.length);
    return decoder.describe(window.bytes.subarray(start, end), batch, i);
  }

  function setDescribed(fields: RecordFields): void {
    setTime(fields.time);
    setValue(column.cpu, row, fields.cpu);
    setValue(column.kind, row, fields.kind);
    setValue(column.native, row, fields.native);
    const { address, value } = fields;
    setHex(column.address, address);
    setNumber(column.size, row, fields.size);
    if (value !== undefined && value.length > LONGEST) setValue(column.valueWide, row, value);
    else setHex(column.value, value);
    setValue(column.flags, row, fields.flags?.join(' '));
    if (!all) {
      if (address !== undefined) setNumber(column.page, row, pageOf(lowOf(address), highOf(address)));
      return;
    }
    setValue(column.register, row, fields.register);
    setValue(column.registers, row, fields.registers && JSON.stringify(fields.registers));
    setValue(column.opcode, row, fields.opcode);
    setValue(column.isa, row, fields.isa);
    setValue(column.text, row, fields.text);
    setHex(column.target, fields.target);
    setHex(column.source, fields.source);
  }

  function setAddress({ addressLow, addressHigh }: Batch, i: number): void {
    const [low, high] = [addressLow[i]!, addressHigh[i]!];
    setCode(column.address, row, codeOfHalves(column.address, low, high));
    if (!all) setNumber(column.page, row, pageOf(low, high));
  }

  function setTime(time: WireTime | undefined): void {
    if (time === undefined) return;
    const whole = typeof time === 'string' ? wholeTime(time) : Number.isSafeInteger(time) ? time : undefined;
    if (whole === undefined) setValue(column.timeText, row, String(time));
    else setInteger(column.time, row, whole);
  }

  function setHex(its: DictionaryColumn, hex: Hex | undefined): void {
    if (hex === undefined) return;
    const codes = hexCodes.get(its)!;
    let code = codes.get(hex);
    if (code === undefined) {
      code = codeOfHalves(its, lowOf(hex), highOf(hex));
      codes.set(hex, code);
    }
    setCode(its, row, code);
  }
}

/** Sets a whole number of at most 53 bits. */
function setNumber(column: DictionaryColumn, row: number, value: number | undefined): void {
  if (value === undefined) return;
  setCode(column, row, codeOfHalves(column, value >>> 0, Math.floor(value / 2 ** 32)));
}

/** Length of a value of 64 bits in hexadecimal. */
const LONGEST = '0x'.length + 16;
/** Dictionary columns that a record does not share with records that it repeats. */
const OF_A_ROW: ReadonlySet<string> = new Set(['bytes', 'time_text', 'address', 'page', 'value', 'target', 'source']);
const HAPPENED = FLAG.address | FLAG.noEffect;

function lowOf(hex: Hex): number {
  return Number.parseInt(hex.slice(Math.max(2, hex.length - 8)), 16);
}

function highOf(hex: Hex): number {
  return hex.length <= 10 ? 0 : Number.parseInt(hex.slice(2, -8), 16);
}

/** Returns a time of digits if 64 bits hold it. */
function wholeTime(digits: string): bigint | undefined {
  if (!/^-?\d+$/.test(digits)) return undefined;
  const time = BigInt(digits);
  return BigInt.asIntN(64, time) === time ? time : undefined;
}
