/**
 * No stale state in the binary form of bus captures: a damaged unit must not leave an older value of the bytes that it writes, and its
 * own bytes must not become values that were never on the bus. The units are encoded here from the rows of the text samples.
 *
 * Damage that leaves another valid cycle cannot be noticed. Only bits that must be 0, and bytes that are lost or surplus, can be.
 */
import { describe, expect, test } from 'vitest';
import { latin1 } from '../../shared/base/bytes.ts';
import { formatById } from '../../shared/formats/index.ts';
import { assert } from '../../shared/base/result.ts';
import type { RecordView } from '../../shared/records/record.ts';
import { type Step, stepsOf } from '../engine/state-oracle.ts';
import { rounds } from '../short-form.ts';
import { decodeAll } from './drive.ts';
import { createRandom, type Random } from './random.ts';
import { findSamples } from './samples.ts';

const UNIT = 16;
const MAGIC = [0x42, 0x54, 0x4d, 0x43, 0x41, 0x50, 13, 10, 26, 10, 1, 0, 0, 0, 0, 0];
/** A row of the usual header with all of its cells: time, M/IO#, D/C#, W/R#, byte enables, address and data. */
const ROW = /^\d+,([01]),([01]),([01]),([0-9A-F]{2}),([0-9A-F]{8}),([0-9A-F]{16})\r?$/;

const ALL = findSamples()
  .filter(({ format }) => format === 'btm')
  .flatMap(({ bytes }) => latin1(bytes).split('\n'))
  .flatMap((line) => {
    const [, ...cells] = ROW.exec(line) ?? [];
    return cells.length === 0 ? [] : [unitOf(cells)];
  });
/** Without reads whose bytes other units write or read: without its value, such a read leaves the older one. */
const ROWS = ALL.filter((unit, n) => !isRead(unit) || ALL.every((other, k) => k === n || qword(other) !== qword(unit)));
const WRITES = ROWS.filter(isWrite);

/** A unit 30 ns after the previous one, without CACHE# and D/P#. */
function unitOf(cells: readonly string[]): readonly number[] {
  const [memory, data, write, enables, address, bus] = cells as [string, string, string, string, string, string];
  const control = 8 + 4 * Number(memory) + 2 * Number(data) + Number(write);
  const bytes = (digits: string): number[] => [...Buffer.from(digits, 'hex')].reverse();
  const pins = bytes(address);
  return [pins[0]! & 0xf8, ...pins.slice(1), Number.parseInt(enables, 16), control, 30, 0, ...bytes(bus)];
}

function isWrite(unit: readonly number[]): boolean {
  return (unit[5]! & 7) === 7;
}

function isRead(unit: readonly number[]): boolean {
  return [4, 6].includes(unit[5]! & 7);
}

/** Returns pins A31-A3 of a unit. */
function qword(unit: readonly number[]): number {
  return Buffer.from(unit.slice(0, 4)).readUInt32LE();
}

/** Units around a damaged write. */
interface Capture {
  readonly units: readonly (readonly number[])[];
  /** Number of the damaged unit, a write. */
  readonly at: number;
}

type Damage = (capture: Capture, random: Random) => readonly (readonly number[])[];

/** Damage of one unit that leaves no valid cycle. */
const SET_BITS: Readonly<Record<string, readonly (readonly [byte: number, mask: number])[]>> = {
  'a bit below A3': [
    [0, 1],
    [0, 2],
    [0, 4],
    [0, 7],
  ],
  'a level of D/P# that was not captured': [[5, 16]],
  'a time mark': [[5, 128]],
  'a time mark and a level of D/P#': [[5, 144]],
  'a time mark without other control bits': [[5, 0x80]],
};

