/**
 * Decodes consecutive captures into batches. Batches and blocks may cut a capture; a buffer is read from its end, so decoding continues
 * inside it without the bytes before.
 */
import type { Batch } from '../../records/batch.ts';
import { FLAG } from '../../records/batch.ts';
import type { State, Window } from '../../format/format.ts';
import { KIND } from '../../records/record.ts';
import { assert } from '../../base/result.ts';
import type { ByteOffset } from '../../base/units.ts';
import { createEntries, endsInMessage, looksReversed, readEntries } from '../../xscale/buffer.ts';
import { BUFFER_BYTES, MESSAGE } from '../../xscale/messages.ts';
import { addCapture, added, preset } from './add-capture.ts';
import type { Capture, Container } from './capture.ts';
import { createCapture } from './capture.ts';
import { addRows, MARK } from './rows.ts';
import { createFindSlip } from './slip.ts';

/**
 * inside: file offset of the next record if it is inside a capture whose header and unwritten front are done; otherwise 0, and a capture
 * starts. fresh: 1 if that record is the first of its capture. start, number: offset and number of that capture if lengths differ.
 */
export interface XscaleState extends State {
  readonly inside: ByteOffset;
  readonly fresh: number;
  readonly start: ByteOffset;
  readonly number: number;
  /** Offset of captures modulo their length if that is fixed. */
  readonly phase: number;
}

export const INITIAL: XscaleState = { inside: 0, fresh: 0, start: 0, number: 0, phase: 0 };

export function stateOf(state: State): XscaleState {
  const { inside, fresh, start, number, phase } = state;
  assert(inside !== undefined && fresh !== undefined && start !== undefined, 'an xscale state says where it is');
  assert(number !== undefined && phase !== undefined, 'an xscale state says which capture it is in');
  return { inside, fresh, start, number, phase };
}

export interface Choices {
  /** Address of the exception vectors. */
  readonly base: number;
  /** Number of the only capture to read; undefined if all are read. */
  readonly capture: number | undefined;
  /** CHKPT0 and CHKPT1 of each capture, starting with the first one read. */
  readonly checkpoints: readonly (readonly [number, number | undefined])[];
}

export type Decode = (window: Window, state: XscaleState, batch: Batch) => XscaleState;

export function createDecode(container: Container, choices: Choices): Decode {
  const capture = createCapture();
  const entries = createEntries();
  const { unit } = container;
  const findSlip = createFindSlip(container);
  return (window, state, batch) => {
    const room = batch.start.length;
    preset(batch);
    const report = (code: string, offset: ByteOffset, shape: string): void =>
      batch.diagnostics.add(code, offset, batch.first + batch.count, shape);
    let { inside, fresh, start, number, phase } = state;
    while (window.position < window.end && batch.count < room && batch.gaps.length < room) {
      const { position } = window;
      const goesOn = inside === position && position > 0;
      if (unit > 0) {
        start = Math.floor((position - phase) / unit) * unit + phase;
        number = Math.floor(start / unit);
      } else if (!goesOn) {
        start = position;
      }
      const quiet = goesOn || !mayBeWhole(container, window, start);
      const junk = container.find(window, start, position, capture, quiet ? undefined : report);
      if (junk !== undefined) {
        batch.gaps.push({ name: junk.gap, start: position, end: junk.end });
        if (junk.code !== '') report(junk.code, position, junk.shape);
        window.position = junk.end;
        // With a fixed length this is the end of the file, inside a capture that is cut.
        inside = unit > 0 ? junk.end : 0;
        continue;
      }
      if (choices.capture !== undefined && choices.capture !== number) {
        batch.gaps.push({ name: 'other-capture', start: position, end: capture.end });
        window.position = capture.end;
        number += unit > 0 ? 0 : 1;
        inside = 0;
        continue;
      }
      giveCheckpoints(capture, choices, number);
      if (!goesOn) {
        if (!endsInMessage(capture.bytes, capture.at, capture.length)) {
          const slip = unit > 0 && !isEmpty(capture) ? findSlip(window, position) : 0;
          if (slip > 0) {
            batch.gaps.push({ name: 'slip', start: position, end: position + slip });
            report('phase-slip', position, `${slip} of ${unit} bytes`);
            window.position += slip;
            phase = window.position % unit;
            inside = 0;
            continue;
          }
          keepBuffer(batch, window, start, capture);
          number += unit > 0 ? 0 : 1;
          inside = 0;
          continue;
        }
      }
      const from = goesOn ? indexOf(capture, position) : 0;
      const { length, origin, stride, places } = capture;
      const allEnd = origin + length * stride;
      if (places === undefined && from < length && allEnd <= window.end) {
        const first = batch.count;
        const next = addCapture(batch, capture, from, choices.base);
        if (!goesOn) skipFront(batch, window, start, container.header, capture, added.front);
        if (!goesOn || fresh === 1) batch.flags[first]! |= MARK.first;
        fresh = 0;
        window.position = origin + next * stride;
        inside = window.position;
        if (next < length) continue;
        if (allEnd < capture.end) batch.gaps.push({ name: capture.trailer, start: allEnd, end: capture.end });
        window.position = capture.end;
        number += unit > 0 ? 0 : 1;
        inside = 0;
        continue;
      }
      readEntries(capture.bytes, capture.at, capture.length, from, entries);
      if (!goesOn) {
        skipFront(batch, window, start, container.header, capture, entries.bounds[entries.first]!);
        fresh = 1;
      }
      const before = batch.count;
      const next = addRows(batch, capture, entries, window.end, choices.base);
      if (batch.count > before) {
        if (fresh === 1) batch.flags[before]! |= MARK.first;
        fresh = 0;
        window.position = batch.end[batch.count - 1]!;
      }
      inside = window.position;
      if (next < BUFFER_BYTES) continue;
      if (window.position < capture.end) {
        batch.gaps.push({ name: capture.trailer, start: window.position, end: capture.end });
        window.position = capture.end;
      }
      number += unit > 0 ? 0 : 1;
      inside = 0;
      fresh = 0;
    }
    const even = unit > 0;
    if (choices.capture !== undefined && window.position >= window.fileEnd) {
      const last = even ? Math.floor((window.fileEnd - 1 - phase) / unit) : number - 1;
      if (choices.capture > last) report('no-such-capture', window.fileEnd, '');
    }
    return {
      inside,
      fresh: inside === 0 ? 0 : fresh,
      start: even || inside === 0 ? 0 : start,
      number: even ? 0 : number,
      phase,
    };
  };
}

