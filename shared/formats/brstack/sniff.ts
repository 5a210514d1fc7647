/** Is this what perf script prints of branch stacks? The shape of a branch is found nowhere else. */
import { HASH, HEX, LF, NO_DIGIT } from '../../base/characters.ts';
import type { Claim, Head } from '../../format/format.ts';
import { trimLineEnd } from '../../format/lines.ts';
import { findToken } from './decode.ts';
import { createToken, readToken } from './token.ts';

const token = createToken();
/** For each line with branches. */
const MOST_STRANGERS = 4;

export function sniff({ bytes, size }: Head): Claim | undefined {
  let lines = 0;
  let samples = 0;
  let branches = 0;
  let strangers = 0;
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
      else if (!isExpected(bytes, at, to)) strangers++;
    }
    at = next;
  }
  if (branches === 0) return undefined;
  return {
    // Where other lines abound, somebody writes about branches.
    confidence: strangers > MOST_STRANGERS * samples ? 0.4 : branches > 3 ? 0.96 : 0.7,
    options: {},
    reasons: [
      `${samples} of the first ${lines} lines hold ${branches} branches as source/target/prediction/transaction/abort`,
      ...(strangers > MOST_STRANGERS * samples ? [`${strangers} are nothing that perf prints beside them`] : []),
    ],
  };
}

/** A line of the head that perf writes, or a frame of a call chain, which begins with its address. */
function isExpected(bytes: Uint8Array, at: number, to: number): boolean {
  if (bytes[at] === HASH) return true;
  let p = at;
  while (p < to && bytes[p]! <= 32) p++;
  const digits = p;
  while (p < to && HEX[bytes[p]!] !== NO_DIGIT) p++;
  return p > digits && p < to && bytes[p]! <= 32;
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
