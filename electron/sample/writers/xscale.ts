/**
 * Events as trace buffers of an XScale that a debugger reads out again and again: 256 bytes each, one after another.
 *
 *     00 00 8f 30 d0   indirect, checkpointed: the return from the debugger, to 0x8f30     83   direct branch after 3 instructions
 *     ff               16 instructions, none a branch       64   an interrupt after 4      00 00 8f 48 97   a return after 7
 *
 * Every second buffer has wrapped and begins anywhere, also inside an address; others were stopped when they were full, or
 * early. The host is asked through the debugger, whose exceptions are not traced: only the way back is a message.
 *
 * A byte stands for some five instructions, so a trace of gigabytes would take an hour of execution. Behind the first POOL
 * captures each new one is therefore followed by REPEATS of those, as if the program were stopped at the same places again.
 */
import { entriesOf } from '../../../shared/xscale/buffer.ts';
import { LR, OP, PC } from '../assembler.ts';
import { EVENT, type Events, KIND_MASK, SIZE_SHIFT } from '../events.ts';
import type { Program } from '../program.ts';
import type { Encoder, SampleFormat } from '../writer.ts';

const BUFFER = 256;
const POOL = 4096;
const REPEATS = 63;

export const xscale: SampleFormat = {
  id: 'xscale',
  framing: { kind: 'units', bytes: BUFFER },
  // The link register reports where a return went that an interrupt followed at once.
  registers: true,
  bytesPerEvent: 7 * (1 + REPEATS),
  recordsIn,
  create,
};

const DIRECT = 0x80;
const INDIRECT = 0x90;
const CHECKPOINTED = 0x40;
const IRQ = 0x60;
const ROLL_OVER = 0xff;
/** Instructions that a roll-over stands for. */
const MOST = 16;
/** A buffer that is not to wrap stops while one indirect branch and one exception still fit. */
const SPARE = 6;
/** Bytes between two checkpoints: half a buffer. */
const HALF = BUFFER / 2;
/** Entries that a wrapped buffer may have lost. */
const MOST_LOST = 64;
const NOTHING = -1;

const FLOW = { none: 0, direct: 1, indirect: 2 } as const;

function create(program: Program): Encoder {
  const flows = Uint8Array.from(program.lines, ({ op, imm }) => flowOf(op, imm));
  const written = new Uint8Array(BUFFER + MOST_LOST + SPARE);
  /** By byte of `written`: whether it is a message. */
  const message = new Uint8Array(written.length);
  let length = 0;
  let limit = 0;
  let checkpoint = -HALF;
  let captures = 0;
  let records = 0;
  const pool = new Uint8Array(POOL * BUFFER);
  /** Messages of each capture in the pool. */
  const messages = new Uint16Array(POOL);
  let pooled = 0;
  let pick = 0;
  /** Instructions since the last message. */
  let count = 0;
  /** Count of an indirect branch whose target is not known yet, or NOTHING. */
  let pending = 0;
  let interrupted = false;
  let link = 0;

  const put = (byte: number, branch: boolean): void => {
    let marked = byte;
    if (branch && length - checkpoint >= HALF) {
      marked |= CHECKPOINTED;
      checkpoint = length;
    }
    message[length] = 1;
    written[length++] = marked;
  };
  const putAddress = (address: number): void => {
    for (let shift = 24; shift >= 0; shift -= 8) {
      message[length] = 0;
      written[length++] = address >>> shift;
    }
  };
  /** Where in `written` the buffer that is being filled is read out: different each time, the same for every run. */
  const begin = (): void => {
    const turn = Math.imul(++captures, 0x9e3779b1) >>> 16;
    const early = captures % 8 === 3;
    limit = captures % 2 === 0 ? BUFFER + (turn % MOST_LOST) : early ? 32 + (turn % 192) : BUFFER - SPARE + 1;
    length = 0;
    checkpoint = -HALF;
    count = 0;
    pending = 0;
  };
  const flush = (out: Uint8Array, at: number): number => {
    const lost = Math.max(0, length - BUFFER);
    const unused = Math.max(0, BUFFER - length);
    let held = 0;
    out.fill(0, at, at + unused);
    out.set(written.subarray(lost, length), at + unused);
    for (let k = lost; k < length; k++) held += message[k]!;
    records += held;
    begin();
    const end = at + BUFFER;
    if (pooled === POOL) return repeat(out, end);
    pool.set(out.subarray(at, end), pooled * BUFFER);
    messages[pooled++] = held;
    return end;
  };
  const repeat = (out: Uint8Array, at: number): number => {
    let end = at;
    for (let k = 0; k < REPEATS; k++, end += BUFFER) {
      // The multiplier of a generator with full period over 2^32 (Numerical Recipes, 7.1).
      pick = (Math.imul(pick, 1664525) + 1013904223) | 0;
      const one = (pick >>> 16) % POOL;
      out.set(pool.subarray(one * BUFFER, (one + 1) * BUFFER), end);
      records += messages[one]!;
    }
    return end;
  };
  /** Message to write before the instruction at `address`. */
  const arrive = (address: number): void => {
    if (pending !== NOTHING) {
      putAddress(interrupted ? link - 4 : address);
      put(INDIRECT | pending, true);
      pending = NOTHING;
    }
    if (interrupted) {
      put(IRQ | count, false);
      count = 0;
      interrupted = false;
    }
  };
  const execute = (flow: number): void => {
    if (flow === FLOW.direct) {
      put(DIRECT | count, true);
      count = 0;
    } else if (flow === FLOW.indirect) {
      pending = count;
      count = 0;
    } else if (++count === MOST) {
      put(ROLL_OVER, false);
      count = 0;
    }
  };

  begin();
  return {
    get records() {
      return records;
    },
    encode(events: Events, out: Uint8Array): number {
      const { what, a, b } = events;
      let at = 0;
      for (let k = 0; k < events.count; k++) {
        switch (what[k]! & KIND_MASK) {
          case EVENT.executed:
          case EVENT.skipped:
            if (pending !== NOTHING || interrupted) arrive(a[k]! * 4);
            if (length >= limit) {
              at = flush(out, at);
              // The way back from the debugger leads to this instruction.
              arrive(a[k]! * 4);
            }
            execute((what[k]! & KIND_MASK) === EVENT.executed ? flows[a[k]!]! : FLOW.none);
            break;
          case EVENT.register:
            if (what[k]! >>> SIZE_SHIFT === LR) link = b[k]!;
            break;
          case EVENT.interrupt:
            interrupted = true;
            break;
          default:
            break;
        }
      }
      return at;
    },
  };
}

function flowOf(op: number, registers: number): number {
  switch (op) {
    case OP.branch:
    case OP.call:
      return FLOW.direct;
    case OP.callRegister:
    case OP.returns:
    case OP.leave:
    case OP.host:
      return FLOW.indirect;
    case OP.pop:
      return (registers >>> PC) & 1 ? FLOW.indirect : FLOW.none;
    default:
      return FLOW.none;
  }
}

function recordsIn(bytes: Uint8Array, from: number, to: number): number {
  let records = 0;
  for (let at = from; at < to; at += BUFFER) records += entriesOf(bytes.subarray(at, at + BUFFER)).length;
  return records;
}
