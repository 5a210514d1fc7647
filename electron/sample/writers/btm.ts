/**
 * Bus cycles as a logic analyser exports them: a header, then a row a cycle.
 *
 *     time_ns,M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]
 *     1030,1,0,0,00,00400000,EA0010065015010F
 */
import { createBus, CYCLES_PER_EVENT } from '../bus.ts';
import type { SampleFormat } from '../writer.ts';

const HEADER = Uint8Array.from(Buffer.from('time_ns,M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]\n', 'latin1'));
const LONGEST_ROW = 64;

export const btm: SampleFormat = {
  id: 'btm',
  framing: { kind: 'lines' },
  registers: false,
  bytesPerEvent: CYCLES_PER_EVENT * LONGEST_ROW,
  recordsIn: rowsIn,
  create(program) {
    let records = 0;
    /** The time's digits, right-aligned, and where they begin. */
    const time = new Uint8Array(20).fill(ZERO);
    let timeAt = time.length - 4;
    time[timeAt] = ZERO + 1;

    const pass = (nanoseconds: number): void => {
      let carry = nanoseconds;
      let digit = time.length - 1;
      while (carry > 0) {
        const sum = time[digit]! - ZERO + carry;
        carry = (sum / 10) | 0;
        time[digit] = ZERO + sum - 10 * carry;
        if (digit < timeAt) timeAt = digit;
        digit--;
      }
    };

    const encode = createBus(program, (out, at, since, cycle, enables, address, low, high) => {
      pass(since);
      let to = at;
      for (let k = timeAt; k < time.length; k++) out[to++] = time[k]!;
      out[to] = COMMA;
      out[to + 1] = ZERO + (cycle >>> 2);
      out[to + 2] = COMMA;
      out[to + 3] = ZERO + ((cycle >>> 1) & 1);
      out[to + 4] = COMMA;
      out[to + 5] = ZERO + (cycle & 1);
      out[to + 6] = COMMA;
      const pair = BYTE_DIGITS[enables]!;
      out[to + 7] = pair;
      out[to + 8] = pair >>> 8;
      out[to + 9] = COMMA;
      putWord(out, to + 10, address);
      out[to + 18] = COMMA;
      putWord(out, to + 19, high);
      putWord(out, to + 27, low);
      out[to + 35] = LF;
      records++;
      return to + 36;
    });

    let begun = false;
    return {
      get records() {
        return records;
      },
      encode(events, out) {
        if (begun) return encode(events, out, 0);
        begun = true;
        out.set(HEADER);
        return encode(events, out, HEADER.length);
      },
    };
  },
};

const ZERO = 0x30;
const COMMA = 0x2c;
const LF = 0x0a;
const DIGITS = Uint8Array.from('0123456789ABCDEF', (digit) => digit.charCodeAt(0));
/** Two hex digits of every byte. */
const BYTE_DIGITS = Uint16Array.from({ length: 256 }, (_, byte) => DIGITS[byte >>> 4]! | (DIGITS[byte & 15]! << 8));

function putWord(out: Uint8Array, at: number, value: number): void {
  for (let byte = 0; byte < 4; byte++) {
    const pair = BYTE_DIGITS[(value >>> (24 - 8 * byte)) & 0xff]!;
    out[at + 2 * byte] = pair;
    out[at + 2 * byte + 1] = pair >>> 8;
  }
}

/** Rows in whole lines; the header is none. */
function rowsIn(bytes: Uint8Array, from: number, to: number): number {
  let rows = 0;
  for (let at = from; at < to; at++) if (bytes[at] === LF) rows++;
  return from === 0 ? rows - 1 : rows;
}
