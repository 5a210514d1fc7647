/**
 * Events as lines of the QEMU4V trace format. Every line is
 *
 *     12 clk 0 IT (12) 00008008 e59f2060 A svc_ns : ldr r2, [pc, #0x60]
 *     12 clk MR4 00008070 0007b000
 *     12 clk R r2 0007b000
 *
 * with the number of the instruction, from 1, as time. IS = the condition failed.
 */
import { OP } from '../assembler.ts';
import { EVENT, type Events, KIND_MASK, REGISTER_NAMES, SIZE_SHIFT } from '../events.ts';
import type { Program } from '../program.ts';
import type { Encoder, SampleFormat } from '../writer.ts';

export const tarmac: SampleFormat = {
  id: 'tarmac',
  framing: { kind: 'lines' },
  registers: true,
  bytesPerEvent: 160,
  create,
};

const DIGITS = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
/** Two hex digits of every byte. */
const BYTE_DIGITS = Uint16Array.from({ length: 256 }, (_, byte) => DIGITS[byte >>> 4]! | (DIGITS[byte & 15]! << 8));
const ZERO = 0x30;
const NINE = 0x39;
const SPACE = 0x20;
const LF = 0x0a;

function create(program: Program): Encoder {
  const tails = packTails(program);
  const executed = ascii(' clk 0 IT (');
  const skipped = ascii(' clk 0 IS (');
  const reads = ascii(' clk MR');
  const writes = ascii(' clk MW');
  const register = ascii(' clk R ');
  const names = REGISTER_NAMES.map((name) => ascii(`${name} `));
  /** The time's digits, right-aligned, and where they begin. */
  const time = new Uint8Array(20).fill(ZERO);
  let timeAt = time.length - 1;
  let records = 0;

  const tick = (): void => {
    let digit = time.length - 1;
    while (time[digit] === NINE) time[digit--] = ZERO;
    time[digit]!++;
    if (digit < timeAt) timeAt = digit;
  };
  const copy = (out: Uint8Array, at: number, from: Uint8Array, start: number, end: number): number => {
    let to = at;
    for (let k = start; k < end; k++) out[to++] = from[k]!;
    return to;
  };
  const word = (out: Uint8Array, at: number, value: number, bytes: number): number => {
    let to = at;
    for (let shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
      const digits = BYTE_DIGITS[(value >>> shift) & 0xff]!;
      out[to++] = digits & 0xff;
      out[to++] = digits >>> 8;
    }
    return to;
  };
  const instruction = (out: Uint8Array, at: number, what: Uint8Array, index: number): number => {
    tick();
    let to = copy(out, at, time, timeAt, time.length);
    to = copy(out, to, what, 0, what.length);
    to = copy(out, to, time, timeAt, time.length);
    return copy(out, to, tails.bytes, tails.start[index]!, tails.start[index + 1]!);
  };
  const access = (out: Uint8Array, at: number, what: Uint8Array, events: Events, k: number): number => {
    const size = events.what[k]! >>> SIZE_SHIFT;
    let to = copy(out, at, time, timeAt, time.length);
    to = copy(out, to, what, 0, what.length);
    out[to++] = ZERO + size;
    out[to++] = SPACE;
    to = word(out, to, events.a[k]!, 4);
    out[to++] = SPACE;
    if (size === 8) to = word(out, to, events.c[k]!, 4);
    to = word(out, to, events.b[k]!, size === 8 ? 4 : size);
    out[to++] = LF;
    return to;
  };

  return {
    get records() {
      return records;
    },
    encode(events: Events, out: Uint8Array): number {
      const { count, what } = events;
      let at = 0;
      for (let k = 0; k < count; k++) {
        switch (what[k]! & KIND_MASK) {
          case EVENT.executed:
            at = instruction(out, at, executed, events.a[k]!);
            break;
          case EVENT.skipped:
            at = instruction(out, at, skipped, events.a[k]!);
            break;
          case EVENT.read:
            at = access(out, at, reads, events, k);
            break;
          case EVENT.write:
            at = access(out, at, writes, events, k);
            break;
          case EVENT.register: {
            const name = names[what[k]! >>> SIZE_SHIFT]!;
            at = copy(out, at, time, timeAt, time.length);
            at = copy(out, at, register, 0, register.length);
            at = copy(out, at, name, 0, name.length);
            at = word(out, at, events.b[k]!, 4);
            out[at++] = LF;
            break;
          }
          default:
            continue;
        }
        records++;
      }
      return at;
    },
  };
}

/** Text after the number in the line of each instruction. */
function packTails(program: Program): { readonly bytes: Uint8Array; readonly start: Uint32Array } {
  const texts = program.lines.map((line, index) =>
    line.op === OP.data
      ? ''
      : `) ${hex(index * 4)} ${hex(line.opcode)} A ${line.irq ? 'irq' : 'svc'}_ns : ${line.text}\n`,
  );
  const start = new Uint32Array(texts.length + 1);
  texts.forEach((text, index) => (start[index + 1] = start[index]! + text.length));
  return { bytes: ascii(texts.join('')), start };
}

function hex(value: number): string {
  return value.toString(16).padStart(8, '0');
}

function ascii(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'latin1'));
}
