/**
 * Decodes dialects in which a line may leave out its time. Such a line has the time of the last line that contains one:
 *
 *     17000 ns ES (00000000:e59ff018) A svc: LDR pc,{pc}+0x20
 *              LD 00000020 ........ ........ ........ 00000080 0000000020 NM
 *
 * Both records have the time 17000 ns. The decoder carries that time and the position of its line, which shows whether the time comes
 * from the block or from a guessed entry state. It also carries whether the line is a load or a store that the next line can continue.
 */
import { type Batch, FLAG, NO_CPU } from '../../../records/batch.ts';
import type { State, Window } from '../../../format/format.ts';
import { decodeLines, type ReadLine } from '../../../format/lines.ts';
import { OTHER, WORD } from '../codes.ts';
import { countFaults, countLostAddress, fillColumns, fillContents } from './columns.ts';
import { createLine, type Dialect } from '../line/line.ts';
import { createRegisterNames, type RegisterNames } from './register-names.ts';
import { type Carried, createPlainReader } from './plain-untimed.ts';
import { readContinuation, readLine } from '../line/read.ts';
import type { Endian } from '../line/value.ts';

export const START: State = { time: 0, timed: 0, at: -1, access: OTHER };

export interface TextDecoder {
  decode(window: Window, state: State, batch: Batch): State;
}

export function createTextDecoder(dialect: Dialect, endian: Endian): TextDecoder {
  const carried: Carried = { time: Number.NaN, at: -1, access: OTHER };
  const names = createRegisterNames();
  const read = createReader(dialect, endian, names, carried);
  const plain = createPlainReader(endian, names, carried);
  return {
    decode(window, state, batch) {
      load(carried, state);
      decodeLines(window, batch, OTHER, read, plain);
      return store(carried);
    },
  };
}

/** True if both states lead to the same rows, except for times before the block's first time, which the stored entry state supplies. */
export function agreesUntimed(guess: State, entry: State): boolean {
  return (guess['at'] ?? -1) <= (entry['at'] ?? -1) && guess['access'] === entry['access'];
}

export function joinUntimed(entry: State, exit: State): State {
  return (exit['at'] ?? -1) > (entry['at'] ?? -1) ? exit : { ...entry, access: exit['access'] ?? OTHER };
}

function load(carried: Carried, state: State): void {
  carried.time = state['timed'] === 1 ? (state['time'] ?? Number.NaN) : Number.NaN;
  carried.at = state['at'] ?? -1;
  carried.access = state['access'] ?? OTHER;
}

function store({ time, at, access }: Carried): State {
  const timed = !Number.isNaN(time);
  return { time: timed ? time : 0, timed: timed ? 1 : 0, at, access };
}

function createReader(dialect: Dialect, endian: Endian, names: RegisterNames, carried: Carried): ReadLine {
  const line = createLine();
  return (bytes, at, to, batch, row) => {
    const continued = carried.access !== OTHER && readContinuation(bytes, at, to, carried.access, line);
    const found = continued || readLine(bytes, at, to, dialect, line);
    if (line.restAt > 0) batch.end[row] = batch.start[row]! + line.restAt - at;
    if (!found) {
      carried.access = OTHER;
      countLostAddress(bytes, at, to, batch, row, line);
      return false;
    }
    if (line.timeEnd > line.timeAt) {
      carried.time = line.exact ? line.time : Number.NaN;
      carried.at = batch.start[row]!;
      fillColumns(batch, row, line, NO_CPU, Number.NaN, 0);
    } else fillColumns(batch, row, line, NO_CPU, carried.time, FLAG.timeAssumed);
    fillContents(batch, row, bytes, line, endian, names);
    carried.access = line.native === WORD.LD || line.native === WORD.ST ? line.native : OTHER;
    if (line.faults !== 0) countFaults(bytes, at, to, batch, row, line.faults);
    return true;
  };
}
