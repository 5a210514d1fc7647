/**
 * Compares executed opcodes with the bytes of an image. Only what can be compared counts: an instruction whose bytes the image has, and
 * whose opcode determines them.
 *
 * Segments of overlays share addresses, so an instruction matches if any segment of the image has its bytes there.
 */
import { toHex, type Hex } from '../../../../shared/base/units.ts';
import type { Image } from '../../image/image.ts';
import { opcodeBytes } from '../records/opcode-bytes.ts';
import type { Executed } from './sample.ts';

export interface Comparison {
  checked: number;
  matching: number;
  outside: number;
  readonly distinct: { checked: number; matching: number };
  first: Executed | undefined;
}

/** The parts of an image that are compared. */
export type Code = Pick<Image, 'segments' | 'machine'>;

export function compareOpcodes(code: Code, shift: bigint, instructions: readonly Executed[]): Comparison {
  const orders = ordersOf(code);
  return orders.map((order) => compareAs(code, shift, instructions, order)).sort((a, b) => b.matching - a.matching)[0]!;
}

/** Byte orders in which opcodes may lie in the image: both if it does not name its processor, as raw bytes. */
function ordersOf({ machine }: Code): readonly string[] {
  return machine === undefined ? ['little', 'big'] : [machine.codeLittleEndian ? 'little' : 'big'];
}

function compareAs(code: Code, shift: bigint, instructions: readonly Executed[], order: string): Comparison {
  const result: Comparison = {
    checked: 0,
    matching: 0,
    outside: 0,
    distinct: { checked: 0, matching: 0 },
    first: undefined,
  };
  for (const instruction of instructions) {
    const readings = readingsOf(instruction, order);
    const [some] = readings;
    if (some === undefined) continue;
    const held = bytesOf(code, BigInt.asUintN(64, instruction.address - shift), some.length);
    if (held.length === 0) {
      result.outside += instruction.count;
      continue;
    }
    result.checked += instruction.count;
    result.distinct.checked++;
    if (readings.some((reading) => held.some((bytes) => isEqual(bytes, reading)))) {
      result.matching += instruction.count;
      result.distinct.matching++;
    } else if (result.first === undefined || instruction.n < result.first.n) result.first = instruction;
  }
  return result;
}

/** Returns the bytes that an opcode may stand for; none if it does not determine them. Without a letter, ARM and Thumb are possible. */
export function readingsOf(instruction: Executed, order: string): readonly Uint8Array[] {
  const { isa, size, opcode, flags } = instruction;
  const sets = isa === undefined && size === 4 ? ['A', 'T'] : [/^T(16|32)$/.test(isa ?? '') ? 'T' : isa];
  return sets.flatMap((set) => {
    const fields = {
      size,
      ...(opcode === undefined ? {} : { opcode }),
      ...(flags === undefined ? {} : { flags }),
      ...(set === undefined ? {} : { isa: set }),
    };
    const bytes = opcodeBytes(fields, order);
    return bytes === undefined ? [] : [bytes];
  });
}

/** Returns the bytes of every segment that has `size` bytes at a link-time address. */
function bytesOf({ segments }: Code, at: bigint, size: number): readonly Uint8Array[] {
  const found: Uint8Array[] = [];
  for (const { address, bytes } of segments) {
    if (at < address || at - address > bytes.length - size) continue;
    const start = Number(at - address);
    found.push(bytes.subarray(start, start + size));
  }
  return found;
}

function isEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}

/** Returns the opcode that the image has in place of an executed one, written as the trace writes it. */
export function opcodeInImage(code: Code, shift: bigint, instruction: Executed): Hex | undefined {
  const [order = 'little'] = ordersOf(code);
  const [held] = bytesOf(code, BigInt.asUintN(64, instruction.address - shift), instruction.size);
  const parcel = instruction.isa?.startsWith('T') === true || instruction.size === 2 ? 2 : instruction.size;
  if (held === undefined || parcel === 0) return undefined;
  let value = 0n;
  for (let at = 0; at < held.length; at += parcel) {
    const unit = [...held.subarray(at, at + parcel)];
    if (order === 'little') unit.reverse();
    for (const byte of unit) value = (value << 8n) | BigInt(byte);
  }
  return toHex(value);
}
