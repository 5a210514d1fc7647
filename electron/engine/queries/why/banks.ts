/**
 * Registers that some modes of Arm have for themselves, in traces that print them with the mode: `r14_svc`. What opcodes call r13 and r14 is
 * there the register of the mode that the line of the instruction names.
 */
import type { RecordView } from '../../../../shared/records/record.ts';
import { isMemory, type Effects, type MemoryOperand, type Place } from '../../instructions/effects.ts';
import { registerFileOf } from '../../instructions/effects-reader.ts';
import type { RegisterFile, RegisterSpan } from '../../instructions/register-file.ts';
import { meets } from './locations.ts';

export interface Banks {
  /** Returns effects with the registers of the mode of an instruction; unchanged if its line has no mode. */
  inMode(effects: Effects, record: RecordView): Effects;
  /** Returns the bytes of registers of the current mode in the bank of a mode. */
  place(span: RegisterSpan, record: RecordView): RegisterSpan;
  /** Returns false if the line of an instruction does not say which registers it has. */
  isKnown(record: RecordView): boolean;
  /** True for bytes of registers that have a bank each. */
  isBanked(span: RegisterSpan): boolean;
  /** True for bytes of registers that each mode has for itself, as opcodes name them. */
  isUnplaced(span: RegisterSpan): boolean;
  /** True for registers that an exception sets: the link register and the saved status of its mode. */
  isSetByExceptions(span: RegisterSpan): boolean;
}

/** The modes with a bank, as names of registers end. System mode has the registers of user mode. */
const BANK_NAMES = ['usr', 'fiq', 'irq', 'svc', 'abt', 'und', 'mon', 'hyp'] as const;
type Bank = (typeof BANK_NAMES)[number];

const FIRST_SHARED = 13;
const FIRST_OF_FIQ = 8;
const LAST = 14;

/** @param names those of registers that records set; undefined unless they have banks, and registers with a bank occur only with their mode */
export function banksOf(file: RegisterFile, names: readonly string[]): Banks | undefined {
  if (file !== registerFileOf('arm')) return undefined;
  const spanOf = (name: string): RegisterSpan => file.spansOf(name)![0]!;
  const banked = BANK_NAMES.flatMap((bank) =>
    [13, 14]
      .flatMap((n) => spanOf(`r${n}_${bank}`))
      .concat(bank === 'fiq' ? [8, 9, 10, 11, 12].map((n) => spanOf(`r${n}_fiq`)) : []),
  );
  const links = BANK_NAMES.flatMap((bank) => [
    spanOf(`r14_${bank}`),
    ...(bank === 'usr' ? [] : [spanOf(`spsr_${bank}`)]),
  ]);
  const recorded = names.flatMap((name) => file.spansOf(name) ?? []);
  const isAny = (spans: readonly RegisterSpan[], span: RegisterSpan): boolean =>
    spans.some((each) => meets(each, span));
  // Tarmac of ES prints the mode of registers that all modes but FIQ share as user mode: `R8 (USR)`.
  const shared = [8, 9, 10, 11, 12];
  const ofUser = shared.map((n) => spanOf(`r${n}_usr`));
  const areOfUser = recorded.some((span) => isAny(ofUser, span));
  if (areOfUser) banked.push(...ofUser);
  if (!recorded.some((span) => isAny(banked, span))) return undefined;
  const unplaced = ['r13', 'r14', 'spsr', ...(areOfUser ? shared.map((n) => `r${n}`) : [])].map(spanOf);
  if (recorded.some((span) => isAny(unplaced, span))) return undefined;
  const known = new WeakMap<Effects, Map<Bank, Effects>>();
  const placed = (span: RegisterSpan, bank: Bank): RegisterSpan => placeIn(span, bank, spanOf, areOfUser);
  return {
    inMode(effects, record) {
      const bank = bankOf(record);
      if (bank === undefined) return effects;
      const modes = known.get(effects) ?? new Map<Bank, Effects>();
      known.set(effects, modes);
      const moved = modes.get(bank) ?? new BankedEffects(effects, (span) => placed(span, bank));
      modes.set(bank, moved);
      return moved;
    },
    place(span, record) {
      const bank = bankOf(record);
      return bank === undefined ? span : placed(span, bank);
    },
    isKnown: (record) => bankOf(record) !== undefined,
    isBanked: (span) => isAny(banked, span),
    isUnplaced: (span) => isAny(unplaced, span),
    isSetByExceptions: (span) => isAny(links, span),
  };
}

function bankOf({ flags = [] }: RecordView): Bank | undefined {
  for (const flag of flags) {
    const mode = flag.toLowerCase();
    if (mode === 'sys') return 'usr';
    const bank = BANK_NAMES.find((each) => each === mode);
    if (bank !== undefined) return bank;
  }
  return undefined;
}

/** @param areOfUser true if r8 to r12 of all modes but FIQ are those of user mode */
function placeIn(
  span: RegisterSpan,
  bank: Bank,
  spanOf: (name: string) => RegisterSpan,
  areOfUser: boolean,
): RegisterSpan {
  const status = spanOf('spsr');
  if (meets(span, status) && bank !== 'usr')
    return { low: spanOf(`spsr_${bank}`).low + span.low - status.low, bytes: span.bytes };
  const { low } = spanOf('r0');
  const n = Math.floor((span.low - low) / 4);
  if (n < (bank === 'fiq' || areOfUser ? FIRST_OF_FIQ : FIRST_SHARED) || n > LAST) return span;
  // Hyp mode has the link register of user mode.
  const own = bank === 'hyp' && n === LAST ? 'usr' : n < FIRST_SHARED && bank !== 'fiq' ? 'usr' : bank;
  return { low: spanOf(`r${n}_${own}`).low + ((span.low - low) % 4), bytes: span.bytes };
}

type Move = (span: RegisterSpan) => RegisterSpan;

/** Effects with registers of a bank. */
class BankedEffects implements Effects {
  readonly size: number;
  readonly memory: Effects['memory'];
  readonly definitions: Effects['definitions'];
  readonly flow: Effects['flow'];
  readonly decides: Effects['decides'];
  readonly condition: Effects['condition'];
  readonly predicates: Effects['predicates'];
  readonly complete: boolean;
  private readonly plain: Effects;

  constructor(plain: Effects, move: Move) {
    const placed = (place: Place): Place => (isMemory(place) ? place : { register: move(place.register) });
    this.plain = plain;
    this.size = plain.size;
    this.memory = plain.memory.map((operand) => movedOperand(operand, move));
    this.definitions = plain.definitions.map((each) => ({
      ...each,
      to: placed(each.to),
      from: each.from.map(placed),
    }));
    this.flow = plain.flow;
    this.decides = plain.decides?.map(placed);
    this.condition = plain.condition;
    this.predicates = plain.predicates;
    this.complete = plain.complete;
  }

  get text(): string {
    return this.plain.text;
  }
}

function movedOperand(operand: MemoryOperand, move: Move): MemoryOperand {
  const { address, compute } = operand;
  return {
    ...operand,
    address: address.map(move),
    ...(compute && {
      compute: {
        ...compute,
        ...(compute.base && { base: move(compute.base) }),
        ...(compute.index && { index: move(compute.index) }),
      },
    }),
  };
}
