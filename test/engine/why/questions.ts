/** Random questions about origins for the engine and the oracle; both answers as text that must agree. */
import { expect } from 'vitest';
import type { Engine } from '../../../electron/engine/engine.ts';
import { loadEffects, registerFileOf } from '../../../electron/engine/instructions/effects-reader.ts';
import type { RegisterFile } from '../../../electron/engine/instructions/register-file.ts';
import type { InstructionBytes } from '../../../electron/engine/image/disassembler.ts';
import type { Isa } from '../../../electron/engine/image/machine.ts';
import type { RecordView } from '../../../shared/records/record.ts';
import { namesSet } from '../../../shared/records/registers.ts';
import type { Answer, Arguments, TraceId } from '../../../shared/requests/requests.ts';
import type { Bytes, Why, WhyArguments, WhyEnd, WhyUse } from '../../../shared/requests/why.ts';
import { toHex } from '../../../shared/base/units.ts';
import type { Random } from '../../laws/random.ts';
import { ask } from '../ask.ts';
import { allRecords, firstDifference } from '../state-questions.ts';
import { endText, forwardClosure, usersIn, type ForwardAnswer, type Users } from './forward-oracle.ts';
import type { Memory } from './program-memory.ts';
import { closure, inRegisters, replay, type Byte, type Edge, type EdgeKind, type Gap, type Replay } from './oracle.ts';

/** A trace that is open in an engine, with its replay. */
export interface Replayed {
  readonly engine: Engine;
  readonly trace: TraceId;
  readonly records: readonly RecordView[];
  readonly file: RegisterFile;
  /** Registers that records set or opcodes use. */
  readonly names: readonly string[];
  readonly replay: Replay;
}

/** The instruction set of a trace: that of the letter A, or that of its program, whose bytes are at its addresses. */
export interface Processor {
  readonly isa: Isa;
  readonly program?: Memory;
}

