/**
 * Returns the effects of instructions, which are decoded once for each opcode. What a decoder does not model gets the registers that
 * Capstone names, and is marked as not complete.
 */
import type { Capstone } from '@alexaltea/capstone-js';
import { latin1 } from '../../../shared/base/bytes.ts';
import { loadCapstone } from '../image/capstone.ts';
import type { InstructionBytes } from '../image/disassembler.ts';
import type { Isa } from '../image/machine.ts';
import { createDraft, register, registers, type Draft } from './draft.ts';
import type { Condition, Effects, FlowKind, Place } from './effects.ts';
import { FAMILIES } from './families.ts';
import { createRawCapstone, type RawCapstone } from './raw-capstone.ts';
import type { RegisterFile, RegisterSpan } from './register-file.ts';

export interface EffectsReader {
  /**
   * Returns the effects of the first instruction of the bytes; undefined if they are none. `condition` is the one that an IT instruction
   * before it gives a Thumb instruction; such an instruction sets no flags that its 16-bit form sets outside of an IT block.
   */
  effectsOf(code: InstructionBytes, condition?: Condition): Effects | undefined;
}

/** Distinct instructions whose effects are kept for each instruction set. */
const CACHE_ENTRIES = 65_536;
/** Stands for no condition. */
const NO_CONDITION = 15;

let loading: Promise<EffectsReader> | undefined;

/** Loads the reader of this thread. All traces share it, since it holds no state of a trace. */
export function loadEffects(): Promise<EffectsReader> {
  loading ??= loadCapstone().then(createEffectsReader);
  return loading;
}

/** Returns the register file of an instruction set's family. */
export function registerFileOf(isa: Isa): RegisterFile {
  return FAMILIES[isa].registers;
}

function createEffectsReader(capstone: Capstone): EffectsReader {
  const little = new Map<Isa, EffectsReader>();
  const big = new Map<Isa, EffectsReader>();
  return {
    effectsOf(code, condition) {
      const readers = code.littleEndian ? little : big;
      let reader = readers.get(code.isa);
      if (reader === undefined)
        readers.set(code.isa, (reader = createSetReader(capstone, code.isa, code.littleEndian)));
      return reader.effectsOf(code, condition);
    },
  };
}

/** Returns a reader of one instruction set and byte order. */
function createSetReader(capstone: Capstone, isa: Isa, littleEndian: boolean): EffectsReader {
  const raw = createRawCapstone(capstone, isa, littleEndian);
  const family = FAMILIES[isa];
  const isLittle = littleEndian || family.alwaysLittle === true;
  /** Opcodes of two and four bytes by condition. Their keys are 32-bit integers with a sign, which V8 does not allocate. */
  const short = Array.from({ length: 2 * (NO_CONDITION + 1) }, () => new Map<number, CodeEffects | null>());
  const long = new Map<string, CodeEffects | null>();
  let kept = 0;
  return {
    effectsOf({ bytes, address }, condition) {
      const length = family.lengthOf(bytes, littleEndian);
      if (bytes.length < length) return undefined;
      return family.decode === undefined ? ofLong(bytes, address) : ofShort(bytes, length, address, condition);
    },
  };

  function ofShort(
    bytes: Uint8Array,
    length: number,
    address: bigint,
    condition: Condition | undefined,
  ): Effects | undefined {
    const known = short[2 * (condition ?? NO_CONDITION) + (length >> 2)]!;
    const key = length === 4 ? keyOf(bytes) : bytes[0]! | (bytes[1]! << 8);
    const found = known.get(key);
    if (found === null) return undefined;
    if (found !== undefined) return found.address === address ? found : keep(known, key, found.movedTo(address));
    const word = wordOf(key, length) >>> 0;
    const draft = family.decode!(word, length, condition);
    makeRoom();
    return keep(
      known,
      key,
      draft === undefined
        ? readRaw(bytes.slice(0, length), key, address, word, condition)
        : new CodeEffects(draft, { raw, code: key, size: length, condition }, address),
    );
  }

  function ofLong(bytes: Uint8Array, address: bigint): Effects | undefined {
    const key = latin1(bytes);
    const found = long.get(key);
    if (found === null) return undefined;
    if (found !== undefined) return found.address === address ? found : keep(long, key, found.movedTo(address));
    makeRoom();
    return keep(long, key, readRaw(bytes, key, address, 0, undefined));
  }

  function makeRoom(): void {
    if (++kept <= CACHE_ENTRIES) return;
    for (const known of short) known.clear();
    long.clear();
    kept = 1;
  }

  /** Returns the opcode as a number; of Thumb, the first half-word is the upper one. */
  function wordOf(key: number, length: number): number {
    if (length === 2) return isLittle ? key : swapBytes(key);
    if (isa === 'thumb') return isLittle ? swapHalves(key) : swapHalves(swapBytes(key));
    return isLittle ? key : swapHalves(swapBytes(key));
  }

  function readRaw(
    bytes: Uint8Array,
    key: number | string,
    address: bigint,
    word: number,
    condition: Condition | undefined,
  ): CodeEffects | undefined {
    const instruction = raw.read(bytes, 0n, condition);
    if (instruction === undefined) return undefined;
    const { size } = instruction;
    const draft = family.decodeRead?.(raw, instruction);
    if (draft !== undefined) return new CodeEffects(draft, { raw, code: key, size, condition }, address);
    const found = accessed(raw, family.registers);
    family.complement?.(found.draft, found.read, { bytes, word, condition });
    return new CodeEffects(found.draft, { raw, code: key, size, condition }, address);
  }
}

