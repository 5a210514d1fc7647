/**
 * Which instructions does an XScale trace buffer prove, and which branches?
 *
 * The entries are followed forward, from the oldest place that is known: the target of an indirect branch, a checkpoint register,
 * the vector of an exception. Between two messages a core runs straight on, so that the count of a message gives the instructions
 * before it; where a direct branch leads stands in the image:
 *
 *     00 00 80 00 90   at 0x8000
 *     83               0x8000, 0x8004, 0x8008, and the branch at 0x800c; the image says where it leads
 *     22               two more, and the SWI behind them; then the vector at 0x8
 *
 * Each stretch from one known place to the next is followed for itself, in both instruction sets where it is not known which one
 * the core was in. A stretch in which the image does not fit what the buffer says proves nothing: either may be wrong, and from
 * where on is not known. Where both instruction sets fit, what ran elsewhere in the buffer tells, or that one of
 * them was met by many branches where the buffer has them and the other by few; else nothing is said but what both have in common.
 *
 * Where a checkpoint register is what does not fit, both may be of another buffer. Then a place behind their entries is known only
 * where the way up to there, which began elsewhere, leads to the same.
 *
 * Sources: 80200 Developer's Manual 13.13 (buffer), 13.16 (errata: what an abort counts).
 */
import { BRANCH } from '../../../../../shared/flow/events.ts';
import { isBranch, isException, isIndirect, vectorOf } from '../../../../../shared/xscale/messages.ts';
import { createBranchFindings } from './branch-findings.ts';
import type { Code } from './code.ts';
import { ABSENT } from './code.ts';
import { isOfRegister, trusted, withoutRegister, type Entry } from './entries.ts';
import { createFindings, REASON, type AllFindings, type Findings, type Followed } from './findings.ts';
import { createKnownSteps, STEP, STEP_WORDS, type KnownSteps } from './known-steps.ts';
import { createSeen, type Seen } from './seen.ts';
import { followStretch } from './stretch.ts';
import {
  ARM,
  createTrail,
  createWay,
  EITHER,
  even,
  NOWHERE,
  ranIn,
  reserveSteps,
  THUMB,
  type Stretch,
  type Trail,
  type Way,
} from './way.ts';

export interface Question {
  readonly entries: readonly Entry[];
  /** Undefined without an image. */
  readonly code: Code | undefined;
  /** Where the exception vectors lie. */
  readonly base: number;
  /** What the core was in at the first known place; undefined where nobody says. */
  readonly state?: 'arm' | 'thumb' | undefined;
  /** Where tracing was enabled; only for buffers that have not wrapped. */
  readonly enabledAt?: number | undefined;
  /** A checkpoint register holds another address than the bytes of its entry. */
  readonly registersDiffer?: boolean;
}

/** By entry: the step that it is known to be, -1 where none is. See STEP for what `rows` have of it. */
export interface Branches {
  readonly steps: Int32Array;
  readonly rows: Float64Array;
  /** Steps are the same as long as this is. */
  readonly age: number;
  /** Somewhere in the buffer the image does not fit it: what fits may do so by chance, as where another build of the program ran. */
  readonly doubtful: boolean;
  /** Nothing contradicts the targets that checkpoint registers gave. */
  readonly registersHold: boolean;
}

export interface Follower {
  follow(question: Question): Followed;
  /** The branches alone, by entry; good until the next question. */
  branches(question: Question): Branches;
}

/** What tells where a place is that is known by itself. */
type From = 'buffer' | 'register' | 'vector' | 'enabled';

/** Each time over what was found of the code tells more of what was left open. */
const MOST_TIMES = 4;
/** Of two readings, one of which is wrong, the wrong one meets a fitting branch once in ten times or less. */
const CERTAIN = 5;

export function follow(question: Question): Followed {
  return createFollower().follow(question);
}

