/** Collects the effects of one instruction while its opcode is decoded. */
import type {
  AddressFormula,
  Condition,
  Definition,
  FlowKind,
  How,
  MemoryOperand,
  MemoryPlace,
  Place,
  RegisterPlace,
} from './effects.ts';
import { span, type RegisterSpan } from './register-file.ts';

/** A definition that can still become conditional. */
type DraftDefinition = { -readonly [Key in keyof Definition]: Definition[Key] };

/** Effects without text and size; a decoder adds to it. */
export interface Draft {
  readonly memory: MemoryOperand[];
  definitions: DraftDefinition[];
  flow?: FlowKind;
  decides?: readonly Place[];
  condition?: readonly Place[];
  predicates?: readonly Condition[];
  complete: boolean;
}

export function createDraft(): Draft {
  return { memory: [], definitions: [], complete: true };
}

/** Places of registers by their first byte and length: drafts share them, since most of a draft is places. */
const PLACES: RegisterPlace[][] = [];

export function register(at: RegisterSpan): Place {
  const byLength = (PLACES[at.low] ??= []);
  return (byLength[at.bytes] ??= { register: at });
}

export function registers(spans: readonly RegisterSpan[]): Place[] {
  return spans.map(register);
}

function define(draft: Draft, to: Place, how: How, from: readonly Place[]): void {
  draft.definitions.push({ to, from, how, conditional: false });
}

/** Defines a register as a function of other registers; as a constant if there are none. */
export function compute(draft: Draft, to: RegisterSpan, from: readonly RegisterSpan[]): void {
  define(draft, register(to), from.length === 0 ? 'constant' : 'computed', registers(from));
}

export function computeFrom(draft: Draft, to: Place, from: readonly Place[]): void {
  define(draft, to, from.length === 0 ? 'constant' : 'computed', from);
}

/** Defines a register by something outside of registers and memory, such as a timer or a coprocessor. */
export function receive(draft: Draft, to: RegisterSpan): void {
  define(draft, register(to), 'computed', []);
}

export function setConstant(draft: Draft, to: RegisterSpan): void {
  define(draft, register(to), 'constant', []);
}

export function copy(draft: Draft, to: Place, from: Place): void {
  define(draft, to, 'copy', [from]);
}

/** Adds an operand in memory and returns all of it as a place. */
export function access(
  draft: Draft,
  way: MemoryOperand['way'],
  bytes: number,
  address: readonly RegisterSpan[],
  compute?: AddressFormula,
): MemoryPlace {
  draft.memory.push(compute === undefined ? { way, bytes, address } : { way, bytes, address, compute });
  return { memory: draft.memory.length - 1, offset: 0, bytes };
}

/** Returns a part of an operand. */
export function partOf(place: MemoryPlace, offset: number, bytes: number): MemoryPlace {
  return { memory: place.memory, offset: place.offset + offset, bytes };
}

/**
 * Defines a register by a value that may be narrower: its bytes are copied, and those above them are zero, or copies of its sign, which are
 * computed from it.
 */
export function extend(draft: Draft, to: RegisterSpan, from: Place, bytes: number, signed: boolean): void {
  copy(draft, register(span(to.low, bytes)), from);
  if (bytes === to.bytes) return;
  const upper = register(span(to.low + bytes, to.bytes - bytes));
  if (signed) define(draft, upper, 'computed', [from]);
  else define(draft, upper, 'constant', []);
}

/** Makes all definitions conditional: what they define and what decides are among their sources. */
export function makeConditional(draft: Draft, deciding: readonly RegisterSpan[]): void {
  const places = registers(deciding);
  draft.condition = places;
  for (const each of draft.definitions) {
    each.from = [...each.from, each.to, ...places];
    each.conditional = true;
  }
}

export function conditionally({ to, from, how }: Definition, deciding: readonly Place[]): Definition {
  return { to, from: [...from, to, ...deciding], how, conditional: true };
}
