/**
 * Mapping symbols: whether the bytes at an address are ARM code, Thumb code, other code or data.
 *
 * A mapping symbol applies up to the next one, but not past the end of its section (ELF for the Arm Architecture, IHI 0044, 4.5.5; AArch64
 * and RISC-V use `$x`).
 */
import { lastAtOrBefore } from './symbols.ts';

export const STATES = ['arm', 'thumb', 'code', 'data'] as const;
export type CodeState = (typeof STATES)[number];

export interface StateMark {
  readonly address: bigint;
  /** First address after the section of the symbol. */
  readonly end: bigint;
  readonly state: CodeState;
}

export interface CodeStates {
  /** Sorted by address; symbols at one address keep their input order. */
  readonly marks: readonly StateMark[];
  /** Returns undefined if no mapping symbol covers the address, or two contradict each other. */
  at(address: bigint): CodeState | undefined;
}

/** Returns the state that the name of a mapping symbol stands for; undefined for other names. */
export function stateOfName(name: string): CodeState | undefined {
  const letter = /^\$([adtx])(?:$|\.|rv)/.exec(name)?.[1];
  switch (letter) {
    case 'a':
      return 'arm';
    case 't':
      return 'thumb';
    case 'x':
      return 'code';
    case 'd':
      return 'data';
    default:
      return undefined;
  }
}

export function createCodeStates(marks: readonly StateMark[]): CodeStates {
  const sorted = [...marks].sort((a, b) => (a.address === b.address ? 0 : a.address < b.address ? -1 : 1));
  const addresses = BigUint64Array.from(sorted, ({ address }) => address);
  return {
    marks: sorted,
    at(address) {
      const i = lastAtOrBefore(addresses, address);
      const mark = sorted[i];
      if (mark === undefined || address >= mark.end) return undefined;
      const before = sorted[i - 1];
      return before?.address === mark.address && before.state !== mark.state ? undefined : mark.state;
    },
  };
}
