/** Answers why a register or memory has its value: the instructions that made it of which others. */
import { isInstruction, KINDS, type Kind, type RecordView } from '../../../../shared/records/record.ts';
import type { Bytes, Why, WhyArguments, WhyKind, WhyStep, WhyUse } from '../../../../shared/requests/why.ts';
import { WHY_STEPS } from '../../../../shared/requests/why.ts';
import { KNOWN, type SearchProgress } from '../../../../shared/requests/requests.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { toHex } from '../../../../shared/base/units.ts';
import { decodeRegisterSets } from '../../index/builders/register-sets.ts';
import { nodesBefore, nodesReady } from '../../index/pyramid.ts';
import { NODE } from '../../index/store/index-file.ts';
import { loadEffects, registerFileOf, type EffectsReader } from '../../instructions/effects-reader.ts';
import type { RegisterFile } from '../../instructions/register-file.ts';
import { answerAtOnce, answerInSlices } from '../../threads/in-slices.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { disassemblerFor } from '../images/branch-matches.ts';
import { memoryWithImage } from '../memory/memory.ts';
import { annotated } from '../records/annotate.ts';
import { records } from '../records/records.ts';
import type { Machine } from './definitions.ts';
import { cpuOf, createInstructions } from './instructions.ts';
import { codeReader, type CodeReader } from './instruction-set.ts';
import type { RecordedRegister, Search } from './last-definition.ts';
import { endOf, memoryBytes, registerBytes, spanOfRegister, type Location } from './locations.ts';
import { foldCopies, type Folded } from './fold.ts';
import { addressBytes, counterOf, NOT_FOLLOWED, slice, type Part, type Step, type Use } from './slice.ts';
import { createValues, numberOf, type Content } from './values.ts';

export async function why(trace: Trace, args: WhyArguments, task: Task<SearchProgress>): Promise<Result<Why>> {
  if (args.forward === true) return fail('usage', 'values cannot be followed forwards yet');
  const reach = reachOf(trace);
  const reader = await loadEffects();
  const prepared = prepare(trace, args, reader, await codeReader(trace));
  if (!prepared.ok) return prepared;
  const search = prepared.value;
  const subject = subjectBytes(search, args);
  if (!subject.ok) return subject;
  const options = {
    most: args.steps ?? WHY_STEPS,
    addresses: args.addresses === true,
    control: args.pc === true ? ('only' as const) : args.control === true,
    allCopies: args.allCopies === true,
  };
  const before = args.pc === true ? search.instructions.ownerOf(args.at) : args.at + 1;
  const sliced = await answerInSlices(slice(search, subject.value, before, options), task, (at) =>
    task.progress(() => ({ at })),
  );
  if (!sliced.ok) return sliced;
  const disassembler = await disassemblerFor(trace);
  const inImage = (location: Location): boolean => {
    const held = answerAtOnce(
      memoryWithImage(trace, { at: undefined, address: toHex(location.low), length: location.bytes }, disassembler),
    );
    return held.ok && [...held.value.known].every((known) => known === KNOWN.image);
  };
  const shown = { search, inImage };
  const folded = foldCopies(sliced.value, args.allCopies === true);
  const answer = describe(shown, folded);
  const records = await annotated(
    trace.images,
    trace.reader.decoder,
    folded.steps.map(({ unit }) => unit.record),
  );
  const steps = answer.steps.map((step, k): WhyStep => ({ ...factsOf(records[k]!), ...step }));
  return ok({
    at: args.at,
    of: subjectOf(shown, args, subject.value),
    steps,
    origin: answer.origin,
    ended: answer.ended,
    reach,
  });
}

