/**
 * Detection over all formats: every sample is recognised as its own format and no other, also if truncated or started in the middle,
 * and non-traces are never claimed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { CONFIDENT, judge, problemWith } from '../../electron/engine/open/detect.ts';
import { few } from '../short-form.ts';
import { createRandom } from '../laws/random.ts';
import { findSamples, headOf } from '../laws/samples.ts';
import { nonTraces } from './non-traces.ts';

const SAMPLES = findSamples();
/** Shorter parts of a sample prove nothing. */
const SHORTEST_PART = 200;

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

  test('takes no part of its samples for another format', () => {
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

describe('does not claim non-traces', () => {
  test.each(Object.entries(nonTraces()))('%s', (_, bytes) => {
    expect(confident(bytes)).toEqual([]);
  });

  test("such as this program's sources, pages, data and pictures", () => {
    const wrong = few(projectFiles(), 400).flatMap((path) => confident(read(path)).map((claim) => `${path}: ${claim}`));
    expect(wrong).toEqual([]);
  });

  test('such as the executable that runs this test', () => {
    expect(confident(new Uint8Array(readFileSync(process.execPath).subarray(0, 200_000)))).toEqual([]);
  });

  test('such as random bytes and letters of any size', () => {
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

test.each([
  [
    'an ELF program',
    '\x7fELF\x02\x01\x01',
    'x: this is an ELF program, at byte 0; open the trace of its run, and give it as the image',
  ],
  [
    'a notebook',
    'SQLite format 3\0\x10',
    'x: this is an SQLite database, as indexes and notebooks are, at byte 0; open the trace that it belongs to',
  ],
  [
    'a short first line',
    'MIT\nonce upon a time',
    /^x: no known trace format fits, at byte 0 \(it starts with 'MIT'\); this is text, but not a trace /,
  ],
  ['bytes', '\x89PN\x01\r\n', /\(it starts with 89 50 4e 01 0d 0a\); this is no file that Tracebench knows/],
])('%s: the error names the content and what to do', (_, text, sentence) => {
  const head = headOf(Uint8Array.from(text, (letter) => letter.charCodeAt(0)));
  expect(problemWith('x', head, judge(head))?.message).toEqual(
    typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
  );
});

describe('lines that end in CR alone', () => {
  test.each(
    SAMPLES.filter(({ bytes, claimed, guessed }) => claimed && !guessed && isLines(bytes)).map(
      (each) => [`${each.format}/${each.name}`, each] as const,
    ),
  )('refuses %s and suggests a conversion', (_, { bytes, format }) => {
    const returns = Uint8Array.from(withoutLines(bytes));
    const head = headOf(returns);
    const problem = problemWith('x', head, judge(head));
    // A buffer in hexadecimal text has no lines.
    if (format === 'xscale') expect(problem?.code).not.toBe('returns');
    else expect(problem?.message).toMatch(/^x: its lines end in CR alone, starting at byte \d+; convert them to LF /);
  });

  test('accepts a single line with CR at its end, and reports other text as unknown', () => {
    const text = new TextEncoder().encode('1 clk 0 IT (1) 00000004 3c080001 A svc : lui t0,0x1\r');
    expect(problemWith('x', headOf(text), judge(headOf(text)))).toBeUndefined();
    const prose = new TextEncoder().encode('once upon\ra time\r');
    expect(problemWith('x', headOf(prose), judge(headOf(prose)))?.code).toBe('unknown-format');
  });
});

const NL = 10;
const RETURN = 13;

/** Returns true for text of more than one line. */
function isLines(bytes: Uint8Array): boolean {
  return (
    bytes.every((byte) => byte >= 32 || (byte >= 9 && byte <= 13)) &&
    bytes.indexOf(NL) < bytes.length - 1 &&
    bytes.includes(NL)
  );
}

function withoutLines(bytes: Uint8Array): number[] {
  return [...bytes].filter((byte) => byte !== RETURN).map((byte) => (byte === NL ? RETURN : byte));
}

const ALPHABETS = ['', '0123456789abcdef \n', '01 \n', 'RWM0123456789 :\n', ' ,;\t0123456789.\n', 'SLMI 0123456789,\n'];

/** Formats that claim the bytes confidently. */
function confident(bytes: Uint8Array): string[] {
  return judge(headOf(bytes))
    .filter(({ claim }) => claim.confidence >= CONFIDENT)
    .map(({ format, claim }) => `${format.id} ${claim.confidence.toFixed(2)}, because ${claim.reasons.join(', ')}`);
}

/** Halves, quarters and parts after some bytes, which start inside a record for binary formats. */
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
    cuts.slice(i + 1).flatMap((to) => (to - from < SHORTEST_PART ? [] : [[from, to] as const])),
  );
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Project files that are no traces; pages on formats quote traces and are left out. */
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
