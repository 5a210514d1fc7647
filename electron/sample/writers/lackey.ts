/**
 * Events as lines of Valgrind's lackey: instructions as a variable-length processor has them, loads and stores.
 *
 *     I  00100a3c,3
 *      L 10000040,4
 */
import { ascii, putDecimal, putHex, putText } from '../digits.ts';
import { EVENT, type Events, KIND_MASK, SIZE_SHIFT } from '../events.ts';
import type { Program } from '../program.ts';
import type { Encoder, SampleFormat } from '../writer.ts';

export const lackey: SampleFormat = {
  id: 'lackey',
  framing: { kind: 'lines' },
  registers: false,
  bytesPerEvent: 16,
  create,
};

const COMMA = 0x2c;
const LF = 0x0a;
/** The tool pads addresses to as many digits. */
const LEAST_DIGITS = 8;

function create({ addressX86, bytesX86 }: Program): Encoder {
  const instruction = ascii('I  ');
  const load = ascii(' L ');
  const store = ascii(' S ');
  let records = 0;

  const put = (out: Uint8Array, at: number, what: Uint8Array, address: number, size: number): number => {
    let to = putHex(out, putText(out, at, what), address, LEAST_DIGITS);
    out[to++] = COMMA;
    to = putDecimal(out, to, size);
    out[to++] = LF;
    records++;
    return to;
  };

  return {
    get records() {
      return records;
    },
    encode({ count, what, a }: Events, out: Uint8Array): number {
      let at = 0;
      for (let k = 0; k < count; k++) {
        const size = what[k]! >>> SIZE_SHIFT;
        switch (what[k]! & KIND_MASK) {
          case EVENT.executed:
          case EVENT.skipped:
            at = put(out, at, instruction, addressX86[a[k]!]!, bytesX86[a[k]!]!);
            break;
          case EVENT.read:
            at = put(out, at, load, a[k]!, size);
            break;
          case EVENT.write:
            at = put(out, at, store, a[k]!, size);
            break;
          default:
            break;
        }
      }
      return at;
    },
  };
}
