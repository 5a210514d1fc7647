/** Detects branch stacks of perf script by the form of a branch, which occurs nowhere else. */
import { afterMark } from '../../base/characters.ts';
import type { Claim, Head } from '../../format/format.ts';
import { FIRST_RECORD, SAMPLE, TEXT } from './codes.ts';
import { findToken, kindOfLine } from './decode.ts';
import { createToken, readToken } from './token.ts';
import { visitHead } from '../../format/lines.ts';

const token = createToken();
/** Maximum number of unexpected lines per line with branches. */
const MOST_STRANGERS = 4;

export function sniff(head: Head): Claim | undefined {
  const { bytes } = head;
  let samples = 0;
  let branches = 0;
  let strangers = 0;
  let records = 0;
  let empty = 0;
  const lines = visitHead(head, (at, to) => {
    const count = branchesIn(bytes, at, to);
    branches += count;
    if (count > 0) samples++;
    else {
      const kind = kindOfLine(bytes, afterMark(bytes, at, to), to);
      if (kind >= FIRST_RECORD) records++;
      else if (kind === SAMPLE) empty++;
      else if (kind === TEXT) strangers++;
    }
  });
  if (branches === 0) return empty === 0 && records > strangers ? recordsClaim(records, lines) : undefined;
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

/** Claims a head that only lists processes and mappings, as `perf script --show-mmap-events` of a whole system does before the samples. */
function recordsClaim(records: number, lines: number): Claim {
  return {
    confidence: 0.6,
    options: {},
    reasons: [`${records} of the first ${lines} lines are records of perf, and samples may follow`],
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
