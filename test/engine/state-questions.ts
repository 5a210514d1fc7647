/** Random requests about the machine's state, sent to the engine and the oracle; both answers as text that must agree. */
import type { Engine } from '../../electron/engine/engine.ts';
import { ACCESS_WAYS, KNOWN, type TraceId } from '../../shared/requests/requests.ts';
import { READS, WRITES, type Kind, type RecordView } from '../../shared/records/record.ts';
import { toHex, type Hex } from '../../shared/base/units.ts';
import type { Random } from '../laws/random.ts';
import { ask } from './ask.ts';
import { accessAt, findMatches, memoryAt, registersAt, type Step } from './state-oracle.ts';

export interface Question {
  /** Description of the request for a failing test. */
  readonly text: string;
  ofEngine(engine: Engine, trace: TraceId): Promise<string>;
  /** `steps`: steps of all indexed records. `engineSays`: the answer of the engine, which may choose what it answers. */
  ofOracle(steps: readonly Step[], engineSays: string): string;
}

/** A request at a random record, as often about bytes and registers that records use as about others. */
export function randomQuestion(random: Random, steps: readonly Step[]): Question {
  const at = random.below(16) === 0 ? steps.length - 1 : random.below(steps.length);
  switch (random.below(7)) {
    case 0:
      return registersQuestion(at, random.below(3) === 0 ? random.below(4) : undefined);
    case 1:
    case 2:
      return memoryQuestion(at, placeIn(random, steps), lengthIn(random), random.below(3) === 0);
    case 3:
      return registerAccessQuestion(random, steps, at);
    case 4:
      return spanAccessQuestion(random, steps, at);
    case 5:
      return valuesQuestion(random, steps, at);
    default:
      return findQuestion(random, steps, at);
  }
}

/** A request about the code at `from` and after it, with the bytes that opcodes prove. */
export function codeQuestion(random: Random, steps: readonly Step[], from: bigint): Question {
  return memoryQuestion(random.below(steps.length), from + BigInt(random.below(600)), 1 + random.below(200), true);
}

function registersQuestion(at: number, cpu: number | undefined): Question {
  const requested = cpu === undefined ? {} : { cpu };
  return {
    text: `registers ${JSON.stringify({ at, ...requested })}`,
    async ofEngine(engine, trace) {
      const { files } = await ask(engine, 'registers', { trace, at, ...requested });
      return files.map((file) => registersText(file.cpu, file.registers)).join('');
    },
    ofOracle: (steps) =>
      registersAt(steps, at)
        .filter((file) => cpu === undefined || file.cpu === cpu)
        .map(({ cpu: its, registers }) =>
          registersText(
            its,
            [...registers].map(([name, value]) => ({ name, ...value })),
          ),
        )
        .join(''),
  };
}

/** Empty for a cpu without known registers. */
function registersText(
  cpu: number | undefined,
  registers: readonly { readonly name: string; readonly value: string; readonly since: number }[],
): string {
  const texts = registers.map(({ name, value, since }) => `${name} ${value} ${since}\n`);
  return texts.length === 0 ? '' : `cpu ${cpu ?? 'none'}\n${texts.sort().join('')}`;
}

/** Values at the ends of a few columns of the records up to `at`. */
function valuesQuestion(random: Random, steps: readonly Step[], at: number): Question {
  const range = { from: random.below(at + 1), to: at + 1, columns: 1 + random.below(8) };
  const place = placeIn(random, steps);
  const register = `r${random.below(4)}`;
  const of =
    random.below(2) === 0
      ? { register, cpu: random.below(2) }
      : { address: toHex(place), length: place + 2n > END ? 1 : 2, bigEndian: random.below(2) === 0 };
  return {
    text: `values ${JSON.stringify({ ...of, ...range })}`,
    async ofEngine(engine, trace) {
      const { edges, values } = await ask(engine, 'values', { trace, ...of, ...range });
      const last = edges.length - 1;
      if (edges[0] !== range.from || edges[last] !== range.to) return 'other records';
      if (values.length !== Math.min(range.columns, range.to - range.from)) return 'another number of columns';
      return values.map((value, column) => `${edges[column + 1]} ${value}`).join('\n');
    },
    ofOracle: (all, engineSays) =>
      engineSays
        .split('\n')
        .map((line) => {
          const edge = Number(line.split(' ')[0]);
          return `${edge} ${valueBefore(all, edge, of)}`;
        })
        .join('\n'),
  };
}

