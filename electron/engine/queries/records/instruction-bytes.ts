/**
 * The bytes of an instruction that a record is about, and the instruction set that they are in: from its opcode, else from an
 * image. Undefined where nothing proves one of the two: ARM and Thumb are told apart by the trace or by a mapping symbol only.
 */
import { KIND, type Kind, type RecordView } from '../../../../shared/records/record.ts';
import type { InstructionBytes } from '../../image/disassembler.ts';
import { MOST_INSTRUCTION_BYTES } from '../../image/disassembler.ts';
import type { Code, Images } from '../../image/images.ts';
import type { Isa } from '../../image/machine.ts';
import { opcodeBytes } from '../memory/opcode-bytes.ts';

export function isInstruction(kind: Kind): boolean {
  return KIND[kind] === KIND.instruction || KIND[kind] === KIND.skipped;
}

/** @param armIsa whether the letters of the trace are Arm's own */
export function instructionOf(images: Images, armIsa: boolean, record: RecordView): InstructionBytes | undefined {
  if (record.address === undefined) return undefined;
  const address = BigInt(record.address);
  const code = images.codeAt(address);
  const isa = isaOf(record, code, armIsa);
  if (isa === undefined) return undefined;
  if (record.opcode !== undefined) {
    const bytes = opcodeBytes({ ...record, ...LETTER[isa] }, 'little');
    return bytes && { isa, bytes, littleEndian: true, address };
  }
  const bytes = images.bytesAt(address, MOST_INSTRUCTION_BYTES);
  return bytes && code && { isa, bytes, littleEndian: code.machine.codeLittleEndian, address };
}

/** How an opcode of the set lies in memory, as `opcodeBytes` names it; x86 has opcodes of any length, which no trace prints. */
const LETTER: Readonly<Record<Isa, { readonly isa: string }>> = {
  arm: { isa: 'A' },
  thumb: { isa: 'T' },
  aarch64: { isa: 'O' },
  mips32: { isa: 'A' },
  mips64: { isa: 'A' },
  riscv32: { isa: 'A' },
  riscv64: { isa: 'A' },
  'x86-16': { isa: '' },
  'x86-32': { isa: '' },
  'x86-64': { isa: '' },
};

function isaOf({ isa, opcode, size }: RecordView, code: Code | undefined, armIsa: boolean): Isa | undefined {
  const machine = code?.machine;
  switch (isa) {
    case undefined:
      if (code?.state === 'data') return undefined;
      if (armIsa && opcode !== undefined && size === 2) return 'thumb';
      if (machine?.arm === true) return code?.state === 'arm' || code?.state === 'thumb' ? code.state : undefined;
      return machine?.isa;
    case 'A':
      // Where the letters are not Arm's own it stands for the processor's only set, whichever that is.
      return machine === undefined ? (armIsa ? 'arm' : undefined) : machine.arm ? 'arm' : machine.isa;
    case 'T':
    case 'T16':
    case 'T32':
      return machine === undefined || machine.arm ? 'thumb' : undefined;
    case 'O':
      return machine === undefined || machine.isa === 'aarch64' ? 'aarch64' : undefined;
    default:
      return undefined;
  }
}
