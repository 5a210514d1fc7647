// Bytes of images before the first access agree with a replay of all records, for several block sizes and while the index grows.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRandom } from '../laws/random.ts';
import { few, rounds } from '../short-form.ts';
import { ask } from './ask.ts';
import { stepsOf, type Step } from './state-oracle.ts';
import { allRecords } from './state-questions.ts';
import { stateTarmac } from './state-traces.ts';
import { sharedEngine } from './shared-engine.ts';
import { scratch } from './traces.ts';

const place = scratch();
afterAll(() => {
  place.dispose();
});

const SEGMENT = 12;
const SEGMENTS = 60;
const LOW = 0x1f00n;

interface Expected {
  readonly bytes: Uint8Array;
  /** Undefined if the trace agrees with all bytes. */
  readonly contradiction: number | undefined;
}

/** The first record with an effect on a byte, and the value if it is a read. */
interface First {
  readonly record: number;
  readonly value: number | undefined;
}

function firstEffects(steps: readonly Step[]): ReadonlyMap<bigint, First> {
  const first = new Map<bigint, First>();
  for (const { n, access } of steps) {
    if (access === undefined || (!access.writes && access.bytes === undefined)) continue;
    for (let k = 0; k < access.size; k++) {
      const address = access.address + BigInt(k);
      if (!first.has(address)) first.set(address, { record: n, value: access.writes ? undefined : access.bytes![k] });
    }
  }
  return first;
}

/** Makes segments that follow one another. Every second one has a byte that the trace contradicts, if the trace reads any. */
function segmentsFor(first: ReadonlyMap<bigint, First>): readonly Expected[] {
  const random = createRandom(7);
  return Array.from({ length: SEGMENTS }, (_, s) => {
    const base = LOW + BigInt(s * SEGMENT);
    const bytes = Uint8Array.from(random.bytes(SEGMENT), (byte, i) => first.get(base + BigInt(i))?.value ?? byte);
    const read = Array.from(bytes.keys()).filter((i) => first.get(base + BigInt(i))?.value !== undefined);
    const wrong = s % 2 === 0 ? undefined : read[random.below(read.length)];
    if (wrong !== undefined) bytes[wrong]! ^= 1;
    return { bytes, contradiction: wrong === undefined ? undefined : first.get(base + BigInt(wrong))!.record };
  });
}

describe.each(
  few(
    [
      { lines: 1500, blockBytes: 480 },
      { lines: 2500, blockBytes: 6000 },
      { lines: 1500, blockBytes: 1_200_000 },
    ],
    2,
  ),
)('$lines records in blocks of $blockBytes bytes', ({ lines, blockBytes }) => {
  const file = place.file(`${lines}.txt`, stateTarmac(lines, lines, { cpus: 1, contradicting: 30, damaged: 10 }));
  let records: number;
  let first: ReadonlyMap<bigint, First>;
  let segments: readonly Expected[];
  let images: { path: string; base: `0x${string}` }[];

  beforeAll(async () => {
    const engine = sharedEngine();
    const opened = await ask(engine, 'open', { path: file, format: 'tarmac' });
    await ask(engine, 'index', { trace: opened.trace });
    const steps = stepsOf(await allRecords(engine, opened.trace), 'tarmac', opened.format.options);
    await engine.close();
    records = steps.length;
    first = firstEffects(steps);
    segments = segmentsFor(first);
    images = segments.map(({ bytes }, s) => ({
      path: place.file(`${blockBytes}-${s}.bin`, bytes),
      base: `0x${(LOW + BigInt(s * SEGMENT)).toString(16)}` as const,
    }));
  });

  test('gives the bytes of the segments that no read contradicts', async () => {
    expect(segments.filter(({ contradiction }) => contradiction !== undefined).length).toBeGreaterThan(3);
    const engine = sharedEngine(blockBytes);
    const { trace } = await ask(engine, 'open', { path: file, format: 'tarmac', images });
    // Fills the cache from a part of the trace.
    await ask(engine, 'memory', { trace, at: 0, address: '0x2000', length: 512, image: true });
    await ask(engine, 'index', { trace });
    const random = createRandom(blockBytes);
    for (let i = 0; i < rounds(40, 300); i++) {
      const at = i % 3 === 0 ? random.below(60) : random.below(records);
      const offset = random.below(SEGMENT * SEGMENTS);
      const length = 1 + random.below(150);
      const address = `0x${(LOW + BigInt(offset)).toString(16)}` as const;
      const plain = await ask(engine, 'memory', { trace, at, address, length });
      const answer = await ask(engine, 'memory', { trace, at, address, length, image: true });
      const unused = new Set<number>();
      const expected = { known: plain.known, bytes: plain.bytes };
      for (let byte = 0; byte < length; byte++) {
        const segment = segments[Math.floor((offset + byte) / SEGMENT)];
        const isOpen = !((first.get(LOW + BigInt(offset + byte))?.record ?? records) <= at);
        if (segment === undefined || !isOpen) continue;
        if (segment.contradiction !== undefined) unused.add(segment.contradiction);
        else {
          expected.known[byte] = 3;
          expected.bytes[byte] = segment.bytes[(offset + byte) % SEGMENT]!;
        }
      }
      expect({ known: answer.known, bytes: answer.bytes }, `${address} after record ${at}`).toEqual(expected);
      expect(new Set(answer.unused?.map(({ record }) => record))).toEqual(unused);
    }
    await engine.close();
  });
});
