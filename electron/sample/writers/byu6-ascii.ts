/** The bus cycles of `byu6` as the sample program of that format prints them: `001007c8 fc NC_D_READ`. */
import { EVENT_CAPACITY, type Events } from '../events.ts';
import type { Program } from '../program.ts';
import type { Encoder, SampleFormat } from '../writer.ts';
import { byu6 } from './byu6.ts';

const UNIT = 6;
const LONGEST_LINE = '00000000 00 NC_I_FETCH\n'.length;

export const byu6Ascii: SampleFormat = {
  id: 'byu6-ascii',
  framing: { kind: 'lines' },
  registers: false,
  bytesPerEvent: (byu6.bytesPerEvent / UNIT) * LONGEST_LINE,
  create,
};

const SPACE = 0x20;
const LF = 0x0a;
/** Two hex digits of every byte. */
const DIGITS = Array.from({ length: 256 }, (_, byte) => Buffer.from(byte.toString(16).padStart(2, '0'), 'latin1'));
const FIRST = Uint8Array.from(DIGITS, (digits) => digits[0]!);
const SECOND = Uint8Array.from(DIGITS, (digits) => digits[1]!);
/** By the upper half of the control byte. */
const NAMES = [
  'INVALID',
  'INT_ACK',
  'INVALID',
  'SPECIAL',
  'INVALID',
  'IO_READ',
  'INVALID',
  'IO_WRITE',
  'I_FETCH',
  'NC_I_FETCH',
  'INVALID',
  'INVALID',
  'D_READ',
  'NC_D_READ',
  'WRITE_BACK',
  'D_WRITE',
].map((name) => Uint8Array.from(Buffer.from(name, 'latin1')));

function create(program: Program): Encoder {
  const inner = byu6.create(program);
  const units = new Uint8Array(EVENT_CAPACITY * byu6.bytesPerEvent);
  return {
    get records() {
      return inner.records;
    },
    encode(events: Events, out: Uint8Array): number {
      const filled = inner.encode(events, units);
      let to = 0;
      for (let at = 0; at < filled; at += UNIT) {
        for (let k = 0; k < 5; k++) {
          const byte = units[at + k]!;
          if (k === 4) out[to++] = SPACE;
          out[to++] = FIRST[byte]!;
          out[to++] = SECOND[byte]!;
        }
        out[to++] = SPACE;
        const name = NAMES[units[at + 5]! >>> 4]!;
        for (let k = 0; k < name.length; k++) out[to++] = name[k]!;
        out[to++] = LF;
      }
      return to;
    },
  };
}
