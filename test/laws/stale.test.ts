/**
 * No stale state: an effect line that is damaged must not leave an older value standing. Each location that the whole line sets must
 * be set by the damaged line too, to the same value or to an unknown one. The state comes from the oracle in test/engine.
 */
import { describe, expect, test } from 'vitest';
import { formatById } from '../../shared/formats/index.ts';
import type { Decoder } from '../../shared/format/format.ts';
import { latin1 } from '../../shared/base/bytes.ts';
import type { RecordView } from '../../shared/records/record.ts';
import { stepsOf } from '../engine/state-oracle.ts';
import { rounds } from '../short-form.ts';
import { decodeAll } from './drive.ts';
import { createRandom, type Random } from './random.ts';
import { findSamples, openSample, type Sample } from './samples.ts';

/** A line as the words and the blanks between them, from which damage is made. */
interface Whole {
  readonly line: string;
  /** Another effect of the same format. */
  readonly other: string;
  /** Start and end of the value. */
  readonly at: number;
  readonly to: number;
}

/** The start and the end of the word and of the address or name that follows it. */
interface Announced {
  readonly line: string;
  readonly word: readonly [at: number, to: number];
  readonly operand: readonly [at: number, to: number];
}

type Damage = (whole: Whole, random: Random) => string;

const UNKNOWN = ['x', 'X', 'z', 'Z', '-'];
const TAILS = [
  'NS',
  'Invoke:0 Mode:1',
  '(priv)',
  '; note',
  '<-- here',
  'S:00004000 NM NSH',
  '12',
  '00000000',
  '(',
  '__',
];
const HEADS = ['[info]', '>', '12', '::', 'core'];

const DAMAGES: Readonly<Record<string, Damage>> = {
  'words behind the value': ({ line }, random) => `${line} ${pick(TAILS, random)}`,
  'words before the line': ({ line }, random) => `${pick(HEADS, random)} ${line.trimStart()}`,
  'another record behind it': ({ line, other }) => `${line}    ${other.trimStart()}`,
  'another record before it': ({ line, other }) => `${other}    ${line.trimStart()}`,
  'an unknown digit': ({ line, at, to }, random) => splice(line, at + random.below(to - at), 1, pick(UNKNOWN, random)),
  'only unknown digits': ({ line, at, to }, random) => splice(line, at, to - at, pick(UNKNOWN, random).repeat(to - at)),
  'a character that is no digit': ({ line, at, to }, random) =>
    splice(line, at + random.below(to - at), 1, pick(['g', '.', '?', '*', '\0'], random)),
  'a narrower value': ({ line, at, to }, random) => splice(line, at, 1 + random.below(Math.max(1, to - at - 1)), ''),
  'a value that breaks off': ({ line, at, to }, random) => line.slice(0, at + random.below(to - at)),
  'a wider value': ({ line, to }, random) => splice(line, to, 0, '0'.repeat(1 + random.below(9))),
  'a split value': ({ line, at, to }, random) => splice(line, at + 1 + random.below(Math.max(1, to - at - 1)), 0, ' '),
};

/** No word, address or name has such a character. */
const FOREIGN = ['?', '*', '#', '!', '\0', '\u00ff'];

/** Damage of a word, an address or a name that leaves no other readable one, which nobody could notice. */
const SPAN: Readonly<Record<string, (text: string, random: Random) => string>> = {
  'a foreign character': (text, random) => splice(text, random.below(text.length), 1, pick(FOREIGN, random)),
  'an extra foreign character': (text, random) => splice(text, random.below(text.length + 1), 0, pick(FOREIGN, random)),
  'only foreign characters': (text, random) => pick(FOREIGN, random).repeat(text.length),
  'nothing but a blank': () => ' ',
  'more characters than any': (text, random) => text + pick(FOREIGN, random).repeat(17),
};

const WORDS: Readonly<Record<string, (whole: Announced, random: Random) => string>> = {
  ...Object.fromEntries(
    Object.entries(SPAN).flatMap(([name, damage]) => [
      [
        `${name} in place of the word`,
        (whole: Announced, random: Random) => replaced(whole, whole.word, damage, random),
      ],
      [
        `${name} in place of the address or name`,
        (whole: Announced, random: Random) => replaced(whole, whole.operand, damage, random),
      ],
    ]),
  ),
  'a word that lacks a character': (whole, random) =>
    replaced(whole, whole.word, (text) => splice(text, random.below(text.length), 1, ''), random),
  'a split word': (whole, random) =>
    replaced(whole, whole.word, (text) => splice(text, random.below(text.length + 1), 0, ' '), random),
  'a split address or name': (whole, random) =>
    replaced(whole, whole.operand, (text) => splice(text, 1 + random.below(text.length - 1), 0, ' '), random),
  'an address or name behind no blank': ({ line, word, operand }) => line.slice(0, word[1]) + line.slice(operand[0]),
};

