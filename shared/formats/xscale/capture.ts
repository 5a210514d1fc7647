/** A capture (one readout of a trace buffer) and the containers that store captures in files. */
import type { Window } from '../../format/format.ts';
import type { ByteOffset } from '../../base/units.ts';
import { BUFFER_BYTES } from '../../xscale/messages.ts';

export interface Capture {
  /** The buffer is bytes[at, at + length). Bytes before the requested position are undefined. */
  bytes: Uint8Array;
  at: number;
  length: number;
  /** File offset of the buffer's byte i: origin + i * stride, or places.start[i] if places are given. */
  origin: ByteOffset;
  stride: number;
  /** File offsets of the start and end of each byte; undefined if bytes have even distances. */
  places: Places | undefined;
  /** File offset of the end of the capture in its container. */
  end: ByteOffset;
  /** Name of the gap between the buffer's last byte and that end. */
  trailer: string;
  /** CHKPT0 and CHKPT1. Bits 1 and 2 of `known` mark them as valid. */
  checkpoint0: number;
  checkpoint1: number;
  known: number;
}

export interface Places {
  readonly start: Float64Array;
  readonly end: Float64Array;
}

export function createCapture(): Capture {
  return {
    bytes: new Uint8Array(BUFFER_BYTES),
    at: 0,
    length: 0,
    origin: 0,
    stride: 1,
    places: undefined,
    end: 0,
    trailer: '',
    checkpoint0: 0,
    checkpoint1: 0,
    known: 0,
  };
}

/** Bytes of the file up to `end` that are no capture, with the diagnostic that they count as. */
export interface Junk {
  readonly gap: string;
  readonly end: ByteOffset;
  readonly code: string;
  readonly shape: string;
}

/** Counts a diagnostic. */
export type Report = (code: string, offset: ByteOffset, shape: string) => void;

export interface Container {
  /** Length of every capture in bytes; 0 if lengths differ: then the file is read as a whole. */
  readonly unit: number;
  /** With a fixed length: returns true if a capture that starts at bytes[at] would end in a message. */
  readonly endsWell: (bytes: Uint8Array, at: number) => boolean;
  /** Number of header bytes before the buffer. */
  readonly header: number;
  /**
   * Fills `capture` with the capture at `start` and returns undefined, or returns what is there instead. Bytes before `position` must
   * not be read. Damage is passed to `report` if that is given.
   */
  readonly find: (
    window: Window,
    start: ByteOffset,
    position: ByteOffset,
    capture: Capture,
    report: Report | undefined,
  ) => Junk | undefined;
}

/** Forms of a byte in the shape of a word. */
const SIGNS = ['..', '00', 'ff'] as const;
/** By four positions in SIGNS, as the digits of a number of base three. */
const WORD_SHAPES = Array.from({ length: 81 }, (_, word) =>
  [27, 9, 3, 1].map((power) => SIGNS[Math.floor(word / power) % 3]!).join(' '),
);

/** Returns the shape of the word bytes[at, at + 4): which bytes other than `low` are zero or all ones. */
export function wordShape(bytes: Uint8Array, at: number, low: number): string {
  let word = 0;
  for (let i = 0; i < 4; i++) {
    const byte = bytes[at + i]!;
    word = 3 * word + (i === low ? 0 : byte === 0 ? 1 : byte === 0xff ? 2 : 0);
  }
  return WORD_SHAPES[word]!;
}
