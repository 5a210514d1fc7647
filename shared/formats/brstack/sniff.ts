/** Is this what perf script prints of branch stacks? The shape of a branch is found nowhere else. */
import { LF } from '../../characters.ts';
import type { Claim, Head } from '../../format.ts';
import { trimLineEnd } from '../../lines.ts';
import { findToken } from './decode.ts';
import { createToken, readToken } from './token.ts';

const token = createToken();

export function sniff({ bytes, size }: Head): Claim | undefined {
  let lines = 0;
  let samples = 0;
  let branches = 0;
  for (let at = 0; at < bytes.length;) {
    const found = bytes.indexOf(LF, at);
    if (found < 0 && bytes.length < size && lines > 0) break;
    const next = found < 0 ? bytes.length : found + 1;
    const to = trimLineEnd(bytes, at, next);
    if (to > at) {
      lines++;
      const count = branchesIn(bytes, at, to);
      branches += count;
      if (count > 0) samples++;
    }
    at = next;
  }
  if (branches === 0) return undefined;
  return {
    confidence: branches > 3 ? 0.96 : 0.7,
    options: {},
    reasons: [
      `${samples} of the first ${lines} lines hold ${branches} branches as source/target/prediction/transaction/abort`,
    ],
  };
}

function branchesIn(bytes: Uint8Array, at: number, to: number): number {
  let count = 0;
  let p = findToken(bytes, at, to, token);
  while (p >= 0 && p < to) {
    count++;
    p = token.end;
    while (p < to && bytes[p]! <= 32) p++;
    if (!readToken(bytes, p, to, token)) p = findToken(bytes, p, to, token);
  }
  return count;
}
