/**
 * Which branch trace messages of a Pentium name targets and which sources, when only their addresses are left?
 *
 * A message that lost its data bus keeps bits 31 to 4 of its address. In normal mode each branch is two messages, the target
 * first, then the source; in fast mode it is the source alone. What can be told is told by straight runs: after branch k the
 * processor runs from target k up to source k + 1, so with targets at i, i + 2, .. the message at i + 3 lies at or a little
 * above the one at i. Three readings are weighed against each other: targets at even places, targets at odd places, and fast.
 * The outcome is a probability, never a certainty: tight loops read well either way.
 */

/** Probabilities of the three readings, where one holds for all messages; they add up to 1. */
export interface BranchTraceReading {
  /** Normal mode, messages 0, 2, 4 .. are targets. */
  readonly even: number;
  /** Normal mode, messages 1, 3, 5 .. are targets. */
  readonly odd: number;
  /** Fast mode: all messages are sources. */
  readonly fast: number;
  /** Probability that none does: normal mode, and from somewhere on targets change places with sources, as where a message was lost. */
  readonly changed: number;
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
    runs[i & 1]!++;
    if (isRun(addresses, i)) good[i & 1]!++;
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
  return { even: a / sum, odd: b / sum, fast: c / sum, changed: changedWithin(addresses, count, runs, good) };
}

/** How often messages are lost within those that are weighed together, before anything is seen. */
const LOST_BEFORE = 0.05;
/** Fewer runs on one side tell nothing. */
const LEAST_RUNS = 4;

/** By phase: all runs, and how many of them are good. Weighs every place at which the phases may change against no change. */
function changedWithin(
  addresses: ArrayLike<number>,
  count: number,
  runs: readonly number[],
  good: readonly number[],
): number {
  const [runs0, runs1, good0, good1] = [runs[0]!, runs[1]!, good[0]!, good[1]!];
  const all = runs0 + runs1;
  // Where one phase has nearly no bad run, nothing has changed.
  if (all < 2 * LEAST_RUNS || runs0 - good0 < 2 || runs1 - good1 < 2) return 0;
  const even = targets(good0, runs0) + others(good1, runs1);
  const odd = targets(good1, runs1) + others(good0, runs0);
  const fast = others(good0 + good1, all);
  const most = Math.max(even, odd, fast);
  const same = Math.exp(even - most) + Math.exp(odd - most) + Math.exp(fast - most);
  let changed = 0;
  let places = 0;
  // Before the place, by phase.
  let r0 = 0;
  let r1 = 0;
  let g0 = 0;
  let g1 = 0;
  for (let i = 0; i + 3 < count; i++) {
    if (isRepeated(addresses, i)) continue;
    const isGood = isRun(addresses, i) ? 1 : 0;
    if ((i & 1) === 0) {
      r0++;
      g0 += isGood;
    } else {
      r1++;
      g1 += isGood;
    }
    if (r0 + r1 < LEAST_RUNS) continue;
    if (all - r0 - r1 < LEAST_RUNS) break;
    const before = targets(g0, r0) + others(g1, r1);
    const after = targets(good1 - g1, runs1 - r1) + others(good0 - g0, runs0 - r0);
    const otherBefore = targets(g1, r1) + others(g0, r0);
    const otherAfter = targets(good0 - g0, runs0 - r0) + others(good1 - g1, runs1 - r1);
    if (before + after - most > NEGLIGIBLE) changed += Math.exp(before + after - most);
    if (otherBefore + otherAfter - most > NEGLIGIBLE) changed += Math.exp(otherBefore + otherAfter - most);
    places += 2;
  }
  const weight = (LOST_BEFORE * changed) / places;
  return weight / (weight + (1 - LOST_BEFORE) * same);
}

/** Logarithm of what adds nothing to a probability. */
const NEGLIGIBLE = -20;

/** Whether a core may have run straight on from the target at `i` to the source behind the next target. */
function isRun(addresses: ArrayLike<number>, i: number): boolean {
  const run = blockOf(addresses[i + 3]!) - blockOf(addresses[i]!);
  return run >= 0 && run < LONGEST_RUN / 16;
}

/** `evidence` of the phase that has the targets, and of the one that has not or of fast mode. */
function targets(good: number, all: number): number {
  return logBetaOfWhole(GOOD_BEFORE + good, 1 + all - good) - TARGETS_BEFORE;
}

function others(good: number, all: number): number {
  return logBetaOfWhole(1 + good, 1 + all - good);
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

/** Logarithms of factorials, of more messages than are weighed together. */
const LOG_FACTORIAL = new Float64Array(256);
for (let n = 1; n < LOG_FACTORIAL.length; n++) LOG_FACTORIAL[n] = LOG_FACTORIAL[n - 1]! + Math.log(n);
const TARGETS_BEFORE = logBetaOfWhole(GOOD_BEFORE, 1);

function logBetaOfWhole(a: number, b: number): number {
  if (a + b > LOG_FACTORIAL.length) return logBeta(a, b);
  return LOG_FACTORIAL[a - 1]! + LOG_FACTORIAL[b - 1]! - LOG_FACTORIAL[a + b - 1]!;
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