describe.each(['tarmac', 'armtracer'])('%s', (id) => {
  const format = formatById(id);
  if (format === undefined) throw new Error(`there is no format ${id}`);
  const samples = findSamples().filter((sample) => sample.format === id && !/damaged|cut/.test(sample.name));
  const effects = samples.flatMap((sample) => effectsOf(openSample(format, sample), sample));

  test.each(Object.entries(DAMAGES))('%s', (_name, damage) => {
    const random = createRandom(7);
    expect(effects.length).toBeGreaterThan(20);
    for (let left = rounds(60, 1000); left > 0; left--) {
      const effect = effects[random.below(effects.length)]!;
      const other = pick(
        effects.filter(({ sample }) => sample === effect.sample),
        random,
      );
      const damaged = damage({ ...effect, other: other.line }, random);
      const { set } = setBy(effect, [damaged]);
      for (const [location, value] of effect.sets) {
        if (other.sets.has(location)) continue;
        const where = `${effect.sample.name}: ${JSON.stringify(effect.line)} damaged to ${JSON.stringify(damaged)}: ${location}`;
        expect(set.has(location) || set.has('*'), `${where} keeps an older value`).toBe(true);
        // The width of other registers is not known.
        if (!/^(?:[rX]\d|0x)/.test(location)) continue;
        expect([undefined, value], where).toContain(set.get(location));
      }
    }
  });

  const announced = effects.flatMap(announcedOf);

  test.each(Object.entries(WORDS))('%s', (_name, damage) => {
    const random = createRandom(9);
    expect(announced.length).toBeGreaterThan(20);
    for (let left = rounds(60, 1000); left > 0; left--) {
      const effect = pick(announced, random);
      const damaged = damage(effect, random);
      const { set, lost } = setBy(effect, [damaged]);
      for (const [location, value] of effect.sets) {
        const where = `${effect.sample.name}: ${JSON.stringify(effect.line)} damaged to ${JSON.stringify(damaged)}: ${location}`;
        const isMemory = location.startsWith('0x');
        expect(set.has(location) || (isMemory ? lost : set.has('*')), `${where} keeps an older value`).toBe(true);
        expect([undefined, value], where).toContain(set.get(location));
      }
    }
  });
});

test('bytes lost from the value of a Tracer line to the start of the next line', () => {
  const format = formatById('armtracer')!;
  const samples = findSamples().filter(({ format: id, name }) => id === 'armtracer' && !/^(?:damaged|cut)/.test(name));
  const announced = samples.flatMap((sample) => effectsOf(openSample(format, sample), sample)).flatMap(announcedOf);
  const random = createRandom(11);
  expect(announced.length).toBeGreaterThan(20);
  for (let left = rounds(200, 3000); left > 0; left--) {
    const effect = pick(announced, random);
    const next = pick(
      announced.filter(({ sample }) => sample === effect.sample),
      random,
    );
    const kept = effect.line.slice(0, effect.operand[1] + random.below(effect.to - effect.operand[1]));
    const damaged = kept + next.line.slice(random.below(next.word[0] + 1));
    const { set, lost } = setBy(effect, [damaged]);
    for (const location of new Set([...effect.sets.keys(), ...next.sets.keys()])) {
      const where = `${effect.sample.name}: ${JSON.stringify(damaged)}: ${location}`;
      expect(
        set.has(location) || (location.startsWith('0x') ? lost : set.has('*')),
        `${where} keeps an older value`,
      ).toBe(true);
      expect([undefined, effect.sets.get(location), next.sets.get(location)], where).toContain(set.get(location));
    }
  }
});

