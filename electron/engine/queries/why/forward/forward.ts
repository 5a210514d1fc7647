/**
 * The forward slice of a value: the instructions that used it, and those that used what these made of it, oldest first, each once. A value
 * lives in its bytes until other instructions have defined all of them. The next instruction that touches any of the values is taken, so that
 * steps are found in the order of the trace. Where one value goes does not depend on the others.
 */
import { ok, type Result } from '../../../../../shared/base/result.ts';
import { LONGEST } from '../../../../../shared/records/attach.ts';
import { isInstruction, kindBits } from '../../../../../shared/records/record.ts';
import type { RecordNumber } from '../../../../../shared/base/units.ts';
import type { WhyEdge } from '../../../../../shared/requests/why.ts';
import type { Steps } from '../../../threads/in-slices.ts';
import { nextAccessTo } from '../../access/access-memory.ts';
import { spanOf } from '../../records/span.ts';
import { branchOf, definitionsOf, isPlace, type Defined, type Machine, type Source } from '../definitions.ts';
import { cpuOf, type Unit } from '../instructions.ts';
import { modesOf, whyLeft, type Search } from '../last-definition.ts';
import { isLeft } from '../register-tests.ts';
import { contentOf, endBytes, keptUntil, missingBefore, type Ending, type Life } from './lives.ts';
import { endOf, meets, overlap, spanOfRegister, without, type Location } from '../locations.ts';
import { nextTouch, type Touch } from './next-touch.ts';
import { addressBytes, COPIES_PER_STEP, nextOf, type Part, type SliceOptions, type Step, type Use } from '../slice.ts';
import type { Content } from '../values.ts';

export interface ForwardSlice {
  readonly steps: readonly Step[];
  readonly endings: readonly Ending[];
  /** Bytes that have their values when there are enough steps. */
  readonly open: readonly Location[];
}

export interface ForwardOptions extends SliceOptions {
  readonly control: boolean;
}

interface GrowingStep extends Step {
  readonly defined: Part[];
  readonly uses: Use[];
}

interface MemoryLife {
  readonly life: Life;
  /** The next record that accesses the bytes, and the instruction that it belongs to. */
  readonly access: RecordNumber;
  readonly owner: RecordNumber;
}

/** A forward slice while it is made. */
export interface GrowingForward {
  /** Returns its complete steps, and what has its value still. */
  soFar(): ForwardSlice;
}

