/**
 * Guards answers that arrive late. If the cursor has moved since a question was asked, the answer must not move it again: the person
 * sees a message with the place of the question instead.
 */
import { group } from '../../../shared/base/numbers.ts';
import type { Cursor } from '../cursor.svelte.ts';

/** Place of the cursor when a question was asked. */
export interface RequestPlace {
  /** Returns true if the cursor is still there; `withSubject`: and the same address or register is chosen. */
  readonly isStillHere: (withSubject: boolean) => boolean;
  /** Returns a sentence about that place, prefixed with its record number if the cursor has moved. */
  readonly qualify: (sentence: string) => string;
}

export function rememberPlace(cursor: Cursor): RequestPlace {
  const { n, address, register, about } = cursor;
  return {
    isStillHere: (withSubject) =>
      cursor.n === n &&
      (!withSubject || (cursor.address === address && cursor.register === register && cursor.about === about)),
    qualify: (sentence) => (cursor.n === n ? sentence : `Asked at record ${group(n)}: ${sentence}`),
  };
}
