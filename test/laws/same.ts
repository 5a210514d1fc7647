/** Results that two ways of decoding the same bytes must share, and the guessed entry states for checking them. */
import type { Decoder, State } from '../../shared/format/format.ts';
import type { Driven } from './drive.ts';

/** The hot columns, one string per record: quick to compare and readable when they differ. */
export function columns(driven: Driven): readonly string[] {
  return driven.records.map((record) => {
    const { n, start, end, time, kind, native, address, size, cpu, flags, target, value } = record;
    return [n, start, end, time, kind, native, address, size, cpu, flags, target, value].join(' ');
  });
}

/** Ways to guess the states of blocks: the initial state, and states of distant blocks. */
export function guesses(decoder: Decoder, states: readonly State[]): readonly ((block: number) => State)[] {
  return [
    () => decoder.initial,
    (block) => states[(block * 7 + 3) % states.length]!,
    (block) => states[Math.max(0, block - 1)]!,
  ];
}
