/**
 * Finds the newest instruction before a record that defined any of some bytes. Memory is found in the index; registers are searched for in
 * the code of blocks, because a trace may record a register only if its value changes.
 */
import { kindBits } from '../../../../shared/records/record.ts';
import { ok } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import { LONGEST } from '../../../../shared/records/attach.ts';
import type { RegisterSpan } from '../../instructions/register-file.ts';
import type { Steps } from '../../threads/in-slices.ts';
import type { Trace } from '../../trace.ts';
import { lastAccess } from '../access/access-memory.ts';
import { lastSetting } from '../access/access-register.ts';
import { spanOf } from '../records/span.ts';
import { blockCode, type BlockCode, type Opcode } from './block-code.ts';
import type { Machine } from './definitions.ts';
import type { Gaps } from './gaps.ts';
import type { Instructions } from './instructions.ts';
import { endOf, meets, spanOfRegister, type Location } from './locations.ts';
import { memo } from './memo.ts';
import type { Values } from './values.ts';

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

export interface RecordedRegister {
  readonly name: string;
  readonly cpu: number;
  readonly spans: readonly RegisterSpan[];
}

/** Blocks whose code is searched before the newest recorded change of a register counts as its definition. */
const NEAR_BLOCKS = 16;
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
  const { trace, instructions, machine, recorded } = search;
  const { blocks } = trace;
  const wanted = spanOfRegister(location);
  if (instructions.banks?.isUnplaced(wanted) === true) return ok(none('it is not known which mode has this register'));
  const names = recorded.filter((each) => each.cpu === cpu && each.spans.some((span) => meets(span, wanted)));
  const modes = modesOf(search, wanted, cpu);
  const last = blocks.blockOfRecord(Math.min(before, blocks.records - 1));
  const end = Math.max(0, last - (names.length > 0 ? NEAR_BLOCKS : FAR_BLOCKS));
  for (let block = last; block >= end; block -= 1) {
    const code = blockCode(trace, block, instructions, machine.file);
    if (!code.ok) return code;
    const found = lastIn(code.value, { wanted, cpu, before, until, modes }, instructions);
    if (found !== undefined) return ok(found);
    yield blocks.firstRecord(block);
  }
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

/** How a register can become that of another mode. */
export interface Modes {
  /** True if nothing but the opcodes shows the register, which another mode of the processor can have for itself. */
  readonly isBanked: boolean;
  /** True if an exception sets the register, which records show only if the value changes. */
  readonly isLink: boolean;
  /** True if the register has a bank of its own. */
  readonly isBank: boolean;
}

export function modesOf({ recorded, instructions }: Search, wanted: RegisterSpan, cpu: number): Modes {
  const isRecorded = recorded.some((each) => each.cpu === cpu && each.spans.some((span) => meets(span, wanted)));
  return {
    isBanked: !isRecorded && instructions.control !== undefined && meets(wanted, BANKED),
    isLink: instructions.banks?.isSetByExceptions(wanted) === true,
    isBank: instructions.banks?.isBanked(wanted) === true,
  };
}

/** Returns true if a register may be another one after an instruction. */
export function isLeft({ leaves, flow }: Opcode, { isBanked, isLink, isBank }: Modes): boolean {
  if (isLink && (leaves === 'vector' || flow === 'exception' || flow === 'trap')) return true;
  return leaves === 'set' || (isBanked && leaves !== undefined) || (isBank && leaves === 'bank');
}

function lastIn(
  { first, code, sets, opcodes, spans }: BlockCode,
  { wanted, cpu, before, until, modes }: WantedRegister,
  instructions: Instructions,
): Found | undefined {
  const isIn = (all: readonly RegisterSpan[]): boolean => all.some((span) => meets(span, wanted));
  const { isBanked, isLink } = modes;
  const mayLeave = memo(opcodes.length, (opcode) => isLeft(opcodes[opcode]!, modes));
  const isWanted = memo(opcodes.length, (opcode) => isIn(opcodes[opcode]!.defines));
  let decoded = -1;
  let left = -1;
  let leaving: Opcode | undefined;
  for (let at = code.row.length - 1; at >= 0 && decoded < 0 && left < 0; at -= 1) {
    const n = first + code.row[at]!;
    if (n > before || code.cpu[at] !== cpu) continue;
    const number = code.opcode[at]!;
    // The first instruction of another mode has its registers already.
    const isFirst = n === before && (isBanked || isLink) && until >= before && opcodes[number]!.leaves === 'vector';
    if (n < before && isWanted(number)) decoded = n;
    else if (isFirst || (n < before && mayLeave(number))) {
      left = n;
      leaving = opcodes[number];
    }
  }
  const isWantedSet = memo(spans.length, (set) => isIn(spans[set]!));
  for (let at = sets.row.length - 1; at >= 0; at -= 1) {
    const n = first + sets.row[at]!;
    // A record of an effect can follow the next instruction.
    if (n > until || n >= before + LONGEST || sets.cpu[at] !== cpu) continue;
    if (n < decoded || n < left) break;
    if (!isWantedSet(sets.set[at]!)) continue;
    const owner = instructions.ownerOf(n);
    if (owner < before) return { n: Math.max(owner, decoded), inferred: false };
  }
  if (decoded >= 0) return { n: decoded, inferred: false };
  return leaving && none(whyLeft(left, leaving, modes));
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
