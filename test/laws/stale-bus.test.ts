/**
 * No stale state in captures of a bus: a damaged row must not leave older values of the bytes that it writes. The damaged lines must set
 * them to the same values or to unknown ones. If the address is lost, a diagnostic must say so.
 */
import { describe, expect, test } from 'vitest';
import { latin1 } from '../../shared/base/bytes.ts';
import { assert } from '../../shared/base/result.ts';
import type { Decoder } from '../../shared/format/format.ts';
import { formatById } from '../../shared/formats/index.ts';
import type { RecordView } from '../../shared/records/record.ts';
import { stepsOf } from '../engine/state-oracle.ts';
import { rounds } from '../short-form.ts';
import { decodeAll } from './drive.ts';
import { createRandom, type Random } from './random.ts';
import { findSamples, openSample } from './samples.ts';

/** A row as cells, with another row of the same capture. */
interface Whole {
  readonly cells: readonly string[];
  readonly other: readonly string[];
  readonly separator: string;
}

type Damage = (whole: Whole, random: Random) => string;

const UNKNOWN = ['x', 'X', 'z', 'Z', '?', '-'];

/** Damage of one cell, which is not empty. */
const CELL: Readonly<Record<string, (cell: string, random: Random) => string>> = {
  'a missing digit': (cell, random) => splice(cell, random.below(cell.length), 1, ''),
  'missing digits in front': (cell, random) => cell.slice(1 + random.below(cell.length)),
  'missing digits at the end': (cell, random) => cell.slice(0, random.below(cell.length)),
  'extra digits': (cell, random) => splice(cell, random.below(cell.length + 1), 0, '0'.repeat(1 + random.below(9))),
  'an unknown digit': (cell, random) => splice(cell, random.below(cell.length), 1, pick(UNKNOWN, random)),
  'only unknown digits': (cell, random) => pick(UNKNOWN, random).repeat(cell.length),
  'a character that is no digit': (cell, random) =>
    splice(cell, random.below(cell.length), 1, pick(['g', '.', '*', '\0', '/'], random)),
  'a blank inside': (cell, random) => splice(cell, random.below(cell.length), 0, ' '),
  'an extra cell': (cell) => cell,
};

const DAMAGES: Readonly<Record<string, Damage>> = {
  ...Object.fromEntries(
    Object.entries(CELL).map(([name, damage]): [string, Damage] => [
      name,
      ({ cells, separator }, random) => {
        const at = pick(
          cells.flatMap((cell, index) => (cell.length > 0 ? [index] : [])),
          random,
        );
        const damaged = damage(cells[at]!, random);
        return (name === 'an extra cell' ? cells.toSpliced(at, 0, '') : cells.with(at, damaged)).join(separator);
      },
    ]),
  ),
  'a missing cell': ({ cells, separator }, random) => cells.toSpliced(random.below(cells.length), 1).join(separator),
  'words behind the row': ({ cells, separator }) => `${cells.join(separator)}${separator}note`,
  'a row that breaks off': ({ cells, separator }, random) => {
    const line = cells.join(separator);
    return line.slice(0, line.length - 1 - random.below(line.length - 1));
  },
  'a lost line end': ({ cells, other, separator }) => cells.join(separator) + other.join(separator),
  'a lost line end before it': ({ cells, other, separator }) => other.join(separator) + cells.join(separator),
  'a row within it': ({ cells, other, separator }, random) => {
    const line = cells.join(separator);
    // A row that breaks off in its first cell makes the next row's first cell longer.
    const least = cells[0]!.length + 1;
    return line.slice(0, least + random.below(line.length - least)) + other.join(separator);
  },
};

/** A row that writes bytes. */
interface Row {
  readonly decoder: Decoder;
  readonly name: string;
  readonly header: string;
  readonly separator: string;
  readonly line: string;
  readonly sets: ReadonlyMap<string, string | undefined>;
}

const btm = formatById('btm');
assert(btm !== undefined, 'the format exists');
const SAMPLES = findSamples().filter(
  ({ format, name }) => format === 'btm' && !/binary|broken|short|shifted/.test(name),
);
const ROWS = SAMPLES.flatMap((sample): Row[] => {
  const decoder = openSample(btm, sample);
  // Where leading zeros may be missing, fewer digits are no damage.
  if (decoder.settings['digits'] !== 'all') return [];
  const header = decoder.settings['header'] ?? '';
  const separator = [',', ';', '\t', '|'].find((each) => header.includes(each)) ?? ',';
  return latin1(sample.bytes)
    .split('\n')
    .map((text) => text.replace(/\r$/, ''))
    .flatMap((line) => {
      const row = { decoder, name: sample.name, header, separator, line, sets: new Map<string, string>() };
      const { sets } = setBy(row, line);
      return sets.size > 0 && [...sets.values()].every((value) => value !== undefined) ? [{ ...row, sets }] : [];
    });
});

describe('a row of a capture with', () => {
  test.each(Object.entries(DAMAGES))('%s', (_name, damage) => {
    const random = createRandom(11);
    expect(ROWS.length).toBeGreaterThan(20);
    for (let left = rounds(60, 1000); left > 0; left--) {
      const row = pick(ROWS, random);
      const others = ROWS.filter(({ name }) => name === row.name);
      const { separator } = row;
      const other = pick(others, random);
      const whole = { cells: row.line.split(separator), other: other.line.split(separator), separator };
      const damaged = damage(whole, random);
      const { sets, lost } = setBy(row, damaged);
      for (const [location, value] of row.sets) {
        if (other.sets.has(location) && damaged.includes(other.line)) continue;
        const where = `${row.name}: ${JSON.stringify(row.line)} damaged to ${JSON.stringify(damaged)}: ${location}`;
        expect(sets.has(location) || lost, `${where} keeps an older value`).toBe(true);
        expect([undefined, value], where).toContain(sets.get(location));
      }
    }
  });
});

/** Returns the bytes that a line writes, and whether a diagnostic reports a lost address. */
function setBy(
  { decoder, header, line: whole }: Pick<Row, 'decoder' | 'header' | 'line'>,
  line: string,
): { readonly sets: Map<string, string | undefined>; readonly lost: boolean } {
  // Lines before the first row are no rows.
  const before = `${header}\n${whole}\n`;
  const bytes = Uint8Array.from(`${before}${line}\n`, (character) => character.charCodeAt(0));
  const { records, diagnostics } = decodeAll(decoder, bytes, { describe: () => true });
  const views = records
    .filter(({ start }) => start >= before.length)
    .map(({ n, start: offset, fields }) => ({ n, offset, ...fields }) as unknown as RecordView);
  const sets = new Map<string, string | undefined>();
  for (const { access } of stepsOf(views, 'btm', decoder.settings)) {
    if (access?.writes !== true) continue;
    for (let k = 0; k < access.size; k++)
      sets.set(`0x${(access.address + BigInt(k)).toString(16)}`, access.bytes?.[k]?.toString(16));
  }
  return { sets, lost: diagnostics.some(({ code }) => code === 'lost-address') };
}

function pick<T>(from: readonly T[], random: Random): T {
  return from[random.below(from.length)]!;
}

function splice(text: string, at: number, remove: number, insert: string): string {
  return text.slice(0, at) + insert + text.slice(at + remove);
}
