/** The views of the Memory pane: each shows its own addresses, at the cursor's record or at a pinned one. */
import { attached } from '../../trace/attached.svelte.ts';

export type Word = 1 | 2 | 4 | 8;
export const WORDS: readonly Word[] = [1, 2, 4, 8];
export type Endian = 'little' | 'big';

export interface Memory {
  readonly id: number;
  /** Address of the first byte shown; null until there is an address to show. */
  top: bigint | null;
  /** Follows the cursor's address. */
  follow: boolean;
  /** Pinned record; null = the cursor's record. */
  pinned: number | null;
  /** Shows bytes known from executed opcodes as well. */
  opcodes: boolean;
  /** Shows bytes of program images for memory that no record wrote or read before. */
  image: boolean;
  word: Word;
  endian: Endian;
}

export interface Memories {
  readonly list: readonly Memory[];
  /** Adds a view next to this one at the same address, which does not follow the cursor. */
  readonly split: (from: Memory) => void;
  /** Closes a view, unless it is the last one. */
  readonly close: (memory: Memory) => void;
}

/** Largest number of views: more would be too small to read. */
export const MOST_MEMORIES = 4;

export const memoriesOf = attached(({ opened }) =>
  createMemories(opened.format.options['endian'] === 'big' ? 'big' : 'little'),
);

export function createMemories(endian: Endian): Memories {
  let made = 0;
  let list = $state.raw<readonly Memory[]>([
    create({ top: null, follow: true, pinned: null, opcodes: false, image: false, word: 1, endian }),
  ]);

  function create(from: Omit<Memory, 'id'>): Memory {
    made += 1;
    return createMemory(made, from);
  }

  return {
    get list() {
      return list;
    },
    split(from) {
      if (list.length >= MOST_MEMORIES) return;
      const { top, pinned, opcodes, image, word } = from;
      const own = create({ top, pinned, opcodes, image, word, endian: from.endian, follow: false });
      list = list.flatMap((memory) => (memory === from ? [memory, own] : [memory]));
    },
    close(memory) {
      if (list.length > 1) list = list.filter((other) => other !== memory);
    },
  };
}

function createMemory(id: number, from: Omit<Memory, 'id'>): Memory {
  let top = $state(from.top);
  let follow = $state(from.follow);
  let pinned = $state(from.pinned);
  let opcodes = $state(from.opcodes);
  let image = $state(from.image);
  let word = $state(from.word);
  let endian = $state(from.endian);
  return {
    id,
    get top() {
      return top;
    },
    set top(next) {
      top = next;
    },
    get follow() {
      return follow;
    },
    set follow(next) {
      follow = next;
    },
    get pinned() {
      return pinned;
    },
    set pinned(next) {
      pinned = next;
    },
    get opcodes() {
      return opcodes;
    },
    set opcodes(next) {
      opcodes = next;
    },
    get image() {
      return image;
    },
    set image(next) {
      image = next;
    },
    get word() {
      return word;
    },
    set word(next) {
      word = next;
    },
    get endian() {
      return endian;
    },
    set endian(next) {
      endian = next;
    },
  };
}
