/**
 * Detection over all formats at once: every sample is known as its own and never as another's, also when it is cut short or
 * starts in the middle, and what is no trace is never claimed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { CONFIDENT, judge } from '../../electron/engine/detect.ts';
import { createRandom } from '../laws/random.ts';
import { findSamples, headOf } from '../laws/samples.ts';
import { nonTraces } from './non-traces.ts';

const SAMPLES = findSamples();
/** Parts of a sample shorter than this say nothing for sure. */
const TELLING = 200;

describe.each([...new Set(SAMPLES.map(({ format }) => format))])('%s', (format) => {
  test.each(SAMPLES.filter((sample) => sample.format === format))('$name', ({ bytes, claimed, guessed }) => {
    const [best] = judge(headOf(bytes));
    if (claimed) {
      expect(best?.format.id).toBe(format);
      expect(best?.claim.reasons.length, 'why').toBeGreaterThan(0);
    }
    const sure = confident(bytes).map((claim) => claim.split(' ')[0]);
    expect(sure).toEqual(claimed && !guessed ? [format] : []);
  });

  test('no part of its samples is taken for another format', () => {
    const wrong: string[] = [];
    for (const { name, bytes } of SAMPLES.filter((sample) => sample.format === format)) {
      for (const [from, to] of partsOf(bytes.length)) {
        const others = confident(bytes.slice(from, to)).filter((claim) => !claim.startsWith(`${format} `));
        wrong.push(...others.map((claim) => `${name} [${String(from)}, ${String(to)}): ${claim}`));
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('what is no trace is not claimed', () => {
  test.each(Object.entries(nonTraces()))('%s', (_, bytes) => {
    expect(confident(bytes)).toEqual([]);
  });

  test('this very program: its sources, pages, data and pictures', () => {
    const wrong = projectFiles().flatMap((path) => confident(read(path)).map((claim) => `${path}: ${claim}`));
    expect(wrong).toEqual([]);
  });

  test('the program that runs this', () => {
    expect(confident(new Uint8Array(readFileSync(process.execPath).subarray(0, 200_000)))).toEqual([]);
  });

  test('bytes and letters at random, of any size', () => {
    const random = createRandom(77);
    const wrong: string[] = [];
    for (let round = 0; round < 400; round++) {
      const alphabet = ALPHABETS[round % ALPHABETS.length]!;
      const length = 1 + random.below(round % 5 === 0 ? 20_000 : 600);
      const bytes =
        alphabet === ''
          ? random.bytes(length)
          : Uint8Array.from({ length }, () => alphabet.charCodeAt(random.below(alphabet.length)));
      wrong.push(...confident(bytes).map((claim) => `round ${String(round)}: ${claim}`));
    }
    expect(wrong).toEqual([]);
  });
});

const ALPHABETS = ['', '0123456789abcdef \n', '01 \n', 'RWM0123456789 :\n', ' ,;\t0123456789.\n', 'SLMI 0123456789,\n'];

/** Who takes the bytes for its own without asking. */
function confident(bytes: Uint8Array): string[] {
  return judge(headOf(bytes))
    .filter(({ claim }) => claim.confidence >= CONFIDENT)
    .map(({ format, claim }) => `${format.id} ${claim.confidence.toFixed(2)}, because ${claim.reasons.join(', ')}`);
}

/** Halves, quarters and the rest after some bytes, which for binary formats is a start inside a record. */
function partsOf(length: number): readonly (readonly [number, number])[] {
  const cuts = [
    0,
    1,
    2,
    3,
    5,
    7,
    17,
    Math.floor(length / 4),
    Math.floor(length / 2),
    Math.floor((3 * length) / 4),
    length,
  ];
  return cuts.flatMap((from, i) =>
    cuts.slice(i + 1).flatMap((to) => (to - from < TELLING ? [] : [[from, to] as const])),
  );
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Files of the project that hold no trace; pages on formats quote traces, which is what they are for. */
function projectFiles(): readonly string[] {
  const folders = ['shared', 'electron', 'renderer', 'build', 'docs', 'test/unit', 'test/engine', 'test/bench'];
  return folders.flatMap((folder) =>
    readdirSync(ROOT + folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('native/build'))
      .map((entry) => `${entry.parentPath}/${entry.name}`),
  );
}

function read(path: string): Uint8Array {
  return new Uint8Array(readFileSync(path));
}