/** Returns the slice of the values that bytes have after record `at`. `growing` has what is found at any time. */
export function* forwardSlice(
  search: Search,
  subject: readonly Location[],
  at: RecordNumber,
  options: ForwardOptions,
  growing: GrowingForward,
): Steps<ForwardSlice> {
  const { trace, machine, instructions, values } = search;
  const steps = new Map<RecordNumber, GrowingStep>();
  const endings: Ending[] = [];
  const registers = new Set<Life>();
  let memory: readonly MemoryLife[] = [];
  const lives: Life[] = [];
  /** The instruction whose uses are being found. */
  let met: RecordNumber | undefined;
  growing.soFar = () => ({
    steps: [...steps.values()].filter(({ unit }) => unit.record.n !== met),
    endings: endings.filter(({ life }) => life.definer === undefined || life.definer !== met),
    open: lives.flatMap(({ definer, parts }) => (definer !== undefined && definer === met ? [] : parts)),
  });
  const accesses = kindBits([...machine.reads, ...machine.writes]);

  for (const location of subject) lives.push(lifeOf(search, location, values.at(location, at), undefined, at));
  for (const life of [...lives]) {
    endings.push(...lateDefinitions(search, life));
    const begun = yield* begin(life);
    if (!begun.ok) return begun;
  }
  let shown = 0;
  while (shown < options.most && steps.size < COPIES_PER_STEP * options.most) {
    const next = memory.reduce((least, { owner }) => Math.min(least, owner), Number.POSITIVE_INFINITY);
    const touched = yield* nextTouch(search, registers, next, options, endings);
    if (!touched.ok) return touched;
    const n = touched.value?.n ?? next;
    if (!Number.isFinite(n)) break;
    const isNew = !steps.has(n);
    met = n;
    const done = yield* meet(n, touched.value);
    if (!done.ok) return done;
    met = undefined;
    const step = steps.get(n);
    if (isNew && step !== undefined && (options.allCopies || !isCopyOfOne(step))) shown += 1;
    yield n;
  }
  const living = [...registers, ...memory.map(({ life }) => life)];
  return ok({ steps: [...steps.values()], endings, open: living.flatMap(({ parts }) => parts) });

  /** Lets an instruction use and define the values that it touches. */
  function* meet(n: RecordNumber, touch: Touch | undefined): Steps<undefined> {
    const unit = instructions.unit(n);
    if (unit === undefined) return ok(undefined);
    const defined = definitionsOf(unit, machine);
    const branch = options.control ? branchOf(unit, instructions, machine) : undefined;
    const all = branch === undefined ? defined : [...defined, branch];
    const made: Life[] = [];
    if (touch !== undefined)
      for (const life of registers) {
        if (life.location.of !== cpuOf(unit.record) || life.next > n) continue;
        const missing = missingBefore(search, life, n);
        if (missing !== undefined) endings.push(...endBytes(life, life.location, missing));
        made.push(...useOf(life, unit, all));
        for (const { to } of defined) endings.push(...endBytes(life, to, { how: 'overwritten', n }));
        if (touch.opcode !== undefined && isLeft(touch.opcode, life.modes)) {
          const reason = whyLeft(n, touch.opcode, life.modes);
          endings.push(...endBytes(life, life.location, { how: 'unknown', reason }));
        }
        life.next = n + 1;
        if (life.parts.length === 0) registers.delete(life);
      }
    const accessed = memory.filter(({ owner }) => owner === n);
    memory = memory.filter(({ owner }) => owner !== n);
    for (const { life, access } of accessed) {
      made.push(...accessTo(life, access, unit, all));
      const moved = yield* wait(life, access);
      if (!moved.ok) return moved;
    }
    lives.push(...made);
    for (const life of made) {
      const begun = yield* begin(life);
      if (!begun.ok) return begun;
    }
    return ok(undefined);
  }

  /** Lets an instruction use, and overwrite, bytes of memory that a record of it accesses. */
  function accessTo(life: Life, access: RecordNumber, unit: Unit, defined: readonly Defined[]): readonly Life[] {
    const { n } = unit.record;
    if (life.definer === n) return [];
    const missing = missingBefore(search, life, access);
    if (missing !== undefined) endings.push(...endBytes(life, life.location, missing));
    const before = life.used;
    const made = useOf(life, unit, defined);
    const isRead = machine.reads.includes(instructions.at(access)!.kind);
    if (isRead && life.used === before && !saysAllUses(unit, defined))
      life.doubt ??= `record ${access.toLocaleString('en')} read it, and nothing says what became of it`;
    for (const { to, since } of defined)
      if (since > life.since && since <= access)
        endings.push(
          ...endBytes(life, to, { how: 'overwritten', n: n > life.since || life.definer !== undefined ? n : since }),
        );
    return made;
  }

  function* begin(life: Life): Steps<undefined> {
    if (life.parts.length === 0) return ok(undefined);
    if (life.location.of === 'memory') return yield* wait(life, life.since);
    if (instructions.banks?.isUnplaced(spanOfRegister(life.location)) === true) {
      const reason = 'it is not known which mode has this register';
      endings.push(...endBytes(life, life.location, { how: 'unknown', reason }));
    } else registers.add(life);
    return ok(undefined);
  }

  /** Finds the next access to the bytes of a life, or ends it. */
  function* wait(life: Life, after: RecordNumber): Steps<undefined> {
    const [first] = life.parts;
    if (first === undefined) return ok(undefined);
    const end = (why: Pick<Ending, 'how' | 'reason'>): Result<undefined> => {
      endings.push(...endBytes(life, life.location, why));
      return ok(undefined);
    };
    for (const [kinds, what] of [
      [machine.writes, 'written to'],
      [machine.reads, 'read from'],
    ] as const)
      if (kinds.length === 0)
        return end({ how: 'unknown', reason: `the trace does not record what was ${what} memory` });
    const { blocks } = trace;
    const access =
      after + 1 < blocks.records
        ? yield* nextAccessTo(trace, accesses, spanOf(first.low, endOf(life.parts.at(-1)!) - 1n), after)
        : ok(undefined);
    if (!access.ok) return access;
    if (access.value !== undefined) {
      memory = [...memory, { life, access: access.value, owner: instructions.ownerOf(access.value) }];
      return ok(undefined);
    }
    return end(keptUntil(search, life));
  }

  /** Adds what an instruction made of a value to its step, and returns the new values. */
  function useOf(life: Life, unit: Unit, defined: readonly Defined[]): readonly Life[] {
    const { n } = unit.record;
    const made: Life[] = [];
    for (const definition of defined)
      for (const { source, edge } of sourcesOf(definition)) {
        const isLater = source.of !== 'memory' || (source.before ?? n) > life.since;
        for (const part of isLater ? life.parts : []) {
          const used = overlap(part, source);
          if (used === undefined) continue;
          const step: GrowingStep = steps.get(n) ?? { unit, defined: [], uses: [] };
          steps.set(n, step);
          life.used = n;
          addUse(step, life, used, edge);
          for (const location of newIn(step, madeOf(definition, source, used, machine))) {
            const isCounter = location.of !== 'memory' && meets(spanOfRegister(location), machine.file.counter);
            const bytes = isCounter ? addressBytes(nextOf(search, unit), location.bytes) : values.after(location, unit);
            step.defined.push({ definition, location, bytes });
            if (!isCounter) made.push(lifeOf(search, location, bytes, n, definition.since));
          }
        }
      }
    return made;
  }

  function addUse(step: GrowingStep, life: Life, location: Location, edge: WhyEdge): void {
    const { definer } = life;
    const isKnown = step.uses.some(
      (use) =>
        use.edge === edge && use.definer === definer && use.location !== undefined && isSame(use.location, location),
    );
    if (isKnown) return;
    const bytes = contentOf(life, location);
    const known = bytes.includes(undefined) ? values.before(location, step.unit) : bytes;
    step.uses.push({ location, bytes: known, edge, definer, inferred: false });
  }

  /** Returns the places whose values a definition used. A branch uses what decides where it leads. */
  function sourcesOf({ from, addresses, deciders, to }: Defined): readonly { source: Place; edge: WhyEdge }[] {
    const isBranch = to.of !== 'memory' && meets(spanOfRegister(to), machine.file.counter);
    const data: WhyEdge = isBranch ? 'control' : 'data';
    return [
      ...from.filter(isPlace).map((source) => ({ source, edge: data })),
      ...(options.addresses ? addresses.map((source) => ({ source, edge: 'address' as const })) : []),
      ...(options.control ? deciders.map((source) => ({ source, edge: 'control' as const })) : []),
    ];
  }
}