/** Opens and replays a trace. */
export async function openReplayed(
  engine: Engine,
  args: Arguments<'open'>,
  { isa, program }: Processor = { isa: 'arm' },
): Promise<Replayed> {
  const { trace, format } = await openIndexed(engine, args);
  const records = await allRecords(engine, trace);
  const gaps = await gapsIn(engine, trace, records);
  const reader = await loadEffects();
  const file = registerFileOf(isa);
  const bigEndian = format.options['endian'] === 'big';
  const hasBanks =
    isa === 'arm' && records.some(({ register = '' }) => /^(?:r13|r14|sp|lr)(?:_| \((?![MP]SP))/i.test(register));
  const bankOf = hasBanks ? (register: string, mode: string) => file.spansOf(`${register}_${mode}`)![0]! : undefined;
  const codeOf = (record: RecordView): InstructionBytes | undefined =>
    program === undefined ? opcodeOf(record, isa) : codeIn(program, record, isa);
  const replayed = replay({ records, reader, file, bigEndian, hasModes: isa === 'arm', codeOf, gaps, bankOf });
  return { engine, trace, records, file, names: namesIn(records, file, replayed), replay: replayed };
}

/** Opens the trace of a replay in another engine. */
export async function openAgain(replayed: Replayed, engine: Engine, args: Arguments<'open'>): Promise<Replayed> {
  const { trace } = await openIndexed(engine, args);
  return { ...replayed, engine, trace };
}

async function openIndexed(engine: Engine, args: Arguments<'open'>): Promise<Answer<'open'>> {
  const opened = await ask(engine, 'open', args);
  await ask(engine, 'index', { trace: opened.trace });
  return opened;
}

/** Returns where branch events of the engine say that instructions are missing; they have tests of their own. */
async function gapsIn(engine: Engine, trace: TraceId, records: readonly RecordView[]): Promise<readonly Gap[]> {
  const { events } = await ask(engine, 'branchEvents', { trace, count: 10_000 });
  return events.flatMap(({ n, cpu, flags = [] }) => {
    if (!flags.includes('gap-before')) return [];
    const from = records.slice(0, n).findLast((record) => record.cpu === cpu)?.n ?? -1;
    return [{ cpu: cpu ?? -1, from, to: n }];
  });
}

function namesIn(records: readonly RecordView[], file: RegisterFile, { spans }: Replay): readonly string[] {
  const recorded = records.flatMap((record) => namesSet(record).map(([name]) => name));
  const used = spans.map((span) => file.nameOf(span));
  const names = [...new Set([...recorded, ...used])].filter((name) => (file.spansOf(name)?.length ?? 0) > 0);
  return names.length > 0 ? names : ['pc'];
}

function codeIn(program: Memory, { address, size }: RecordView, isa: Isa): InstructionBytes | undefined {
  if (address === undefined || size === undefined) return undefined;
  const bytes = program(Number(address), size);
  return bytes && { isa, bytes, littleEndian: true, address: BigInt(address) };
}

/** The opcode that the trace prints, as it is in the memory of a little-endian machine. */
function opcodeOf({ address, opcode, size, isa: letter, flags }: RecordView, isa: Isa): InstructionBytes | undefined {
  if (flags?.includes('odd-opcode') === true) return undefined;
  const own = letter === 'A' ? isa : letter === 'O' ? 'aarch64' : isThumb(letter, size) ? 'thumb' : undefined;
  if (own === undefined || address === undefined || opcode === undefined || size === undefined) return undefined;
  const word = BigInt(opcode);
  const halves = own === 'thumb' && size === 4 ? [word >> 16n, word & 0xffffn] : [word];
  const each = size / halves.length;
  const bytes = halves.flatMap((half) =>
    Array.from({ length: each }, (_, k) => Number((half >> BigInt(8 * k)) & 0xffn)),
  );
  return { isa: own, bytes: Uint8Array.from(bytes), littleEndian: true, address: BigInt(address) };
}

function isThumb(letter: string | undefined, size: number | undefined): boolean {
  return letter?.startsWith('T') === true || (letter === undefined && size === 2);
}

export type WhyQuestion = Omit<WhyArguments, 'trace'>;

/** Most answers are short, because each step answers a question of its own. Long ones show how chains join. */
function randomLength(random: Random): number {
  return random.below(16) === 0 ? 60 : 1 + random.below(6);
}

/** A question about a register or memory that the trace uses, at any record. */
export function randomQuestion(random: Random, { records, names, replay: { bytes } }: Replayed): WhyQuestion {
  const at = random.below(records.length);
  const more = {
    ...(random.below(2) === 0 ? { addresses: true } : {}),
    ...(random.below(2) === 0 ? { control: true } : {}),
    steps: randomLength(random),
    allCopies: true,
  };
  const byte = bytes[random.below(bytes.length)] ?? '0 *';
  if (random.below(2) === 0 || !byte.startsWith('m ')) {
    const cpu = Number(byte.startsWith('m ') ? (records[at]!.cpu ?? -1) : byte.split(' ')[0]);
    return { at, register: names[random.below(names.length)]!, ...(cpu < 0 ? {} : { cpu }), ...more };
  }
  const length = [1, 1, 4, 4, 2, 8, 16][random.below(7)]!;
  return { at, address: toHex(BigInt(byte.slice(2))), length, ...more };
}

/** Asks the engine and the replay `count` random questions and fails at the first difference. */
export async function expectAgreement(opened: Replayed, random: Random, count: number): Promise<void> {
  for (let left = count; left > 0;) {
    const question = randomQuestion(random, opened);
    if (!opened.replay.cpus.has(cpuOf(opened, question))) continue;
    const said = await answers(opened, question);
    if (said.engine !== said.oracle)
      expect(firstDifference(said.engine, said.oracle), JSON.stringify(question)).toBeUndefined();
    left -= 1;
  }
}

/** The question as both sides answer it; the texts are equal if they agree. */
export async function answers(opened: Replayed, question: WhyQuestion): Promise<{ engine: string; oracle: string }> {
  const why = await ask(opened.engine, 'why', { trace: opened.trace, ...question });
  return { engine: textOfWhy(why, opened.file), oracle: textOfReplay(opened, question) };
}

/** CPU whose registers are in question. */
function cpuOf({ records }: Replayed, { at, cpu }: WhyQuestion): number {
  return cpu ?? records[at]!.cpu ?? -1;
}

function textOfReplay(opened: Replayed, question: WhyQuestion): string {
  const { at, steps: most = Infinity } = question;
  const { origin, steps } = closure(opened.replay, requestedBytes(opened, question), at, kindsOf(question), most);
  const included = new Set(steps.map(({ n }) => n));
  const text = ({ edge, byte, definer }: Edge): string =>
    `${edge} ${byte ?? '?'} <- ${definer === undefined ? 'none' : included.has(definer) ? definer : 'beyond'}`;
  return linesOf(
    origin.map(text),
    steps.map(({ n, defines, uses }) => ({ n, defines: [...defines], uses: uses.map(text) })),
  );
}

function kindsOf({ addresses = false, control = false }: WhyQuestion): ReadonlySet<EdgeKind> {
  return new Set<EdgeKind>([
    'data',
    ...(addresses ? ['address' as const] : []),
    ...(control ? ['control' as const] : []),
  ]);
}

function requestedBytes(opened: Replayed, question: WhyQuestion): readonly Byte[] {
  const cpu = cpuOf(opened, question);
  return question.register === undefined
    ? Array.from({ length: question.length ?? 1 }, (_, k) => `m ${BigInt(question.address!) + BigInt(k)}`)
    : opened.file.spansOf(question.register)!.flatMap((span) => inRegisters(cpu, span));
}

function textOfWhy({ steps, origin }: Why, file: RegisterFile): string {
  const text = (use: WhyUse): readonly string[] => {
    const { step, edge, reason } = use;
    const from = step === null ? (reason === BEYOND ? 'beyond' : 'none') : steps[step]!.n;
    const bytes = bytesOf(use, file);
    return (bytes.length === 0 ? ['?'] : bytes).map((byte) => `${edge} ${byte} <- ${from}`);
  };
  return linesOf(
    origin.flatMap(text),
    steps.map(({ n, defines, uses }) => ({
      n,
      defines: defines.flatMap((each) => bytesOf(each, file)),
      uses: uses.flatMap(text),
    })),
  );
}

const BEYOND = 'there are enough steps';

interface StepText {
  readonly n: number;
  readonly defines: readonly Byte[];
  readonly uses: readonly string[];
}

function linesOf(origin: readonly string[], steps: readonly StepText[]): string {
  const sorted = (list: readonly string[]): string => [...new Set(list)].sort().join(', ');
  const lines = steps.map(({ n, defines, uses }) => `${n} defines ${sorted(defines)}; uses ${sorted(uses)}`);
  return [`origin ${sorted(origin)}`, ...lines].join('\n');
}

function bytesOf(bytes: Bytes, file: RegisterFile): readonly Byte[] {
  if ('address' in bytes)
    return Array.from({ length: bytes.length }, (_, k) => `m ${BigInt(bytes.address) + BigInt(k)}`);
  return bytes.register
    .split(',')
    .flatMap((name) => file.spansOf(name) ?? [])
    .flatMap((span) => inRegisters(bytes.cpu ?? -1, span));
}

/** Asks the engine and the replay where values went, `count` times, and fails at the first difference. */
export async function expectForwardAgreement(opened: Replayed, random: Random, count: number): Promise<void> {
  const users = usersIn(opened.replay, opened.file);
  for (let i = 0; i < count; i++) {
    const question = { ...randomQuestion(random, opened), forward: true };
    if (!opened.replay.cpus.has(cpuOf(opened, question))) continue;
    const said = await forwardAnswers(opened, users, question);
    expect(firstDifference(said.engine, said.oracle), `question ${i}: ${JSON.stringify(question)}`).toBeUndefined();
  }
}

export async function forwardAnswers(
  opened: Replayed,
  users: Users,
  question: WhyQuestion,
): Promise<{ engine: string; oracle: string }> {
  const { steps: most = Infinity } = question;
  const why = await ask(opened.engine, 'why', { trace: opened.trace, ...question });
  const found = forwardClosure(
    opened.replay,
    users,
    requestedBytes(opened, question),
    question.at,
    kindsOf(question),
    most,
  );
  return { engine: textOfForward(why, opened.file), oracle: forwardText(found.steps, found.ends) };
}

function forwardText(steps: ForwardAnswer['steps'], ends: readonly string[]): string {
  const sorted = (set: ReadonlySet<string>): string => [...set].sort().join(', ');
  const lines = steps.map(({ n, defines, uses }) => `${n} defines ${sorted(defines)}; uses ${sorted(uses)}`);
  return [...lines, ...ends].join('\n');
}

function textOfForward({ steps, ends = [], ended }: Why, file: RegisterFile): string {
  const endsOf = (n: number, all: readonly WhyEnd[]): readonly string[] =>
    all.flatMap((end) => {
      const next = end.how === 'kept' ? undefined : { n: end.n ?? -1, isLost: end.how === 'unknown' };
      return bytesOf(end, file).map((byte) => endText(n, byte, next));
    });
  const texts = steps.map(({ n, defines, uses }) => ({
    n,
    defines: new Set(defines.flatMap((each) => bytesOf(each, file))),
    uses: new Set(
      uses.flatMap((use) => {
        const from = use.step === null ? 'value' : steps[use.step]!.n;
        return bytesOf(use, file).map((byte) => `${use.edge} ${byte} <- ${from}`);
      }),
    ),
  }));
  const all = [...endsOf(-1, ends), ...steps.flatMap((step) => endsOf(step.n, step.ends ?? []))];
  return forwardText(texts, ended.reason === 'steps' ? [] : [...new Set(all)].sort());
}
