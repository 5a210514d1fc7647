/** Detects branch stacks of perf script by the form of a branch, which occurs nowhere else. */
import { HASH } from '../../base/characters.ts';
import type { Claim, Head } from '../../format/format.ts';
import { findToken } from './decode.ts';
import { createToken, readToken } from './token.ts';
import { hexEnd } from '../../base/scan.ts';
import { visitHead } from '../../format/lines.ts';

const token = createToken();
/** Maximum number of unexpected lines per line with branches. */
const MOST_STRANGERS = 4;

export function sniff(head: Head): Claim | undefined {
  const { bytes } = head;
  let samples = 0;
  let branches = 0;
  let strangers = 0;
  const lines = visitHead(head, (at, to) => {
    const count = branchesIn(bytes, at, to);
    branches += count;
    if (count > 0) samples++;
    else if (!isExpected(bytes, at, to)) strangers++;
  });
  if (branches === 0) return undefined;
  return {
    // A text with many other lines is probably about branch stacks and not a trace.
    confidence: strangers > MOST_STRANGERS * samples ? 0.4 : branches > 3 ? 0.96 : 0.7,
    options: {},
    reasons: [
      `${samples} of the first ${lines} lines contain ${branches} branches as source/target/prediction/transaction/abort`,
      ...(strangers > MOST_STRANGERS * samples ? [`${strangers} are lines that perf does not print`] : []),
    ],
  };
}

/** True for comment lines of perf and for frames of a call chain, which begin with an address. */
function isExpected(bytes: Uint8Array, at: number, to: number): boolean {
  if (bytes[at] === HASH) return true;
  let p = at;
  while (p < to && bytes[p]! <= 32) p++;
  const end = hexEnd(bytes, p, to);
  return end > p && end < to && bytes[end]! <= 32;
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
