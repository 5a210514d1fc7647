/**
 * Follows one trace buffer through the image and reports the instructions and branches that it proves (worked example: ../index.ts).
 *
 * Each stretch from one anchor to the next is followed on its own, in both instruction sets if it is not known which one the core was in.
 * A stretch in which the image contradicts the buffer proves nothing, because either may be wrong. If both instruction sets fit, two
 * kinds of evidence decide: code that ran elsewhere in the buffer, and the number of branches that the image has exactly where the
 * buffer has them. Without evidence only what both paths have in common is reported.
 *
 * A Thumb BL or BLX consists of two instructions (ARM Architecture Reference Manual, A7.1.15), but the manual of the core does not say
 * whether its count has one or two for them. Two are assumed. If that contradicts the image at the first half of a call, the buffer is
 * followed again with one, and the reading with fewer contradictions holds.
 *
 * If a checkpoint register contradicts the image, both registers may belong to another buffer. Then an address after their entries is
 * known only if the path up to there, which began at another anchor, leads to the same address.
 *
 * Source: 80200 Developer's Manual, 13.13 (buffer), 13.16 (errata: instructions that an abort counts).
 */
import { BRANCH } from '../../../../../shared/flow/events.ts';
import { isBranch, isException, isIndirect, vectorOf } from '../../../../../shared/xscale/messages.ts';
import type { Code } from './code.ts';
import { ABSENT, has } from './code.ts';
import { DOES } from './instruction.ts';
import { isOfRegister, trusted, withoutRegister, type Entry } from './entries.ts';
import {
  createBranchFindings,
  createFindings,
  createFitFindings,
  REASON,
  type AllFindings,
  type Findings,
  type Followed,
  type StretchFit,
} from './findings.ts';
import { createKnownSteps, STEP, STEP_WORDS, type KnownSteps } from './known-steps.ts';
import { createSeenCode, type SeenCode } from './seen-code.ts';
import { followStretch } from './stretch.ts';
import {
  ARM,
  createTrail,
  createPath,
  EITHER,
  even,
  NOWHERE,
  ranIn,
  reserveSteps,
  THUMB,
  type Stretch,
  type Trail,
  type Path,
} from './path.ts';

export interface Question {
  readonly entries: readonly Entry[];
  /** Undefined without an image. */
  readonly code: Code | undefined;
  /** Address of the exception vectors. */
  readonly base: number;
  /** Instruction set at the first anchor; undefined if no option gives it. */
  readonly state?: 'arm' | 'thumb' | undefined;
  /** Address at which tracing was enabled, for buffers that have not wrapped. */
  readonly enabledAt?: number | undefined;
  /** A checkpoint register holds another address than the bytes of its entry. */
  readonly registersDiffer?: boolean;
}

/** By entry: its step in `rows` (see STEP), or -1 if it is not known. */
export interface Branches {
  readonly steps: Int32Array;
  readonly rows: Float64Array;
  /** Step numbers stay valid as long as this does not change. */
  readonly age: number;
  /** The image contradicts the buffer somewhere: the rest may fit by chance, for example if another build of the program ran. */
  readonly doubtful: boolean;
  /** Nothing contradicts the targets from checkpoint registers. */
  readonly registersHold: boolean;
}

export interface Follower {
  follow(question: Question): Followed;
  /** Returns only the branches, by entry. They are valid until the next call. */
  branches(question: Question): Branches;
  /** Returns which stretches between anchors the image allows, oldest first. */
  fits(question: Question): readonly StretchFit[];
}

/** Source of an anchor's address. */
type From = 'buffer' | 'register' | 'vector' | 'enabled';

/** Largest number of passes over a buffer. Each pass uses the instruction sets that the previous one found. */
const MOST_TIMES = 4;
/** Lead in fitting branches that decides between two instruction sets. The wrong one fits one branch in ten or less. */
const CERTAIN = 5;

/** Follows a single buffer. */
export function follow(question: Question): Followed {
  return createFollower().follow(question);
}

