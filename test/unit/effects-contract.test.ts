// Effects obey their contract for opcodes at random, and define every general register that Capstone knows as written.
import { expect, it } from 'vitest';
import { loadCapstone } from '../../electron/engine/image/capstone.ts';
import type { Isa } from '../../electron/engine/image/machine.ts';
import { isMemory, type Definition, type Effects, type Place } from '../../electron/engine/instructions/effects.ts';
import { loadEffects, registerFileOf } from '../../electron/engine/instructions/effects-reader.ts';
import { createRawCapstone } from '../../electron/engine/instructions/raw-capstone.ts';
import { createRandom } from '../laws/random.ts';

const OPCODES = 1500;
const ISAS: readonly Isa[] = ['arm', 'thumb', 'aarch64', 'x86-32', 'x86-64', 'mips32', 'mips64', 'riscv32', 'riscv64'];

const { effectsOf } = await loadEffects();
const capstone = await loadCapstone();

function bytesOf(place: Place): number {
  return isMemory(place) ? place.bytes : place.register.bytes;
}

function overlaps(a: { low: number; bytes: number }, b: { low: number; bytes: number }): boolean {
  return a.low < b.low + b.bytes && b.low < a.low + a.bytes;
}

/** Returns what is wrong with a definition. */
function faultOf(
  { to, from, how, conditional }: Definition,
  { memory, complete }: Effects,
  isa: Isa,
): string | undefined {
  const { counter } = registerFileOf(isa);
  if (!isMemory(to) && overlaps(to.register, counter)) return 'defines the program counter';
  if (!isMemory(to) && (to.register.bytes < 1 || to.register.low < 0)) return 'defines no bytes';
  if (how === 'copy' && (from[0] === undefined || bytesOf(from[0]) !== bytesOf(to)))
    return 'copies another number of bytes';
  if (how === 'constant' && !conditional && from.length > 0) return 'is a constant with sources';
  const hasItself = from.some((each) => JSON.stringify(each) === JSON.stringify(to));
  if (conditional && !hasItself) return 'is conditional without itself';
  for (const place of [to, ...from]) {
    if (!isMemory(place)) continue;
    const operand = memory[place.memory];
    if (operand === undefined) return 'has no operand';
    if (place.offset < 0 || place.offset + place.bytes > operand.bytes) return 'reaches beyond its operand';
  }
  if (complete && isMemory(to) && memory[to.memory]!.way === 'read') return 'writes an operand that is read';
  return undefined;
}

function faultsOf(effects: Effects, isa: Isa): string[] {
  const wrong = effects.definitions.map((each) => faultOf(each, effects, isa)).filter((fault) => fault !== undefined);
  const all = effects.definitions.flatMap(({ to }) => (isMemory(to) ? [] : [to.register]));
  const twice = all.some((a, k) => all.slice(k + 1).some((b) => overlaps(a, b)));
  return twice && effects.complete ? [...wrong, 'defines a byte twice'] : wrong;
}

it.each(ISAS)('effects of %s obey their contract for opcodes at random', (isa) => {
  const random = createRandom(isa.length * 7 + isa.charCodeAt(0));
  const raw = createRawCapstone(capstone, isa, true);
  const file = registerFileOf(isa);
  const faults: string[] = [];
  let complete = 0;
  for (let k = 0; k < OPCODES; k++) {
    const bytes = Uint8Array.from({ length: isa.startsWith('x86') ? 15 : 4 }, () => random.below(256));
    // Most instructions of Arm depend on no condition.
    if (isa === 'arm' && random.below(4) > 0) bytes[3] = 0xe0 | (bytes[3]! & 15);
    const effects = effectsOf({ isa, bytes, littleEndian: true, address: 0x8000n });
    if (effects === undefined) continue;
    complete += Number(effects.complete);
    const defined = effects.definitions.flatMap(({ to }) => (isMemory(to) ? [] : [to.register]));
    const text = effects.text;
    const isKnown = effects.flow === 'trap' || text.endsWith('^') || MISREAD.test(text);
    const written = isKnown || raw.read(bytes, 0x8000n) === undefined ? [] : (raw.registers()?.written ?? []);
    for (const name of written.filter(isGeneral))
      if (!(file.spansOf(name) ?? []).every((span) => defined.some((at) => overlaps(at, span))))
        faults.push(`${text} does not define ${name}`);
    faults.push(...faultsOf(effects, isa).map((fault) => `${effects.text} ${fault}`));
  }
  expect(faults).toEqual([]);
  expect(complete).toBeGreaterThan(OPCODES / 20);
});

/** Instructions of which Capstone counts a register as written that they only read, or do not use. Traps and `ldm ^` write registers of another mode. */
const MISREAD = /^(?:cdq|stosq|test|tst|cmp|cmn|st[1-4])(?: |$)/;

/** Flags, modes and the program counter are left out: Capstone's lists have errors there. */
function isGeneral(name: string): boolean {
  return /^(?:[rxwvdsqb]\d+|sp|lr|[er]?[abcds][xpi]|[er]?di)$/.test(name);
}
