/**
 * Estimates which branch trace messages of a Pentium contain targets and which contain sources, from their addresses alone.
 *
 * A message without its data bus keeps bits 31 to 4 of its address. In normal mode each branch makes two messages, first the
 * target, then the source. In fast mode it makes one message, the source. Straight runs distinguish these cases: after branch k the
 * processor runs from target k up to source k + 1. So if the targets are at i, i + 2, .., the address of message i + 3 equals that of
 * message i or is slightly higher. Three readings compete: targets at even places, targets at odd places, and fast mode.
 * The result is a probability, never a certainty, because tight loops fit every reading.
 */

/** Probabilities of the three readings under the assumption that one of them holds for all messages. They add up to 1. */
export interface BranchTraceReading {
  /** Normal mode, messages 0, 2, 4 .. are targets. */
  readonly even: number;
  /** Normal mode, messages 1, 3, 5 .. are targets. */
  readonly odd: number;
  /** Fast mode: all messages are sources. */
  readonly fast: number;
  /** Probability that no reading holds for all messages: normal mode in which targets and sources swap places after a lost message. */
  readonly changed: number;
}

/** Assumed upper bound of the length of a straight run in bytes. */
const LONGEST_RUN = 1024;
/** Maximum number of runs per phase that count as evidence, because one part of a program proves little about the rest. */
const MOST_RUNS = 16;
/** Number of preceding messages that are searched for the same run. */
const REMEMBERED = 32;
/** Prior for the right reading: 36 of 37 runs are good. */
const GOOD_BEFORE = 36;

/** Weighs the first `count` addresses, unsigned and in trace order. Their low four bits are ignored. */
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
  // The wrong phase has a flat prior. In fast mode both phases sample the same sequence.
  const even = evidence(evenGood, evenRuns, GOOD_BEFORE) + evidence(oddGood, oddRuns, 1);
  const odd = evidence(oddGood, oddRuns, GOOD_BEFORE) + evidence(evenGood, evenRuns, 1);
  const fast = evidence(evenGood + oddGood, evenRuns + oddRuns, 1);
  const most = Math.max(even, odd, fast);
  const [a, b, c] = [Math.exp(even - most), Math.exp(odd - most), Math.exp(fast - most)];
  const sum = a + b + c;
  return { even: a / sum, odd: b / sum, fast: c / sum, changed: changedWithin(addresses, count, runs, good) };
}

/** Prior probability that a message is lost among those that are weighed together. */
const LOST_BEFORE = 0.05;
/** Minimum number of runs on each side of a possible change. */
const LEAST_RUNS = 4;

/**
 * Returns the probability that the phases swap somewhere: weighs every place where they may swap against no swap. `runs` and `good`
 * are, by phase, the numbers of all runs and of good ones.
 */
function changedWithin(
  addresses: ArrayLike<number>,
  count: number,
  runs: readonly number[],
  good: readonly number[],
): number {
  const [runs0, runs1, good0, good1] = [runs[0]!, runs[1]!, good[0]!, good[1]!];
  const all = runs0 + runs1;
  // A phase with almost no bad run shows that the phases did not swap.
  if (all < 2 * LEAST_RUNS || runs0 - good0 < 2 || runs1 - good1 < 2) return 0;
  const even = targets(good0, runs0) + others(good1, runs1);
  const odd = targets(good1, runs1) + others(good0, runs0);
  const fast = others(good0 + good1, all);
  const most = Math.max(even, odd, fast);
  const same = Math.exp(even - most) + Math.exp(odd - most) + Math.exp(fast - most);
  let changed = 0;
  let places = 0;
  // Runs and good runs before the current place, by phase.
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

/** Logarithm below which a term adds nothing to a probability. */
const NEGLIGIBLE = -20;

/** True if message `i` can be a target from which a straight run leads to the source in message `i + 3`. */
function isRun(addresses: ArrayLike<number>, i: number): boolean {
  const run = blockOf(addresses[i + 3]!) - blockOf(addresses[i]!);
  return run >= 0 && run < LONGEST_RUN / 16;
}

/** Log evidence for a phase that contains the targets. `others` is the same for the other phase and for fast mode. */
function targets(good: number, all: number): number {
  return logBetaOfWhole(GOOD_BEFORE + good, 1 + all - good) - TARGETS_BEFORE;
}

function others(good: number, all: number): number {
  return logBetaOfWhole(1 + good, 1 + all - good);
}

/** True if the run that starts at message `i` occurred shortly before at the same phase. Repeated loops are not new evidence. */
function isRepeated(addresses: ArrayLike<number>, i: number): boolean {
  for (let k = i - 2; k >= 0 && k >= i - REMEMBERED; k -= 2) {
    if (addresses[k] === addresses[i] && addresses[k + 3] === addresses[i + 3]) return true;
  }
  return false;
}

/** Returns the number of the 16-byte block that contains an address. */
function blockOf(address: number): number {
  return Math.floor(address / 16);
}

/** Returns the log likelihood of `good` good runs among `all`, given a beta prior of `before` good runs and one bad run. */
function evidence(good: number, all: number, before: number): number {
  return logBeta(before + good, 1 + all - good) - logBeta(before, 1);
}

/** Logarithms of factorials, for more messages than are weighed together. */
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

/** Stirling's series, applied after the argument has been shifted to where the series is exact to nine digits. */
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
