/** Instruction set in which code was seen to run, by address. The latest note wins. A hash table that is cleared in constant time. */
import { EITHER } from './path.ts';

export interface SeenCode {
  readonly size: number;
  /** An address was noted with both instruction sets, so the order of notes matters. */
  readonly disagrees: boolean;
  clear(): void;
  /** Returns EITHER for an address without a note. */
  at(address: number): number;
  note(address: number, state: number): void;
  /** Returns true if it was called with this number before, since the last `clear`. */
  isRepeated(number: number): boolean;
}

export function createSeenCode(): SeenCode {
  let addresses = new Uint32Array(1024);
  let states = new Uint8Array(1024);
  /** By slot: `time` if it was filled since the last `clear`. */
  let filled = new Uint32Array(1024);
  /** By number: `time` of the last call of `isRepeated`. */
  let keys = new Uint32Array(1024);
  let time = 1;
  // Plain properties, because V8 treats accessors of all but the first such object as dictionary lookups.
  const table = {
    size: 0,
    disagrees: false,
    clear() {
      table.size = 0;
      table.disagrees = false;
      time++;
    },
    at(address: number) {
      const slot = slotOf(address);
      return filled[slot] === time ? states[slot]! : EITHER;
    },
    note(address: number, state: number) {
      const slot = slotOf(address);
      if (filled[slot] === time) {
        if (states[slot] !== state) table.disagrees = true;
        states[slot] = state;
        return;
      }
      states[slot] = state;
      filled[slot] = time;
      addresses[slot] = address;
      if (++table.size * 2 > filled.length) grow();
    },
    isRepeated(number: number) {
      if (number >= keys.length) {
        const larger = new Uint32Array(2 * number);
        larger.set(keys);
        keys = larger;
      }
      const isRepeated = keys[number] === time;
      keys[number] = time;
      return isRepeated;
    },
  };
  return table;

  function slotOf(address: number): number {
    const mask = filled.length - 1;
    let slot = (Math.imul(address, 0x9e3779b1) >>> 15) & mask;
    while (filled[slot] === time && addresses[slot] !== address) slot = (slot + 1) & mask;
    return slot;
  }

  function grow(): void {
    const [oldAddresses, oldStates, oldFilled] = [addresses, states, filled];
    addresses = new Uint32Array(2 * oldFilled.length);
    states = new Uint8Array(2 * oldFilled.length);
    filled = new Uint32Array(2 * oldFilled.length);
    for (let old = 0; old < oldFilled.length; old++) {
      if (oldFilled[old] !== time) continue;
      const slot = slotOf(oldAddresses[old]!);
      addresses[slot] = oldAddresses[old]!;
      states[slot] = oldStates[old]!;
      filled[slot] = time;
    }
  }
}