type Valued =
  | { readonly register: string; readonly cpu: number }
  | { readonly address: Hex; readonly length: number; readonly bigEndian: boolean };

function valueBefore(steps: readonly Step[], edge: number, of: Valued): string {
  if ('register' in of) {
    const file = registersAt(steps, edge - 1).find(({ cpu }) => cpu === of.cpu);
    return file?.registers.get(of.register)?.value ?? 'null';
  }
  const { bytes } = memoryAt(steps, edge - 1, BigInt(of.address), of.length);
  if (bytes.includes(undefined)) return 'null';
  const pairs = bytes.map((byte) => byte!.toString(16).padStart(2, '0'));
  return toHex(BigInt(`0x${(of.bigEndian ? pairs : pairs.reverse()).join('')}`));
}

function memoryQuestion(at: number, place: bigint, wanted: number, opcodes: boolean): Question {
  const length = Number(place + BigInt(wanted) > END ? END - place : BigInt(wanted));
  const args = { at, address: toHex(place), length, ...(opcodes ? { opcodes } : {}) };
  return {
    text: `memory ${JSON.stringify(args)}`,
    async ofEngine(engine, trace) {
      const { bytes, known, writers, touched } = await ask(engine, 'memory', { trace, ...args });
      return memoryText(length, (i) => [bytes[i]!, HOW[known[i]!], writers[i]!, touched[i]!]);
    },
    ofOracle(steps) {
      const { bytes, fromOpcode, writers, touched } = memoryAt(steps, at, place, length, opcodes);
      return memoryText(length, (i) => {
        const how = bytes[i] === undefined ? 'unknown' : fromOpcode[i]! ? 'opcode' : 'data';
        return [bytes[i] ?? 0, how, writers[i]!, touched[i]!];
      });
    },
  };
}

const HOW: Readonly<Record<number, string>> = {
  [KNOWN.not]: 'unknown',
  [KNOWN.data]: 'data',
  [KNOWN.opcode]: 'opcode',
};

/** Omits bytes about which nothing is known. */
function memoryText(
  length: number,
  byteAt: (place: number) => readonly [value: number, how: string | undefined, writer: number, touched: number],
): string {
  const texts: string[] = [];
  for (let i = 0; i < length; i++) {
    const [value, how, writer, touched] = byteAt(i);
    if (how === 'unknown' && value === 0 && touched === -1 && writer === -1) continue;
    texts.push(`+${i} ${value} ${how ?? 'no such way'} written ${writer} touched ${touched}\n`);
  }
  return texts.join('');
}

function spanAccessQuestion(random: Random, steps: readonly Step[], at: number): Question {
  const way = wayIn(random);
  const low = placeIn(random, steps);
  const span = { low, high: highOf(low, random.below(4) === 0 ? 1 : lengthIn(random)) };
  return accessQuestion({ way, at, span });
}

function registerAccessQuestion(random: Random, steps: readonly Step[], at: number): Question {
  const setting = steps.filter(({ sets }) => sets.length > 0);
  const sets = setting.length === 0 ? [] : setting[random.below(setting.length)]!.sets;
  const register = sets.length === 0 || random.below(20) === 0 ? 'r99' : sets[random.below(sets.length)]![0];
  return accessQuestion({
    way: wayIn(random),
    at,
    register,
    ...(random.below(3) === 0 ? { cpu: random.below(3) } : {}),
  });
}

