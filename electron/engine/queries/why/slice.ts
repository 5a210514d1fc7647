/**
 * The backward slice of a value: the instructions that made it, youngest first, each once. A list of wanted bytes is kept by the instruction
 * that defined them; the youngest of these instructions is taken, and what it was made of is wanted next.
 */
import { ok } from '../../../../shared/base/result.ts';
import { LONGEST } from '../../../../shared/records/attach.ts';
import { isInstruction } from '../../../../shared/records/record.ts';
import type { Hex, RecordNumber } from '../../../../shared/base/units.ts';
import type { WhyEdge } from '../../../../shared/requests/why.ts';
import type { Steps } from '../../threads/in-slices.ts';
import { branchOf, definitionsOf, isPlace, type Defined, type Machine, type Source } from './definitions.ts';
import { cpuOf, type Unit } from './instructions.ts';
import type { Content } from './values.ts';
import { decidingBranch } from './deciding-branch.ts';
import { lastDefinition, type Found, type Search } from './last-definition.ts';
import { endOf, overlap, registerBytes, without, type Location } from './locations.ts';

/** Bytes that a step or the question used. */
export interface Use {
  readonly location: Location | undefined;
  /** The bytes before the instruction that used them. */
  readonly bytes: Content;
  readonly edge: WhyEdge;
  /** The instruction that defined them; undefined if `reason` says why there is none. */
  readonly definer: RecordNumber | undefined;
  readonly reason?: string;
  readonly inferred: boolean;
}

export interface Step {
  readonly unit: Unit;
  /** The definitions of which bytes were wanted, with these bytes. */
  readonly defined: readonly Part[];
  readonly uses: readonly Use[];
}

export interface Part {
  readonly definition: Defined;
  readonly location: Location;
  /** The bytes after the instruction. */
  readonly bytes: Content;
}

export interface Slice {
  readonly steps: readonly Step[];
  readonly origin: readonly Use[];
  /** Bytes whose defining instructions were not taken, because there were enough steps. */
  readonly open: readonly Location[];
}

/** The steps and the origin of a slice while it is made. */
export interface GrowingSlice {
  readonly steps: Step[];
  readonly origin: Use[];
}

export interface SliceOptions {
  readonly most: number;
  readonly addresses: boolean;
  /** `only`: of the branches that decided, the values that they compared are shown, but not followed. */
  readonly control: boolean | 'only';
  /** Copies count as steps. */
  readonly allCopies: boolean;
}

/** Copies that are followed for each step that is shown, at most. */
export const COPIES_PER_STEP = 5;

/** Bytes that are wanted of one instruction. */
interface Wanted {
  readonly n: RecordNumber;
  readonly bytes: Location[];
}

/** Returns the slice of the bytes as they are before record `before`. `growing` has its completed steps at any time. */
export function* slice(
  search: Search,
  subject: readonly Location[],
  before: RecordNumber,
  options: SliceOptions,
  growing: GrowingSlice = { steps: [], origin: [] },
): Steps<Slice> {
  const wanted = new Map<RecordNumber, Wanted>();
  const { steps, origin } = growing;
  const bytes = contentBefore(search, before);
  for (const location of subject) {
    const found = yield* follow(
      search,
      location,
      { edge: 'data', before, until: before - 1, seen: before - 1, bytes },
      wanted,
    );
    if (!found.ok) return found;
    origin.push(...found.value);
  }
  let shown = 0;
  const ends = new Set<bigint>();
  while (wanted.size > 0 && shown < options.most && steps.length < COPIES_PER_STEP * options.most) {
    const next = youngest(wanted);
    wanted.delete(next.n);
    const step = yield* expand(search, next, options, wanted);
    if (!step.ok) return step;
    steps.push(step.value);
    if (options.allCopies || isShown(step.value, ends)) shown += 1;
    yield next.n;
  }
  return ok({ steps, origin, open: [...wanted.values()].flatMap(({ bytes }) => bytes) });
}

/** Returns the content of locations before a record. The program counter has the address of the instruction there. */
export function contentBefore(search: Search, before: RecordNumber): (location: Location) => Content {
  return (location) =>
    isCounter(search, location)
      ? addressBytes(search.instructions.at(before)?.address, location.bytes)
      : search.values.at(location, before - 1);
}

/** Returns true for a step that only moved bytes. */
export function moves({ defined, uses }: Step): boolean {
  return (
    uses.length > 0 &&
    uses.every(({ edge, location }) => edge === 'data' && location !== undefined) &&
    defined.every(({ definition }) => definition.how === 'copy' && !definition.inferred)
  );
}

