/**
 * Events as Tracer text of ADS, from a core with a write-through cache whose lines have 32 bytes:
 *
 *     E 00008000 00000000 10002            its instruction cache misses,
 *     BNR8O___ 00008000 E59F0060 E59F1060  and the bus fills the line (four of these)
 *     MSR4O___ 00008004 E59F1060           the core fetches,
 *     IT 00008004 e59f1060 LDR      r1, [pc, #0x60]
 *     MNR4____ 0000806C 0007D000           and reads (data is taken to be in the cache)
 *     R r1=0007d000, cpsr=000000d3         what the instruction changed
 *     MNW4____ 00800000 00000001
 *     BNW4____ 00800000 00000001           a write goes through
 *     E 00008008 00000000 7                an interrupt
 *     MI                                   the processor sleeps
 */
import { OP } from '../assembler.ts';
import { EVENT, type Events, KIND_MASK, REGISTER_NAMES, SIZE_SHIFT, SPSR } from '../events.ts';
import type { Program } from '../program.ts';
import type { Encoder, SampleFormat } from '../writer.ts';

export const armtracer: SampleFormat = {
  id: 'armtracer',
  framing: { kind: 'lines' },
  registers: true,
  bytesPerEvent: 320,
  create,
};

const HEADER = `Date: Thu Aug  9 16:41:36 2001
Source: Armul
Options: Trace Instructions  (Disassemble,Registers)  Trace Memory Cycles  (Idles)  Trace Events  

`;
const LINE_INSTRUCTIONS = 8;
/** Lines that the instruction cache holds. */
const CACHE_LINES = 256;
const NOWHERE = -1;
const PC = 15;
const IRQ_EVENT = 7;
const LF = 0x0a;
const SPACE = 0x20;
const COMMA = 0x2c;
const ZERO = 0x30;

function create(program: Program): Encoder {
  const packed = packInstructions(program);
  const fills = packFills(program);
  const cached = new Int32Array(CACHE_LINES).fill(NOWHERE);
  const header = ascii(HEADER);
  const reads = ascii('MNR');
  const writes = ascii('MNW');
  const throughs = ascii('BNW');
  const registers = ascii('R ');
  const names = REGISTER_NAMES.map((name) => ascii(`${name}=`));
  const event = ascii('E ');
  const interruptTail = ascii(` 00000000 ${IRQ_EVENT} \n`);
  const idle = ascii('MI\n');
  const fetches = [ascii('MN'), ascii('MS')];
  /** Registers that the instruction has changed so far. */
  const changed = new Int32Array(REGISTER_NAMES.length);
  let changes = 0;
  let begun = false;
  let previous = NOWHERE;
  let records = 0;

  const copy = (out: Uint8Array, at: number, from: Uint8Array, start: number, end: number): number => {
    let to = at;
    for (let k = start; k < end; k++) out[to++] = from[k]!;
    return to;
  };
  const digits = (out: Uint8Array, at: number, value: number, bytes: number, pairs: Uint16Array): number => {
    let to = at;
    for (let shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
      const pair = pairs[(value >>> shift) & 0xff]!;
      out[to++] = pair & 0xff;
      out[to++] = pair >>> 8;
    }
    return to;
  };
  const access = (out: Uint8Array, at: number, what: Uint8Array, events: Events, k: number): number => {
    const size = events.what[k]! >>> SIZE_SHIFT;
    let to = copy(out, at, what, 0, what.length);
    out[to++] = ZERO + size;
    to = copy(out, to, BLANKS, 0, BLANKS.length);
    to = digits(out, to, events.a[k]!, 4, UPPER);
    out[to++] = SPACE;
    to = digits(out, to, events.b[k]!, Math.min(size, 4), UPPER);
    if (size === 8) {
      out[to++] = SPACE;
      to = digits(out, to, events.c[k]!, 4, UPPER);
    }
    out[to++] = LF;
    records++;
    return to;
  };
  const instruction = (out: Uint8Array, at: number, skipped: boolean, index: number): number => {
    let to = at;
    const line = Math.floor(index / LINE_INSTRUCTIONS);
    if (cached[line % CACHE_LINES] !== line) {
      cached[line % CACHE_LINES] = line;
      to = copy(out, to, event, 0, event.length);
      to = digits(out, to, index * 4, 4, UPPER);
      to = copy(out, to, fills.bytes, fills.start[line]!, fills.start[line + 1]!);
      records += 1 + LINE_INSTRUCTIONS / 2;
    }
    const fetch = fetches[index === previous + 1 ? 1 : 0]!;
    previous = index;
    to = copy(out, to, fetch, 0, fetch.length);
    const entry = 2 * index + (skipped ? 1 : 0);
    records += 2;
    return copy(out, to, packed.bytes, packed.start[entry]!, packed.start[entry + 1]!);
  };
  const showChanges = (out: Uint8Array, at: number): number => {
    if (changes === 0) return at;
    let to = copy(out, at, registers, 0, registers.length);
    for (let number = 0; number <= SPSR; number++) {
      if ((changes & (1 << number)) === 0) continue;
      const name = names[number]!;
      to = copy(out, to, name, 0, name.length);
      to = digits(out, to, changed[number]!, 4, LOWER);
      out[to++] = COMMA;
      out[to++] = SPACE;
    }
    changes = 0;
    records++;
    out[to - 2] = LF;
    return to - 1;
  };
  const interrupt = (out: Uint8Array, at: number, events: Events, k: number): number => {
    let to = copy(out, at, event, 0, event.length);
    to = digits(out, to, 4 * events.b[k]!, 4, UPPER);
    records++;
    return copy(out, to, interruptTail, 0, interruptTail.length);
  };

  return {
    get records() {
      return records;
    },
    encode(events: Events, out: Uint8Array): number {
      const { count, what } = events;
      let at = begun ? 0 : copy(out, 0, header, 0, header.length);
      begun = true;
      for (let k = 0; k < count; k++) {
        const kind = what[k]! & KIND_MASK;
        if (kind === EVENT.executed || kind === EVENT.skipped || kind === EVENT.interrupt) at = showChanges(out, at);
        switch (kind) {
          case EVENT.executed:
          case EVENT.skipped:
            at = instruction(out, at, kind === EVENT.skipped, events.a[k]!);
            break;
          case EVENT.read:
            at = access(out, at, reads, events, k);
            break;
          case EVENT.write:
            at = access(out, at, writes, events, k);
            at = access(out, at, throughs, events, k);
            break;
          case EVENT.register: {
            const number = what[k]! >>> SIZE_SHIFT;
            if (number === PC) break;
            changed[number] = events.b[k]!;
            changes |= 1 << number;
            break;
          }
          case EVENT.interrupt:
            at = interrupt(out, at, events, k);
            break;
          case EVENT.halt:
            at = copy(out, at, idle, 0, idle.length);
            records++;
            break;
          default:
            break;
        }
      }
      return showChanges(out, at);
    },
  };
}

