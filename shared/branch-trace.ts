/**
 * Which branch trace messages of a Pentium name targets and which sources, when only their addresses are left?
 *
 * A message that lost its data bus keeps bits 31 to 4 of its address. In normal mode each branch is two messages, the target
 * first, then the source; in fast mode it is the source alone. What can be told is told by straight runs: after branch k the
 * processor runs from target k up to source k + 1, so with targets at i, i + 2, .. the message at i + 3 lies at or a little
 * above the one at i. Three readings are weighed against each other: targets at even places, targets at odd places, and fast.
 * The outcome is a probability, never a certainty: tight loops read well either way.
 */

/** Probabilities of the three readings; they add up to 1. */
export interface BranchTraceReading {
  /** Normal mode, messages 0, 2, 4 .. are targets. */
  readonly even: number;
  /** Normal mode, messages 1, 3, 5 .. are targets. */
  readonly odd: number;
  /** Fast mode: all messages are sources. */
  readonly fast: number;
}

/** Straight runs are taken to be shorter than this many bytes. */
const LONGEST_RUN = 1024;
/** Runs of a phase that count: what one piece of a program does is no proof for all of it. */
const MOST_RUNS = 16;
/** Messages before a run in which the same run is looked for. */
const REMEMBERED = 32;
/** What is expected of the right reading before anything is seen: 36 of 37 runs are good. */
const GOOD_BEFORE = 36;

/** `addresses`: of the first `count` messages in trace order, unsigned; their low four bits are left out here. */
export function readBranchTrace(addresses: ArrayLike<number>, count: number): BranchTraceReading {
  const runs = [0, 0];
  const good = [0, 0];
  for (let i = 0; i + 3 < count; i++) {
    if (isRepeated(addresses, i)) continue;
    const run = blockOf(addresses[i + 3]!) - blockOf(addresses[i]!);
    runs[i & 1]!++;
    if (run >= 0 && run < LONGEST_RUN / 16) good[i & 1]!++;
  }
  const [evenRuns, oddRuns] = runs.map((seen) => Math.min(seen, MOST_RUNS)) as [number, number];
  const evenGood = runs[0] === 0 ? 0 : (good[0]! / runs[0]!) * evenRuns;
  const oddGood = runs[1] === 0 ? 0 : (good[1]! / runs[1]!) * oddRuns;
  // Of the wrong phase nothing is known beforehand; in fast mode both phases are the same thing seen twice.
  const even = evidence(evenGood, evenRuns, GOOD_BEFORE) + evidence(oddGood, oddRuns, 1);
  const odd = evidence(oddGood, oddRuns, GOOD_BEFORE) + evidence(evenGood, evenRuns, 1);
  const fast = evidence(evenGood + oddGood, evenRuns + oddRuns, 1);
  const most = Math.max(even, odd, fast);
  const [a, b, c] = [Math.exp(even - most), Math.exp(odd - most), Math.exp(fast - most)];
  const sum = a + b + c;
  return { even: a / sum, odd: b / sum, fast: c / sum };
}

/** Whether the run from message `i` on was met shortly before at the same phase: loops prove nothing by going round. */
function isRepeated(addresses: ArrayLike<number>, i: number): boolean {
  for (let k = i - 2; k >= 0 && k >= i - REMEMBERED; k -= 2) {
    if (addresses[k] === addresses[i] && addresses[k + 3] === addresses[i + 3]) return true;
  }
  return false;
}

/** Number of the 16 bytes in which an address lies. */
function blockOf(address: number): number {
  return Math.floor(address / 16);
}

/** Logarithm of how well `good` of `all` fits a share of which `before` good ones and one bad one were seen before. */
function evidence(good: number, all: number, before: number): number {
  return logBeta(before + good, 1 + all - good) - logBeta(before, 1);
}

function logBeta(a: number, b: number): number {
  return logGamma(a) + logGamma(b) - logGamma(a + b);
}

/** Stirling's series, after moving the argument up to where it is exact to nine digits. */
function logGamma(x: number): number {
  let shift = 0;
  let z = x;
  for (; z < 8; z++) shift += Math.log(z);
  const square = z * z;
  return (
    (z - 0.5) * Math.log(z) -
    z +
    0.5 * Math.log(2 * Math.PI) +
    (1 / 12 - (1 / 360 - 1 / (1260 * square)) / square) / z -
    shift
  );
}
