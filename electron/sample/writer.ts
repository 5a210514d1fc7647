/** The contract of a format's writer: a file in `writers/` and a line in `writers/index.ts`. */
import type { Events } from './events.ts';
import type { SampleFormatId } from './writers/format-ids.ts';
import type { Program } from './program.ts';

export interface SampleFormat {
  readonly id: SampleFormatId;
  /** How its records lie in the file. */
  readonly framing: { readonly kind: 'lines' } | { readonly kind: 'units'; readonly bytes: number };
  /** Whether it reports register changes. */
  readonly registers: boolean;
  /** No event becomes more bytes than this. */
  readonly bytesPerEvent: number;
  /** Records in whole lines of bytes[from, to), where a line is not one record. */
  recordsIn?(bytes: Uint8Array, from: number, to: number): number;
  create(program: Program): Encoder;
}

export interface Encoder {
  /** Records written so far. */
  readonly records: number;
  /** Writes the events as whole records to the front of `out`; returns how many bytes. */
  encode(events: Events, out: Uint8Array): number;
}
