/** Answers why a register or memory has its value: the instructions that made it of which others. */
import { NO_CPU } from '../../../../shared/records/batch.ts';
import { isInstruction, KINDS, type Kind, type RecordView } from '../../../../shared/records/record.ts';
import type { Bytes, Why, WhyArguments, WhyStep } from '../../../../shared/requests/why.ts';
import { WHY_STEPS } from '../../../../shared/requests/why.ts';
import { KNOWN, type SearchProgress } from '../../../../shared/requests/requests.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { toHex, type RecordNumber } from '../../../../shared/base/units.ts';
import { decodeRegisterSets } from '../../index/builders/register-sets.ts';
import { nodesBefore, nodesReady } from '../../index/pyramid.ts';
import { NODE } from '../../index/store/index-file.ts';
import { registerFileOf, withEffects, type EffectsReader } from '../../instructions/effects-reader.ts';
import type { RegisterFile } from '../../instructions/register-file.ts';
import { answerAtOnce, answerInSlices } from '../../threads/in-slices.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { disassemblerFor } from '../images/branch-matches.ts';
import { memoryWithImage } from '../memory/memory.ts';
import { annotated } from '../records/annotate.ts';
import { viewOf } from '../records/block-reader.ts';
import { banksOf } from './banks.ts';
import type { Machine } from './definitions.ts';
import { cpuOf, createInstructions } from './instructions.ts';
import { codeReader, type CodeReader } from './instruction-set.ts';
import type { Search } from './last-definition.ts';
import { memoryBytes, registerBytes, type Location } from './locations.ts';
import { answerForward } from './forward/answer-forward.ts';
import { bytesOf, describe, factsOf, reasonOf, type Shown } from './describe.ts';
import { withoutCopies } from './fold.ts';
import { gapsOf } from './gaps.ts';
import { foldCopies } from './join-copies.ts';
import { addressBytes, contentBefore, counterOf, slice, type GrowingSlice } from './slice.ts';
import { isStopped, sliceSoFar, untilStopped } from './stopping.ts';
import { createValues, type RecordedRegister } from './values.ts';

/** @param stopped returns true if the answer is to have only the steps that are found by then */
export function why(
  trace: Trace,
  question: WhyArguments,
  task: Task<SearchProgress>,
  stopped = (): boolean => isStopped(trace, question),
): Promise<Result<Why>> {
  return withEffects((reader) => answer(trace, question, task, stopped, reader));
}

async function answer(
  trace: Trace,
  question: WhyArguments,
  task: Task<SearchProgress>,
  stopped: () => boolean,
  reader: EffectsReader,
): Promise<Result<Why>> {
  const reach = reachOf(trace);
  const prepared = prepare(trace, question, reader, await codeReader(trace));
  if (!prepared.ok) return prepared;
  const args = withBank(question, prepared.value);
  const gaps = await gapsOf(trace, prepared.value.instructions, task);
  if (!gaps.ok) return gaps;
  const search: Search = { ...prepared.value, gaps: gaps.value };
  const subject = subjectBytes(search, args);
  if (!subject.ok) return subject;
  const options = {
    most: args.steps ?? WHY_STEPS,
    addresses: args.addresses === true,
    control: args.pc === true ? ('only' as const) : args.control === true,
    allCopies: args.allCopies === true,
  };
  const disassembler = await disassemblerFor(trace);
  const inImage = (location: Location): boolean => {
    const held = answerAtOnce(
      memoryWithImage(trace, { at: undefined, address: toHex(location.low), length: location.bytes }, disassembler),
    );
    return held.ok && [...held.value.known].every((known) => known === KNOWN.image);
  };
  if (args.forward === true) {
    const followed = { ...options, control: args.control === true };
    const found = await answerForward(trace, search, inImage, subject.value, args.at, followed, task, stopped);
    if (!found.ok) return found;
    return ok({ at: args.at, of: subjectOf({ search }, args, subject.value), ...found.value, reach });
  }
  const before = args.pc === true ? search.instructions.ownerOf(args.at) : args.at + 1;
  const growing: GrowingSlice = { steps: [], origin: [] };
  const whole = slice(search, subject.value, before, options, growing);
  let isWhole = true;
  const slicing = untilStopped(whole, stopped, () => {
    const found = sliceSoFar(growing, subject.value, contentBefore(search, before));
    isWhole = found.open.length === 0;
    return found;
  });
  const sliced = await answerInSlices(slicing, task, (at) => task.progress(() => ({ at })));
  if (!sliced.ok) return sliced;
  const shown = { search, inImage, isWhole };
  const folded = options.allCopies
    ? withoutCopies(sliced.value)
    : foldCopies(sliced.value, options.most, search.machine, (use) => reasonOf(shown, use, true));
  const described = describe(shown, folded);
  const named = await annotated(
    trace.images,
    trace.reader.decoder,
    folded.steps.map(({ unit }) => unit.record),
  );
  const steps = described.steps.map((step, k): WhyStep => ({ ...factsOf(named[k]!), ...step }));
  return ok({
    at: args.at,
    of: subjectOf(shown, args, subject.value),
    steps,
    origin: described.origin,
    ended: described.ended,
    reach,
  });
}

