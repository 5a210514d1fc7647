/**
 * Events as the bus cycles of a Pentium with its caches off: six bytes a record, address big endian, byte enables, control.
 *
 * Instruction fetches are whole quadwords, one for each the flow enters; a jump fetches its target again. An access that
 * crosses a quadword is two cycles. An interrupt is the pair of acknowledge cycles and a read of the descriptor.
 */
import { EVENT, type Events, KIND_MASK, SIZE_SHIFT } from '../events.ts';
import type { Program } from '../program.ts';
import type { Encoder, SampleFormat } from '../writer.ts';

export const byu6: SampleFormat = {
  id: 'byu6',
  framing: { kind: 'units', bytes: 6 },
  registers: false,
  bytesPerEvent: 18,
  create,
};

const CONTROL = {
  acknowledge: 0x10,
  special: 0x30,
  ioRead: 0x50,
  ioWrite: 0x70,
  fetch: 0x90,
  read: 0xd0,
  write: 0xf0,
} as const;
const HALT = 0xfb;
const DESCRIPTORS = 0x1000;
const NOWHERE = -1;

function create(program: Program): Encoder {
  const { addressX86, bytesX86 } = program;
  let previous = NOWHERE;
  let fetched = NOWHERE;
  let records = 0;

  const put = (out: Uint8Array, at: number, address: number, enables: number, control: number): number => {
    out[at] = address >>> 24;
    out[at + 1] = address >>> 16;
    out[at + 2] = address >>> 8;
    out[at + 3] = address & 0xf8;
    out[at + 4] = enables;
    out[at + 5] = control;
    return at + 6;
  };

  /** One cycle, or two where the bytes lie in two quadwords. */
  const access = (out: Uint8Array, at: number, address: number, size: number, control: number): number => {
    const mask = ((1 << size) - 1) << (address & 7);
    const next = put(out, at, address, ~mask & 0xff, control);
    return mask < 256 ? next : put(out, next, address + 8, ~(mask >>> 8) & 0xff, control);
  };

  const fetch = (out: Uint8Array, at: number, index: number): number => {
    const first = addressX86[index]! & ~7;
    const last = (addressX86[index]! + bytesX86[index]! - 1) & ~7;
    let next = at;
    if (index !== previous + 1 || first !== fetched) next = put(out, next, first, 0, CONTROL.fetch);
    if (last !== first) next = put(out, next, last, 0, CONTROL.fetch);
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
            at = access(out, at, a[k]!, size, CONTROL.read);
            break;
          case EVENT.write:
            at = access(out, at, a[k]!, size, CONTROL.write);
            break;
          case EVENT.ioRead:
            at = access(out, at, a[k]!, size, CONTROL.ioRead);
            break;
          case EVENT.ioWrite:
            at = access(out, at, a[k]!, size, CONTROL.ioWrite);
            break;
          case EVENT.interrupt:
            at = put(out, at, 0, 0xef, CONTROL.acknowledge);
            at = put(out, at, 0, 0xfe, CONTROL.acknowledge);
            at = put(out, at, DESCRIPTORS + 8 * a[k]!, 0, CONTROL.read);
            previous = NOWHERE;
            break;
          case EVENT.halt:
            at = put(out, at, 0, HALT, CONTROL.special);
            break;
          default:
            break;
        }
      }
      records += at / 6;
      return at;
    },
  };
}
