/** Events as lines of the plain Dinero form: 0 a read, 1 a write, 2 an instruction fetch, and the address. */
import { putHex } from '../digits.ts';
import { EVENT, type Events, KIND_MASK } from '../events.ts';
import type { Program } from '../program.ts';
import type { Encoder, SampleFormat } from '../writer.ts';

export const din: SampleFormat = {
  id: 'din',
  framing: { kind: 'lines' },
  registers: false,
  bytesPerEvent: 12,
  create,
};

const SPACE = 0x20;
const LF = 0x0a;
const READ = 0x30;
const WRITE = 0x31;
const FETCH = 0x32;

function create({ addressX86 }: Program): Encoder {
  let records = 0;

  const put = (out: Uint8Array, at: number, label: number, address: number): number => {
    out[at] = label;
    out[at + 1] = SPACE;
    const to = putHex(out, at + 2, address);
    out[to] = LF;
    records++;
    return to + 1;
  };

  return {
    get records() {
      return records;
    },
    encode({ count, what, a }: Events, out: Uint8Array): number {
      let at = 0;
      for (let k = 0; k < count; k++) {
        switch (what[k]! & KIND_MASK) {
          case EVENT.executed:
          case EVENT.skipped:
            at = put(out, at, FETCH, addressX86[a[k]!]!);
            break;
          case EVENT.read:
            at = put(out, at, READ, a[k]!);
            break;
          case EVENT.write:
            at = put(out, at, WRITE, a[k]!);
            break;
          default:
            break;
        }
      }
      return at;
    },
  };
}