/** Follows one buffer after another in the same memory. */
export function createFollower(): Follower {
  /** Of questions without an image. */
  const bare = createKnownSteps();
  const stretch = createStretch(bare);
  const { interrupted } = stretch;
  const arm = createWays();
  const thumb = createWays();
  const table = createSeen();
  const places = createSeen();
  const branches = createBranchFindings();
  /** Questions so far, the one that is answered included. */
  let asked = 0;
  let question: Question = { entries: [], code: undefined, base: 0 };
  /** What is told this time; what was seen this time and before, where that is asked. */
  let findings: Findings = branches.begin(0);
  let seen: Seen | undefined;
  let doubts = 0;
  /** What checkpoint registers hold is believed. */
  let registersHold = true;
  /** A register does not fit what led there, or what follows from there. */
  let contradicted = false;
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
  };

  function followAll(its: Question, begin: () => Findings): void {
    question = its;
    stretch.entries = its.entries;
    stretch.sound = trusted(its.entries);
    stretch.code = its.code;
    stretch.steps = its.code?.steps ?? bare;
    stretch.steps.tidy();
    reserveSteps(arm.trail, its.entries.length);
    reserveSteps(thumb.trail, its.entries.length);
    registersHold = its.registersDiffer !== true;
    followTimes(begin);
    if (!registersHold || !contradicted) return;
    registersHold = false;
    followTimes(begin);
  }

  function followTimes(begin: () => Findings): void {
    asked++;
    contradicted = false;
    seen = undefined;
    findings = begin();
    followOnce();
    if (doubts === 0) return;
    seen = table;
    seen.clear();
    for (let times = 1; ; times++) {
      const before = seen.size;
      findings = begin();
      followOnce();
      if (doubts === 0 || seen.size === before || times === MOST_TIMES) return;
    }
  }

  function followOnce(): void {
    const { entries, base } = question;
    interrupted.clear();
    doubts = 0;
    let pc = enabledPlace(question);
    let from: From = 'enabled';
    let states = EITHER;
    /** The entry behind which the place is. */
    let at = -1;
    for (;;) {
      const next = nextAnchor(at + 1);
      stretch.first = at + 1;
      stretch.last = Math.min(next, entries.length - 1);
      let sole: Way | undefined;
      if (pc !== NOWHERE) sole = followFrom(pc, from, states);
      else if (from === 'register') disbelieve();
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

  function disbelieve(): void {
    const { first, last } = stretch;
    findings.know(first - 1);
    findings.unknown(first, last, REASON.registers);
  }

  function nextAnchor(from: number): number {
    const { entries, sound } = stretch;
    let next = from;
    while (next < entries.length && !(sound?.[next] !== false && isAnchor(entries[next]!))) next++;
    return next;
  }

  /** Follows the stretch from a place. Answers the way where it is the only one and goes through to the end. */
  function followFrom(pc: number, from: From, states: number): Way | undefined {
    const { code } = question;
    const { first, last } = stretch;
    if (from === 'vector' && (code === undefined || code.at(pc, false) === ABSENT.unknown)) {
      findings.unknown(first, last, code === undefined ? REASON.noImage : REASON.vectors);
      return undefined;
    }
    const possible = from === 'vector' ? ARM : possibleStates(pc, states);
    stretch.pc = even(pc);
    const asArm = (possible & ARM) === 0 ? undefined : wayIn(arm);
    const asThumb = (possible & THUMB) === 0 ? undefined : wayIn(thumb);
    const one = asArm ?? asThumb;
    const other = asArm === undefined ? undefined : asThumb;
    if (one === undefined) {
      contradicted ||=
        from === 'register' || isContradicted(arm, possible & ARM) || isContradicted(thumb, possible & THUMB);
      if (from === 'buffer' || from === 'register') findings.know(first - 1);
      findings.unknown(first, last, from === 'enabled' ? REASON.enabled : REASON.disagree);
      return undefined;
    }
    if (from === 'vector') findings.vector(first - 1, pc);
    findings.know(Math.max(0, first - 1));
    const right = other === undefined ? one : rightOf(one, other);
    if (right === undefined && code !== undefined && first <= last) doubts++;
    if (right !== undefined && seen !== undefined) noteStates(seen, right);
    const doubt = code === undefined ? REASON.noImage : REASON.state;
    findings.ways(first, last, right ?? one, right === undefined ? other : undefined, doubt);
    return right?.followed === last - first + 1 ? right : undefined;
  }

  /** What ran, and where calls come back to: of a step once, unless it matters what is noted last. */
  function noteStates(seen: Seen, way: Way): void {
    if (way.noted && !seen.disagrees) return;
    way.noted = true;
    const { trail, first, followed, thumb } = way;
    const { rows } = stretch.steps;
    const state = thumb ? THUMB : ARM;
    const size = thumb ? 2 : 4;
    for (let k = first; k < first + followed; k++) {
      const step = trail.steps[k]!;
      if (seen.isAgain(step / STEP_WORDS) && !seen.disagrees) continue;
      const ran = ranIn(rows, step);
      for (let i = 0; i < ran; i++) seen.note((rows[step + STEP.pc]! + i * size) >>> 0, state);
      if (rows[step + STEP.kind] === BRANCH.call) seen.note(rows[step + STEP.resume]!, state);
    }
  }

  /** The instruction sets that the core can have been in. */
  function possibleStates(pc: number, states: number): number {
    const at = even(pc);
    let possible = states & statesOf(question.code?.stateAt(at));
    if (seen !== undefined) possible &= seen.at(at);
    if ((pc & 3) !== 0) possible &= THUMB;
    return possible === EITHER && findings.knownFrom === null ? statesOf(question.state) : possible;
  }

  /** The way in an instruction set, as it was found before if it was; undefined where it does not fit. */
  function wayIn({ ways, trail }: Ways): Way | undefined {
    const { first } = stretch;
    while (ways.length <= first) ways.push(createWay(trail === thumb.trail, trail));
    const way = ways[first]!;
    if (way.asked !== asked || way.recalled) followStretch(stretch, way);
    way.asked = asked;
    return way.fits ? way : undefined;
  }

  /** Whether all of the way there fits but for where a register says that it leads. */
  function isContradicted({ ways }: Ways, state: number): boolean {
    return state !== 0 && ways[stretch.first]!.contradicts;
  }

  /** Of two ways that fit: none where neither met many more branches where the buffer has them. */
  function rightOf(one: Way, other: Way): Way | undefined {
    if (stretch.code === undefined) return undefined;
    const lead = placesOf(one) - placesOf(other);
    if (Math.abs(lead) < CERTAIN) return undefined;
    return lead > 0 ? one : other;
  }

  /** Instructions that made messages of branches, which the image has and which can make them. */
  function placesOf(way: Way): number {
    if (way.places !== NOWHERE) return way.places;
    const { trail, first, followed } = way;
    const { rows } = stretch.steps;
    places.clear();
    for (let k = first; k < first + followed; k++) {
      const source = rows[trail.steps[k]! + STEP.source]!;
      if (isBranch(stretch.entries[k]!.message) && source >= 0) places.note(source, EITHER);
    }
    way.places = places.size;
    return way.places;
  }
}

/** Ways through a buffer in one instruction set, by the first entry of their stretch. */
interface Ways {
  readonly ways: Way[];
  readonly trail: Trail;
}

function createWays(): Ways {
  return { ways: [], trail: createTrail() };
}

function createStretch(steps: KnownSteps): Stretch {
  return {
    entries: [],
    sound: undefined,
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

/** Where a debugger enabled tracing its return is an entry itself: from an instruction that is not the program's. */
function enabledPlace({ enabledAt, entries: [first] }: Question): number {
  if (enabledAt === undefined || first === undefined) return NOWHERE;
  if (isIndirect(first.message) && first.count === 0 && first.target === enabledAt) return NOWHERE;
  return enabledAt;
}

function statesOf(state: 'arm' | 'thumb' | undefined): number {
  return state === undefined ? EITHER : state === 'arm' ? ARM : THUMB;
}
