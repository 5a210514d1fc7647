/**
 * Returns the effects of instructions, which are decoded once for each opcode. What a decoder does not model gets the registers that
 * Capstone names, and is marked as not complete. Capstone is loaded when the first such opcode is met: loading takes some 50 ms, and most
 * questions need only the decoders.
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
/** Longest instruction (x86). */
const MOST_BYTES = 15;

let capstone: Capstone | undefined;
/** All traces share the reader of this thread, since it holds no state of a trace. */
let shared: EffectsReader | undefined;

/** Loads the reader with Capstone: it reads every opcode. */
export async function loadEffects(): Promise<EffectsReader> {
  capstone ??= await loadCapstone();
  return (shared ??= createEffectsReader());
}

/** Thrown for an opcode that only Capstone can read, before it is loaded. */
class CapstoneNeeded extends Error {}

/** Returns an answer that is computed with the reader. It is computed again if it meets an opcode that needs Capstone, which is loaded then. */
export async function withEffects<T>(answer: (reader: EffectsReader) => Promise<T>): Promise<T> {
  try {
    return await answer((shared ??= createEffectsReader()));
  } catch (error) {
    if (!(error instanceof CapstoneNeeded)) throw error;
  }
  return answer(await loadEffects());
}

/** Returns the register file of an instruction set's family. */
export function registerFileOf(isa: Isa): RegisterFile {
  return FAMILIES[isa].registers;
}

function createEffectsReader(): EffectsReader {
  const little = new Map<Isa, EffectsReader>();
  const big = new Map<Isa, EffectsReader>();
  return {
    effectsOf(code, condition) {
      const readers = code.littleEndian ? little : big;
      let reader = readers.get(code.isa);
      if (reader === undefined) readers.set(code.isa, (reader = createSetReader(code.isa, code.littleEndian)));
      return reader.effectsOf(code, condition);
    },
  };
}

/** Returns a reader of one instruction set and byte order. */
function createSetReader(isa: Isa, littleEndian: boolean): EffectsReader {
  let opened: RawCapstone | undefined;
  const raw = (): RawCapstone => {
    if (capstone === undefined) throw new CapstoneNeeded(`an opcode of ${isa} needs Capstone`);
    return (opened ??= createRawCapstone(capstone, isa, littleEndian));
  };
  const family = FAMILIES[isa];
  const isLittle = littleEndian || family.alwaysLittle === true;
  /** Opcodes of two and four bytes by condition. Their keys are 32-bit integers with a sign, which V8 does not allocate. */
  const short = Array.from({ length: 2 * (NO_CONDITION + 1) }, () => new Map<number, CodeEffects | null>());
  /** Instructions of x86 by their length, and the lengths of those that begin with two bytes, as bits. */
  const long = Array.from({ length: MOST_BYTES + 1 }, () => new Map<number | string, CodeEffects | null>());
  const lengths = new Uint16Array(2 ** 16);
  /** Bytes that are no instruction of x86. */
  const none = new Set<string>();
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
        : new CodeEffects(draft, raw, key, length, condition, address),
    );
  }

  function ofLong(bytes: Uint8Array, address: bigint): Effects | undefined {
    const head = bytes[0]! | ((bytes[1] ?? 0) << 8);
    // An instruction has no other bytes than its own: those after it decide nothing.
    for (let seen = lengths[head]!; seen !== 0; seen &= seen - 1) {
      const size = 31 - Math.clz32(seen & -seen);
      if (size > bytes.length) break;
      const key = longKeyOf(bytes, size);
      const found = long[size]!.get(key);
      if (found) return found.address === address ? found : keep(long[size]!, key, found.movedTo(address));
    }
    if (none.size > 0 && none.has(latin1(bytes))) return undefined;
    makeRoom();
    const effects = readRaw(bytes, undefined, address, 0, undefined);
    if (effects === undefined) {
      none.add(latin1(bytes));
      return undefined;
    }
    lengths[head]! |= 1 << effects.size;
    return keep(long[effects.size]!, effects.code, effects);
  }

  function makeRoom(): void {
    if (++kept <= CACHE_ENTRIES) return;
    for (const known of [...short, ...long, none]) known.clear();
    lengths.fill(0);
    kept = 1;
  }

  /** Returns the opcode as a number; of Thumb, the first half-word is the upper one. */
  function wordOf(key: number, length: number): number {
    if (length === 2) return isLittle ? key : swapBytes(key);
    if (isa === 'thumb') return isLittle ? swapHalves(key) : swapHalves(swapBytes(key));
    return isLittle ? key : swapHalves(swapBytes(key));
  }

  /** @param known the key of the bytes; undefined if their length is not known */
  function readRaw(
    bytes: Uint8Array,
    known: number | undefined,
    address: bigint,
    word: number,
    condition: Condition | undefined,
  ): CodeEffects | undefined {
    const reading = raw();
    const instruction = reading.read(bytes, 0n, condition);
    if (instruction === undefined) return undefined;
    const { size } = instruction;
    const key = known ?? longKeyOf(bytes, size);
    const draft = family.decodeRead?.(reading, instruction);
    if (draft !== undefined) return new CodeEffects(draft, raw, key, size, condition, address);
    const found = accessed(reading, family.registers);
    family.complement?.(found.draft, found.read, { bytes, word, condition });
    return new CodeEffects(found.draft, raw, key, size, condition, address);
  }
}

/** Returns the first bytes as a number, the first byte lowest, or as characters if there are more than six. */
function longKeyOf(bytes: Uint8Array, size: number): number | string {
  if (size > 6) return latin1(bytes.subarray(0, size));
  let key = 0;
  for (let k = Math.min(size, 4) - 1; k >= 0; k--) key = (key << 8) | bytes[k]!;
  return size <= 4 ? key : (key >>> 0) + (bytes[4]! + (size === 6 ? bytes[5]! : 0) * 2 ** 8) * 2 ** 32;
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
  /** The bytes as a number, the first byte lowest, or as characters. */
  readonly code: number | string;
  private readonly raw: () => RawCapstone;
  private readonly given: Condition | undefined;

  constructor(
    draft: Omit<Effects, 'text' | 'size'>,
    raw: () => RawCapstone,
    code: number | string,
    size: number,
    given: Condition | undefined,
    address: bigint,
  ) {
    this.size = size;
    this.memory = draft.memory;
    this.definitions = draft.definitions;
    this.flow = draft.flow;
    this.decides = draft.decides;
    this.condition = draft.condition;
    this.predicates = draft.predicates;
    this.complete = draft.complete;
    this.address = address;
    this.code = code;
    this.raw = raw;
    this.given = given;
  }

  get text(): string {
    const { code } = this;
    const bytes = Uint8Array.from({ length: this.size }, (_, k) =>
      typeof code === 'string' ? code.charCodeAt(k) : k < 4 ? code >> (8 * k) : Math.floor(code / 2 ** (8 * k)),
    );
    const reading = this.raw();
    const instruction = reading.read(bytes, this.address, this.given);
    return instruction === undefined ? '' : `${instruction.mnemonic} ${reading.operandText()}`.trim();
  }

  movedTo(address: bigint): CodeEffects {
    return new CodeEffects(this, this.raw, this.code, this.size, this.given, address);
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
