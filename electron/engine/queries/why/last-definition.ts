/**
 * Finds the newest instruction before a record that defined any of some bytes. Memory is found in the index; registers are searched for in
 * the code of blocks, because a trace may record a register only if its value changes.
 */
import { kindBits } from '../../../../shared/records/record.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import { LONGEST } from '../../../../shared/records/attach.ts';
import type { RegisterSpan } from '../../instructions/register-file.ts';
import type { Steps } from '../../threads/in-slices.ts';
import type { Trace } from '../../trace.ts';
import { lastAccess } from '../access/access-memory.ts';
import { lastSetting } from '../access/access-register.ts';
import { spanOf } from '../records/span.ts';
import {
  codeOf,
  codeWith,
  contentWith,
  rowsUpTo,
  setsWith,
  type CodePart,
  type Opcode,
  type SetsPart,
} from './code-parts.ts';
import type { Machine } from './definitions.ts';
import type { Gaps } from './gaps.ts';
import type { Instructions } from './instructions.ts';
import { endOf, meets, spanOfRegister, type Location } from './locations.ts';
import { registerTests, type Modes } from './register-tests.ts';
import type { RecordedRegister, Values } from './values.ts';

export interface Found {
  /** The instruction or single record; undefined if there is none. */
  readonly n: RecordNumber | undefined;
  /** Why none was found, or why the search ended. */
  readonly reason?: string;
  /** True if an instruction that wrote the same value again, which changed nothing, could be newer. */
  readonly inferred: boolean;
}

export interface Search {
  readonly trace: Trace;
  readonly instructions: Instructions;
  readonly machine: Machine;
  readonly values: Values;
  /** Names of registers that records set, by the bytes that they are. */
  readonly recorded: readonly RecordedRegister[];
  readonly gaps: Gaps;
}

/** Blocks whose code is searched before the newest recorded change of a register counts as its definition. */
const NEAR_BLOCKS = 16;
/** Known parts that are passed before other requests are served. */
const PASSED_AT_ONCE = 64;
/** Blocks whose code is searched for a register that no record sets. */
const FAR_BLOCKS = 256;

/** Instructions that begin before `before`, and their effects up to record `until`. */
export interface Bounds {
  readonly before: RecordNumber;
  readonly until: RecordNumber;
}

/** Returns the newest instruction that defined any of the bytes. */
export function lastDefinition(search: Search, location: Location, bounds: Bounds): Steps<Found> {
  return location.of === 'memory'
    ? lastWrite(search, location, bounds)
    : lastSet(search, location, location.of, bounds);
}

function* lastWrite(
  { trace, instructions, machine }: Search,
  location: Location,
  { before, until }: Bounds,
): Steps<Found> {
  if (machine.writes.length === 0) return ok(none('the trace does not record what was written to memory'));
  const span = spanOf(location.low, endOf(location) - 1n);
  const kinds = kindBits(machine.writes);
  // Other CPUs write between an instruction and the record of what it read.
  for (let at = Number.isFinite(until) ? until : before - 1; at >= 0;) {
    const written = yield* lastAccess(trace, kinds, span, at);
    if (!written.ok) return written;
    if (written.value === undefined) break;
    const n = instructions.ownerOf(written.value);
    if (n !== before) return ok({ n, inferred: false });
    at = written.value - 1;
  }
  return ok(none(NOT_WRITTEN));
}

/** Why memory has no definition: it may be an input, or from an image. */
export const NOT_WRITTEN = 'nothing in the trace wrote it before';

function none(reason: string): Found {
  return { n: undefined, reason, inferred: false };
}

function* lastSet(search: Search, location: Location, cpu: number, { before, until }: Bounds): Steps<Found> {
  const { trace, instructions, recorded } = search;
  const { blocks } = trace;
  const wanted = spanOfRegister(location);
  if (instructions.banks?.isUnplaced(wanted) === true) return ok(none('it is not known which mode has this register'));
  const names = recorded.filter((each) => each.cpu === cpu && each.spans.some((span) => meets(span, wanted)));
  const modes = modesOf(search, wanted, cpu);
  const last = blocks.blockOfRecord(Math.min(before, blocks.records - 1));
  const end = Math.max(0, last - (names.length > 0 ? NEAR_BLOCKS : FAR_BLOCKS));
  const found = yield* lastNear(search, { wanted, cpu, before, until, modes }, blocks.firstRecord(end));
  if (!found.ok || found.value !== undefined) return found as Result<Found>;
  if (end === 0) return ok(none('nothing in the trace set it before'));
  const further = blocks.firstRecord(end) - 1;
  let newest = -1;
  for (const { name } of names) {
    const found = lastSetting(trace, name, cpu < 0 ? undefined : cpu, further);
    if (!found.ok) return found;
    newest = Math.max(newest, found.value ?? -1);
  }
  if (newest >= 0) return ok({ n: instructions.ownerOf(newest), inferred: true });
  const searched = (before - further).toLocaleString('en');
  return ok(none(`no instruction of the ${searched} records before set it; earlier ones were not searched`));
}