function accessQuestion(question: Parameters<typeof accessAt>[1]): Question {
  const { way, at, span, register, cpu } = question;
  const args = {
    way,
    at,
    ...(span === undefined ? {} : { address: { low: toHex(span.low), high: toHex(span.high) } }),
    ...(register === undefined ? {} : { register }),
    ...(cpu === undefined ? {} : { cpu }),
  };
  return {
    text: `access ${JSON.stringify(args)}`,
    async ofEngine(engine, trace) {
      const { record, before, after } = await ask(engine, 'access', { trace, ...args });
      return accessText(record?.n, before, after);
    },
    ofOracle(steps) {
      const { n, before, after } = accessAt(steps, question);
      return accessText(n, before, after);
    },
  };
}

function accessText(n: number | undefined, before: string | undefined, after: string | undefined): string {
  return `record ${n ?? 'none'} before ${before ?? '-'} after ${after ?? '-'}`;
}

function findQuestion(random: Random, steps: readonly Step[], at: number): Question {
  const low = placeIn(random, steps);
  const span = random.below(4) === 0 ? undefined : { low, high: highOf(low, lengthIn(random)) };
  const kinds = random.below(2) === 0 ? undefined : KIND_SETS[random.below(KIND_SETS.length)]!;
  const limit = 1 + random.below(5);
  const forwards = random.below(2) === 0;
  const args = {
    ...(span === undefined ? {} : { address: { low: toHex(span.low), high: toHex(span.high) } }),
    ...(kinds === undefined ? {} : { kinds }),
    ...(forwards ? { after: at } : { before: at }),
    limit,
  };
  const numbers = (records: readonly Pick<RecordView, 'n'>[]) => records.map(({ n }) => n).join(' ');
  return {
    text: `find ${JSON.stringify(args)}`,
    ofEngine: async (engine, trace) => numbers((await ask(engine, 'find', { trace, ...args })).records),
    ofOracle(all) {
      const question = { ...(span === undefined ? {} : { span }), ...(kinds === undefined ? {} : { kinds }) };
      const found = all.filter((step) => (forwards ? step.n > at : step.n < at) && findMatches(step, question));
      return numbers(forwards ? found.slice(0, limit) : found.reverse().slice(0, limit));
    },
  };
}

const KIND_SETS: readonly (readonly Kind[])[] = [READS, WRITES, ['register'], ['instruction', 'skipped'], ['read']];
const END = 1n << 64n;

function wayIn(random: Random) {
  return ACCESS_WAYS[random.below(ACCESS_WAYS.length)]!;
}

/** Near a byte that some record touches; sometimes anywhere. */
function placeIn(random: Random, steps: readonly Step[]): bigint {
  const span = steps[random.below(steps.length)]!.span ?? steps[random.below(steps.length)]!.span;
  if (span === undefined || random.below(40) === 0) return BigInt(random.below(2 ** 32));
  const place = span.low + BigInt(random.below(40) - 12);
  return place < 0n ? 0n : place >= END ? END - 1n : place;
}

function lengthIn(random: Random): number {
  switch (random.below(8)) {
    case 0:
      return 1;
    case 1:
      return 4096 + random.below(5000);
    case 2:
      return 300 + random.below(300);
    default:
      return 1 + random.below(100);
  }
}

function highOf(low: bigint, length: number): bigint {
  const high = low + BigInt(length) - 1n;
  return high >= END ? END - 1n : high;
}

/** First line in which two answers differ; undefined if they agree. */
export function firstDifference(engine: string, oracle: string): string | undefined {
  if (engine === oracle) return undefined;
  const [answered, wanted] = [engine.split('\n'), oracle.split('\n')];
  const line = answered.findIndex((text, i) => text !== wanted[i]);
  const at = line < 0 ? answered.length : line;
  return `the engine says '${answered[at] ?? ''}', a replay '${wanted[at] ?? ''}'`;
}

/** All records of a trace as the engine lists them. */
export async function allRecords(engine: Engine, trace: TraceId): Promise<RecordView[]> {
  const all: RecordView[] = [];
  for (;;) {
    const { records, reach } = await ask(engine, 'records', { trace, from: all.length, count: 10_000 });
    all.push(...records);
    if (records.length === 0 || all.length >= reach.records) return all;
  }
}
