/**
 * Events as bus requests of a P6: twelve bytes a record, little endian.
 *
 * Instructions come in lines of 32 bytes, write-back; a jump fetches its target's line again. Data is not cached, so that
 * every access shows; one that crosses a quadword is two requests. Ticks between requests are small and never zero.
 */
import { EVENT, type Events, KIND_MASK, SIZE_SHIFT } from '../events.ts';
import type { Program } from '../program.ts';
import type { Encoder, SampleFormat } from '../writer.ts';

const UNIT = 12;

export const byu12: SampleFormat = {
  id: 'byu12',
  framing: { kind: 'units', bytes: UNIT },
  registers: false,
  bytesPerEvent: 3 * UNIT,
  create,
};

const REQUEST = {
  fetch: 0x00,
  read: 0x01,
  write: 0x03,
  ioRead: 0x10,
  ioWrite: 0x11,
  acknowledge: 0x21,
  halt: 0x33,
} as const;
const UNCACHEABLE = 0;
const WRITE_BACK = 3;
const LINE = 32;
const DESCRIPTORS = 0x1000;
const NOWHERE = -1;

function create(program: Program): Encoder {
  const { addressX86, bytesX86 } = program;
  let previous = NOWHERE;
  let fetched = NOWHERE;
  let records = 0;
  let ticks = 1;

  const put = (out: Uint8Array, at: number, address: number, request: number, size: number, type: number): number => {
    // A multiplicative generator of period 65536: enough to look irregular.
    ticks = (ticks * 25173 + 13849) & 0xffff;
    out[at] = address;
    out[at + 1] = address >>> 8;
    out[at + 2] = address >>> 16;
    out[at + 3] = address >>> 24;
    out[at + 4] = request;
    out[at + 5] = size;
    out[at + 6] = type;
    out[at + 7] = 0;
    out[at + 8] = 1 + (ticks >>> 11);
    out[at + 9] = 0;
    out[at + 10] = 0;
    out[at + 11] = 0;
    return at + UNIT;
  };

  const access = (out: Uint8Array, at: number, address: number, size: number, request: number): number => {
    const room = 8 - (address & 7);
    if (size <= room) return put(out, at, address, request, size, UNCACHEABLE);
    const next = put(out, at, address, request, room, UNCACHEABLE);
    return put(out, next, address + room, request, size - room, UNCACHEABLE);
  };

  const fetch = (out: Uint8Array, at: number, index: number): number => {
    const first = addressX86[index]! & -LINE;
    const last = (addressX86[index]! + bytesX86[index]! - 1) & -LINE;
    let next = at;
    if (index !== previous + 1 || first !== fetched) next = put(out, next, first, REQUEST.fetch, LINE, WRITE_BACK);
    if (last !== first) next = put(out, next, last, REQUEST.fetch, LINE, WRITE_BACK);
    previous = index;
    fetched = last;
    return next;
  };

  return {
    get records() {
      return records;
    },
    encode(events: Events, out: Uint8Array): number {
      const { count, what, a } = events;
      let at = 0;
      for (let k = 0; k < count; k++) {
        const size = what[k]! >>> SIZE_SHIFT;
        switch (what[k]! & KIND_MASK) {
          case EVENT.executed:
          case EVENT.skipped:
            at = fetch(out, at, a[k]!);
            break;
          case EVENT.read:
            at = access(out, at, a[k]!, size, REQUEST.read);
            break;
          case EVENT.write:
            at = access(out, at, a[k]!, size, REQUEST.write);
            break;
          case EVENT.ioRead:
            at = access(out, at, a[k]!, size, REQUEST.ioRead);
            break;
          case EVENT.ioWrite:
            at = access(out, at, a[k]!, size, REQUEST.ioWrite);
            break;
          case EVENT.interrupt:
            at = put(out, at, 0, REQUEST.acknowledge, 0, UNCACHEABLE);
            at = put(out, at, DESCRIPTORS + 8 * a[k]!, REQUEST.read, 8, UNCACHEABLE);
            previous = NOWHERE;
            break;
          case EVENT.halt:
            at = put(out, at, 0, REQUEST.halt, 0, UNCACHEABLE);
            break;
          default:
            break;
        }
      }
      records += at / UNIT;
      return at;
    },
  };
}