describe.each(['tarmac', 'armtracer'])('bytes lost between any two places of two lines: %s', (id) => {
  const format = formatById(id)!;
  const samples = findSamples()
    .filter(({ format: of, name }) => of === id && !/damaged|cut|log|one-/.test(name))
    .filter((sample) => namedOf(openSample(format, sample), sample).some(({ sets }) => sets.size > 0));

  test.each(samples.map((sample) => [sample.name, sample] as const))('%s', (_name, sample) => {
    const lines = namedOf(openSample(format, sample), sample);
    const effects = lines.filter(({ sets }) => sets.size > 0);
    const random = createRandom(11);
    expect(effects.length).toBeGreaterThan(0);
    for (let left = rounds(100, 3000); left > 0; left--) {
      const line = pick(random.below(3) === 0 ? lines : effects, random);
      const next = pick(random.below(3) === 0 ? lines : effects, random);
      const from = random.below(line.line.length + 1);
      const to = random.below(random.below(3) === 0 ? next.line.length + 1 : next.wordAt + 1);
      const damaged = line.line.slice(0, from) + next.line.slice(to);
      const { set, lost } = setBy(line, [damaged]);
      const where = `${JSON.stringify(damaged)}, joined at ${String(from)}: `;
      const isSet = (location: string): boolean =>
        set.has(location) || (location.startsWith('0x') ? lost : set.has('*'));
      // A name that lacks its end, or has that of the next line, can be the name of another register.
      const others = [...set.keys()].filter((location) => !line.sets.has(location) && !next.sets.has(location));
      const mayBeOther = others.some((location) => !location.startsWith('0x'));
      const hasWord = to <= next.wordAt;
      if (!isWholeLine(damaged) && (hasWord ? from > line.wordEnd : from > line.named && !line.isNoted))
        for (const location of line.sets.keys())
          if (location.startsWith('0x') || (hasWord && from >= line.named) || !mayBeOther)
            expect(isSet(location), `${where}${location} keeps an older value`).toBe(true);
      // Without its word, the rest of the next line looks like a part of the first one.
      if (!hasWord) continue;
      for (const location of next.sets.keys())
        expect(isSet(location), `${where}${location} keeps an older value`).toBe(true);
      for (const location of [...line.sets.keys(), ...next.sets.keys()])
        expect([undefined, line.sets.get(location), next.sets.get(location)], where + location).toContain(
          set.get(location),
        );
    }
  });

  test.each(samples.map((sample) => [sample.name, sample] as const))(
    '%s, the address or name damaged',
    (_name, sample) => {
      const lines = namedOf(openSample(format, sample), sample);
      const effects = lines.filter(({ line }) => /(?:^|\s)(?:R|ST|M\S*W\S+|W\d\d)\s/.test(line) && !/\) |X/.test(line));
      const random = createRandom(13);
      for (let left = effects.length === 0 ? 0 : rounds(60, 1000); left > 0; left--) {
        const line = pick(lines, random);
        const next = pick(effects, random);
        const damage =
          SPAN[pick(['a foreign character', 'an extra foreign character', 'only foreign characters'], random)]!;
        const operand = next.line.slice(0, next.operandEnd).search(/\S+$/);
        const rest = replaced(next, [operand, next.operandEnd], damage, random).trimStart();
        const damaged = line.line + ' '.repeat(1 + 7 * random.below(2)) + rest;
        const { set, lost } = setBy(line, [damaged]);
        for (const location of [...line.sets.keys(), ...next.sets.keys()]) {
          const isSet = set.has(location) || (location.startsWith('0x') ? lost : set.has('*'));
          expect(isSet, `${JSON.stringify(damaged)}: ${location} keeps an older value`).toBe(true);
          expect([undefined, line.sets.get(location), next.sets.get(location)], damaged).toContain(set.get(location));
        }
      }
    },
  );
});

/** A line of a sample, with the places of its word, and those at which the address or the name of what it sets ends. */
interface Named extends Place {
  readonly line: string;
  readonly sets: ReadonlyMap<string, string | undefined>;
  readonly wordAt: number;
  readonly wordEnd: number;
  readonly operandEnd: number;
  /** Like `operandEnd`, or the end of the bank that belongs to the name. */
  readonly named: number;
  readonly isNoted: boolean;
}

/** Returns the lines of a sample that are records and set nothing to an unknown value. */
function namedOf(decoder: Decoder, sample: Sample): readonly Named[] {
  const lines = latin1(sample.bytes).split('\n');
  return lines.flatMap((text, index) => {
    const line = text.trimEnd();
    const place = { decoder, sample, before: lines.slice(Math.max(0, index - 1), index) };
    const { set: sets, kinds } = setBy(place, [line]);
    const found = WORD.exec(line);
    if (found === null || kinds.join() === 'other' || [...sets.values()].includes(undefined)) return [];
    const [wordAt, wordEnd] = found.indices![1]!;
    const [, operandEnd] = found.indices![2]!;
    const note = found[1] === 'R' ? /\(\w+\)/.exec(line.slice(operandEnd)) : null;
    const named = note === null ? operandEnd : operandEnd + note.index + note[0].length;
    return [{ ...place, line, sets, wordAt, wordEnd, operandEnd, named, isNoted: note !== null }];
  });
}

/** Tracer lines as their writers print them, and as copying leaves them. Nobody can notice a loss that leaves such a line. */
const WHOLE = wholeLines();

