/** What is asked at a place and answered late: whoever has gone elsewhere meanwhile stays there, and is told from where it was asked. */
import { group } from '../../../present/base/numbers.ts';
import type { Cursor } from '../cursor.svelte.ts';

/** Where somebody was when they asked. */
export interface Then {
  /** The cursor still stands there; `withSubject`: and the same address, or register, is chosen. */
  readonly isHere: (withSubject: boolean) => boolean;
  /** A sentence about that place as it is said where one is now. */
  readonly told: (sentence: string) => string;
}

export function placeThen(cursor: Cursor): Then {
  const { n, address, register, about } = cursor;
  return {
    isHere: (withSubject) =>
      cursor.n === n &&
      (!withSubject || (cursor.address === address && cursor.register === register && cursor.about === about)),
    told: (sentence) => (cursor.n === n ? sentence : `Asked at record ${group(n)}: ${sentence}`),
  };
}