function prepare(trace: Trace, args: WhyArguments, reader: EffectsReader, codeAt: CodeReader): Result<Search> {
  const counts = trace.ingest.totals.kinds;
  const any = (kind: Kind): boolean => (counts[KINDS.indexOf(kind)] ?? 0) > 0;
  if (!any('instruction'))
    return fail(
      'no-instructions',
      `${trace.file.path}: the trace has no records of executed instructions, so it does not show what made a value`,
    );
  const file = familyAt(trace, codeAt, args);
  if (file === undefined)
    return fail(
      'no-opcodes',
      `${trace.file.path}: neither the trace nor an image has the opcodes of the instructions near record ${args.at.toLocaleString('en')}; give the program with --image`,
    );
  const cached = (kind: Kind, bus: Kind): readonly Kind[] => (any(kind) ? [kind] : any(bus) ? [bus] : []);
  const instructions = createInstructions(trace, reader, codeAt, file);
  const bigEndian = trace.format.options['endian'] === 'big';
  const kinds = { file, bigEndian, reads: cached('read', 'bus-read'), writes: cached('write', 'bus-write') };
  const values = createValues(trace, instructions, kinds);
  const machine: Machine = {
    ...kinds,
    marksSkipped: any('skipped'),
    valueBefore: (span, cpu, n) => values.register(span, cpu, n - 1),
    isUnchanged(location, unit) {
      // A record whose register cannot be read may have changed any of them.
      if (location.of === 'memory' || location.bytes > LONGEST_REGISTER) return false;
      const [before, after] = [values.before(location, unit), values.after(location, unit)];
      return before.every((byte, k) => byte !== undefined && byte === after[k]);
    },
  };
  return ok({ trace, instructions, machine, values, recorded: recordedRegisters(trace, file) });
}

/** In bytes: a vector of SVE. */
const LONGEST_REGISTER = 256;

/** Records before and after a record that are looked at for the instruction set. */
const NEAR = 512;

/** Returns the register file of the nearest instruction of the CPU in question. */
function familyAt(trace: Trace, codeAt: CodeReader, { at, cpu }: WhyArguments): RegisterFile | undefined {
  const from = Math.max(0, at - NEAR);
  const read = records(trace, { from, count: 2 * NEAR });
  if (!read.ok) return undefined;
  const own = cpu ?? read.value.records[at - from]?.cpu;
  let nearest: { readonly distance: number; readonly file: RegisterFile } | undefined;
  for (const record of read.value.records) {
    const distance = Math.abs(record.n - at);
    if (record.kind !== 'instruction' || (own !== undefined && record.cpu !== own)) continue;
    if (nearest !== undefined && distance >= nearest.distance) continue;
    const code = codeAt(record);
    if (code !== undefined) nearest = { distance, file: registerFileOf(code.isa) };
  }
  return nearest?.file;
}

/** Returns the registers that records of the trace set. */
function recordedRegisters({ blocks, index, ingest }: Trace, file: RegisterFile): readonly RecordedRegister[] {
  const found = new Map<string, RecordedRegister>();
  const ready = (level: number): number => nodesReady(level, blocks.length, ingest.complete);
  for (const { level, node } of nodesBefore(blocks.length, ready))
    for (const { name, cpu } of decodeRegisterSets(index.blob(NODE.registers, level, node)))
      found.set(`${cpu} ${name}`, { name, cpu, spans: file.spansOf(name) ?? [] });
  return [...found.values()];
}

/** Returns the bytes whose origin is wanted. */
function subjectBytes(search: Search, args: WhyArguments): Result<readonly [Location, ...Location[]]> {
  const { instructions, machine } = search;
  if (args.address !== undefined) return ok([memoryBytes(BigInt(args.address), args.length ?? 1)]);
  const record = instructions.at(args.at);
  const cpu = args.cpu ?? (record === undefined ? undefined : cpuOf(record)) ?? -1;
  if (args.register === undefined) {
    const instruction = instructions.at(instructions.ownerOf(args.at));
    if (instruction !== undefined && isInstruction(instruction.kind))
      return ok([counterOf(search, cpuOf(instruction))]);
    return fail('usage', `record ${args.at.toLocaleString('en')} belongs to no instruction`);
  }
  const spans = machine.file.spansOf(args.register);
  if (spans === undefined) return fail('usage', `the processor has no register '${args.register}'`);
  const [first, ...others] = spans;
  if (first === undefined) return fail('usage', `register '${args.register}' is always zero`);
  return ok([registerBytes(cpu, first), ...others.map((span) => registerBytes(cpu, span))]);
}

