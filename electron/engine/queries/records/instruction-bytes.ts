/**
 * Returns the bytes and instruction set of a record's instruction, from its opcode or from an image. Returns undefined if either is
 * unknown. Only the trace or a mapping symbol distinguishes ARM from Thumb.
 */
import type { RecordView } from '../../../../shared/records/record.ts';
import type { InstructionBytes } from '../../image/disassembler.ts';
import { MOST_INSTRUCTION_BYTES } from '../../image/capstone.ts';
import type { Code, Images } from '../../image/images.ts';
import type { Isa } from '../../image/machine.ts';
import { opcodeBytes } from './opcode-bytes.ts';

/** @param armIsa true if the letters in the trace have Arm's meaning */
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

/** Letter of the set for `opcodeBytes`, which determines the byte order of an opcode. No trace prints x86 opcodes. */
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
      // If the letters are not Arm's, 'A' is the processor's only instruction set.
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
