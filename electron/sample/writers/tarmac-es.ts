/**
 * Events as lines of cycle models, where only instructions and exceptions have a time and accesses draw sixteen bytes:
 *
 *         120 ns  ES  (00008008:e59f2060) A svc:            ldr r2, [pc, #0x60]
 *                     LD 00008070  ........ ........ ........ 0007b000    S:0000008070    NM ISH
 *                     BR (00008034) A
 *                     R R2 (USR) 0007b000
 *
 * An access over the end of sixteen bytes goes on in a line without a word.
 */
import { OP } from '../assembler.ts';
import { ascii, putDecimal, putHex, putText } from '../digits.ts';
import { EVENT, type Events, KIND_MASK, REGISTER_NAMES, SIZE_SHIFT } from '../events.ts';
import type { Program } from '../program.ts';
import type { Encoder, SampleFormat } from '../writer.ts';

export const tarmacEs: SampleFormat = {
  id: 'tarmac-es',
  framing: { kind: 'lines' },
  registers: true,
  bytesPerEvent: 280,
  create,
};

const DRAWN = 16;
const DOT = 0x2e;
const SPACE = 0x20;
const LF = 0x0a;
const STEP = 10;
const NOWHERE = -1;

function create(program: Program): Encoder {
  const header = ascii('Tarmac Text Rev 3t\n');
  const executed = ascii(' ns  ES  (');
  const tails = program.lines.map(({ op, opcode, irq, text }) => {
    const start = `:${(opcode >>> 0).toString(16).padStart(8, '0')}) A ${irq ? 'irq' : 'svc'}:`;
    return op === OP.data ? [] : [ascii(`${start}            ${text}\n`), ascii(`${start}     CCFAIL ${text}\n`)];
  });
  const load = ascii('                    LD ');
  const store = ascii('                    ST ');
  const more = ascii('                       ');
  const physical = ascii('    S:');
  const attributes = ascii('    NM ISH\n');
  const branch = ascii('                    BR (');
  const branchEnd = ascii(') A\n');
  const exception = ascii(' ns  ES  EXC [0x18] IRQ\n');
  const names = REGISTER_NAMES.map((name) => ascii(`                    R ${registerName(name)} `));
  let instructions = 0;
  let records = 0;
  let previous = NOWHERE;

  const putTime = (out: Uint8Array, at: number): number => {
    const time = instructions * STEP;
    let digits = 1;
    for (let bound = 10; bound <= time; bound *= 10) digits++;
    let to = at;
    for (let left = digits; left < 11; left++) out[to++] = SPACE;
    return putDecimal(out, to, time);
  };

  const instruction = (out: Uint8Array, at: number, index: number, failed: boolean): number => {
    let to = at;
    if (previous !== NOWHERE && index !== previous + 1) {
      to = putText(out, putHex(out, putText(out, to, branch), index * 4, 8), branchEnd);
      records++;
    }
    previous = index;
    instructions++;
    to = putText(out, putTime(out, to), executed);
    return putText(out, putHex(out, to, index * 4, 8), tails[index]![failed ? 1 : 0]!);
  };

  /** The bytes of the access that lie in the sixteen from `line` on. */
  const draw = (out: Uint8Array, at: number, what: Uint8Array, line: number, events: Events, k: number): number => {
    const address = events.a[k]! >>> 0;
    const size = events.what[k]! >>> SIZE_SHIFT;
    let to = putHex(out, putText(out, at, what), line, 8);
    out[to++] = SPACE;
    for (let place = DRAWN - 1; place >= 0; place--) {
      if (place % 4 === 3) out[to++] = SPACE;
      const byte = line + place - address;
      if (byte < 0 || byte >= size) {
        out[to++] = DOT;
        out[to++] = DOT;
      } else to = putHex(out, to, ((byte < 4 ? events.b[k]! : events.c[k]!) >>> (8 * (byte & 3))) & 0xff, 2);
    }
    to = putHex(out, putHex(out, putText(out, to, physical), 0, 2), line, 8);
    records++;
    return putText(out, to, attributes);
  };

  const access = (out: Uint8Array, at: number, what: Uint8Array, events: Events, k: number): number => {
    const address = events.a[k]! >>> 0;
    const line = address - (address % DRAWN);
    const to = draw(out, at, what, line, events, k);
    const end = address + (events.what[k]! >>> SIZE_SHIFT);
    return end <= line + DRAWN ? to : draw(out, to, more, line + DRAWN, events, k);
  };

  return {
    get records() {
      return records;
    },
    encode(events: Events, out: Uint8Array): number {
      const { count, what, a, b } = events;
      let at = 0;
      if (records === 0) {
        at = putText(out, 0, header);
        records++;
      }
      for (let k = 0; k < count; k++) {
        switch (what[k]! & KIND_MASK) {
          case EVENT.executed:
          case EVENT.skipped:
            at = instruction(out, at, a[k]!, (what[k]! & KIND_MASK) === EVENT.skipped);
            records++;
            break;
          case EVENT.read:
            at = access(out, at, load, events, k);
            break;
          case EVENT.write:
            at = access(out, at, store, events, k);
            break;
          case EVENT.interrupt:
            at = putText(out, putTime(out, at), exception);
            records++;
            break;
          case EVENT.register:
            at = putHex(out, putText(out, at, names[what[k]! >>> SIZE_SHIFT]!), b[k]!, 8);
            out[at++] = LF;
            records++;
            break;
          default:
            break;
        }
      }
      return at;
    },
  };
}

/** Numbered registers say of which mode they are; the others are written in capitals alone. */
function registerName(name: string): string {
  return /^r\d+$/.test(name) ? `${name.toUpperCase()} (USR)` : name.toUpperCase();
}
