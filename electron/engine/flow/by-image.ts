/**
 * What the program's image tells of branches whose kind the messages do not: the instruction at the source says it, or the next
 * one. The Pentium names the instruction in its u pipe, and that may be the one before a direct branch (Pentium Processor Family
 * Developer's Manual, volume 3, appendix on pairing: other branches do not run in the v pipe).
 *
 * Nothing is taken on trust that can be checked: a direct branch must go where its bytes say, a return behind a call. What neither
 * instruction explains came from outside: an interrupt. Of fast messages, which have no target, it is found from what runs
 * next: everything from the target to the next source runs straight on, so no branch that is always taken lies in between.
 */
import { BRANCH, EVENT, NO_BRANCH, type Events } from '../../../shared/flow.ts';
import type { Isa } from '../image/machine.ts';
import type { ImageCode, ImageInstruction } from './image-code.ts';
import type { StraightRuns } from './straight-runs.ts';

export interface KindsByImage {
  /** Fills in event `at`, which has a source. `next`: the event of the same cpu after it; below 0 where there is none. */
  read(events: Events, at: number, next: number): void;
}

/** The code that ran, and who tells of it. */
export interface Teller {
  /** The instruction set where the image does not tell. */
  readonly isa: Isa | undefined;
  /** It is x86 code, where returns go behind calls. */
  readonly x86: boolean;
  /** Each message is of a branch, of an interrupt or of an instruction that serialises, named as a Pentium does; else it may be anything. */
  readonly pentium: boolean;
}

export function createKindsByImage(
  code: ImageCode,
  runs: StraightRuns,
  { isa: otherwise, x86, pentium }: Teller,
): KindsByImage {
  /** By cpu, of fast messages: what no IRET has ended yet, innermost last; true for software interrupts, which are returned behind. */
  const open = new Map<number, boolean[]>();
  return { read };

  function read(events: Events, at: number, next: number): void {
    const low = events.sourceLow[at]!;
    const high = events.sourceHigh[at]!;
    const isa = otherwise === 'x86-32' && events.operandSize[at] === 16 ? 'x86-16' : otherwise;
    const own = code.at(low, high, isa);
    if (own === undefined) return;
    const branches = own.branch !== NO_BRANCH;
    const second = branches || own.serialises || !pentium ? undefined : code.at((low + own.size) >>> 0, high, isa);
    // Only direct branches run in the v pipe.
    const paired = second?.target === undefined ? undefined : second;
    const branch = branches ? own : paired;
    const found: Found = { own, branch, end: low + own.size + (branches ? 0 : (paired?.size ?? 0)), isa };
    if ((events.flags[at]! & EVENT.target) !== 0) readWhole(events, at, found);
    else if (pentium) readFast(events, at, next, found);
    else if (branch !== undefined) put(events, at, branch.branch, 0, found.end);
  }

  /** A branch of which both ends are known. */
  function readWhole(events: Events, at: number, { own, branch, end, isa }: Found): void {
    const low = events.targetLow[at]!;
    const high = events.targetHigh[at]!;
    if (branch?.target !== undefined && branch.target.low === low && branch.target.high === high) {
      put(events, at, branch.branch, 0, end);
      return;
    }
    if (!pentium && (branch === undefined || branch.target !== undefined)) return;
    const goesOn = events.sourceLow[at]! + own.size === low && events.sourceHigh[at]! === high;
    if (goesOn && (branch === undefined || own.serialises)) {
      events.kind[at] = BRANCH.sequential;
      return;
    }
    if (branch === undefined || branch.target !== undefined) {
      putInterrupt(events, at);
      return;
    }
    // A return that goes nowhere behind a call may be one that was interrupted before.
    const strange = x86 && branch.branch === BRANCH.return && !branch.restores && !runs.isBehindCall(low, high, isa);
    if (!strange) put(events, at, branch.branch, 0, end);
  }

  /** A fast message: the source alone. */
  function readFast(events: Events, at: number, next: number, { own, branch, end, isa }: Found): void {
    const high = events.sourceHigh[at]!;
    const known = next >= 0 && (events.flags[next]! & EVENT.source) !== 0 && events.sourceHigh[next] === high;
    const to = known ? events.sourceLow[next]! : -1;
    const reaches = (from: number): boolean => known && runs.reach(from, to, high, isa);
    if (branch === undefined) {
      const behind = events.sourceLow[at]! + own.size;
      if (own.serialises && reaches(behind)) {
        events.kind[at] = BRANCH.sequential;
        putTarget(events, at, behind, high);
      } else if (!own.serialises) {
        putInterrupt(events, at);
        enter(events.cpu[at]!, false);
      }
      return;
    }
    if (branch.target !== undefined) {
      if (!reaches(branch.target.low)) {
        enter(events.cpu[at]!, false);
        return;
      }
      put(events, at, branch.branch, 0, end);
      putTarget(events, at, branch.target.low, branch.target.high);
      return;
    }
    put(events, at, branch.branch, EVENT.inferred, end);
    if (branch.branch === BRANCH.exception) enter(events.cpu[at]!, true);
    if (branch.restores && open.get(events.cpu[at]!)?.pop() !== true) return;
    const listed = known && branch.table !== undefined ? runs.fromTable(branch.table, to, high, isa) : undefined;
    if (listed !== undefined) {
      putTarget(events, at, listed, high);
      return;
    }
    const earliest = known ? runs.earliest(to, high, isa) : undefined;
    if (earliest !== undefined && isReached(branch, earliest.behind, earliest.low === to))
      putTarget(events, at, earliest.low, high);
  }

  function enter(cpu: number, software: boolean): void {
    const list = open.get(cpu) ?? [];
    if (list.length === 0) open.set(cpu, list);
    if (list.length === MOST_OPEN) list.shift();
    list.push(software);
  }
}

const MOST_OPEN = 1024;

/** What neither instruction explains. */
function putInterrupt(events: Events, at: number): void {
  put(events, at, BRANCH.interrupt, EVENT.inferred, events.sourceLow[at]!);
}

/** The instruction at a source, the branch that it is or that follows it, and where that ends. */
interface Found {
  readonly own: ImageInstruction;
  readonly branch: ImageInstruction | undefined;
  readonly end: number;
  readonly isa: Isa | undefined;
}

/**
 * Whether an indirect branch can only have gone to where the straight run before the next source can begin at the earliest: a
 * return behind its call, a call to the start of a function; any of them where the run can begin nowhere else.
 */
function isReached(
  { branch, restores }: ImageInstruction,
  behind: ImageInstruction | undefined,
  only: boolean,
): boolean {
  switch (branch) {
    case BRANCH.return:
      return behind?.branch === (restores ? BRANCH.exception : BRANCH.call);
    case BRANCH.call:
    case BRANCH.exception:
      return behind === undefined;
    default:
      return only;
  }
}

function put(events: Events, at: number, kind: number, flags: number, resume: number): void {
  events.kind[at] = kind;
  events.flags[at]! |= flags;
  if (kind !== BRANCH.call && kind !== BRANCH.exception && kind !== BRANCH.interrupt) return;
  events.flags[at]! |= EVENT.resume;
  events.resumeLow[at] = resume;
  events.resumeHigh[at] = (events.sourceHigh[at]! + (resume >= 2 ** 32 ? 1 : 0)) >>> 0;
}

/** A target that was found. */
function putTarget(events: Events, at: number, low: number, high: number): void {
  events.flags[at]! |= EVENT.target;
  events.targetLow[at] = low;
  events.targetHigh[at] = high;
}