/** r8 to r14 of Arm, which some modes have for themselves (DDI 0406C, B1.3.2). */
const BANKED: RegisterSpan = { low: 4 * 8, bytes: 4 * 7 };

interface WantedRegister extends Bounds {
  readonly wanted: RegisterSpan;
  readonly cpu: number;
  readonly modes: Modes;
}

export function modesOf({ recorded, instructions }: Search, wanted: RegisterSpan, cpu: number): Modes {
  const isRecorded = recorded.some((each) => each.cpu === cpu && each.spans.some((span) => meets(span, wanted)));
  return {
    isBanked: !isRecorded && instructions.control !== undefined && meets(wanted, BANKED),
    isLink: instructions.banks?.isSetByExceptions(wanted) === true,
    isBank: instructions.banks?.isBanked(wanted) === true,
  };
}

/** Returns the newest definition of a register by an instruction from record `least` on, as opcodes and records show it. */
function* lastNear(
  { trace, instructions }: Search,
  { wanted, cpu, before, until, modes }: WantedRegister,
  least: RecordNumber,
): Steps<Found | undefined> {
  const lists = codeOf(trace, instructions);
  const { opcodes } = lists;
  const { isDefined, mayLeave, isSet, mayPass } = registerTests(lists, wanted, modes);
  /** The newest instruction whose opcode defines the register, and the one that may have changed the mode before one is found. */
  let decoded = -1;
  let left: { readonly n: RecordNumber; readonly opcode: Opcode } | undefined;
  /** The instruction of a record that sets the register. A newer instruction may define it after that. */
  let owner = -1;

  const searchCode = ({ first, row, cpu: cpus, opcode }: CodePart): void => {
    for (let at = rowsUpTo({ first, row }, before) - 1; at >= 0; at -= 1) {
      const n = first + row[at]!;
      if (n <= owner) return;
      if (cpus[at] !== cpu) continue;
      const number = opcode[at]!;
      if (n === before) {
        // The first instruction of another mode has its registers already.
        const isFirst = (modes.isBanked || modes.isLink) && until >= before && opcodes[number]!.leaves === 'vector';
        if (!isFirst) continue;
        left = { n, opcode: opcodes[number]! };
        return;
      }
      if (isDefined(number)) {
        decoded = n;
        return;
      }
      if (!mayLeave(number)) continue;
      left = { n, opcode: opcodes[number]! };
      return;
    }
  };

  // A record of an effect can follow the next instruction.
  const newest = Math.min(until, before + LONGEST - 1, trace.blocks.records - 1);
  const searchSets = ({ first, row, cpu: cpus, set }: SetsPart): void => {
    for (let at = rowsUpTo({ first, row }, newest) - 1; at >= 0; at -= 1) {
      const n = first + row[at]!;
      if (n < decoded || n < (left?.n ?? 0)) return;
      if (cpus[at] !== cpu || !isSet(set[at]!)) continue;
      const its = instructions.ownerOf(n);
      if (its >= before) continue;
      owner = its;
      return;
    }
  };

  let passed = 0;
  for (let n = Math.max(newest, Math.min(before, trace.blocks.records - 1)); n >= least;) {
    const known = contentWith(trace, n, instructions);
    // The instruction of the question can end the search by itself, and that of a record that was found is in its part.
    if (known !== undefined && known.end <= before && owner < known.first && mayPass(known.content)) {
      if (++passed % PASSED_AT_ONCE === 0) yield n;
      n = known.first - 1;
      continue;
    }
    // Code first: it needs the bytes of the part, and then the columns of the part are known.
    const code = codeWith(trace, n, instructions);
    if (!code.ok) return code;
    const sets = owner < 0 ? setsWith(trace, n, instructions) : undefined;
    if (sets?.ok === false) return sets;
    const { first } = code.value;
    searchCode(code.value);
    if (sets !== undefined) searchSets(sets.value);
    if (owner >= first || (owner >= 0 && (decoded >= 0 || left !== undefined)))
      return ok({ n: Math.max(owner, decoded), inferred: false });
    if (decoded >= 0) return ok({ n: decoded, inferred: false });
    if (left !== undefined) return ok(none(whyLeft(left.n, left.opcode, modes)));
    yield n;
    n = first - 1;
  }
  return ok(owner < 0 ? undefined : { n: owner, inferred: false });
}

export function whyLeft(n: RecordNumber, { leaves }: Opcode, { isLink }: Pick<Modes, 'isLink'>): string {
  const record = n.toLocaleString('en');
  if (leaves === 'set') return `the processor executed another instruction set at record ${record}`;
  if (leaves === 'bank')
    return `the line of record ${record} does not name the mode, whose registers the instruction has`;
  return isLink
    ? `an exception at record ${record} may have set it`
    : `the mode may have changed at record ${record}, and modes have registers of this name for themselves`;
}
