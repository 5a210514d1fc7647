/**
 * Tests of opcodes and sets of registers for the bytes of one register. Each test of a number is computed once and kept, since every search
 * for a definition of the register asks it again.
 */
import { createLru } from '../../../../shared/base/lru.ts';
import type { RegisterSpan } from '../../instructions/register-file.ts';
import { cachePer } from '../../collections/cache-per.ts';
import type { KnownPart, Opcode, PartContent } from './code-parts.ts';
import { meets } from './locations.ts';

/** How a register can become that of another mode. */
export interface Modes {
  /** True if nothing but the opcodes shows the register, which another mode of the processor can have for itself. */
  readonly isBanked: boolean;
  /** True if an exception sets the register, which records show only if the value changes. */
  readonly isLink: boolean;
  /** True if the register has a bank of its own. */
  readonly isBank: boolean;
}

/** Returns true if a register may be another one after an instruction. */
export function isLeft({ leaves, flow }: Opcode, { isBanked, isLink, isBank }: Modes): boolean {
  if (isLink && (leaves === 'vector' || flow === 'exception' || flow === 'trap')) return true;
  return leaves === 'set' || (isBanked && leaves !== undefined) || (isBank && leaves === 'bank');
}

export interface RegisterTests {
  /** Returns true if an opcode defines any of the register. */
  isDefined(opcode: number): boolean;
  /** Returns true if the register may be another one after an opcode. */
  mayLeave(opcode: number): boolean;
  /** Returns true if a set of registers has any of the register. */
  isSet(set: number): boolean;
  /** Returns true if nothing in a part matters to the register. */
  mayPass(content: PartContent): boolean;
}

/** Registers whose tests are kept. */
const MOST_REGISTERS = 64;

const keptTests = cachePer(() => createLru<string, RegisterTests>(MOST_REGISTERS));

/** @param code the lists in which the numbers count; they only grow */
export function registerTests(
  code: Pick<KnownPart, 'opcodes' | 'spans'>,
  wanted: RegisterSpan,
  modes: Modes,
): RegisterTests {
  const kept = keptTests(code.opcodes);
  const key = [wanted.low, wanted.bytes, modes.isBanked, modes.isLink, modes.isBank].join(' ');
  const known = kept.get(key);
  if (known !== undefined) return known;
  const created = createTests(code, wanted, modes);
  kept.set(key, created);
  return created;
}

function createTests(
  { opcodes, spans }: Pick<KnownPart, 'opcodes' | 'spans'>,
  wanted: RegisterSpan,
  modes: Modes,
): RegisterTests {
  const isIn = (all: readonly RegisterSpan[]): boolean => all.some((span) => meets(span, wanted));
  const isDefined = memo((opcode) => isIn(opcodes[opcode]!.defines));
  const mayLeave = memo((opcode) => isLeft(opcodes[opcode]!, modes));
  const isSet = memo((set) => isIn(spans[set]!));
  const passes = new WeakMap<PartContent, boolean>();
  const mayPass = (content: PartContent): boolean => {
    let passed = passes.get(content);
    if (passed === undefined) {
      passed = !content.opcodes.some((opcode) => isDefined(opcode) || mayLeave(opcode)) && !content.sets.some(isSet);
      passes.set(content, passed);
    }
    return passed;
  };
  return { isDefined, mayLeave, isSet, mayPass };
}

/** Returns the test for small numbers that computes each answer once. */
function memo(test: (number: number) => boolean): (number: number) => boolean {
  let known = new Uint8Array(1024);
  return (number) => {
    if (number >= known.length) {
      const larger = new Uint8Array(2 * number);
      larger.set(known);
      known = larger;
    }
    if (known[number] === 0) known[number] = test(number) ? 2 : 1;
    return known[number] === 2;
  };
}
