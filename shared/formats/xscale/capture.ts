/** One capture (a trace buffer as it was read out once) as it lies in its container: what every container makes of its bytes. */
import type { Window } from '../../format/format.ts';
import type { ByteOffset } from '../../base/units.ts';
import { BUFFER_BYTES } from '../../xscale/messages.ts';

export interface Capture {
  /** Holds the buffer's bytes: bytes[at, at + length). Those before the byte asked from may be anything. */
  bytes: Uint8Array;
  at: number;
  length: number;
  /** File offset of the buffer's byte i: origin + i * stride, or places[i] where there are places. */
  origin: ByteOffset;
  stride: number;
  /** Where byte i of the buffer begins and ends in the file; undefined where they lie at even distances. */
  places: Places | undefined;
  /** Where the capture ends in its container. */
  end: ByteOffset;
  /** What lies between the buffer's last byte and that end. */
  trailer: string;
  /** CHKPT0 and CHKPT1, as far as `known` (bits 1 and 2) says that they are. */
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

/** Bytes of the file that are no capture, up to `end`; `code` names the diagnostic that says why, `shape` how it looks. */
export interface Junk {
  readonly gap: string;
  readonly end: ByteOffset;
  readonly code: string;
  readonly shape: string;
}

/** Counts something wrong with a capture's bytes. */
export type Report = (code: string, offset: ByteOffset, shape: string) => void;

export interface Container {
  /** Bytes of a capture, where all have the same; 0 where they do not: the file is then read as a whole. */
  readonly unit: number;
  /** Where all have the same length: whether the one that starts at bytes[at] would end in a message. */
  readonly endsWell: (bytes: Uint8Array, at: number) => boolean;
  /** Bytes before the buffer's first one. */
  readonly header: number;
  /**
   * Finds the capture that starts at `start`, to be read from `position` on (nothing before that may be looked at), and fills
   * `capture`. Where there is none it says what is there instead. What is wrong with its bytes is reported, when that is wanted.
   */
  readonly find: (
    window: Window,
    start: ByteOffset,
    position: ByteOffset,
    capture: Capture,
    report: Report | undefined,
  ) => Junk | undefined;
}

/** What is kept of a byte in the shape of a word. */
const SIGNS = ['..', '00', 'ff'] as const;
/** By the places of four bytes in SIGNS, as the digits of a number of base three. */
const WORD_SHAPES = Array.from({ length: 81 }, (_, word) =>
  [27, 9, 3, 1].map((power) => SIGNS[Math.floor(word / power) % 3]!).join(' '),
);

/** Shape of the word bytes[at, at + 4), of which only byte `low` may be anything: where else it is zero, or all ones. */
export function wordShape(bytes: Uint8Array, at: number, low: number): string {
  let word = 0;
  for (let i = 0; i < 4; i++) {
    const byte = bytes[at + i]!;
    word = 3 * word + (i === low ? 0 : byte === 0 ? 1 : byte === 0xff ? 2 : 0);
  }
  return WORD_SHAPES[word]!;
}
