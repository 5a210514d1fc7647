/** In which instruction set code was seen to run, by address: what is noted last counts. A hash table that is emptied at once. */
import { EITHER } from './way.ts';

export interface Seen {
  readonly size: number;
  clear(): void;
  /** EITHER where nothing was seen. */
  at(address: number): number;
  note(address: number, state: number): void;
}

export function createSeen(): Seen {
  let addresses = new Uint32Array(1024);
  let states = new Uint8Array(1024);
  /** Which of the slots were filled since it was emptied: those with this number. */
  let filled = new Uint32Array(1024);
  let time = 1;
  let size = 0;
  return {
    get size() {
      return size;
    },
    clear() {
      size = 0;
      time++;
    },
    at(address) {
      const slot = slotOf(address);
      return filled[slot] === time ? states[slot]! : EITHER;
    },
    note(address, state) {
      const slot = slotOf(address);
      states[slot] = state;
      if (filled[slot] === time) return;
      filled[slot] = time;
      addresses[slot] = address;
      if (++size * 2 > filled.length) grow();
    },
  };

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
