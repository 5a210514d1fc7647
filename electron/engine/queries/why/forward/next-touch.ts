/**
 * Finds the next instruction that uses or defines registers with values on their way, in the code of blocks, which is walked once for all of
 * them.
 */
import { ok } from '../../../../../shared/base/result.ts';
import { LONGEST } from '../../../../../shared/records/attach.ts';
import type { RecordNumber } from '../../../../../shared/base/units.ts';
import { isMemory, type Effects, type Place } from '../../../instructions/effects.ts';
import type { RegisterSpan } from '../../../instructions/register-file.ts';
import type { Steps } from '../../../threads/in-slices.ts';
import {
  codeWith,
  contentWith,
  rowsUpTo,
  setsWith,
  type CodePart,
  type KnownPart,
  type Opcode,
} from '../code-parts.ts';
import { definitionsOf } from '../definitions.ts';
import { whyLeft, type Search } from '../last-definition.ts';
import { isLeft } from '../register-tests.ts';
import { endBytes, keptUntil, type Ending, type Life } from './lives.ts';
import { createRepeats } from './repeats.ts';
import { meets, overlap, spanOfRegister } from '../locations.ts';
import type { SliceOptions } from '../slice.ts';

export interface Touch {
  readonly n: RecordNumber;
  /** The opcode, after which a register can be that of another mode. */
  readonly opcode?: Opcode;
}

/** Records after the last use of a register that are searched for the next one: some sixteen blocks. */
const UNUSED_RECORDS = 400_000;

/**
 * Returns the first instruction up to record `bound` that touches a register of `lives`. Lives whose registers are not to be followed further
 * are removed, and added to `endings`.
 */
export function* nextTouch(
  search: Search,
  lives: Set<Life>,
  bound: RecordNumber,
  options: Pick<SliceOptions, 'addresses' | 'control'>,
  endings: Ending[],
): Steps<Touch | undefined> {
  const { trace, instructions } = search;
  const { blocks } = trace;
  const end = (life: Life, why: Pick<Ending, 'how' | 'reason'>): void => {
    for (const part of life.parts) endings.push(...endBytes(life, part, why));
    lives.delete(life);
    groups = groupsOf(lives, options);
  };
  let groups = groupsOf(lives, options);
  while (lives.size > 0) {
    const from = Math.min(...[...lives].map(({ next }) => next));
    if (from > bound) break;
    if (from >= blocks.records) {
      for (const life of lives) if (life.next >= blocks.records) end(life, keptUntil(search, life));
      continue;
    }
    const unused = [...lives].filter(({ used }) => from > used + UNUSED_RECORDS);
    if (unused.length > 0) {
      const reason = `not searched after record ${group(from - 1)}`;
      for (const life of unused) end(life, { how: 'unknown', reason });
      continue;
    }
    const passed = passedFrom(search, groups, from);
    if (passed !== undefined) {
      const searched = Math.min(passed, bound + 1);
      for (const life of lives) life.next = Math.max(life.next, searched);
      if (searched > bound) break;
      yield searched;
      continue;
    }
    const code = codeWith(trace, from, instructions);
    if (!code.ok) return code;
    const found = firstIn(code.value, groups, { from, bound });
    const last = found?.n ?? code.value.end - 1;
    const set = yield* firstSet(search, lives, groups, { from, before: found?.n ?? last + 1, bound });
    if (!set.ok) return set;
    const n = set.value ?? found?.n;
    const searched = n ?? Math.min(last, bound) + 1;
    for (const life of lives) life.next = Math.max(life.next, searched);
    if (set.value !== undefined) return ok({ n: set.value });
    if (found !== undefined) {
      const { opcode, cpu } = found;
      const concerned = [...lives].filter((life) => life.location.of === cpu && life.next === found.n);
      if (opcode.leaves === 'set') {
        for (const life of concerned) end(life, { how: 'unknown', reason: whyLeft(found.n, opcode, life.modes) });
        continue;
      }
      const banked = concerned.filter(({ modes }) => modes.isBanked || modes.isLink);
      // The first instruction of another mode has its registers already.
      if (opcode.leaves === 'vector' && banked.length > 0) {
        for (const life of banked) end(life, { how: 'unknown', reason: whyLeft(found.n, opcode, life.modes) });
        continue;
      }
      if (isUnknown(opcode) && concerned.some(({ doubt }) => doubt === undefined)) {
        const doubt = `the opcode at record ${group(found.n)} is not known, and may have used it`;
        for (const life of concerned) life.doubt ??= doubt;
        groups = groupsOf(lives, options);
        continue;
      }
      return ok({ n: found.n, opcode });
    }
    if (searched > bound) break;
    yield searched;
  }
  return ok(undefined);
}

