/** What following a buffer has found so far: what ran, where that is not known, which branches were taken. */
import { BRANCH_KINDS, type BranchKind } from '../../../../../shared/flow/events.ts';
import { isException, isIndirect, MESSAGE } from '../../../../../shared/xscale/messages.ts';
import { instructionsIn, type Entry } from './entries.ts';
import { STEP, type KnownSteps } from './known-steps.ts';
import { addressesOf, NO_KIND, NOWHERE, ranIn, type Loss, type Way } from './way.ts';

export interface Followed {
  /** The first entry behind which the place is known, or 0 where it is known before; null where it never is. */
  readonly knownFrom: number | null;
  /** Instructions up to there that are not among the addresses; undefined where they cannot be counted. */
  readonly before: number | undefined;
  /** Instructions that ran, oldest first. */
  readonly addresses: readonly number[];
  /** By address: 1 where it is Thumb code, 0 where it is ARM code, -1 where that is not known. */
  readonly thumb: readonly number[];
  /** By entry: how many addresses there are once it is done. */
  readonly ends: readonly number[];
  readonly gaps: readonly Gap[];
  readonly branches: readonly Branch[];
  /** Where the core was behind the last entry; undefined where that is not known. */
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
  /** Where it goes on when this is undone. */
  readonly resume?: number;
}

export interface Gap {
  /** Behind so many addresses. */
  readonly after: number;
  readonly reason: string;
  /** How many ran unseen; undefined where they cannot be counted. */
  readonly instructions: number | undefined;
}

export const REASON = {
  disagree: 'the image and the buffer disagree',
  enabled: 'the image and the buffer disagree from where tracing was enabled',
  registers: 'the checkpoint registers do not fit the rest',
  state: 'whether this is ARM or Thumb code is not known',
  vectors: 'no image has the exception vectors',
  noImage: 'without an image it is not known where direct branches lead',
  outside: 'the way leads out of the image',
  call: 'the first half of a Thumb call is not in the buffer',
  damage: 'the buffer is damaged',
  lost: 'where the branch led is lost',
} as const;
export type Reason = (typeof REASON)[keyof typeof REASON];

const OF_LOSS: Readonly<Record<Loss, Reason>> = {
  'no image': REASON.noImage,
  outside: REASON.outside,
  call: REASON.call,
  damage: REASON.damage,
};

/** What whoever follows a buffer tells of it on the way. */
export interface Findings {
  readonly knownFrom: number | null;
  /** The place behind an entry is known; the first time counts. */
  know(entry: number): void;
  /** Nothing is known of the instructions of the entries first..last. */
  unknown(first: number, last: number, reason: Reason): void;
  /** A way, or the two of which nobody knows which, that the entries first..last have gone. */
  ways(first: number, last: number, way: Way, other: Way | undefined, doubt: Reason): void;
  /** Where the exception of an entry led. */
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
    ways(first, last, way, other, doubt) {
      end = other === undefined && way.next >= 0 ? { pc: way.next, thumb: way.thumb } : undefined;
      const start = addresses.length;
      const ran = addressesOf(way, steps);
      const common = other === undefined ? ran.length : commonStart(ran, addressesOf(other, steps));
      const followed = other === undefined ? way.followed : 0;
      const state = other === undefined ? (way.thumb ? 1 : 0) : -1;
      for (let i = 0; i < common; i++) {
        addresses.push(ran[i]!);
        thumb.push(state);
      }
      for (let k = first, done = start; k <= last; k++) {
        const isFollowed = k - first < followed;
        const step = way.trail.steps[k]!;
        done = isFollowed ? done + ranIn(steps.rows, step) : start + common;
        ends[k] = done;
        if (!isFollowed) bareBranch(k);
        else if (steps.rows[step + STEP.kind] !== NO_KIND) branches.push(branchOf(steps.rows, step, k, entries[k]!));
      }
      if (other === undefined) {
        if (followed === last - first + 1) return;
        addGap(way.lost === undefined ? doubt : OF_LOSS[way.lost], countOf(entries, first + followed, last));
        return;
      }
      const isLost = common === 0 && way.lost !== undefined && way.lost === other.lost;
      addGap(isLost ? OF_LOSS[way.lost!] : doubt, sum(countOf(entries, first, last), -common));
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