/** Returns the subject of the question, with its value after the record; for an instruction, its address as value of the program counter. */
function subjectOf(
  shown: Shown,
  { at, register, pc }: WhyArguments,
  subject: readonly [Location, ...Location[]],
): Bytes {
  const { machine, values, instructions } = shown.search;
  const [{ of }] = subject;
  if (pc === true) {
    const { address } = instructions.at(instructions.ownerOf(at))!;
    return bytesOf(shown, subject[0], address === undefined ? [] : addressBytes(address, subject[0].bytes))[0]!;
  }
  if (register === undefined || of === 'memory') return bytesOf(shown, subject[0], values.at(subject[0], at))[0]!;
  const fields = machine.file.fieldsOf(register) ?? [];
  let value: bigint | undefined = 0n;
  for (const { span, bit, bits } of fields) {
    const field = values.register(span, of, at);
    value =
      field === undefined || value === undefined ? undefined : value | (BigInt.asUintN(bits, field) << BigInt(bit));
  }
  return { register, cpu: of < 0 ? null : of, value: value === undefined ? null : toHex(value) };
}

interface Shown {
  readonly search: Search;
  readonly inImage: (location: Location) => boolean;
}

interface Described {
  readonly steps: readonly Pick<WhyStep, 'kind' | 'reason' | 'defines' | 'uses' | 'inferred' | 'copies'>[];
  readonly origin: readonly WhyUse[];
  readonly ended: Why['ended'];
}

function describe(shown: Shown, { steps, origin, open }: Folded): Described {
  const indexOf = new Map(steps.map(({ unit }, k) => [unit.record.n, k]));
  const used = (use: Use, isRead: boolean): readonly WhyUse[] => {
    const step = use.definer === undefined ? undefined : indexOf.get(use.definer);
    const reason =
      use.definer !== undefined && step === undefined ? 'there are enough steps' : reasonOf(shown, use, isRead);
    const facts = {
      edge: use.edge,
      step: step ?? null,
      ...(reason !== undefined && { reason }),
      ...(use.inferred && { inferred: true }),
    };
    const places = use.location === undefined ? [NO_PLACE] : bytesOf(shown, use.location, use.bytes);
    return places.map((place) => ({ ...place, ...facts }));
  };
  const described = steps.map((step) => {
    const { defined, uses, copies } = step;
    const own = joinedUses(uses).flatMap((use) => used(use, true));
    const kind = kindOf(step, own);
    const reason = defined.find(({ definition }) => definition.reason !== undefined)?.definition.reason;
    return {
      kind,
      ...(reason !== undefined && { reason }),
      defines: joinedParts(defined).flatMap(({ location, bytes }) => bytesOf(shown, location, bytes)),
      uses: own,
      inferred: defined.some(({ definition }) => definition.inferred) || uses.some(({ inferred }) => inferred),
      ...(copies.length > 0 && { copies }),
    };
  });
  const ends = joinedUses(origin).flatMap((use) => used(use, false));
  const isUnknown =
    ends.some(({ step, reason }) => step === null && !ENDS.has(reason ?? '')) ||
    described.some(
      ({ kind, uses }) =>
        kind === 'unknown' || uses.some(({ reason, step }) => step === null && !ENDS.has(reason ?? '')),
    );
  return {
    steps: described,
    origin: ends,
    ended: {
      reason: open.length > 0 ? 'steps' : isUnknown ? 'unknown' : 'origins',
      open: open.flatMap((location) => bytesOf(shown, location, [])),
    },
  };
}

/** Joins uses of adjacent bytes that the same instruction defined. */
function joinedUses(uses: readonly Use[]): readonly Use[] {
  const result: Use[] = [];
  for (const use of uses) {
    const at = result.findIndex(
      (other) =>
        other.edge === use.edge &&
        other.definer === use.definer &&
        other.reason === use.reason &&
        follows(other.location, use.location),
    );
    if (at < 0) result.push(use);
    else result[at] = { ...result[at]!, ...pair(result[at]!, use) };
  }
  return result;
}