function wholeLines(): RegExp {
  const word = '[0-9a-fxz]{8}';
  const access = `[MB][NS][RW]([1248])\\S{3,5} +${word}(?:(?<data>(?: +[0-9A-F]+)+))?(?: +\\(\\w+\\))*`;
  const forms = [
    `R +\\w+=${word}(?:, *\\w+=${word})*`,
    `R +\\w+=0x${word}(?:, *\\w+=0x${word})*`,
    `RCP +\\w+=(?:0x)?${word}(?:_${word})?(?:, *\\w+=(?:0x)?${word}(?:_${word})?)*`,
    access,
    `[MX][RW][1248] +${word} +${word}`,
    `E +${word} +${word} +[0-9a-f]{1,5} ?`,
  ];
  return new RegExp(`^(?:T +${word})? *(?:${forms.join('|')})$`, 'i');
}

function isWholeLine(line: string): boolean {
  const found = WHOLE.exec(line);
  const size = Number(found?.[1]);
  const data = found?.groups?.['data']
    ?.trim()
    .split(/ +/)
    .map(({ length }) => length / 2)
    .join();
  return found !== null && (data === undefined || data === (size === 8 ? '4,4' : String(size)));
}

/** The word of a record and its first field, or its address. */
const WORD =
  /(?:^|\s)(R|RCP|E|EXC|BR|F[DIR]|I[TSF]|I[ATJX][PF]|ES|ST|LD|[MX][NSACI]?[RW]\S+|[RW]\d\d|B[NSACI]?[RW]\S+)\s+(?:\([^)]*\)\s+|X\s+)?(?:I\S+\s+O\S+\s+\d\s+)?([^\s=]+)/d;

/** Returns the effect with the places of its word and its operand; nothing if the line has no such word. */
function announcedOf(effect: Effect): readonly (Effect & Announced)[] {
  const { line } = effect;
  const found = /(?:^|\s)(R|ST|M[NSC]?W\S+|W\d\d|BN?W\S+)\s+(?:\([^)]*\)\s+|X\s+)?([\w<>:]+)/d.exec(line)?.indices;
  return found?.[1] === undefined || found[2] === undefined ? [] : [{ ...effect, word: found[1], operand: found[2] }];
}

function replaced(
  { line }: { readonly line: string },
  [at, to]: readonly [number, number],
  damage: (text: string, random: Random) => string,
  random: Random,
): string {
  return line.slice(0, at) + damage(line.slice(at, to), random) + line.slice(to);
}

interface Place {
  readonly sample: Sample;
  readonly decoder: Decoder;
  /** Lines that the format needs before it. */
  readonly before: readonly string[];
}

interface Effect extends Place {
  readonly line: string;
  readonly at: number;
  readonly to: number;
  /** Values of the locations that the line sets. */
  readonly sets: ReadonlyMap<string, string | undefined>;
}

/** Returns the lines of a sample that set registers or memory to known values and show the values at their end. */
function effectsOf(decoder: Decoder, sample: Sample): readonly Effect[] {
  const lines = latin1(sample.bytes).split('\n');
  return lines.flatMap((text, index) => {
    const line = text.trimEnd();
    const found = /[\s=][0-9a-fA-F]{2,}$/.exec(line);
    if (found === null) return [];
    const before = lines.slice(Math.max(0, index - 1), index);
    const effect = { sample, decoder, before, line, at: found.index + 1, to: line.length };
    const sets = setBy(effect, [line]).set;
    return sets.size > 0 && ![...sets.values()].includes(undefined) ? [{ ...effect, sets }] : [];
  });
}

/** Returns the locations that lines set if they follow the lines before an effect, if a diagnostic reports a lost address, and the kinds of the lines. */
function setBy(
  { before, decoder, sample }: Place,
  lines: readonly string[],
): { readonly set: Map<string, string | undefined>; readonly lost: boolean; readonly kinds: readonly string[] } {
  const start = before.reduce((sum, line) => sum + line.length + 1, 0);
  const bytes = Uint8Array.from([...before, ...lines, ''].join('\n'), (character) => character.charCodeAt(0));
  const driven = decodeAll(decoder, bytes, { describe: () => true });
  const records = driven.records.filter((record) => record.start >= start);
  const views = records.map(({ n, start: offset, fields }) => ({ n, offset, ...fields }) as unknown as RecordView);
  const set = new Map<string, string | undefined>();
  for (const { access, sets } of stepsOf(views, sample.format, decoder.settings)) {
    for (const [name, value] of sets) set.set(name, value);
    if (access?.writes !== true) continue;
    for (let k = 0; k < access.size; k++)
      set.set(`0x${(access.address + BigInt(k)).toString(16)}`, access.bytes?.[k]?.toString(16));
  }
  const lost = driven.diagnostics.some(({ code }) => code === 'lost-address');
  return { set, lost, kinds: records.map(({ kind }) => kind) };
}

function pick<T>(from: readonly T[], random: Random): T {
  return from[random.below(from.length)]!;
}

function splice(text: string, at: number, remove: number, insert: string): string {
  return text.slice(0, at) + insert + text.slice(at + remove);
}