/** Creates a follower for many buffers, which reuses its memory. */
export function createFollower(): Follower {
  /** Steps of buffers without an image. */
  const bare = createKnownSteps();
  const stretch = createStretch(bare);
  const { interrupted } = stretch;
  const arm = createPaths();
  const thumb = createPaths();
  const table = createSeenCode();
  const places = createSeenCode();
  const branches = createBranchFindings();
  /** Number of the current pass over all buffers; marks paths that were followed in it. */
  let pass = 0;
  let question: Question = { entries: [], code: undefined, base: 0 };
  /** Results of this pass, and instruction sets seen in this and earlier passes if any stretch was ambiguous. */
  let findings: Findings = branches.begin(0);
  let seen: SeenCode | undefined;
  let ambiguous = 0;
  /** Checkpoint registers are trusted. */
  let registersHold = true;
  /** A register contradicts the path before or after its entry. */
  let contradicted = false;
  /** Stretches of this pass in which the image contradicts the buffer. */
  let contradictions = 0;
  /** One of them has a branch message for the first half of a Thumb call. */
  let metWholeCall = false;
  return {
    follow(its) {
      const begin = (): AllFindings =>
        createFindings(registersHold ? its.entries : its.entries.map(withoutRegister), stretch.steps);
      let all = begin();
      followAll(its, () => (all = begin()));
      return all.done();
    },
    branches(its) {
      followAll(its, () => branches.begin(its.entries.length));
      const { rows, age } = stretch.steps;
      return { steps: branches.trail.steps, rows, age, doubtful: branches.disagrees(), registersHold };
    },
    fits(its) {
      let fits = createFitFindings(bare);
      followAll(its, () => (fits = createFitFindings(stretch.steps)));
      return fits.stretches;
    },
  };

  function followAll(its: Question, begin: () => Findings): void {
    prepare(its);
    followRegisters(begin);
    if (!metWholeCall) return;
    const before = contradictions;
    stretch.wholeCalls = true;
    followRegisters(begin);
    if (contradictions < before) return;
    stretch.wholeCalls = false;
    followRegisters(begin);
  }

  function prepare(its: Question): void {
    question = its;
    stretch.entries = its.entries;
    stretch.sound = trusted(its.entries);
    stretch.wholeCalls = false;
    stretch.code = its.code;
    stretch.steps = its.code?.steps ?? bare;
    stretch.steps.tidy();
    reserveSteps(arm.trail, its.entries.length);
    reserveSteps(thumb.trail, its.entries.length);
    metWholeCall = false;
  }

  /** Follows the buffer with its checkpoint registers, and without them if they contradict it. */
  function followRegisters(begin: () => Findings): void {
    registersHold = question.registersDiffer !== true;
    followTimes(begin);
    if (!registersHold || !contradicted) return;
    registersHold = false;
    followTimes(begin);
  }

  function followTimes(begin: () => Findings): void {
    pass++;
    contradicted = false;
    seen = undefined;
    findings = begin();
    followOnce();
    if (ambiguous === 0) return;
    seen = table;
    seen.clear();
    for (let times = 1; ; times++) {
      const before = seen.size;
      findings = begin();
      followOnce();
      if (ambiguous === 0 || seen.size === before || times === MOST_TIMES) return;
    }
  }

  function followOnce(): void {
    const { entries, base } = question;
    interrupted.clear();
    ambiguous = 0;
    contradictions = 0;
    let pc = enabledPlace(question);
    let from: From = 'enabled';
    let states = EITHER;
    /** Entry of the anchor. */
    let at = -1;
    for (;;) {
      const next = nextAnchor(at + 1);
      stretch.first = at + 1;
      stretch.last = Math.min(next, entries.length - 1);
      let sole: Path | undefined;
      if (pc !== NOWHERE) sole = followFrom(pc, from, states);
      else if (from === 'register') distrustRegister();
      else findings.unknown(at + 1, stretch.last, REASON.lost);
      if (next >= entries.length) return;
      const entry = entries[next]!;
      states = sole?.states ?? EITHER;
      if (isException(entry.message)) {
        from = 'vector';
        if (sole !== undefined && sole.last >= 0) interrupted.add(sole.last);
        pc = (base + vectorOf(entry.message)) >>> 0;
      } else {
        const isLed = sole !== undefined && sole.next >= 0;
        from = isOfRegister(entry) && !isLed ? 'register' : 'buffer';
        pc = from === 'register' && !registersHold ? NOWHERE : entry.target!;
      }
      at = next;
    }
  }

  function distrustRegister(): void {
    const { first, last } = stretch;
    contradictions++;
    findings.know(first - 1);
    findings.unknown(first, last, REASON.registers);
  }

  function nextAnchor(from: number): number {
    const { entries, sound } = stretch;
    let next = from;
    while (next < entries.length && !(sound?.[next] !== false && isAnchor(entries[next]!))) next++;
    return next;
  }

  /** Follows the stretch from an anchor. Returns the path if it is the only one and reaches the end of the stretch. */
  function followFrom(pc: number, from: From, states: number): Path | undefined {
    const { code } = question;
    const { first, last } = stretch;
    if (from === 'vector' && (code === undefined || code.at(pc, false) === ABSENT.unknown)) {
      findings.unknown(first, last, code === undefined ? REASON.noImage : REASON.vectors);
      return undefined;
    }
    const possible = from === 'vector' ? ARM : possibleStates(pc, states);
    stretch.pc = even(pc);
    const asArm = (possible & ARM) === 0 ? undefined : pathIn(arm);
    const asThumb = (possible & THUMB) === 0 ? undefined : (pathIn(thumb) ?? pathToWholeCall());
    const one = asArm ?? (asThumb?.fits === true ? asThumb : undefined);
    const other = asArm === undefined ? undefined : asThumb;
    if (one === undefined) {
      contradictions++;
      contradicted ||=
        from === 'register' || isContradicted(arm, possible & ARM) || isContradicted(thumb, possible & THUMB);
      if (from === 'buffer' || from === 'register') findings.know(first - 1);
      findings.unknown(first, last, from === 'enabled' ? REASON.enabled : REASON.disagree);
      return undefined;
    }
    if (from === 'vector') findings.vector(first - 1, pc);
    findings.know(Math.max(0, first - 1));
    const right = other === undefined ? one : rightOf(one, other);
    if (right === undefined && code !== undefined && first <= last) ambiguous++;
    if (right !== undefined && seen !== undefined) noteStates(seen, right);
    const doubt = code === undefined ? REASON.noImage : REASON.state;
    findings.paths(first, last, right ?? one, right === undefined ? other : undefined, doubt);
    return right?.followed === last - first + 1 ? right : undefined;
  }

  /** Notes the instruction set of executed code and of return addresses, once per step unless the order of notes matters. */
  function noteStates(seen: SeenCode, path: Path): void {
    if (path.noted && !seen.disagrees) return;
    path.noted = true;
    const { trail, first, followed, thumb } = path;
    const { rows } = stretch.steps;
    const state = thumb ? THUMB : ARM;
    const size = thumb ? 2 : 4;
    for (let k = first; k < first + followed; k++) {
      const step = trail.steps[k]!;
      if (seen.isRepeated(step / STEP_WORDS) && !seen.disagrees) continue;
      const ran = ranIn(rows, step);
      for (let i = 0; i < ran; i++) seen.note((rows[step + STEP.pc]! + i * size) >>> 0, state);
      if (rows[step + STEP.kind] === BRANCH.call) seen.note(rows[step + STEP.resume]!, state);
    }
  }

  /** Returns the instruction sets that the core can have been in. */
  function possibleStates(pc: number, states: number): number {
    const at = even(pc);
    let possible = states & statesOf(question.code?.stateAt(at));
    if (seen !== undefined) possible &= seen.at(at);
    if ((pc & 3) !== 0) possible &= THUMB;
    return possible === EITHER && findings.knownFrom === null ? statesOf(question.state) : possible;
  }

  /** Returns the path in one instruction set, from an earlier pass if possible; undefined if the image contradicts it. */
  function pathIn({ paths, trail }: Paths): Path | undefined {
    const { first } = stretch;
    while (paths.length <= first) paths.push(createPath(trail === thumb.trail, trail));
    const path = paths[first]!;
    if (path.pass !== pass || path.recalled) followStretch(stretch, path);
    path.pass = pass;
    return path.fits ? path : undefined;
  }

  /**
   * Returns the Thumb path if the image contradicts it at the first half of a call, and the call makes such a message: it fits if both
   * halves count as one instruction.
   */
  function pathToWholeCall(): Path | undefined {
    const path = thumb.paths[stretch.first]!;
    const { message, count } = stretch.entries[stretch.first + path.followed]!;
    const does = stretch.code?.wholeCallAt((path.stopped + 2 * count) >>> 0);
    if (!has(does, isIndirect(message) ? DOES.indirect : isBranch(message) ? DOES.direct : 0)) return undefined;
    metWholeCall = true;
    return path;
  }

  /** Returns true if only the target from a register contradicts the path. */
  function isContradicted({ paths }: Paths, state: number): boolean {
    return state !== 0 && paths[stretch.first]!.contradicts;
  }

  /** Returns the better supported of two fitting paths; undefined if neither has a sufficient lead. */
  function rightOf(one: Path, other: Path): Path | undefined {
    if (stretch.code === undefined) return undefined;
    const lead = placesOf(one) - placesOf(other);
    if (Math.abs(lead) < CERTAIN) return undefined;
    const right = lead > 0 ? one : other;
    return right.fits ? right : undefined;
  }

  /** Counts the distinct branch instructions of a path that the image has exactly where the buffer has a branch. */
  function placesOf(path: Path): number {
    if (path.places !== NOWHERE) return path.places;
    const { trail, first, followed } = path;
    const { rows } = stretch.steps;
    places.clear();
    for (let k = first; k < first + followed; k++) {
      const source = rows[trail.steps[k]! + STEP.source]!;
      if (isBranch(stretch.entries[k]!.message) && source >= 0) places.note(source, EITHER);
    }
    path.places = places.size;
    return path.places;
  }
}

/** Paths through a buffer in one instruction set, by the first entry of their stretch. */
interface Paths {
  readonly paths: Path[];
  readonly trail: Trail;
}

function createPaths(): Paths {
  return { paths: [], trail: createTrail() };
}

function createStretch(steps: KnownSteps): Stretch {
  return {
    entries: [],
    sound: undefined,
    wholeCalls: false,
    code: undefined,
    steps,
    first: 0,
    last: 0,
    pc: 0,
    interrupted: new Set(),
  };
}

function isAnchor(entry: Entry): boolean {
  return entry.target !== undefined || isException(entry.message);
}

/** Returns the address at which tracing was enabled, or NOWHERE if the first entry is the debugger's return to that address. */
function enabledPlace({ enabledAt, entries: [first] }: Question): number {
  if (enabledAt === undefined || first === undefined) return NOWHERE;
  if (isIndirect(first.message) && first.count === 0 && first.target === enabledAt) return NOWHERE;
  return enabledAt;
}

function statesOf(state: 'arm' | 'thumb' | undefined): number {
  return state === undefined ? EITHER : state === 'arm' ? ARM : THUMB;
}
