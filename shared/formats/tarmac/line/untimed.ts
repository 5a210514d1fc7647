/**
 * The lines of dialects in which a line may leave out its time: it is then that of the last line that has one.
 *
 * Carried from line to line: that time and where its line was (to tell a time of the block from one that was guessed), and
 * whether the line was a load or a store that the next one may go on with.
 */
import type { Batch } from '../../../records/batch.ts';
import { FLAG, NO_CPU } from '../../../records/batch.ts';
import type { State, Window } from '../../../format/format.ts';
import { decodeLines, type ReadLine } from '../../../format/lines.ts';
import { OTHER, WORD } from '../codes.ts';
import { countFaults, fillColumns, fillContents } from '../columns.ts';
import type { Dialect } from './dialect.ts';
import { createLine } from './line.ts';
import { createRegisterNames, type RegisterNames } from './names.ts';
import { createPlainReader } from './plain.ts';
import { readContinuation, readLine } from '../read.ts';
import type { Endian } from './value.ts';

/** What one decoder carries while it decodes; loaded from a state and stored as one. */
export interface Carried {
  /** NaN when no line before had one that is exact. */
  time: number;
  /** File offset of the line that it is from, -1 before the first. */
  at: number;
  /** WORD.LD or WORD.ST after such a line, else OTHER. */
  access: number;
}

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

/** Times may differ before the block's first line that has one: the stored entry state mends those. */
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
    if (!continued && !readLine(bytes, at, to, dialect, line)) {
      carried.access = OTHER;
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
