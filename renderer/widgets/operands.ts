/**
 * Addresses in the text of an instruction. A number is an address only if the instruction says so: the target of a branch, a literal or a
 * move without a sign for immediates, or what a disassembler adds after a semicolon. An offset or an ARM immediate is none.
 */
import type { Hex } from '../../shared/base/units.ts';

export interface Operand {
  /** Position of the number in the text. */
  readonly start: number;
  readonly end: number;
  readonly address: Hex;
}

/** Conditions of ARM, MIPS and RISC-V branches. */
const CONDITIONS = 'eq|ne|cs|hs|cc|lo|mi|pl|vs|vc|hi|ls|ge|lt|gt|le|al|eqz|nez|ltz|gez|ltu|geu|lez|gtz';
/** Mnemonics of branches and calls of ARM, AArch64, MIPS, RISC-V and x86. */
const BRANCH = new RegExp(
  String.raw`^(?:blx?|bal|b\.?(?:${CONDITIONS})?|bl(?:${CONDITIONS})|[ct]bn?z|j[a-z]*|call[a-z]*)$`,
  'i',
);
/** Mnemonics that load a literal or form an address. */
const LITERAL = /^(?:ldr[a-z]*|adrp?|lea[a-z]?|movabs|mov[a-z]?|la|li|push)$/i;
/** Characters before an offset. */
const SIGNS = '+-{';

export function operandsIn(text: string): readonly Operand[] {
  const space = text.search(/\s/);
  if (space < 0) return [];
  const mnemonic = text.slice(0, space).replace(/\.[nw]$/i, '');
  const isBranch = BRANCH.test(mnemonic);
  const comment = text.indexOf(';');
  const found: Operand[] = [];
  for (const match of text.matchAll(/0x([0-9a-f]{3,16})(?![0-9a-z_])/gi)) {
    const start = match.index;
    const end = start + match[0].length;
    if (start < space || isOffset(text, start, end)) continue;
    const isImmediate = text[start - 1] === '#';
    const isAddress = comment >= 0 && start > comment ? true : isBranch || (!isImmediate && LITERAL.test(mnemonic));
    if (isAddress) found.push(operand(start, end, match[1] ?? ''));
  }
  // `b 8230 <f>`: the whole operand of a branch.
  const bare =
    found.length === 0 && isBranch ? /^\s+([0-9a-f]{3,16})(?:\s*<[^>]*>)?\s*$/i.exec(text.slice(space)) : null;
  if (bare) {
    const start = text.indexOf(bare[1] ?? '', space);
    found.push(operand(start, start + (bare[1] ?? '').length, bare[1] ?? ''));
  }
  return found;
}

function operand(start: number, end: number, digits: string): Operand {
  return { start, end, address: `0x${BigInt(`0x${digits}`).toString(16)}` };
}

/** Returns true for a number that is added to a register or to the program counter. */
function isOffset(text: string, start: number, end: number): boolean {
  const before = text.slice(0, start).trimEnd().at(-1) ?? '';
  if (SIGNS.includes(before)) return true;
  return text[end] === '(' || (before === '#' && isInBrackets(text, start));
}

function isInBrackets(text: string, at: number): boolean {
  return text.lastIndexOf('[', at) > text.lastIndexOf(']', at);
}
