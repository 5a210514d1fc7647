/**
 * Results of following a buffer. `createFindings` collects everything: instructions, gaps and branches. `createBranchFindings` collects
 * only branches, in memory that it reuses, for walks over many buffers.
 */
import { BRANCH_KINDS, type BranchKind } from '../../../../../shared/flow/events.ts';
import { isException, isIndirect, MESSAGE } from '../../../../../shared/xscale/messages.ts';
import { instructionsIn, type Entry } from './entries.ts';
import { STEP, type KnownSteps } from './known-steps.ts';
import {
  addressesOf,
  createTrail,
  NO_KIND,
  NOWHERE,
  ranIn,
  reserveSteps,
  type Loss,
  type Trail,
  type Path,
} from './path.ts';

export interface Followed {
  /** The first entry after which the address is known, or 0 if it is known earlier; null if it never is. */
  readonly knownFrom: number | null;
  /** Number of instructions up to there, which are not among the addresses; undefined if they cannot be counted. */
  readonly before: number | undefined;
  /** Addresses of executed instructions, oldest first. */
  readonly addresses: readonly number[];
  /** Parallel to `addresses`: 1 Thumb, 0 ARM, -1 unknown. */
  readonly thumb: readonly number[];
  /** By entry: number of addresses up to and including it. */
  readonly ends: readonly number[];
  readonly gaps: readonly Gap[];
  readonly branches: readonly Branch[];
  /** Address and instruction set after the last entry; undefined if not known. */
  readonly end: Place | undefined;
}

export interface Place {
  readonly pc: number;
  readonly thumb: boolean;
}

export interface Branch {
  readonly entry: number;
  readonly source?: number;
  readonly target?: number;
  readonly kind: BranchKind;
  /** Address at which execution resumes after a return from this branch. */
  readonly resume?: number;
}

export interface Gap {
  /** Number of addresses before the gap. */
  readonly after: number;
  readonly reason: string;
  /** Number of unknown instructions; undefined if they cannot be counted. */
  readonly instructions: number | undefined;
}

export const REASON = {
  disagree: 'the image and the buffer disagree',
  enabled: 'the image and the buffer disagree after the address in the option enable-pc',
  registers: 'the checkpoint registers contradict the image or the buffer',
  state: 'this may be ARM or Thumb code',
  vectors: 'no image contains the exception vectors',
  noImage: 'the targets of direct branches are unknown without an image',
  outside: 'the path leads out of the image',
  call: 'the first half of a Thumb call is not in the buffer',
  damage: 'the buffer is damaged',
  lost: 'the buffer does not contain their addresses',
} as const;
export type Reason = (typeof REASON)[keyof typeof REASON];

const OF_LOSS: Readonly<Record<Loss, Reason>> = {
  'no image': REASON.noImage,
  outside: REASON.outside,
  call: REASON.call,
  damage: REASON.damage,
};

/** Receives what is found while a buffer is followed. Entry ranges first..last are inclusive. */
export interface Findings {
  readonly knownFrom: number | null;
  /** The address after an entry is known. Only the first call counts. */
  know(entry: number): void;
  /** The instructions of these entries are not known. */
  unknown(first: number, last: number, reason: Reason): void;
  /** These entries took `path`, or either `path` or `other`. `doubt` is the reason for what stays open. */
  paths(first: number, last: number, path: Path, other: Path | undefined, doubt: Reason): void;
  /** The exception of an entry went to this address. */
  vector(entry: number, target: number): void;
}

export interface AllFindings extends Findings {
  done(): Followed;
}

export function createFindings(entries: readonly Entry[], steps: KnownSteps): AllFindings {
  const addresses: number[] = [];
  const thumb: number[] = [];
  const ends: number[] = entries.map(() => 0);
  const gaps: Gap[] = [];
  const branches: Branch[] = [];
  let before: number | undefined = 0;
  let end: Place | undefined;

  const addGap = (reason: Reason, instructions: number | undefined): void => {
    if (instructions === 0) return;
    const last = gaps.at(-1);
    if (last?.after !== addresses.length || last.reason !== reason) {
      gaps.push({ after: addresses.length, reason, instructions });
      return;
    }
    gaps[gaps.length - 1] = { ...last, instructions: sum(last.instructions, instructions) };
  };
  const bareBranch = (k: number): void => {
    const { message, target } = entries[k]!;
    if (isException(message)) branches.push({ entry: k, kind: isInterrupt(message) ? 'interrupt' : 'exception' });
    else if (target !== undefined) branches.push({ entry: k, target, kind: 'unknown' });
  };

  const findings: { -readonly [K in keyof AllFindings]: AllFindings[K] } = {
    knownFrom: null,
    know(entry) {
      findings.knownFrom ??= entry;
    },
    unknown(first, last, reason) {
      end = undefined;
      const count = countOf(entries, first, last);
      if (findings.knownFrom === null) before = sum(before, count);
      else addGap(reason, count);
      for (let k = first; k <= last; k++) {
        ends[k] = addresses.length;
        bareBranch(k);
      }
    },
    paths(first, last, path, other, doubt) {
      end = other === undefined && path.next >= 0 ? { pc: path.next, thumb: path.thumb } : undefined;
      const start = addresses.length;
      const ran = addressesOf(path, steps);
      const common = other === undefined ? ran.length : commonStart(ran, addressesOf(other, steps));
      const followed = other === undefined ? path.followed : 0;
      const state = other === undefined ? (path.thumb ? 1 : 0) : -1;
      for (let i = 0; i < common; i++) {
        addresses.push(ran[i]!);
        thumb.push(state);
      }
      for (let k = first, done = start; k <= last; k++) {
        const isFollowed = k - first < followed;
        const step = path.trail.steps[k]!;
        done = isFollowed ? done + ranIn(steps.rows, step) : start + common;
        ends[k] = done;
        if (!isFollowed) bareBranch(k);
        else if (steps.rows[step + STEP.kind] !== NO_KIND) branches.push(branchOf(steps.rows, step, k, entries[k]!));
      }
      if (other === undefined) {
        if (followed === last - first + 1) return;
        addGap(path.lost === undefined ? doubt : OF_LOSS[path.lost], countOf(entries, first + followed, last));
        return;
      }
      const isLost = common === 0 && path.lost !== undefined && path.lost === other.lost;
      addGap(isLost ? OF_LOSS[path.lost!] : doubt, sum(countOf(entries, first, last), -common));
    },
    vector(entry, target) {
      const index = branches.findLastIndex((branch) => branch.entry === entry);
      const branch = branches[index];
      if (branch !== undefined) branches[index] = { ...branch, target };
    },
    done: () => {
      const from = findings.knownFrom ?? entries.length;
      return {
        knownFrom: findings.knownFrom,
        before,
        addresses,
        thumb,
        ends,
        gaps,
        end,
        branches: branches.filter(({ entry }) => entry >= from),
      };
    },
  };
  return findings;
}

