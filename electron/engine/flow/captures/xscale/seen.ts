/** In which instruction set code was seen to run, by address: what is noted last counts. A hash table that is emptied at once. */
import { EITHER } from './way.ts';

export interface Seen {
  readonly size: number;
  /** Something was noted in one, then in the other: then it matters which was noted last. */
  readonly disagrees: boolean;
  clear(): void;
  /** EITHER where nothing was seen. */
  at(address: number): number;
  note(address: number, state: number): void;
  /** Whether it was asked of that number before, since it was emptied. */
  isAgain(number: number): boolean;
}

export function createSeen(): Seen {
  let addresses = new Uint32Array(1024);
  let states = new Uint8Array(1024);
  /** Which of the slots were filled since it was emptied: those with this number. */
  let filled = new Uint32Array(1024);
  /** By number: when it was asked of last. */
  let asked = new Uint32Array(1024);
  let time = 1;
  // Plain properties: V8 looks up accessors of all but the first such object as in a dictionary.
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
    isAgain(number: number) {
      if (number >= asked.length) {
        const larger = new Uint32Array(2 * number);
        larger.set(asked);
        asked = larger;
      }
      const isAgain = asked[number] === time;
      asked[number] = time;
      return isAgain;
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
