/** Damages a trace as transport and full disks do: bytes flipped, overwritten, zeroed, lost or doubled, always the same ones. */
import { createRandom, type Random } from './random.ts';

/** One damage in each so many bytes, and one in less than that. */
export const DAMAGE_EVERY = 64 * 1024;
/** A damage touches no more bytes than this; less than this stays whole. */
const MOST = 256;

/** Damages `bytes[0, length)`, which has MOST_LONGER bytes of room behind for each damage; returns the new length. */
export type Damage = (bytes: Uint8Array, length: number) => number;

/** Bytes that one damage may add. */
export const MOST_LONGER = 64;

export function createDamage(seed: number): Damage {
  const random = createRandom(seed ^ 0x0dd5eed);
  return (bytes, length) => {
    if (length < MOST) return length;
    const room = Math.min(length, DAMAGE_EVERY) - MOST;
    let end = length;
    // From behind, so that what is lost or doubled moves no place that is still to come.
    for (let cell = Math.max(1, Math.floor(length / DAMAGE_EVERY)) - 1; cell >= 0; cell--) {
      const at = cell * DAMAGE_EVERY + random.below(Math.max(1, room));
      end = random.pick(WAYS)(bytes, at, end, random);
    }
    return end;
  };
}

const WAYS: readonly ((bytes: Uint8Array, at: number, end: number, random: Random) => number)[] = [
  function flip(bytes, at, end, random) {
    for (let left = random.between(1, 4); left > 0; left--) {
      const place = at + random.below(MOST);
      bytes[place] = bytes[place]! ^ (1 << random.below(8));
    }
    return end;
  },
  function overwrite(bytes, at, end, random) {
    for (let left = random.between(1, 32), place = at; left > 0; left--) bytes[place++] = random.below(256);
    return end;
  },
  function zero(bytes, at, end, random) {
    bytes.fill(0, at, at + random.between(16, 128));
    return end;
  },
  function lose(bytes, at, end, random) {
    const lost = random.between(1, 100);
    bytes.copyWithin(at, at + lost, end);
    return end - lost;
  },
  function double(bytes, at, end, random) {
    const doubled = random.between(1, MOST_LONGER);
    bytes.copyWithin(at + doubled, at, end);
    return end + doubled;
  },
];