/**
 * Returns false for a copy, which is left out if its source has a definition, and joined with those of adjacent bytes of memory if not.
 * @param ends first addresses of the sources of such copies, and those after their last bytes
 */
function isShown(step: Step, ends: Set<bigint>): boolean {
  if (!moves(step)) return true;
  const last = step.uses.filter(({ definer }) => definer === undefined).map(({ location }) => location!);
  const isAdjacent = last.every(
    (location) => location.of === 'memory' && (ends.has(location.low) || ends.has(endOf(location))),
  );
  for (const location of last) if (location.of === 'memory') ends.add(location.low).add(endOf(location));
  return !isAdjacent;
}

function youngest(wanted: ReadonlyMap<RecordNumber, Wanted>): Wanted {
  let best: Wanted | undefined;
  for (const each of wanted.values()) if (best === undefined || each.n > best.n) best = each;
  return best!;
}

/** Returns the program counter of a CPU: branches define it that decided where the program went. */
export function counterOf({ machine }: Pick<Search, 'machine'>, cpu: number): Location {
  return registerBytes(cpu, machine.file.counter);
}

function isCounter({ machine }: Search, { of, low }: Location): boolean {
  return of !== 'memory' && low === BigInt(machine.file.counter.low);
}

/** Returns the address of the next instruction of the CPU. */
export function nextOf({ instructions }: Search, { record }: Unit): Hex | undefined {
  for (let n = record.n + 1; n <= record.n + LONGEST; n += 1) {
    const next = instructions.at(n);
    if (next?.cpu === record.cpu && next !== undefined && isInstruction(next.kind)) return next.address;
  }
  return undefined;
}

export function addressBytes(address: Hex | undefined, bytes: number): Content {
  return address === undefined
    ? []
    : Array.from({ length: bytes }, (_, k) => Number((BigInt(address) >> BigInt(8 * k)) & 0xffn));
}

/** Returns what an instruction defined; a branch that decided where the program went defines the program counter as well. */
function definedBy(search: Search, n: RecordNumber): readonly Defined[] {
  const { instructions, machine } = search;
  const unit = instructions.unit(n);
  if (unit === undefined) return [];
  const defined = definitionsOf(unit, machine);
  const branch = branchOf(unit, instructions, machine);
  return branch === undefined ? defined : [...defined, branch];
}

/** Why the sources of a value are not followed in the chain of branches. */
export const NOT_FOLLOWED = 'not followed here; ask why it has this value';

/** How bytes were used: in what way, before which record, and their values there. */
interface Reach {
  readonly edge: WhyEdge;
  readonly before: RecordNumber;
  /** Values that bytes have from a later record on do not count. */
  readonly until: RecordNumber;
  /** The record that shows the bytes. */
  readonly seen: RecordNumber;
  readonly bytes: (location: Location) => Content;
}

/** Finds what defined bytes last, which may be several instructions, and wants the bytes of them. */
function* follow(
  search: Search,
  location: Location,
  { edge, before, until, seen, bytes: valueOf }: Reach,
  wanted: Map<RecordNumber, Wanted>,
): Steps<readonly Use[]> {
  const uses: Use[] = [];
  let rest: readonly Location[] = [location];
  let bound = before;
  const gap = search.gaps.before(location, seen);
  while (rest.length > 0) {
    const [part] = rest as readonly [Location];
    const searched: Steps<Found> = isCounter(search, part)
      ? decidingBranch(search, part.of as number, bound)
      : lastDefinition(search, part, { before: bound, until: Math.min(until, bound === before ? until : bound) });
    const last = yield* searched;
    if (!last.ok) return last;
    const isMissing = gap !== undefined && (last.value.n ?? -1) < gap.from;
    const { n, reason, inferred } = isMissing ? { n: undefined, reason: gap.reason, inferred: false } : last.value;
    if (n === undefined) {
      const found = { location: part, bytes: valueOf(part), edge, definer: undefined, inferred };
      uses.push({ ...found, ...(reason !== undefined && { reason }) });
      rest = rest.slice(1);
      bound = before;
      continue;
    }
    const shared = definedBy(search, n).flatMap(({ to, since }) => (since <= until ? (overlap(part, to) ?? []) : []));
    if (shared.length === 0) {
      // The opcode may define the bytes, but the records show that it did not.
      bound = n;
      continue;
    }
    for (const bytes of shared) {
      uses.push({ location: bytes, bytes: valueOf(bytes), edge, definer: n, inferred });
      const known = wanted.get(n);
      if (known === undefined) wanted.set(n, { n, bytes: [bytes] });
      else known.bytes.push(bytes);
    }
    const left = shared.reduce<readonly Location[]>(
      (all, bytes) => all.flatMap((each) => without(each, bytes)),
      [part],
    );
    rest = [...left, ...rest.slice(1)];
    bound = before;
  }
  return ok(uses);
}

