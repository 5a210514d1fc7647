/** Packing of index rows. */
import { expect, it } from 'vitest';
import { IndexDamaged } from '../../electron/engine/collections/varint.ts';
import { pack, unpack } from '../../electron/engine/index/store/packing.ts';
import { createRandom } from '../laws/random.ts';

/** First byte of a packed row. */
const [RAW, FRAME] = [0, 0x28];

const random = createRandom(1);
const noise = Uint8Array.from({ length: 20_000 }, () => random.below(256));
const steps = Uint8Array.from({ length: 200_000 }, (_, at) => (at % 7) * random.below(3));
const short = new Uint8Array(4095);

it.each([
  ['compresses a row that repeats itself', steps, FRAME],
  ['stores noise raw, because it does not shrink', noise, RAW],
  ['stores a short row raw', short, RAW],
  ['stores an empty row raw', new Uint8Array(0), RAW],
])('packs and unpacks %s', (_name, payload, codec) => {
  const packed = pack(payload);
  expect(packed[0]).toBe(codec);
  expect(packed.length).toBeLessThanOrEqual(payload.length + 1);
  expect(Buffer.from(unpack(packed)).equals(payload)).toBe(true);
});

it.each([
  ['is cut short', (packed: Uint8Array) => packed.subarray(0, packed.length - 9)],
  ['has another block type', (packed: Uint8Array) => packed.with(8, packed[8]! | 6)],
])('refuses a frame that %s, and unpacks the next row', (_name, damage) => {
  const packed = pack(steps);
  expect(() => unpack(Uint8Array.from(damage(packed)))).toThrow(IndexDamaged);
  expect(Buffer.from(unpack(packed)).equals(steps)).toBe(true);
});
