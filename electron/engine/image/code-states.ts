/**
 * What do the bytes at an address hold: ARM, Thumb or other code, or data? As mapping symbols tell it: each holds up to the next
 * one, at most to the end of its section (ELF for the Arm Architecture, IHI 0044, 4.5.5; for AArch64 and RISC-V `$x`).
 */
import { lastAtOrBefore } from './symbols.ts';

export const STATES = ['arm', 'thumb', 'code', 'data'] as const;
export type CodeState = (typeof STATES)[number];

export interface StateMark {
  readonly address: bigint;
  /** First address behind its section. */
  readonly end: bigint;
  readonly state: CodeState;
}

export interface CodeStates {
  /** By address; of those at one address in the order in which they were given. */
  readonly marks: readonly StateMark[];
  /** Undefined where no mapping symbol tells, or two tell different things. */
  at(address: bigint): CodeState | undefined;
}

/** What the name of a mapping symbol says; undefined for other names. */
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
