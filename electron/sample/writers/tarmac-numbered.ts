/**
 * Events as lines of the dialects of Tarmac that put a time on every line (docs/formats/tarmac.md): a style says how each
 * kind of line looks.
 *
 *     12 clk IT (12) 00008008 e59f2060 A svc_s : ldr r2, [pc, #0x60]            Fast Models
 *     2750 clk cpu0 MR4 00008070:000000008070 0007b000                          gem5: ticks, and a cpu
 *     12 cyc IT (00008008:0000000c) 00008008 e59f2060 A : ldr r2, [pc, #0x60]   RTL
 */
import { OP } from '../assembler.ts';
import { ascii, putDecimal, putHex, putText } from '../digits.ts';
import { EVENT, type Events, KIND_MASK, REGISTER_NAMES, SIZE_SHIFT } from '../events.ts';
import type { SampleFormatId } from './format-ids.ts';
import type { Program } from '../program.ts';
import type { Encoder, SampleFormat } from '../writer.ts';

interface Style {
  readonly id: SampleFormatId;
  /** Time units for each instruction. */
  readonly step: number;
  /** Text between the time and the record's word. */
  readonly unit: string;
  /** Accesses are core cycles of RTL, their data lowest byte first. */
  readonly rtl: boolean;
  /** Between the instruction set and the disassembly. */
  readonly mode: (irq: boolean) => string;
}

export const tarmacFastModels = writerOf({
  id: 'tarmac-fastmodels',
  step: 1,
  unit: ' clk ',
  rtl: false,
  mode: (irq) => `${irq ? 'irq' : 'svc'}_s : `,
});

export const tarmacGem5 = writerOf({
  id: 'tarmac-gem5',
  step: 250,
  unit: ' clk cpu0 ',
  rtl: false,
  mode: (irq) => `${irq ? 'irq' : 'svc'}_s :   `,
});

export const tarmacRtl = writerOf({ id: 'tarmac-rtl', step: 1, unit: ' cyc ', rtl: true, mode: () => ': ' });

const SPACE = 0x20;
const ZERO = 0x30;
const COLON = 0x3a;
const UNDERSCORE = 0x5f;
const LF = 0x0a;

function writerOf(style: Style): SampleFormat {
  return {
    id: style.id,
    framing: { kind: 'lines' },
    registers: true,
    bytesPerEvent: 180,
    create: (program) => create(program, style),
  };
}

function create(program: Program, { step, unit, rtl, mode }: Style): Encoder {
  const executed = ascii(`${unit}IT (`);
  const skipped = ascii(`${unit}IS (`);
  const [read, write] = rtl ? [ascii(`${unit}MNR`), ascii(`${unit}MNW`)] : [ascii(`${unit}MR`), ascii(`${unit}MW`)];
  const port = ascii('___D ');
  const names = REGISTER_NAMES.map((name) => ascii(`${unit}R ${name} `));
  const tails = program.lines.map(({ op, opcode, irq, text }) =>
    op === OP.data ? ascii('') : ascii(` ${hex(opcode)} A ${mode(irq)}${text}\n`),
  );
  let instructions = 0;
  let records = 0;

  const instruction = (out: Uint8Array, at: number, what: Uint8Array, index: number): number => {
    instructions++;
    let to = putText(out, putDecimal(out, at, instructions * step), what);
    if (rtl) {
      to = putHex(out, to, index * 4, 8);
      out[to++] = COLON;
      to = putHex(out, to, instructions, 8);
    } else to = putDecimal(out, to, instructions);
    out[to++] = 0x29;
    out[to++] = SPACE;
    return putText(out, putHex(out, to, index * 4, 8), tails[index]!);
  };

  const access = (
    out: Uint8Array,
    at: number,
    what: Uint8Array,
    { what: kinds, a, b, c }: Events,
    k: number,
  ): number => {
    const size = kinds[k]! >>> SIZE_SHIFT;
    let to = putText(out, putDecimal(out, at, instructions * step), what);
    out[to++] = ZERO + size;
    if (rtl) to = putText(out, to, port);
    else out[to++] = SPACE;
    to = putHex(out, to, a[k]!, 8);
    if (!rtl) {
      out[to++] = COLON;
      to = putHex(out, putHex(out, to, 0, 4), a[k]!, 8);
    }
    out[to++] = SPACE;
    if (rtl) {
      for (let byte = 0; byte < size; byte++) {
        to = putHex(out, to, ((byte < 4 ? b[k]! : c[k]!) >>> (8 * (byte & 3))) & 0xff, 2);
      }
    } else if (size === 8) {
      to = putHex(out, to, c[k]!, 8);
      out[to++] = UNDERSCORE;
      to = putHex(out, to, b[k]!, 8);
    } else to = putHex(out, to, size === 4 ? b[k]! : b[k]! & (size === 1 ? 0xff : 0xffff), 2 * size);
    out[to++] = LF;
    return to;
  };

  return {
    get records() {
      return records;
    },
    encode(events: Events, out: Uint8Array): number {
      const { count, what, a, b } = events;
      let at = 0;
      for (let k = 0; k < count; k++) {
        switch (what[k]! & KIND_MASK) {
          case EVENT.executed:
            at = instruction(out, at, executed, a[k]!);
            break;
          case EVENT.skipped:
            at = instruction(out, at, skipped, a[k]!);
            break;
          case EVENT.read:
            at = access(out, at, read, events, k);
            break;
          case EVENT.write:
            at = access(out, at, write, events, k);
            break;
          case EVENT.register:
            at = putText(out, putDecimal(out, at, instructions * step), names[what[k]! >>> SIZE_SHIFT]!);
            at = putHex(out, at, b[k]!, 8);
            out[at++] = LF;
            break;
          default:
            continue;
        }
        records++;
      }
      return at;
    },
  };
}

function hex(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}
