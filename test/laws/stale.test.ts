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
      const set = setBy(effect, [damaged]);
      for (const [location, value] of effect.sets) {
        if (other.sets.has(location)) continue;
        const where = `${effect.sample.name}: ${JSON.stringify(effect.line)} damaged to ${JSON.stringify(damaged)}: ${location}`;
        expect(set.has(location), `${where} keeps an older value`).toBe(true);
        // The width of other registers is not known.
        if (!/^(?:[rX]\d|0x)/.test(location)) continue;
        expect([undefined, value], where).toContain(set.get(location));
      }
    }
  });
});

interface Effect {
  readonly sample: Sample;
  readonly decoder: Decoder;
  /** Lines that the format needs before it. */
  readonly before: readonly string[];
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
    const sets = setBy(effect, [line]);
    return sets.size > 0 && ![...sets.values()].includes(undefined) ? [{ ...effect, sets }] : [];
  });
}

/** Returns the locations that lines set if they follow the lines before an effect. */
function setBy(
  { before, decoder, sample }: Pick<Effect, 'before' | 'decoder' | 'sample'>,
  lines: readonly string[],
): Map<string, string | undefined> {
  const start = before.reduce((sum, line) => sum + line.length + 1, 0);
  const bytes = Uint8Array.from([...before, ...lines, ''].join('\n'), (character) => character.charCodeAt(0));
  const records = decodeAll(decoder, bytes, { describe: () => true }).records.filter((record) => record.start >= start);
  const views = records.map(({ n, start: offset, fields }) => ({ n, offset, ...fields }) as unknown as RecordView);
  const set = new Map<string, string | undefined>();
  for (const { access, sets } of stepsOf(views, sample.format, decoder.settings)) {
    for (const [name, value] of sets) set.set(name, value);
    if (access?.writes !== true) continue;
    for (let k = 0; k < access.size; k++)
      set.set(`0x${(access.address + BigInt(k)).toString(16)}`, access.bytes?.[k]?.toString(16));
  }
  return set;
}

function pick<T>(from: readonly T[], random: Random): T {
  return from[random.below(from.length)]!;
}

function splice(text: string, at: number, remove: number, insert: string): string {
  return text.slice(0, at) + insert + text.slice(at + remove);
}