interface Known {
  readonly location: Location | undefined;
  readonly bytes: Content;
}

function joinedParts(parts: readonly Part[]): readonly Part[] {
  const result: Part[] = [];
  for (const part of parts.toSorted((a, b) => Number(a.location.low - b.location.low))) {
    const at = result.findIndex((other) => follows(other.location, part.location));
    if (at < 0) result.push(part);
    else result[at] = { ...result[at]!, ...pair(result[at]!, part) };
  }
  return result;
}

function follows(one: Location | undefined, other: Location | undefined): boolean {
  return one !== undefined && other !== undefined && one.of === other.of && endOf(one) === other.low;
}

function pair<K extends Known>(one: K, other: K): { readonly location: Location; readonly bytes: Content } {
  const location = one.location!;
  const padded = Array.from({ length: location.bytes }, (_, k) => one.bytes[k]);
  return {
    location: { ...location, bytes: location.bytes + other.location!.bytes },
    bytes: [...padded, ...other.bytes],
  };
}

const NO_PLACE: Bytes = { address: '0x0', length: 0, value: null };

const INPUT = 'read, but nothing in the trace wrote it before';
const IMAGE = 'from the program image';
const ENDS: ReadonlySet<string> = new Set([INPUT, IMAGE, NOT_FOLLOWED]);

function reasonOf({ inImage }: Shown, { location, bytes, definer, reason }: Use, isRead: boolean): string | undefined {
  if (definer !== undefined || location?.of !== 'memory' || reason !== NOT_WRITTEN) return reason;
  if (inImage(location)) return IMAGE;
  return isRead || bytes.some((byte) => byte !== undefined) ? INPUT : NOT_WRITTEN;
}

const NOT_WRITTEN = 'nothing in the trace wrote it before';

function kindOf({ defined }: Step, uses: readonly WhyUse[]): WhyKind {
  const hows = new Set(defined.map(({ definition }) => definition.how));
  if (hows.has('unknown')) return 'unknown';
  if (hows.has('computed')) return 'computed';
  if (!hows.has('copy')) return 'constant';
  const data = uses.filter(({ edge }) => edge === 'data');
  if (data.length > 0 && data.every(({ reason }) => reason === IMAGE)) return 'image';
  if (data.length > 0 && data.every(({ reason }) => ENDS.has(reason ?? ''))) return 'input';
  return 'copy';
}

/** Returns the bytes of a location with their names: several if it is more than one register. */
function bytesOf({ search }: Pick<Shown, 'search'>, location: Location, bytes: Content): readonly Bytes[] {
  if (location.of === 'memory') {
    const digits = Array.from({ length: location.bytes }, (_, k) => bytes[k]?.toString(16).padStart(2, '0') ?? '??');
    const value = digits.every((digit) => digit === '??') ? null : digits.join('');
    return [{ address: toHex(location.low), length: location.bytes, value }];
  }
  const { file } = search.machine;
  const cpu = location.of < 0 ? null : location.of;
  return file.namesIn(spanOfRegister(location)).map(({ name, span }) => {
    const at = span.low - Number(location.low);
    const number = bytes.length === 0 ? undefined : numberOf(bytes.slice(at, at + span.bytes));
    return {
      register: span.low === file.counter.low ? 'pc' : name,
      cpu,
      value: number === undefined ? null : toHex(number),
    };
  });
}

function factsOf({
  n,
  time,
  cpu,
  address,
  symbol,
  line,
  text,
}: RecordView): Pick<WhyStep, 'n' | 'time' | 'cpu' | 'address' | 'symbol' | 'line' | 'text'> {
  return {
    n,
    ...(time !== undefined && { time }),
    ...(cpu !== undefined && { cpu }),
    ...(address !== undefined && { address }),
    ...(symbol !== undefined && { symbol }),
    ...(line !== undefined && { line }),
    ...(text !== undefined && { text }),
  };
}