function branchOf(
  rows: Float64Array,
  step: number,
  entry: number,
  { message, target: named = NOWHERE }: Entry,
): Branch {
  const source = rows[step + STEP.source]!;
  const target = isIndirect(message) ? named : rows[step + STEP.target]!;
  const resume = rows[step + STEP.resume]!;
  return {
    entry,
    ...(source >= 0 && { source }),
    ...(target >= 0 && { target }),
    kind: BRANCH_KINDS[rows[step + STEP.kind]!]!,
    ...(resume >= 0 && { resume }),
  };
}

function countOf(entries: readonly Entry[], first: number, last: number): number | undefined {
  let count: number | undefined = 0;
  for (let k = first; k <= last; k++) count = sum(count, instructionsIn(entries[k]!));
  return count;
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? undefined : a + b;
}

function commonStart(a: readonly number[], b: readonly number[]): number {
  const least = Math.min(a.length, b.length);
  let i = 0;
  while (i < least && a[i] === b[i]) i++;
  return i;
}

function isInterrupt(message: number): boolean {
  return message === MESSAGE.irq || message === MESSAGE.fiq;
}

export interface BranchFindings {
  readonly trail: Trail;
  /** Returns true if the image contradicts the buffer somewhere. */
  disagrees(): boolean;
  /** Starts a buffer with this number of entries. */
  begin(entries: number): Findings;
}

const DOUBTFUL: ReadonlySet<Reason> = new Set([REASON.disagree, REASON.enabled, REASON.registers]);

export function createBranchFindings(): BranchFindings {
  const trail = createTrail();
  let disagrees = false;
  const findings: { -readonly [K in keyof Findings]: Findings[K] } = {
    knownFrom: null,
    know(entry) {
      findings.knownFrom ??= entry;
    },
    unknown(_first, _last, reason) {
      disagrees ||= DOUBTFUL.has(reason);
    },
    paths(first, _last, path, other) {
      if (other !== undefined) return;
      const { steps } = trail;
      const found = path.trail.steps;
      for (let k = first; k < first + path.followed; k++) steps[k] = found[k]!;
    },
    // The entry says it.
    vector: () => undefined,
  };
  return {
    trail,
    disagrees: () => disagrees,
    begin(entries) {
      disagrees = false;
      reserveSteps(trail, entries);
      trail.steps.fill(-1, 0, entries);
      findings.knownFrom = null;
      return findings;
    },
  };
}

/** A stretch of a buffer from one anchor to the next, of which the image has at least the first branch. */
export interface StretchFit {
  /** Its first entry, which follows the anchor. */
  readonly entry: number;
  /** False if the image contradicts the buffer. */
  readonly fits: boolean;
  /** Addresses of its branches in the image; of one reading if ARM and Thumb code fit. Empty if it does not fit. */
  readonly sources: readonly number[];
}

export interface FitFindings extends Findings {
  readonly stretches: readonly StretchFit[];
}

/** Collects which stretches the image allows. Stretches without a branch in the image prove nothing. */
export function createFitFindings(steps: KnownSteps): FitFindings {
  const stretches: StretchFit[] = [];
  const findings: { -readonly [K in keyof FitFindings]: FitFindings[K] } = {
    stretches,
    knownFrom: null,
    know(entry) {
      findings.knownFrom ??= entry;
    },
    unknown(first, _last, reason) {
      if (reason === REASON.disagree) stretches.push({ entry: first, fits: false, sources: [] });
    },
    paths(first, _last, { trail, followed }) {
      const taken = [...trail.steps.subarray(first, first + followed)];
      const sources = taken.map((step) => steps.rows[step + STEP.source]!).filter((source) => source >= 0);
      if (sources.length > 0) stretches.push({ entry: first, fits: true, sources });
    },
    vector: () => undefined,
  };
  return findings;
}
