/** The views of the Memory pane: each shows its own addresses, at the cursor's record or at a pinned one. */
import { toHex, type Hex } from '../../../shared/base/units.ts';
import { flag, hex, lenient, list, oneOf, partOfFile, record, whole } from '../../../shared/requests/schema.ts';
import { attached } from '../../trace/attached.svelte.ts';
import { paneOptions } from '../../trace/pane-options.svelte.ts';

export const WORDS = [1, 2, 4, 8] as const;
export type Word = (typeof WORDS)[number];
const ENDIANS = ['little', 'big'] as const;
export type Endian = (typeof ENDIANS)[number];

export interface Memory {
  readonly id: number;
  /** Address of the first byte shown; null until there is an address to show. */
  top: bigint | null;
  /** Follows the cursor's address. */
  follow: boolean;
  /** Address of the cursor that was followed last. */
  followed: bigint | null;
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

/** A view as JSON. Absent addresses and records are null in `Memory`. */
export interface KeptMemory {
  readonly id: number;
  readonly top?: Hex | undefined;
  readonly follow: boolean;
  readonly followed?: Hex | undefined;
  readonly pinned?: number | undefined;
  readonly opcodes: boolean;
  readonly image: boolean;
  readonly word: Word;
  readonly endian: Endian;
}

const keptMemory = partOfFile({
  id: whole(1, 1_000_000),
  top: lenient(hex),
  follow: flag,
  followed: lenient(hex),
  pinned: lenient(record),
  opcodes: flag,
  image: flag,
  word: oneOf(WORDS),
  endian: oneOf(ENDIANS),
});

const memoryOptions = paneOptions<{ views: readonly KeptMemory[] }>(
  'memory',
  { views: list(keptMemory, MOST_MEMORIES) },
  ({ opened }) => ({ views: [firstMemory(opened.format.options['endian'] === 'big' ? 'big' : 'little')] }),
);

export const memoriesOf = attached((trace) => createMemories(memoryOptions(trace)));

export function firstMemory(endian: Endian): KeptMemory {
  return { id: 1, follow: true, opcodes: false, image: false, word: 1, endian };
}

/** @param options the views, which are replaced when one of them changes */
export function createMemories(options: { views: readonly KeptMemory[] }): Memories {
  const made = new Map<number, Memory>();

  function memoryOf(id: number): Memory {
    const memory = made.get(id) ?? createMemory(options, id);
    made.set(id, memory);
    return memory;
  }

  return {
    get list() {
      return [...new Set(options.views.map(({ id }) => id))].map(memoryOf);
    },
    split(from) {
      const { views } = options;
      if (views.length >= MOST_MEMORIES) return;
      const id = Math.max(...views.map((view) => view.id)) + 1;
      options.views = views.flatMap((view) => (view.id === from.id ? [view, { ...view, id, follow: false }] : [view]));
    },
    close({ id }) {
      if (options.views.length > 1) options.views = options.views.filter((view) => view.id !== id);
    },
  };
}

function createMemory(options: { views: readonly KeptMemory[] }, id: number): Memory {
  const first = options.views[0];
  /** A view that was just closed may still be read. */
  const own = (): KeptMemory => options.views.find((view) => view.id === id) ?? first ?? firstMemory('little');
  function set(change: Partial<KeptMemory>): void {
    options.views = options.views.map((view) => (view.id === id ? { ...view, ...change } : view));
  }
  return {
    id,
    get top() {
      return addressOf(own().top);
    },
    set top(next) {
      set({ top: hexOf(next) });
    },
    get follow() {
      return own().follow;
    },
    set follow(follow) {
      set({ follow });
    },
    get followed() {
      return addressOf(own().followed);
    },
    set followed(next) {
      set({ followed: hexOf(next) });
    },
    get pinned() {
      return own().pinned ?? null;
    },
    set pinned(next) {
      set({ pinned: next ?? undefined });
    },
    get opcodes() {
      return own().opcodes;
    },
    set opcodes(opcodes) {
      set({ opcodes });
    },
    get image() {
      return own().image;
    },
    set image(image) {
      set({ image });
    },
    get word() {
      return own().word;
    },
    set word(word) {
      set({ word });
    },
    get endian() {
      return own().endian;
    },
    set endian(endian) {
      set({ endian });
    },
  };
}

function addressOf(text: Hex | undefined): bigint | null {
  return text === undefined ? null : BigInt(text);
}

function hexOf(address: bigint | null): Hex | undefined {
  return address === null ? undefined : toHex(address);
}
