/** Bus cycles in the fixed-width binary of `btm`: docs/formats/btm.md. A time mark comes every MARK_EVERY units. */
import { createBus, CYCLES_PER_EVENT } from '../bus.ts';
import type { SampleFormat } from '../writer.ts';

const UNIT = 16;
const MARK_EVERY = 1024;
const MAGIC = Uint8Array.from([0x42, 0x54, 0x4d, 0x43, 0x41, 0x50, 13, 10, 26, 10, 1, 0, 0, 0, 0, 0]);
const MARK = 0x80;
const CACHE_HIGH = 8;

export const btmBinary: SampleFormat = {
  id: 'btm-binary',
  framing: { kind: 'units', bytes: UNIT },
  registers: false,
  bytesPerEvent: (CYCLES_PER_EVENT + 1) * UNIT,
  recordsIn: cyclesIn,
  create(program) {
    let records = 0;
    let units = 0;
    let time = 1000;

    const mark = (out: Uint8Array, at: number): number => {
      out.fill(0, at, at + UNIT);
      out[at + 5] = MARK;
      putWord(out, at + 8, time % 2 ** 32);
      putWord(out, at + 12, Math.floor(time / 2 ** 32));
      return at + UNIT;
    };

    const encode = createBus(program, (out, at, since, cycle, enables, address, low, high) => {
      const to = units++ % MARK_EVERY === 0 ? mark(out, at) : at;
      time += since;
      putWord(out, to, address);
      out[to + 4] = enables;
      out[to + 5] = cycleBits(cycle);
      out[to + 6] = since;
      out[to + 7] = since >>> 8;
      putWord(out, to + 8, low);
      putWord(out, to + 12, high);
      records++;
      return to + UNIT;
    });

    let begun = false;
    return {
      get records() {
        return records;
      },
      encode(events, out) {
        if (begun) return encode(events, out, 0);
        begun = true;
        out.set(MAGIC);
        return encode(events, out, UNIT);
      },
    };
  },
};

/** M/IO# D/C# W/R# lie in bits 2 to 0, and no cycle here can be cached. */
function cycleBits(cycle: number): number {
  return cycle | CACHE_HIGH;
}

function putWord(out: Uint8Array, at: number, value: number): void {
  out[at] = value;
  out[at + 1] = value >>> 8;
  out[at + 2] = value >>> 16;
  out[at + 3] = value >>> 24;
}

/** Whole units that are neither the header nor a time mark. */
function cyclesIn(bytes: Uint8Array, from: number, to: number): number {
  let cycles = 0;
  for (let at = from; at < to; at += UNIT) if ((bytes[at + 5]! & MARK) === 0) cycles++;
  return from === 0 ? cycles - 1 : cycles;
}
