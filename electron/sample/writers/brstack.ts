/**
 * Events as samples of perf script: each time the branch stack has filled up, a line with its sixteen branches, the newest
 * first, so that all taken branches are there.
 *
 *     sample 4242 [000]     1.000321: cycles:u: 0x100a3c/0x100b10/P/-/-/3/CALL/-  0x100b22/0x100a41/P/-/-/7/RET/- ...
 */
import { OP } from '../assembler.ts';
import { ascii, putDecimal, putHex, putText } from '../digits.ts';
import { EVENT, type Events, KIND_MASK } from '../events.ts';
import type { Program } from '../program.ts';
import type { Encoder, SampleFormat } from '../writer.ts';

export const brstack: SampleFormat = {
  id: 'brstack',
  framing: { kind: 'lines' },
  registers: false,
  bytesPerEvent: 64,
  recordsIn: branchesIn,
  create,
};

const STACK = 16;
const LF = 0x0a;
const SPACE = 0x20;
const ZERO = 0x30;
const LOWER_X = 0x78;
const NOWHERE = -1;
const MICROSECONDS = 1_000_000;

const TYPE = { uncond: 0, cond: 1, call: 2, indirectCall: 3, returns: 4, interrupt: 5 } as const;
const TYPE_NAMES = ['UNCOND', 'COND', 'CALL', 'IND_CALL', 'RET', 'IRQ'];

function create(program: Program): Encoder {
  const { addressX86, bytesX86 } = program;
  const types = Uint8Array.from(program.lines, ({ op, cond }) => typeOf(op, cond));
  const start = ascii('sample 4242 [000] ');
  const event = ascii(': cycles:u:');
  const address = ascii(' 0x');
  const target = ascii('/0x');
  const flags = ascii('/P/-/-/');
  const missed = ascii('/M/-/-/');
  const tails = TYPE_NAMES.map((name) => ascii(`/${name}/- `));
  const from = new Uint32Array(STACK);
  const to = new Uint32Array(STACK);
  const cycles = new Uint32Array(STACK);
  const kind = new Uint8Array(STACK);
  let held = 0;
  let clock = 0;
  let since = 0;
  let previous = NOWHERE;
  /** The instruction that an interrupt came before, which it leaves in place of `previous`. */
  let interrupted = NOWHERE;
  let records = 0;

  const line = (out: Uint8Array, at: number): number => {
    let p = putText(out, at, start);
    p = putDecimal(out, p, Math.floor(clock / MICROSECONDS));
    out[p++] = 0x2e;
    p = putDecimal(out, p, clock % MICROSECONDS, 6);
    p = putText(out, p, event);
    for (let k = held - 1; k >= 0; k--) {
      p = putHex(out, putText(out, p, address), from[k]!);
      p = putHex(out, putText(out, p, target), to[k]!);
      p = putText(out, p, cycles[k]! > 12 ? missed : flags);
      p = putText(out, putDecimal(out, p, cycles[k]!), tails[kind[k]!]!);
    }
    out[p++] = LF;
    records += held;
    held = 0;
    return p;
  };

  const branch = (out: Uint8Array, at: number, source: number, destination: number, type: number): number => {
    from[held] = addressX86[source]!;
    to[held] = addressX86[destination]!;
    cycles[held] = since;
    kind[held] = type;
    since = 0;
    return ++held === STACK ? line(out, at) : at;
  };

  /** The branch that led to an instruction, if one did. */
  const arrive = (out: Uint8Array, at: number, index: number): number => {
    if (previous === NOWHERE || addressX86[index] === addressX86[previous]! + bytesX86[previous]!) return at;
    return branch(out, at, previous, index, types[previous]!);
  };

  return {
    get records() {
      return records;
    },
    encode({ count, what, a, b }: Events, out: Uint8Array): number {
      let at = 0;
      for (let k = 0; k < count; k++) {
        const event = what[k]! & KIND_MASK;
        const index = a[k]!;
        if (event === EVENT.interrupt) {
          interrupted = b[k]!;
          at = arrive(out, at, interrupted);
        }
        if (event !== EVENT.executed && event !== EVENT.skipped) continue;
        clock++;
        since++;
        at = interrupted === NOWHERE ? arrive(out, at, index) : branch(out, at, interrupted, index, TYPE.interrupt);
        interrupted = NOWHERE;
        previous = index;
      }
      return at;
    },
  };
}

function typeOf(op: number, cond: number): number {
  const ALWAYS = 14;
  if (op === OP.call) return TYPE.call;
  if (op === OP.callRegister) return TYPE.indirectCall;
  if (op === OP.returns || op === OP.pop || op === OP.leave) return TYPE.returns;
  return cond === ALWAYS ? TYPE.uncond : TYPE.cond;
}

/** Branches of whole lines: each has a blank and `0x` in front. */
function branchesIn(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let at = from; at + 2 < to; at++) {
    if (bytes[at] === SPACE && bytes[at + 1] === ZERO && bytes[at + 2] === LOWER_X) count++;
  }
  return count;
}