/** Returns the first record start at or after `offset`, for captures of fixed length. */
export function alignCapture(unit: number, offset: ByteOffset, { inside, phase }: XscaleState): ByteOffset {
  const boundary = offset + ((phase - (offset % unit) + unit) % unit);
  return inside >= offset && inside < boundary ? inside : boundary;
}

/** Returns false for a capture that will be kept as one record or skipped: then its single bytes are not reported. */
function mayBeWhole({ unit, endsWell }: Container, { bytes, base, fileEnd }: Window, start: ByteOffset): boolean {
  return unit === 0 || (start + unit <= fileEnd && endsWell(bytes, start - base));
}

/** Returns the index in the buffer of the byte at file offset `position`. */
function indexOf({ origin, stride, places, length }: Capture, position: ByteOffset): number {
  if (places === undefined) return Math.min(length, Math.max(0, Math.ceil((position - origin) / stride)));
  let index = 0;
  while (index < length && places.end[index]! <= position) index++;
  return index;
}

/** Sets the checkpoint registers that the options give for a capture. */
export function giveCheckpoints(capture: Capture, { capture: only, checkpoints }: Choices, number: number): void {
  const given = checkpoints[only === undefined ? number : 0];
  if (given === undefined) return;
  capture.checkpoint0 = given[0];
  capture.known |= 1;
  if (given[1] === undefined) return;
  capture.checkpoint1 = given[1];
  capture.known |= 2;
}

/** Skips the header and the bytes that were never written. */
function skipFront(
  batch: Batch,
  window: Window,
  start: ByteOffset,
  header: number,
  capture: Capture,
  first: number,
): void {
  const { origin, stride, places } = capture;
  if (header > 0) batch.gaps.push({ name: 'header', start, end: origin });
  else if (start < origin) batch.gaps.push({ name: 'text', start, end: origin });
  const end = places === undefined ? origin + first * stride : first === 0 ? origin : places.end[first - 1]!;
  if (origin < end) batch.gaps.push({ name: 'never-written', start: origin, end });
  window.position = end;
}

/** Keeps a buffer whose last byte is no message as one record, because its entries cannot be separated. */
function keepBuffer(batch: Batch, window: Window, start: ByteOffset, capture: Capture): void {
  const { bytes, at, length } = capture;
  const n = batch.count;
  const last = bytes[at + length - 1]!;
  if (isEmpty(capture)) {
    batch.gaps.push({ name: 'empty', start, end: capture.end });
    window.position = capture.end;
    return;
  }
  batch.count++;
  batch.start[n] = start;
  batch.end[n] = capture.end;
  batch.kind[n] = KIND.other;
  batch.native[n] = MESSAGE.buffer;
  batch.flags[n] = FLAG.malformed | MARK.first;
  const reversed = looksReversed(bytes, at, length);
  const shape = reversed ? '' : `ends in ${last.toString(16).padStart(2, '0')}`;
  batch.diagnostics.add(reversed ? 'reversed-buffer' : 'no-last-message', start, batch.first + n, shape);
  window.position = capture.end;
}

function isEmpty({ bytes, at, length }: Capture): boolean {
  for (let i = at; i < at + length; i++) if (bytes[i] !== 0) return false;
  return true;
}
