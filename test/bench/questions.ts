// Measures how fast the engine answers a client. run.ts starts it as a process of its own:
//
//     node test/bench/questions.ts first  FILE FORMAT INDEX_FOLDER        on a trace without an index
//     node test/bench/questions.ts answer FILE FORMAT INDEX_FOLDER COUNT SEED      on an indexed one
//
// Prints one JSON document. Times are milliseconds measured by the caller, including the way to the engine's thread and back.
import type { Engine, EngineSettings } from '../../electron/engine/engine.ts';
import { createRandom, type Random } from '../../electron/sample/random.ts';
import type { AccessWay, Answer, Arguments, RequestName, Client } from '../../shared/requests/requests.ts';
import type { RecordView } from '../../shared/records/record.ts';
import { type Hex, toHex } from '../../shared/base/units.ts';
import { searchSpeeds, type SearchSpeed } from './searches.ts';

export interface FirstAnswers {
  /** Measured from the start of the process, including Node's own start. */
  readonly recordsSinceStart: number;
  readonly recordsSinceOpen: number;
  /** Absent if no record has an address. */
  readonly heatSinceStart?: number;
  readonly heatSinceOpen?: number;
}

export interface Answers {
  /** Time to open an indexed trace and answer every request of the first paint. */
  readonly reopen: readonly number[];
  readonly questions: readonly Latency[];
  /** Requests left out because the trace has no data for them. */
  readonly leftOut: readonly string[];
  readonly searches: readonly SearchSpeed[];
}

export interface Latency {
  readonly question: string;
  /** First request to a newly started engine. */
  readonly cold: readonly number[];
  /** First request at its position, to an engine that has answered others. */
  readonly first: readonly number[];
  /** The same request again. */
  readonly warm: readonly number[];
}

/** A request with random arguments, which can be sent twice. */
type Question = (client: Client) => Promise<unknown>;

interface Place {
  readonly trace: string;
  readonly records: number;
  readonly random: Random;
  /** Addresses of records at random positions. */
  readonly touched: readonly Hex[];
  readonly low: bigint;
  readonly high: bigint;
  readonly rare: Rare;
}

/** Addresses whose last writer is far back; absent if the trace has none. */
interface Rare {
  /** Written by one of the first records and never again. */
  readonly once?: Hex;
  /** Never written, but in the same 4-byte word as a byte that is written repeatedly. */
  readonly beside?: Hex;
}

const COLD_ENGINES = 12;
const REOPENINGS = 5;

const QUESTIONS: Readonly<Record<string, (place: Place) => Question | undefined>> = {
  'records, 100 from a random one': ({ trace, records, random }) => {
    const from = Math.floor((records - 100) * fraction(random));
    return (client) => ask(client, 'records', { trace, from, count: 100 });
  },
  'find, next access': (place) => find(place, 'after', false),
  'find, previous access': (place) => find(place, 'before', false),
  'find, previous write': (place) => find(place, 'before', true),
  'find, never touched': ({ trace, records, random }) => {
    const line = 0xf0000000 + 64 * random.below(1 << 20);
    const after = Math.floor(records * fraction(random));
    const address = { low: toHex(line), high: toHex(line + 63) };
    return (client) => ask(client, 'find', { trace, address, after });
  },
  'registers at a random record': ({ trace, records, random }) => {
    const at = Math.floor(records * fraction(random));
    return (client) => ask(client, 'registers', { trace, at });
  },
  'memory, 512 bytes around a touched one': ({ trace, records, random, touched }) => {
    if (touched.length === 0) return undefined;
    const at = Math.floor(records * fraction(random));
    const middle = BigInt(random.pick(touched));
    const address = toHex(middle < 256n ? 0n : middle - 256n);
    return (client) => ask(client, 'memory', { trace, at, address, length: 512 });
  },
  'last write of a touched byte': (place) => access(place, 'last-write', anyOf(place)),
  'next access to a touched byte': (place) => access(place, 'next-access', anyOf(place)),
  'last write, written once at the start': (place) => access(place, 'last-write', place.rare.once),
  'next access, written once at the start': (place) => access(place, 'next-access', place.rare.once),
  'last write, never written': (place) => access(place, 'last-write', toHex(0xf0000000 + place.random.below(1 << 26))),
  'next access, never touched': (place) =>
    access(place, 'next-access', toHex(0xf0000000 + place.random.below(1 << 26))),
  'last write, beside a busy byte': (place) => access(place, 'last-write', place.rare.beside),
  'next write, beside a busy byte': (place) => access(place, 'next-write', place.rare.beside),
  'heat, whole, quick, 1600 x 800': ({ trace }) => {
    return (client) => ask(client, 'heat', { trace, columns: 1600, rows: 800, precision: 'quick' });
  },
  'heat, 10 % x 10 %, quick, 1600 x 800': (place) => rectangle(place, 10, 'quick'),
  'heat, 1 % x 1 %, even, 1600 x 800': (place) => rectangle(place, 100, 'even'),
  'heat, 0.1 % x 0.1 %, even, 1600 x 800': (place) => rectangle(place, 1000, 'even'),
};