const BLANKS = ascii('____ ');
/** Two hex digits of every byte. */
const UPPER = pairs('0123456789ABCDEF');
const LOWER = pairs('0123456789abcdef');

function pairs(digits: string): Uint16Array {
  return Uint16Array.from(
    { length: 256 },
    (_, byte) => digits.charCodeAt(byte >>> 4) | (digits.charCodeAt(byte & 15) << 8),
  );
}

interface Packed {
  readonly bytes: Uint8Array;
  readonly start: Uint32Array;
}

/** Text after `MN` or `MS` for each instruction: executed, then skipped. */
function packInstructions({ lines }: Program): Packed {
  return pack(
    lines.flatMap(({ op, opcode, text }, index) => {
      if (op === OP.data) return ['', ''];
      const address = hex(index * 4).toUpperCase();
      const fetch = `R4O___ ${address} ${hex(opcode).toUpperCase()}\n`;
      return [
        `${fetch}IT ${address} ${hex(opcode)} ${disassembly(text, true)}\n`,
        `${fetch}IS ${address} ${hex(opcode)} ${disassembly(text, false)}\n`,
      ];
    }),
  );
}

/** Text after the address of the event for each cache line: its end and the four double words of the fill. */
function packFills({ lines }: Program): Packed {
  const count = Math.ceil(lines.length / LINE_INSTRUCTIONS);
  return pack(
    Array.from({ length: count }, (_, line) => {
      const first = line * LINE_INSTRUCTIONS;
      const word = (index: number): string => hex(lines[index]?.opcode ?? 0).toUpperCase();
      const rows = Array.from({ length: LINE_INSTRUCTIONS / 2 }, (__, row) => {
        const index = first + 2 * row;
        const address = hex(index * 4).toUpperCase();
        return `B${row === 0 ? 'N' : 'S'}R8O___ ${address} ${word(index)} ${word(index + 1)}\n`;
      });
      return ` 00000000 10002 \n${rows.join('')}`;
    }),
  );
}

function pack(texts: readonly string[]): Packed {
  const start = new Uint32Array(texts.length + 1);
  texts.forEach((text, index) => (start[index + 1] = start[index]! + text.length));
  return { bytes: ascii(texts.join('')), start };
}

/** The operation in a column of nine, in capitals where it was executed. */
function disassembly(text: string, executed: boolean): string {
  const [operation = '', ...operands] = text.split(' ');
  const name = executed ? operation.toUpperCase() : operation;
  return operands.length === 0 ? name : `${name.padEnd(8)} ${operands.join(' ')}`;
}

function hex(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}

function ascii(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'latin1'));
}