/** Keeps the effects of an opcode at the address where they were wanted last; null stands for bytes that are no instruction. */
function keep<Key>(
  known: Map<Key, CodeEffects | null>,
  key: Key,
  effects: CodeEffects | undefined,
): CodeEffects | undefined {
  known.set(key, effects ?? null);
  return effects;
}

/** Returns four bytes as an integer with a sign, the first byte lowest. */
function keyOf(bytes: Uint8Array): number {
  return bytes[0]! | (bytes[1]! << 8) | (bytes[2]! << 16) | (bytes[3]! << 24);
}

/** Swaps the bytes of each half of a word. */
function swapBytes(word: number): number {
  return ((word & 0x00ff_00ff) << 8) | ((word >>> 8) & 0x00ff_00ff);
}

function swapHalves(word: number): number {
  return (word << 16) | (word >>> 16);
}

/** An opcode, from which its text is made. */
interface Source {
  readonly raw: RawCapstone;
  /** The bytes as a number, the first byte lowest, or as characters. */
  readonly code: number | string;
  readonly size: number;
  readonly condition: Condition | undefined;
}

/** Effects of an opcode at an address. The text is made when it is read, because it can contain addresses relative to this one. */
class CodeEffects implements Effects {
  readonly size: number;
  readonly memory: Effects['memory'];
  readonly definitions: Effects['definitions'];
  readonly flow: Effects['flow'];
  readonly decides: Effects['decides'];
  readonly condition: Effects['condition'];
  readonly predicates: Effects['predicates'];
  readonly complete: boolean;
  readonly address: bigint;
  private readonly source: Source;

  constructor(draft: Omit<Effects, 'text' | 'size'>, source: Source, address: bigint) {
    this.size = source.size;
    this.memory = draft.memory;
    this.definitions = draft.definitions;
    this.flow = draft.flow;
    this.decides = draft.decides;
    this.condition = draft.condition;
    this.predicates = draft.predicates;
    this.complete = draft.complete;
    this.address = address;
    this.source = source;
  }

  get text(): string {
    const { raw, code, size, condition } = this.source;
    const bytes = Uint8Array.from({ length: size }, (_, k) =>
      typeof code === 'number' ? code >> (8 * k) : code.charCodeAt(k),
    );
    const instruction = raw.read(bytes, this.address, condition);
    return instruction === undefined ? '' : `${instruction.mnemonic} ${raw.operandText()}`.trim();
  }

  movedTo(address: bigint): CodeEffects {
    return new CodeEffects(this, this.source, address);
  }
}

/** Kinds of flow by Capstone's groups. */
const FLOWS: Readonly<Record<number, FlowKind>> = { 1: 'branch', 2: 'call', 3: 'return', 4: 'trap', 5: 'return' };

/** Returns the registers that Capstone names, for an instruction that is not modelled. */
function accessed(raw: RawCapstone, file: RegisterFile): { draft: Draft; read: Place[] } {
  const draft = createDraft();
  draft.complete = false;
  const kind = raw
    .groups()
    .map((group) => FLOWS[group])
    .find((flow) => flow !== undefined);
  if (kind !== undefined) draft.flow = kind;
  const known = raw.registers();
  if (known === undefined) return { draft, read: named(draft, file, raw.operandText()) };
  const { read, written } = known;
  const from = registers(spansOf(file, read));
  for (const to of spansOf(file, written))
    draft.definitions.push({ to: register(to), from, how: 'computed', conditional: false });
  return { draft, read: from };
}

/**
 * Capstone names no registers of MIPS and RISC-V apart from those in the text. Each of them can be a result that depends on all of them.
 * Returns them.
 */
function named(draft: Draft, file: RegisterFile, operands: string): Place[] {
  const from = registers(spansOf(file, [...new Set(operands.match(/[$\w]+/g))]));
  for (const to of from) draft.definitions.push({ to, from: [...from, to], how: 'computed', conditional: true });
  return from;
}

/** Returns the registers of these names without the program counter. */
function spansOf(file: RegisterFile, names: readonly string[]): RegisterSpan[] {
  return names.flatMap((name) => file.spansOf(name) ?? []).filter(({ low }) => low !== file.counter.low);
}
