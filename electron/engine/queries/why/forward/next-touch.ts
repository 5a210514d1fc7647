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
import { blockCode, type BlockCode, type Opcode } from '../block-code.ts';
import { definitionsOf } from '../definitions.ts';
import { isLeft, whyLeft, type Search } from '../last-definition.ts';
import { endBytes, keptUntil, type Ending, type Life } from './lives.ts';
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
  const { trace, instructions, machine } = search;
  const { blocks } = trace;
  const end = (life: Life, why: Pick<Ending, 'how' | 'reason'>): void => {
    for (const part of life.parts) endings.push(...endBytes(life, part, why));
    lives.delete(life);
  };
  while (lives.size > 0) {
    const from = Math.min(...[...lives].map(({ next }) => next));
    if (from > bound) break;
    if (from >= blocks.records) {
      for (const life of lives) if (life.next >= blocks.records) end(life, keptUntil(search, life));
      continue;
    }
    const block = blocks.blockOfRecord(from);
    const unused = [...lives].filter(({ used }) => from > used + UNUSED_RECORDS);
    if (unused.length > 0) {
      const reason = `not searched after record ${group(from - 1)}`;
      for (const life of unused) end(life, { how: 'unknown', reason });
      continue;
    }
    const code = blockCode(trace, block, instructions, machine.file);
    if (!code.ok) return code;
    const found = firstIn(code.value, groupsOf(lives, options), { from, bound });
    const last = found?.n ?? blocks.firstRecord(block) + countOf(search, block) - 1;
    const set = yield* firstSet(search, lives, block, { from, before: found?.n ?? last + 1, bound });
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

function countOf({ trace: { blocks } }: Search, block: number): number {
  const next = block + 1 < blocks.length ? blocks.firstRecord(block + 1) : blocks.records;
  return next - blocks.firstRecord(block);
}

/** Values in the registers of one CPU. */
interface Group {
  readonly lives: readonly Life[];
  /** Returns true if an opcode touches a register of a life. */
  readonly touches: (opcode: Opcode, life: Life) => boolean;
  /** By number of an opcode: 1 if it touches none of the lives, 2 if it touches some. */
  known: Uint8Array;
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
  return new Map([...byCpu].map(([cpu, own]) => [cpu, { lives: own, touches, known: new Uint8Array() }]));
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

interface FoundOpcode {
  readonly n: RecordNumber;
  readonly cpu: number;
  readonly opcode: Opcode;
}

function firstIn(
  { first, code, opcodes }: BlockCode,
  groups: ReadonlyMap<number, Group>,
  { from, bound }: { readonly from: RecordNumber; readonly bound: RecordNumber },
): FoundOpcode | undefined {
  for (const each of groups.values()) each.known = new Uint8Array(opcodes.length);
  for (let at = rowFrom(code.row, from - first); at < code.row.length; at += 1) {
    const n = first + code.row[at]!;
    if (n > bound) break;
    const cpu = code.cpu[at]!;
    const own = groups.get(cpu);
    if (own === undefined) continue;
    const number = code.opcode[at]!;
    const opcode = opcodes[number]!;
    if (own.known[number] === 0) own.known[number] = own.lives.some((life) => own.touches(opcode, life)) ? 2 : 1;
    if (own.known[number] === 1) continue;
    if (own.lives.some((life) => life.next <= n && own.touches(opcode, life))) return { n, cpu, opcode };
  }
  return undefined;
}

/** Returns the index of the first row that is not less than `row`. */
function rowFrom(rows: Uint32Array, row: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (rows[middle]! < row) low = middle + 1;
    else high = middle;
  }
  return low;
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
  { trace, instructions, machine }: Search,
  lives: ReadonlySet<Life>,
  block: number,
  { from, before, bound }: Bounds,
): Steps<RecordNumber | undefined> {
  const { blocks } = trace;
  let found: RecordNumber | undefined;
  // The records of effects can lie in the next block.
  let end = Math.min(before + LONGEST, blocks.records);
  for (let each = block; each < blocks.length && blocks.firstRecord(each) < end; each += 1) {
    const code = blockCode(trace, each, instructions, machine.file);
    if (!code.ok) return code;
    const { first, sets, spans } = code.value;
    for (let at = rowFrom(sets.row, Math.max(0, from - first)); at < sets.row.length; at += 1) {
      const n = first + sets.row[at]!;
      if (n >= end) break;
      const own = spans[sets.set[at]!]!;
      const touched = [...lives].filter(
        ({ location, parts }) =>
          location.of === sets.cpu[at] && parts.some((part) => own.some((span) => meets(span, spanOfRegister(part)))),
      );
      if (touched.length === 0) continue;
      const owner = instructions.ownerOf(n);
      if (owner >= (found ?? before) || owner > bound) continue;
      yield n;
      const unit = instructions.unit(owner);
      const defined = unit === undefined ? [] : definitionsOf(unit, machine);
      const ends = touched.some(
        ({ next, parts }) => next <= owner && parts.some((part) => defined.some(({ to }) => overlap(to, part))),
      );
      if (!ends) continue;
      found = owner;
      end = Math.min(end, owner + LONGEST);
    }
  }
  return ok(found);
}