function find(
  { trace, records, random, touched }: Place,
  way: 'after' | 'before',
  writes: boolean,
): Question | undefined {
  if (touched.length === 0) return undefined;
  const low = random.pick(touched);
  const address = { low, high: toHex(BigInt(low) + 3n) };
  const n = Math.floor(records * fraction(random));
  const kinds = writes ? { kinds: ['write', 'bus-write'] as const } : {};
  return (client) =>
    ask(client, 'find', { trace, address, ...kinds, ...(way === 'after' ? { after: n } : { before: n }) });
}

function anyOf({ random, touched }: Place): Hex | undefined {
  return touched.length === 0 ? undefined : random.pick(touched);
}

/** Request at a random record; undefined if the trace has no such address. */
function access({ trace, records, random }: Place, way: AccessWay, address: Hex | undefined): Question | undefined {
  const at = Math.floor(records * fraction(random));
  if (address === undefined) return undefined;
  return (client) => ask(client, 'access', { trace, way, at, address: { low: address, high: address } });
}

/** Request for a part of all records, around a touched address. */
function rectangle(
  { trace, records, random, touched, low, high }: Place,
  part: number,
  precision: 'even' | 'quick',
): Question | undefined {
  if (touched.length === 0) return undefined;
  const width = Math.max(1, Math.floor(records / part));
  const from = Math.floor((records - width) * fraction(random));
  const height = (high - low) / BigInt(part) + 1n;
  const middle = BigInt(random.pick(touched));
  const bottom = middle - height / 2n < low ? low : middle - height / 2n;
  const bands = [{ low: toHex(bottom), high: toHex(bottom + height), rows: 800 }];
  return (client) => ask(client, 'heat', { trace, from, to: from + width, columns: 1600, bands, precision });
}

function fraction(random: Random): number {
  return random.next() / 2 ** 32;
}