const DAMAGES: Readonly<Record<string, Damage>> = {
  ...Object.fromEntries(
    Object.entries(SET_BITS).map(([name, bits]): [string, Damage] => [
      name,
      ({ units, at }, random) => {
        const [byte, mask] = bits[random.below(bits.length)]!;
        const set = name.includes('without') ? mask : units[at]![byte]! | mask;
        return units.with(at, units[at]!.with(byte, set));
      },
    ]),
  ),
  'lost bytes': ({ units, at }, random) => {
    const from = random.below(UNIT);
    const many = 1 + random.below(UNIT - 1);
    const two = [...units[at]!, ...units[at + 1]!];
    return units.toSpliced(at, 2, two.toSpliced(from, many));
  },
  'surplus bytes': ({ units, at }, random) => {
    const extra = [...random.bytes(1 + random.below(UNIT - 1))];
    return units.with(at, units[at]!.toSpliced(random.below(UNIT), 0, ...extra));
  },
  'surplus zeros': ({ units, at }, random) => {
    const extra = Array.from({ length: 1 + random.below(UNIT - 1) }, () => 0);
    return units.with(at, units[at]!.toSpliced(random.below(UNIT), 0, ...extra));
  },
  'repeated bytes': ({ units, at }, random) => {
    const from = random.below(UNIT);
    return units.with(at, units[at]!.toSpliced(from, 0, ...units[at]!.slice(from, from + 1 + random.below(UNIT - 1))));
  },
};

const MANY = 60;

describe('a unit of a capture with', () => {
  test.each(Object.entries(DAMAGES))('%s', (name, damage) => {
    const random = createRandom(name.length);
    expect(WRITES.length).toBeGreaterThan(20);
    for (let left = rounds(15, 1200); left > 0; left--) {
      const capture = captureOf(random);
      const damaged = damage(capture, random);
      const whole = stateOf(capture.units);
      const answer = stateOf(damaged);
      const where = `unit ${String(capture.at)} of ${JSON.stringify(capture.units)} damaged to ${JSON.stringify(damaged.slice(capture.at, capture.at + 2))}`;
      // Up to 15 bytes more than there are in the damaged capture, and one unit that may be mixed with the damaged one.
      const lost = addressesOf(capture.units.slice(capture.at, Math.ceil(answer.resumed / UNIT) + 1));
      for (const [location, value] of answer.bytes) {
        if (value === undefined || (answer.lost && lost.has(location))) continue;
        expect(whole.bytes.get(location), `${where}: 0x${location.toString(16)}`).toBe(value);
      }
    }
  });
});

/** Writes and other cycles in random order. Many bytes are written before the damaged unit. */
function captureOf(random: Random): Capture {
  const at = 8 + random.below(MANY - 12);
  const units = Array.from({ length: MANY }, (_, n) => pick(n === at || random.below(2) === 0 ? WRITES : ROWS, random));
  return { units, at };
}

const btm = formatById('btm');
assert(btm !== undefined, 'the format exists');
const opened = btm.open({ dialect: 'binary' });
assert(opened.ok, 'the settings are valid');
const decoder = opened.value;

/** Diagnostics of damage that may hide writes. */
const LOSSES = new Set(['lost-address', 'phase-slip', 'cut-record']);

interface Answer {
  /** Byte by address at the end; undefined if unknown. */
  readonly bytes: ReadonlyMap<bigint, number | undefined>;
  /** A diagnostic reports that a write may be lost. */
  readonly lost: boolean;
  /** Offset at which the units make sense again. */
  readonly resumed: number;
}

function stateOf(units: readonly (readonly number[])[]): Answer {
  const { records, gaps, diagnostics } = decodeAll(decoder, Uint8Array.from([MAGIC, ...units].flat()), {
    batchRecords: 16,
    describe: () => true,
  });
  const views = records.map(({ n, start: offset, fields }) => ({ n, offset, ...fields }) as unknown as RecordView);
  const bytes = new Map<bigint, number | undefined>();
  for (const { access } of stepsOf(views, 'btm', decoder.settings)) {
    if (access === undefined || (!access.writes && access.bytes === undefined)) continue;
    put(bytes, access);
  }
  const resumed = Math.max(0, ...gaps.filter(({ name }) => /unknown|slip|tail/.test(name)).map(({ end }) => end));
  return { bytes, lost: diagnostics.some(({ code }) => LOSSES.has(code)), resumed };
}

function put(bytes: Map<bigint, number | undefined>, access: NonNullable<Step['access']>): void {
  for (let k = 0; k < access.size; k++) bytes.set(access.address + BigInt(k), access.bytes?.[k]);
}

/** Returns the addresses of the data bus bytes of units. */
function addressesOf(units: readonly (readonly number[])[]): ReadonlySet<bigint> {
  const pins = units.map((unit) => BigInt(qword(unit)));
  return new Set(pins.flatMap((address) => Array.from({ length: 8 }, (_, k) => address + BigInt(k))));
}

function pick<T>(from: readonly T[], random: Random): T {
  return from[random.below(from.length)]!;
}
