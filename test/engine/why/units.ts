/** Instructions with the records of their effects, grouped in one forward pass, for the slow oracle of origins. */
import type { InstructionBytes } from '../../../electron/engine/image/disassembler.ts';
import { isMemory, type Effects, type Place } from '../../../electron/engine/instructions/effects.ts';
import type { EffectsReader } from '../../../electron/engine/instructions/effects-reader.ts';
import type { RegisterSpan } from '../../../electron/engine/instructions/register-file.ts';
import type { RecordView } from '../../../shared/records/record.ts';

export interface Code {
  readonly records: readonly RecordView[];
  readonly reader: EffectsReader;
  /** If records show registers of Arm with their modes: returns the register of a mode, such as `r14_svc`. */
  readonly bankOf?: ((register: 'r13' | 'r14', mode: string) => RegisterSpan) | undefined;
  /** Returns the bytes of an instruction, executed or skipped; undefined if they are unknown. */
  codeOf(record: RecordView): InstructionBytes | undefined;
}

/** An instruction with its effects, or a record without an instruction. */
export interface Unit {
  readonly n: number;
  readonly cpu: number;
  /** Effects of the opcode; undefined if they are unknown or the instruction was skipped. */
  readonly code: Effects | undefined;
  /** The same of a branch, skipped or not. */
  readonly branch: Effects | undefined;
  /** How the instruction, or the exception, changes where the program is; a branch that is not taken too. */
  readonly flow: 'exception' | 'untaken' | Effects['flow'];
  /** Number of places at the end of a conditional definition's sources that decide whether the instruction executes. */
  readonly deciders: number;
  readonly effects: RecordView[];
  /** True if the address is one of the vectors of Arm, where exceptions begin. */
  readonly isAtVector: boolean;
}

/** Records further away than this from an instruction are not its effects (shared/records/attach.ts). */
const MOST_DISTANCE = 40;
const EFFECTS = ['read', 'write', 'register', 'io-read', 'io-write', 'bus-read', 'bus-write'];
const FETCHES = ['fetch', 'bus-fetch'];
/** Number of flags that decide each pair of conditions of Arm: eq, cs, mi, vs, hi, ge, gt. */
const DECIDING_FLAGS = [1, 1, 1, 1, 2, 2, 3];

/** Groups records in one forward pass; in order of their first records. */
export function unitsOf({ records, reader, codeOf, bankOf }: Code): readonly Unit[] {
  const units: Unit[] = [];
  /** Newest instruction of a CPU, the one before it, and what came since. */
  const states = new Map<number, { current?: Unit; previous?: Unit; fetched: boolean; conditions: number[] }>();
  for (const record of records) {
    const cpu = record.cpu ?? -1;
    const state = states.get(cpu) ?? { fetched: false, conditions: [] };
    states.set(cpu, state);
    if (record.kind === 'instruction' || record.kind === 'skipped') {
      const bytes = codeOf(record);
      const inBlock = state.conditions.shift();
      const condition = bytes?.isa === 'thumb' ? inBlock : undefined;
      const plain = bytes && reader.effectsOf(bytes, condition);
      const known = plain && bankOf ? inBank(plain, record, bankOf) : plain;
      const executed = record.kind === 'instruction';
      const [code, branch] = [executed ? known : undefined, known?.flow === undefined ? undefined : known];
      const flow = executed ? known?.flow : branch && 'untaken';
      if (code?.predicates !== undefined) state.conditions = [...code.predicates];
      const given = condition ?? (bytes?.isa === 'arm' ? bytes.bytes[3]! >> 4 : 14);
      const unit: Unit = {
        ...{ n: record.n, cpu, code, branch, flow, effects: [] },
        isAtVector: isVector(BigInt(record.address ?? '0x20')),
        deciders: DECIDING_FLAGS[given >> 1] ?? 0,
      };
      units.push(unit);
      if (state.current === undefined) delete state.previous;
      else state.previous = state.current;
      state.current = unit;
      state.fetched = false;
    } else if (record.flags?.some((flag) => flag === 'aborted' || flag === 'wait') === true) continue;
    else if (EFFECTS.includes(record.kind)) {
      const isLate = record.flags?.includes('before-instruction') === true;
      const owner = isLate ? state.previous : state.fetched ? undefined : state.current;
      if (owner !== undefined && record.n - owner.n <= MOST_DISTANCE) owner.effects.push(record);
      else units.push({ ...alone(record), effects: [record] });
    } else if (FETCHES.includes(record.kind)) state.fetched = true;
    else {
      delete state.current;
      delete state.previous;
      if (record.kind === 'exception') units.push({ ...alone(record), flow: 'exception' });
    }
  }
  return units.sort((a, b) => a.n - b.n);
}

/** Replaces the stack pointer and link register by those of the mode that the line names. */
function inBank(effects: Effects, { flags = [] }: RecordView, bankOf: NonNullable<Code['bankOf']>): Effects {
  const mode = flags
    .map((flag) => flag.replace('sys', 'usr'))
    .find((flag) => /^(?:usr|fiq|irq|svc|abt|und)$/.test(flag));
  if (mode === undefined) throw new Error('the oracle knows no instructions without a mode');
  const moved = (span: RegisterSpan): RegisterSpan => {
    const register = span.low === 52 ? 'r13' : span.low === 56 ? 'r14' : undefined;
    return register === undefined ? span : { ...span, low: bankOf(register, mode).low };
  };
  const placed = (place: Place): Place => (isMemory(place) ? place : { register: moved(place.register) });
  return {
    ...effects,
    text: '',
    memory: effects.memory.map((operand) => ({ ...operand, address: operand.address.map(moved) })),
    definitions: effects.definitions.map((each) => ({ ...each, to: placed(each.to), from: each.from.map(placed) })),
    decides: effects.decides?.map(placed),
  };
}

function alone({ n, cpu = -1 }: RecordView): Unit {
  return { n, cpu, code: undefined, branch: undefined, flow: undefined, deciders: 0, effects: [], isAtVector: false };
}

function isVector(address: bigint): boolean {
  return address < 0x20n || (address >= 0xffff_0000n && address < 0xffff_0020n);
}