/** Records before a record in which an instruction is looked for that names the mode. */
const MOST_WITHOUT_MODE = 256;

/** Returns the question about a register of the current mode as one about the register of this mode. */
function withBank(question: WhyArguments, { instructions, machine: { file } }: Omit<Search, 'gaps'>): WhyArguments {
  const { banks } = instructions;
  const [span] = (question.register === undefined ? undefined : file.spansOf(question.register)) ?? [];
  if (banks === undefined || span === undefined || !banks.isUnplaced(span)) return question;
  const cpu = question.cpu ?? instructions.at(question.at)?.cpu;
  for (let n = question.at; n >= Math.max(0, question.at - MOST_WITHOUT_MODE); n -= 1) {
    const record = instructions.at(n);
    if (record !== undefined && isInstruction(record.kind) && record.cpu === cpu)
      return { ...question, register: file.nameOf(banks.place(span, record)) };
  }
  return question;
}

function prepare(
  trace: Trace,
  args: WhyArguments,
  reader: EffectsReader,
  codeAt: CodeReader,
): Result<Omit<Search, 'gaps'>> {
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
  const recorded = recordedRegisters(trace, file);
  const banks = banksOf(
    file,
    recorded.map(({ name }) => name),
  );
  const instructions = createInstructions(trace, reader, codeAt, file, banks);
  const bigEndian = trace.format.options['endian'] === 'big';
  const kinds = { file, bigEndian, reads: cached('read', 'bus-read'), writes: cached('write', 'bus-write') };
  const values = createValues(trace, instructions, kinds, recorded);
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
  return ok({ trace, instructions, machine, values, recorded });
}

/** In bytes: a vector of SVE. */
const LONGEST_REGISTER = 256;

/** Records before and after a record that are looked at for the instruction set: the nearest ones first. */
const NEAR = 512;

/** Returns the register file of the nearest instruction of the CPU in question. */
function familyAt(trace: Trace, codeAt: CodeReader, { at, cpu }: WhyArguments): RegisterFile | undefined {
  const recordAt = (n: RecordNumber): RecordView | undefined => {
    const read = n < 0 || n >= trace.blocks.records ? undefined : viewOf(trace, n);
    return read?.ok === true ? read.value : undefined;
  };
  const own = cpu ?? recordAt(at)?.cpu;
  for (let distance = 0; distance <= NEAR; distance += 1)
    for (const n of new Set([at - distance, at + distance])) {
      const record = recordAt(n);
      if (record?.kind !== 'instruction' || (own !== undefined && record.cpu !== own)) continue;
      const code = codeAt(record);
      if (code !== undefined) return registerFileOf(code.isa);
    }
  return undefined;
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
  const cpu = args.cpu ?? (record === undefined ? NO_CPU : cpuOf(record));
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
  shown: Pick<Shown, 'search'>,
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