function* expand(
  search: Search,
  { n, bytes }: Wanted,
  { addresses, control }: SliceOptions,
  wanted: Map<RecordNumber, Wanted>,
): Steps<Step> {
  const unit = search.instructions.unit(n)!;
  const defined = definedBy(search, n).flatMap((definition) => {
    const parts = joined(bytes.flatMap((each) => overlap(each, definition.to) ?? []));
    return parts.map((location): Part => ({
      definition,
      location,
      bytes: isCounter(search, location)
        ? addressBytes(nextOf(search, unit), location.bytes)
        : search.values.after(location, unit),
    }));
  });
  const uses: Use[] = [];
  const sought = new Set<string>();
  const before = (location: Location): Content =>
    isCounter(search, location)
      ? addressBytes(unit.record.address, location.bytes)
      : search.values.before(location, unit);
  for (const { definition, location: part } of defined) {
    const edges: readonly (readonly [Source, WhyEdge])[] = [
      ...sourcesOf(definition, part, search.machine).map((source) => [source, 'data'] as const),
      ...(addresses ? definition.addresses.map((source) => [source, 'address'] as const) : []),
      ...(control === true ? definition.deciders.map((source) => [source, 'control'] as const) : []),
      ...(control === true || isCounter(search, part)
        ? [[counterOf(search, cpuOf(unit.record)), 'control'] as const]
        : []),
    ];
    for (const [source, edge] of edges) {
      if (!isPlace(source)) {
        uses.push({ location: undefined, bytes: [], edge, definer: undefined, reason: source.reason, inferred: false });
        continue;
      }
      const key = `${source.of} ${source.low} ${source.bytes} ${edge}`;
      if (sought.has(key)) continue;
      sought.add(key);
      if (control === 'only' && !defined.some(({ location }) => isCounter(search, location))) {
        const use = { location: source, bytes: before(source), edge, definer: undefined, inferred: false };
        uses.push({ ...use, reason: NOT_FOLLOWED });
        continue;
      }
      const until = (source.before ?? Number.POSITIVE_INFINITY) - 1;
      const reach = { edge, before: n, until, seen: source.before ?? n, bytes: before };
      const found = yield* follow(search, source, reach, wanted);
      if (!found.ok) return found;
      uses.push(...found.value);
    }
  }
  return ok({ unit, defined, uses });
}

/** Returns the sources of some bytes of a definition: of a copy, the bytes that these were copied from. */
function sourcesOf(definition: Defined, bytes: Location, machine: Machine): readonly Source[] {
  const source = sourceOf(definition, bytes, machine);
  return source === undefined ? definition.from : [source.location];
}

/**
 * Returns the bytes that some bytes of a copy were copied from; undefined for other definitions. `isTurned`: the lowest byte came from the
 * highest address, or the other way round.
 */
export function sourceOf(
  { to, how, from }: Defined,
  bytes: Location,
  { bigEndian }: Machine,
): { readonly location: Location & { readonly before?: RecordNumber }; readonly isTurned: boolean } | undefined {
  const [source] = from;
  if (how !== 'copy' || source === undefined || !isPlace(source) || source.bytes !== to.bytes) return undefined;
  const offset = bytes.low - to.low;
  // The lowest byte of a register is at the highest address of big-endian memory.
  const isTurned = bigEndian && (to.of === 'memory') !== (source.of === 'memory');
  const low = source.low + (isTurned ? endOf(to) - endOf(bytes) : offset);
  return { location: { ...source, low, bytes: bytes.bytes }, isTurned };
}

/** Joins locations that overlap or are adjacent. */
function joined(locations: readonly Location[]): readonly Location[] {
  const result: Location[] = [];
  for (const each of locations.toSorted((a, b) => (a.low < b.low ? -1 : a.low > b.low ? 1 : 0))) {
    const last = result.at(-1);
    if (last === undefined || last.of !== each.of || each.low > endOf(last)) {
      result.push(each);
      continue;
    }
    const end = endOf(each) > endOf(last) ? endOf(each) : endOf(last);
    result[result.length - 1] = { ...last, bytes: Number(end - last.low) };
  }
  return result;
}