type Place = Extract<Source, Location>;

/** Returns true for a step that only moved bytes of one value. */
export function isCopyOfOne({ defined, uses }: Step): boolean {
  return (
    uses.every(({ edge, definer }) => edge === 'data' && definer === uses[0]!.definer) &&
    defined.every(({ definition }) => definition.how === 'copy' && !definition.inferred)
  );
}

function lifeOf(
  search: Search,
  location: Location,
  bytes: Content,
  definer: RecordNumber | undefined,
  since: RecordNumber,
): Life {
  const { of } = location;
  const modes =
    of === 'memory' ? { isBanked: false, isLink: false, isBank: false } : modesOf(search, spanOfRegister(location), of);
  const begin = definer ?? since;
  return { location, bytes, definer, since, modes, parts: [location], used: begin, next: begin + 1 };
}

/** Ends the bytes of a register whose records come after that of the question, although their instructions begin before it. */
function lateDefinitions({ instructions, machine }: Search, life: Life): readonly Ending[] {
  if (life.location.of === 'memory') return [];
  const endings: Ending[] = [];
  for (let n = Math.max(0, life.since - LONGEST); n <= life.since; n += 1) {
    const record = instructions.at(n);
    if (record === undefined || cpuOf(record) !== life.location.of || !isInstruction(record.kind)) continue;
    for (const { to, since } of definitionsOf(instructions.unit(n)!, machine))
      if (since > life.since) endings.push(...endBytes(life, to, { how: 'overwritten', n: since }));
  }
  return endings;
}

/** Returns false if an instruction may use what it read in ways that its definitions do not show. */
function saysAllUses({ code }: Unit, defined: readonly Defined[]): boolean {
  const reads = code?.memory.some(({ way }) => way !== 'write') === true;
  return reads && defined.every(({ from }) => from.every(isPlace));
}

/** Returns the bytes that a definition made of some bytes of one of its sources: of a copy, the same bytes. */
function madeOf({ to, how, from }: Defined, source: Place, used: Location, { bigEndian }: Machine): Location {
  if (how !== 'copy' || source !== from[0] || source.bytes !== to.bytes) return to;
  // The lowest byte of a register is at the highest address of big-endian memory.
  const isTurned = bigEndian && (to.of === 'memory') !== (source.of === 'memory');
  const offset = isTurned ? endOf(source) - endOf(used) : used.low - source.low;
  return { ...to, low: to.low + offset, bytes: used.bytes };
}

/** Returns the bytes that a step has not defined yet. */
function newIn({ defined }: Step, location: Location): readonly Location[] {
  return defined.reduce<readonly Location[]>(
    (left, each) => left.flatMap((one) => without(one, each.location)),
    [location],
  );
}

function isSame(one: Location, other: Location): boolean {
  return one.of === other.of && one.low === other.low && one.bytes === other.bytes;
}