function group(n: RecordNumber): string {
  return n.toLocaleString('en');
}

/** Values in the registers of one CPU. */
interface Group {
  readonly lives: readonly Life[];
  /** Returns true if an opcode touches a register of a life. */
  readonly touches: (opcode: Opcode, life: Life) => boolean;
  /** Returns true if a set of registers, whose number is `set`, has bytes of a life. */
  readonly isSetTouched: (set: number, spans: readonly RegisterSpan[]) => boolean;
  /** By number of an opcode: 1 if it touches none of the lives, 2 if it touches some. */
  known: Uint8Array<ArrayBuffer>;
}

function groupsOf(
  lives: ReadonlySet<Life>,
  options: Pick<SliceOptions, 'addresses' | 'control'>,
): ReadonlyMap<number, Group> {
  const byCpu = Map.groupBy(lives, ({ location }) => location.of as number);
  const touches = (opcode: Opcode, { parts, modes, doubt }: Life): boolean => {
    if (isLeft(opcode, modes)) return true;
    if (isUnknown(opcode)) return doubt === undefined;
    const used = opcode.effects === undefined ? [] : usedBy(opcode.effects, options);
    return parts.some((part) => {
      const span = spanOfRegister(part);
      return opcode.defines.some((each) => meets(each, span)) || used.some((each) => meets(each, span));
    });
  };
  return new Map(
    [...byCpu].map(([cpu, own]) => {
      const parts = own.flatMap((life) => life.parts.map(spanOfRegister));
      const sets = new Map<number, boolean>();
      const isSetTouched = (set: number, spans: readonly RegisterSpan[]): boolean => {
        let known = sets.get(set);
        if (known === undefined) sets.set(set, (known = spans.some((span) => parts.some((part) => meets(span, part)))));
        return known;
      };
      return [cpu, { lives: own, touches, isSetTouched, known: new Uint8Array() }];
    }),
  );
}

function isUnknown({ effects, flow }: Opcode): boolean {
  return effects === undefined && flow !== 'exception';
}

/** Returns the registers that an opcode may use. */
function usedBy(
  effects: Effects,
  { addresses, control }: Pick<SliceOptions, 'addresses' | 'control'>,
): readonly RegisterSpan[] {
  const { definitions, memory, condition = [], decides = [] } = effects;
  const registers = (places: readonly Place[]): readonly RegisterSpan[] =>
    places.flatMap((place) => (isMemory(place) ? [] : [place.register]));
  return [
    ...registers(definitions.flatMap(({ from }) => from)),
    ...(addresses ? memory.flatMap(({ address }) => address) : []),
    ...(control === false ? [] : registers([...condition, ...decides])),
  ];
}

function grown(known: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  if (known.length >= length) return known;
  const larger = new Uint8Array(2 * length);
  larger.set(known);
  return larger;
}

/**
 * Returns the end of the part with record `from` if nothing in it touches a life, as parts with the same fingerprint show; undefined if the
 * part has to be read.
 */
function passedFrom(
  { trace, instructions }: Search,
  groups: ReadonlyMap<number, Group>,
  from: RecordNumber,
): RecordNumber | undefined {
  const part = contentWith(trace, from, instructions);
  if (part === undefined || areSetsTouched(part, groups)) return undefined;
  const { content, opcodes, end } = part;
  for (const own of groups.values()) {
    own.known = grown(own.known, opcodes.length);
    if (content.opcodes.some((number) => isTouched(own, number, opcodes[number]!))) return undefined;
  }
  // Records of its last instructions can follow in the next part.
  const next = end >= trace.blocks.records ? undefined : contentWith(trace, end, instructions);
  const isLast = end >= trace.blocks.records;
  return isLast || (next !== undefined && !areSetsTouched(next, groups)) ? end : undefined;
}

