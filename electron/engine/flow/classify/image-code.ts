/**
 * Instructions of the program's image as branches see them: length, kind of branch, and target of a direct branch. Each is
 * disassembled once.
 */
import { BRANCH, NO_BRANCH } from '../../../../shared/flow/events.ts';
import { createPoint } from '../../../../shared/flow/point.ts';
import { classifyText } from '../../../../shared/flow/text.ts';
import { joinAddress } from '../../../../shared/base/units.ts';
import { MOST_INSTRUCTION_BYTES } from '../../image/capstone.ts';
import type { Disassembler } from '../../image/disassembler.ts';
import type { Images } from '../../image/images.ts';
import type { Isa } from '../../image/machine.ts';

export interface ImageInstruction {
  readonly text: string;
  readonly size: number;
  /** Code of BRANCH_KINDS; NO_BRANCH if it does not branch. */
  readonly branch: number;
  /** Target of a direct branch. */
  readonly target?: { readonly low: number; readonly high: number };
  /** Address of the jump table that contains its target. */
  readonly table?: bigint;
  /** It always causes a message: it always branches, or serialises. */
  readonly ends: boolean;
  /** It ends an interrupt or exception. */
  readonly restores: boolean;
  /** A Pentium sends a message for it although it does not branch. */
  readonly serialises: boolean;
}

export interface ImageCode {
  /** Returns the instruction at an address; undefined if no image has one there. `isa`: used if the image has no instruction set. */
  at(low: number, high: number, isa: Isa | undefined): ImageInstruction | undefined;
}

const MOST_KEPT = 1 << 18;

export function createImageCode(images: Images, { read: readCode }: Disassembler): ImageCode {
  const byHigh = new Map<string, Map<number, ImageInstruction | undefined>>();
  let kept = 0;
  return {
    at(low, high, isa) {
      const known = instructionsOf(isa, high);
      const found = known.get(low);
      if (found !== undefined || known.has(low)) return found;
      const read = readAt(joinAddress(low, high), isa);
      if (++kept > MOST_KEPT) {
        byHigh.clear();
        kept = 0;
      }
      instructionsOf(isa, high).set(low, read);
      return read;
    },
  };

  function instructionsOf(isa: Isa | undefined, high: number): Map<number, ImageInstruction | undefined> {
    const key = `${isa ?? ''} ${high}`;
    const known = byHigh.get(key);
    if (known !== undefined) return known;
    const made = new Map<number, ImageInstruction | undefined>();
    byHigh.set(key, made);
    return made;
  }

  function readAt(address: bigint, otherwise: Isa | undefined): ImageInstruction | undefined {
    const code = images.codeAt(address);
    const isa = isaOf(code, otherwise);
    const bytes = isa && images.bytesAt(address, MOST_INSTRUCTION_BYTES);
    if (isa === undefined || bytes === undefined) return undefined;
    const littleEndian = code?.machine.codeLittleEndian ?? true;
    const read = readCode({ isa, bytes, littleEndian, address });
    return read && describe(read.text, read.size, isa);
  }
}

/** Returns the instruction set of code; undefined for data. A 32-bit image may contain 16-bit code. */
export function isaOf(code: ReturnType<Images['codeAt']>, otherwise: Isa | undefined): Isa | undefined {
  if (code?.state === 'data') return undefined;
  if (otherwise === 'x86-16' && code?.machine.isa === 'x86-32') return otherwise;
  if (code?.machine.arm === true) return code.state === 'arm' || code.state === 'thumb' ? code.state : undefined;
  return code === undefined ? otherwise : code.machine.isa;
}

/** Returns what branches need to know of an instruction. Only targets and jump tables depend on the numbers in its text. */
export function describe(text: string, size: number, isa: Isa): ImageInstruction {
  const point = createPoint();
  classifyText(text, point);
  const { branch } = point;
  const mnemonic = /^(?:(?:bnd|notrack|rep\w*|lock|data16)\s+)*(\S+)/.exec(text)?.[1] ?? '';
  // The last operand is the address; an indirect one has brackets or a register.
  const target = branch === NO_BRANCH || branch === BRANCH.exception ? null : /(?:^|[\s,#])#?(0x[0-9a-f]+)$/.exec(text);
  const address = target?.[1] === undefined || text.includes('[') ? undefined : BigInt(target[1]);
  // Those of RISC-V are distances.
  const direct = address !== undefined && !isa.startsWith('riscv') && !/^(l?ret|iret|ljmp|lcall)/.test(mnemonic);
  const isX86 = isa.startsWith('x86');
  const serialises = isX86 && SERIALISES.test(text);
  const table = isX86 && text.endsWith(']') ? /\[\w+\*4 \+ (0x[0-9a-f]+)\]$/.exec(text) : null;
  return {
    text,
    size,
    branch,
    ...(direct ? { target: { low: Number(address & 0xffff_ffffn), high: Number(address >> 32n) } } : {}),
    ...(table?.[1] === undefined || direct ? {} : { table: BigInt(table[1]) }),
    ends: (branch !== NO_BRANCH && (branch !== BRANCH.jump || ALWAYS.test(mnemonic))) || serialises,
    restores: /^iret/.test(mnemonic),
    serialises,
  };
}

const ALWAYS = /^(l?jmp|b|br|j|jr)$/;
/** Serialising instructions (Pentium Processor Family Developer's Manual, 3.5), and loads of segment registers. */
const SERIALISES =
  /^(wrmsr|rdmsr|cpuid|invd|wbinvd|invlpg|lgdt|lidt|lldt|ltr|rsm|l[dfegs]s |mov ([cd]r\d|[dfegs]s)\b|pop [dfegs]s\b)/;
