/**
 * Mapping symbols: whether the bytes at an address are ARM code, Thumb code, other code or data.
 *
 * A mapping symbol applies up to the next one, but not past the end of its section (ELF for the Arm Architecture, IHI 0044, 4.5.5; AArch64
 * and RISC-V use `$x`).
 */
import { sharedAddresses, sharedBytes } from './shared-memory.ts';
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
  /** The content, for other threads. */
  readonly columns: StateColumns;
  /** Returns undefined if no mapping symbol covers the address, or two contradict each other. */
  at(address: bigint): CodeState | undefined;
  /** Returns the first address after this one at which the state may differ; undefined if it is the same to the last address. */
  nextChange(address: bigint): bigint | undefined;
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

/** Mapping symbols in shared memory, sorted by address; symbols at one address keep their input order. */
export interface StateColumns {
  readonly addresses: BigUint64Array;
  readonly ends: BigUint64Array;
  /** Indexes in STATES. */
  readonly states: Uint8Array;
}

export function createCodeStates(marks: readonly StateMark[]): CodeStates {
  const sorted = [...marks].sort((a, b) => (a.address === b.address ? 0 : a.address < b.address ? -1 : 1));
  const columns = {
    addresses: sharedAddresses(sorted.length),
    ends: sharedAddresses(sorted.length),
    states: sharedBytes(sorted.length),
  };
  sorted.forEach(({ address, end, state }, i) => {
    columns.addresses[i] = address;
    columns.ends[i] = end;
    columns.states[i] = STATES.indexOf(state);
  });
  return codeStatesOf(columns);
}

export function codeStatesOf(columns: StateColumns): CodeStates {
  const { addresses, ends, states } = columns;
  return {
    columns,
    at(address) {
      const i = lastAtOrBefore(addresses, address);
      if (i < 0 || address >= ends[i]!) return undefined;
      const contradicts = i > 0 && addresses[i - 1] === addresses[i] && states[i - 1] !== states[i];
      return contradicts ? undefined : STATES[states[i]!];
    },
    nextChange(address) {
      const i = lastAtOrBefore(addresses, address);
      const next = addresses[i + 1];
      const end = ends[i];
      if (end === undefined || address >= end) return next;
      return next === undefined || end < next ? end : next;
    },
  };
}