function areSetsTouched({ content, spans }: KnownPart, groups: ReadonlyMap<number, Group>): boolean {
  return [...groups.values()].some((own) => content.sets.some((set) => own.isSetTouched(set, spans[set]!)));
}

/** Returns true if an opcode touches a register of a life. `own.known` has room for its number. */
function isTouched(own: Group, number: number, opcode: Opcode): boolean {
  if (own.known[number] === 0) own.known[number] = own.lives.some((life) => own.touches(opcode, life)) ? 2 : 1;
  return own.known[number] === 2;
}

interface FoundOpcode {
  readonly n: RecordNumber;
  readonly cpu: number;
  readonly opcode: Opcode;
}

function firstIn(
  { first, row, cpu: cpus, opcode: numbers, opcodes }: CodePart,
  groups: ReadonlyMap<number, Group>,
  { from, bound }: { readonly from: RecordNumber; readonly bound: RecordNumber },
): FoundOpcode | undefined {
  for (const each of groups.values()) each.known = grown(each.known, opcodes.length);
  for (let at = rowsUpTo({ first, row }, from - 1); at < row.length; at += 1) {
    const n = first + row[at]!;
    if (n > bound) break;
    const cpu = cpus[at]!;
    const own = groups.get(cpu);
    if (own === undefined) continue;
    const number = numbers[at]!;
    const opcode = opcodes[number]!;
    if (isTouched(own, number, opcode) && own.lives.some((life) => life.next <= n && own.touches(opcode, life)))
      return { n, cpu, opcode };
  }
  return undefined;
}

interface Bounds {
  readonly from: RecordNumber;
  /** Instructions that begin here or later are found by their opcodes. */
  readonly before: RecordNumber;
  readonly bound: RecordNumber;
}

/**
 * Returns the first instruction, or single record, whose records show that it changed a register of a life, although its opcode does not
 * define it.
 */
function* firstSet(
  search: Search,
  lives: ReadonlySet<Life>,
  groups: ReadonlyMap<number, Group>,
  { from, before, bound }: Bounds,
): Steps<RecordNumber | undefined> {
  const { trace, instructions, machine } = search;
  const repeats = createRepeats(search);
  let found: RecordNumber | undefined;
  // The records of effects can lie in the next part.
  let end = Math.min(before + LONGEST, trace.blocks.records);
  for (let next = from; next < end;) {
    const part = setsWith(trace, next, instructions);
    if (!part.ok) return part;
    const { first, row, cpu: cpus, set, spans } = part.value;
    for (let at = rowsUpTo({ first, row }, from - 1); at < row.length; at += 1) {
      const n = first + row[at]!;
      if (n >= end) break;
      const own = spans[set[at]!]!;
      if (groups.get(cpus[at]!)?.isSetTouched(set[at]!, own) !== true) continue;
      const owner = instructions.ownerOf(n);
      const isRepeat = repeats.isRepeat({ n, cpu: cpus[at]!, set: set[at]!, spans, owner });
      if (!isRepeat.ok) return isRepeat;
      if (isRepeat.value || owner >= (found ?? before) || owner > bound) continue;
      yield n;
      const touched = [...lives].filter(
        ({ location, parts }) =>
          location.of === cpus[at] && parts.some((each) => own.some((span) => meets(span, spanOfRegister(each)))),
      );
      const unit = instructions.unit(owner);
      const defined = unit === undefined ? [] : definitionsOf(unit, machine);
      const ends = touched.some(
        ({ next: since, parts }) => since <= owner && parts.some((each) => defined.some(({ to }) => overlap(to, each))),
      );
      if (!ends) continue;
      found = owner;
      end = Math.min(end, owner + LONGEST);
    }
    next = part.value.end;
  }
  return ok(found);
}