async function ask<N extends RequestName>(client: Client, name: N, args: Arguments<N>): Promise<Answer<N>> {
  const answer = await client.request(name, args);
  if (!answer.ok) throw new Error(`${name}: ${answer.error.message}`);
  return answer.value;
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** The engine as shipped: running from sources would first strip the types of every thread. */
const built = (await import(new URL('../../dist/engine.js', import.meta.url).href)) as {
  startEngine(settings?: EngineSettings): Engine;
};

async function withEngine<T>(work: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = built.startEngine();
  try {
    return await work(engine);
  } finally {
    await engine.close();
  }
}

interface File {
  readonly path: string;
  readonly format: string;
  readonly indexDirectory: string;
}

function firstAnswers(file: File): Promise<FirstAnswers> {
  return withEngine(async (engine) => {
    const opening = performance.now();
    const { trace } = await ask(engine, 'open', file);
    const shown = await ask(engine, 'records', { trace, from: 0, count: 50 });
    if (shown.records.length === 0) throw new Error('no first records');
    const recordsSinceStart = performance.now();
    const stop = new AbortController();
    const done = { indexing: false };
    const indexing = engine.request('index', { trace }, { signal: stop.signal }).then(() => (done.indexing = true));
    let heat = 0;
    while (heat === 0 && !done.indexing) {
      const grid = await ask(engine, 'heat', { trace, columns: 800, rows: 400, precision: 'quick' });
      if (grid.most > 0) heat = performance.now();
      else await new Promise((resolve) => setTimeout(resolve, 5));
    }
    stop.abort();
    await indexing;
    return {
      recordsSinceStart,
      recordsSinceOpen: recordsSinceStart - opening,
      ...(heat > 0 && { heatSinceStart: heat, heatSinceOpen: heat - opening }),
    };
  });
}

async function answers(file: File, count: number, seed: number): Promise<Answers> {
  const reopen: number[] = [];
  for (let k = 0; k < REOPENINGS; k++) {
    await withEngine(async (engine) => {
      reopen.push(await milliseconds(() => paint(engine, file)));
    });
  }
  const rare = await withEngine((engine) => rareAddresses(engine, file));
  const questions: Latency[] = [];
  const leftOut: string[] = [];
  for (const [question, make] of Object.entries(QUESTIONS)) {
    const cold: number[] = [];
    for (let k = 0; k < Math.min(count, COLD_ENGINES); k++) {
      await withEngine(async (engine) => {
        const place = await survey(engine, file, createRandom(seed + 1000 + k), false, rare);
        const one = make(place);
        if (one !== undefined) cold.push(await milliseconds(() => one(engine)));
      });
    }
    await withEngine(async (engine) => {
      const place = await survey(engine, file, createRandom(seed), true, rare);
      const requested = Array.from({ length: count }, () => make(place)).filter((one) => one !== undefined);
      if (requested.length === 0) {
        leftOut.push(question);
        return;
      }
      const first: number[] = [];
      const warm: number[] = [];
      for (const one of requested) {
        first.push(await milliseconds(() => one(engine)));
        warm.push(await milliseconds(() => one(engine)));
      }
      questions.push({ question, cold, first, warm });
    });
  }
  const searches = await withEngine(async (engine) => {
    const { trace } = await ask(engine, 'open', file);
    return searchSpeeds(engine, trace);
  });
  return { reopen, questions, leftOut, searches };
}

/** All requests of the workbench when it opens a trace. */
async function paint(engine: Engine, file: File): Promise<void> {
  const { trace } = await ask(engine, 'open', file);
  await Promise.all([
    ask(engine, 'info', { trace }),
    ask(engine, 'overview', { trace, columns: 800 }),
    ask(engine, 'heat', { trace, columns: 800, rows: 400, precision: 'quick' }),
    ask(engine, 'records', { trace, from: 0, count: 60 }),
    ask(engine, 'bytes', { trace, offset: 0, length: 4096 }),
  ]);
}

/** Positions of requests: `wide` takes records from the whole trace, else only from a few bands, so that few pages are touched before. */
async function survey(engine: Engine, file: File, random: Random, wide: boolean, rare: Rare): Promise<Place> {
  const { trace } = await ask(engine, 'open', file);
  const info = await ask(engine, 'info', { trace });
  if (!info.index.complete) throw new Error('the trace is not indexed');
  const { records } = info;
  const low = BigInt(info.address?.lowest ?? 0);
  const high = BigInt(info.address?.highest ?? 0) + 1n;
  const touched: Hex[] = [];
  const looks = wide ? 64 : 1;
  for (let k = 0; k < looks; k++) {
    const from = Math.floor(((records - 200) * (k + fraction(random))) / looks);
    const found = await ask(engine, 'records', { trace, from, count: 200 });
    for (const { kind, address } of found.records) {
      if (
        address !== undefined &&
        (kind === 'read' || kind === 'write' || kind === 'bus-read' || kind === 'bus-write')
      ) {
        touched.push(address);
      }
    }
  }
  return { trace, records, random, touched, low, high, rare };
}

/** Searches the first records and the busy addresses at the end. */
async function rareAddresses(engine: Engine, file: File): Promise<Rare> {
  const { trace } = await ask(engine, 'open', file);
  const { records } = await ask(engine, 'info', { trace });
  const at = records - 1;
  const written = (found: readonly RecordView[]): RecordView[] =>
    found.filter(({ kind, address }) => address !== undefined && (kind === 'write' || kind === 'bus-write'));
  const ask1 = async (way: AccessWay, address: Hex): Promise<number | undefined> =>
    (await ask(engine, 'access', { trace, way, at, address: { low: address, high: address } })).record?.n;
  const rare: { once?: Hex; beside?: Hex } = {};
  for (const { n, address = '0x0' } of written(
    (await ask(engine, 'records', { trace, from: 0, count: 10_000 })).records,
  )) {
    if ((await ask1('last-write', address)) === n) {
      rare.once = address;
      break;
    }
  }
  const late = (await ask(engine, 'records', { trace, from: Math.max(0, records - 10_000), count: 10_000 })).records;
  for (const { address = '0x0', size = 4 } of written(late)) {
    if (size > 2) continue;
    const word = BigInt(address) & ~3n;
    for (let byte = word; byte < word + 4n && rare.beside === undefined; byte++) {
      if ((await ask1('last-write', toHex(byte))) === undefined) rare.beside = toHex(byte);
    }
    if (rare.beside !== undefined) break;
  }
  return rare;
}

const [what, path = '', format = '', indexDirectory = '', count = '', seed = ''] = process.argv.slice(2);
const file = { path, format, indexDirectory };
const found = what === 'first' ? await firstAnswers(file) : await answers(file, Number(count), Number(seed));
process.stdout.write(JSON.stringify(found));
