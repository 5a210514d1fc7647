/**
 * Reads branch events from traces of executed instructions. If the next instruction of a cpu does not directly follow the previous one, the
 * previous one is classified. All others cost a few comparisons.
 *
 * A call to the next instruction does not break the sequence, so each instruction is classified once to find such calls.
 */
import { NO_CPU, type Batch } from '../records/batch.ts';
import {
  BRANCH,
  createEvents,
  EVENT,
  NO_BRANCH,
  sliceEvents,
  type CodeSink,
  type FlowNumbers,
  type FlowPoint,
  type FlowRun,
  type FlowStretch,
  type HeldLink,
  type LinkedJump,
  type LinkValue,
  type Notice,
} from './events.ts';
import type { FlowReader, ProgramFlow, Window } from '../format/format.ts';
import type { RecordNumber } from '../base/units.ts';
import { KIND } from '../records/record.ts';
import { classify, createCode, type Code } from './classify.ts';
import { createKnownCodes } from './known-codes.ts';
import { countedBy, isMissing, NO_NUMBER, stepOf, type Numbering } from './numbering.ts';
import { isForeign, linkAfter, take } from './held-links.ts';
import { joinRuns } from './join-runs.ts';
import { createPoint, INTERRUPTED, keepsLink, POINT, type Point } from './point.ts';
import { fallThroughOf, leadsTo, putGap, putStep, vectorOf, type EventSink } from './transition.ts';

/** Access of the reader to a format's rows. */
export interface InstructionSource {
  /** Fills `code` with the instruction of a row. Returns its mode as bits of `POINT`, already shifted; 0 if it is not known. */
  code(window: Window, batch: Batch, row: number, code: Code): number;
  /** Returns the number of bytes at the end of the record last read that determine the result of `code`, apart from the address. */
  tail(): number;
  /** Returns the exception, the interrupt or the end of one that a record of another kind reports; undefined if it reports none. */
  noted?(window: Window, batch: Batch, row: number): Notice | undefined;
  /**
   * Returns the value that a register record gives the link register; undefined if it is of another register. Absent if the processor has
   * no link register.
   */
  link?(window: Window, batch: Batch, row: number): LinkValue | undefined;
  /** Numbering of instructions; absent if they have no usable numbers. */
  readonly numbering?: Numbering;
  /** Returns true if a gap of this name separates two traces in one file. */
  parts?(gap: string): boolean;
}

const INSTRUCTION = KIND.instruction;
const SKIPPED = KIND.skipped;

/** State of a cpu within the stretch. Rows refer to the current batch; -1 if the instruction is not in it. */
interface Cpu {
  readonly cpu: number;
  readonly first: Point;
  second: FlowPoint | undefined;
  /** 1 if only `first` was seen so far. */
  seen: 1 | 2;
  lastRow: number;
  beforeRow: number;
  /** The last instruction if lastRow is -1, and the one before it if beforeRow is -1. Record -1: there is none. */
  readonly last: Point;
  readonly before: Point;
  /** Number of instructions since the last event. */
  since: number;
  /** Fall-through address of the last instruction. */
  nextLow: number;
  nextHigh: number;
  /** First instruction of the straight run. It has none yet if the instruction at place `endedAt` is the last one: that ended a run. */
  runLow: number;
  runHigh: number;
  endedAt: number;
  /** The last instruction may be a call or unconditional branch to the next instruction, which is an event. */
  mayGoNext: boolean;
  /** Marks and notices from records after the last instruction. */
  noted: number;
  notices: readonly Notice[] | undefined;
  /** Row of the last instruction of the straight run that set the link register; BEFORE_BATCH if it is before the batch, else NEVER. */
  linkRow: number;
  /** Value that it set, unless a later register record shows another one. */
  link: LinkValue;
  /** Jumps whose kind depends on the preceding stretch. */
  linked: LinkedJump[] | undefined;
  /** Values of the link register in interrupted code. */
  readonly held: HeldLink[];
  /** Place of the last instruction, and value of `leaps` there. */
  place: number;
  leaps: number;
  /** Number of the instruction at place `numbered`; number and place of the first instruction. */
  number: number;
  numbered: number;
  readonly firstNumber: number;
  readonly firstPlace: number;
}

/** State of a cpu before its first instruction in the stretch. */
interface Before extends Pick<Cpu, 'noted' | 'notices'> {
  readonly link: LinkValue | undefined;
}

/** Arguments of putStep. */
type Step = readonly [before: FlowPoint | undefined, last: FlowPoint, next: FlowPoint, skips: boolean];

export function createInstructionFlow(source: InstructionSource): ProgramFlow {
  const interruptions = source.numbering?.counts === 'exceptions';
  return {
    createReader: () => createReader(source),
    join: (earlier, later, into, inside) => joinRuns(earlier, later, into, interruptions, inside),
    end: () => undefined,
  };
}

function createReader(source: InstructionSource): FlowReader {
  const events = createEvents();
  const cpus = new Map<number, Cpu>();
  const code = createCode();
  const known = createKnownCodes();
  const sink: EventSink = { events, cpu: 0, since: 0 };
  const next = createPoint();
  const query = createPoint();
  /** By hash: lower half of the address of an instruction that is no call to the next one. */
  const elsewhere = new Uint32Array(PLACES).fill(NOWHERE);
  /** By hash: lower half of the address after a call. The code there was not interrupted before an instruction set the link register. */
  const calledBefore = new Uint32Array(PLACES).fill(NOWHERE);
  /** Address of the delay slot of a call to the instruction after the slot. */
  let slotLow = NOWHERE;
  /** By cpu without instructions so far: marks and notices from records before its first instruction. */
  const notedBefore = new Map<number, Before>();
  /** Receives the events of a step a second time. */
  const second: EventSink = { events: createEvents(16), cpu: 0, since: 0 };
  const { numbering } = source;
  const isNumbered = numbering !== undefined;
  const interruptions = numbering?.counts === 'exceptions';
  const hasLink = source.link !== undefined;
  /** Number of instructions in the stretch; time minus that number; and how often this difference changed. */
  let places = 0;
  let drift = Number.NaN;
  let leaps = 0;
  /** The stretch proves that instructions are counted per cpu; and the first record of the batch that was searched for a proof. */
  let each = false;
  let judged = -1;
  let executed: CodeSink | undefined;
  return { add, finish };

  function add(window: Window, batch: Batch, ran?: CodeSink): void {
    const { gaps } = batch;
    executed = ran;
    let from = 0;
    if (source.parts !== undefined) {
      for (const { name, start } of gaps) {
        if (!source.parts(name)) continue;
        let row = from;
        while (row < batch.count && batch.start[row]! < start) row++;
        read(window, batch, from, row);
        part();
        from = row;
      }
    }
    read(window, batch, from, batch.count);
    for (const one of cpus.values()) keepLast(window, batch, one);
  }

  /** Starts a new trace in the same file. */
  function part(): void {
    noteFor(NO_CPU, POINT.afterGap);
    for (const cpu of cpus.values()) {
      cpu.noted |= POINT.afterGap;
      cpu.mayGoNext = true;
    }
  }

  function read(window: Window, batch: Batch, from: number, to: number): void {
    const { kind, cpu: numbers, addressLow: lows, addressHigh: highs, size: sizes, time: times } = batch;
    let cpu: Cpu | undefined;
    for (let row = from; row < to; row++) {
      const its = kind[row]!;
      if (its !== INSTRUCTION && its !== SKIPPED) {
        if (its === KIND.register) {
          if (cpu?.cpu !== numbers[row]!) noteLink(window, batch, row);
        } else if (its === KIND.exception || its === KIND.event || its === KIND.other) note(window, batch, row);
        continue;
      }
      const number = numbers[row]!;
      places++;
      if (isNumbered && times[row]! - places !== drift) {
        drift = times[row]! - places;
        leaps++;
      }
      if (cpu?.cpu !== number) {
        cpu = cpus.get(number);
        if (cpu === undefined) {
          cpu = begin(window, batch, row);
          continue;
        }
      }
      const low = lows[row]!;
      const high = highs[row]!;
      if (cpu.leaps !== leaps && areSkipped(window, batch, row, cpu)) putBreak(window, batch, row, cpu, true);
      else if (low !== cpu.nextLow || high !== cpu.nextHigh || cpu.mayGoNext) putBreak(window, batch, row, cpu, false);
      const { lastRow } = cpu;
      if (lastRow < 0) Object.assign(cpu.before, cpu.last);
      cpu.beforeRow = lastRow;
      cpu.lastRow = row;
      cpu.seen = 2;
      cpu.since++;
      cpu.noted = 0;
      if (cpu.notices !== undefined) cpu.notices = undefined;
      cpu.place = places;
      const nextLow = (low + sizes[row]!) >>> 0;
      cpu.nextLow = nextLow;
      cpu.nextHigh = high;
      if (nextLow <= low) passLimit(cpu, low, high);
      if (its !== INSTRUCTION) {
        cpu.mayGoNext = false;
        executed?.skipped(high, low);
      } else if (elsewhere[(low >>> 1) & (PLACES - 1)] === low) cpu.mayGoNext = false;
      else {
        cpu.mayGoNext = mayGoNext(window, batch, row, low);
        if ((query.mark & POINT.setsLink) !== 0) setLink(cpu, row);
      }
    }
  }

  function begin(window: Window, batch: Batch, row: number): Cpu {
    const number = batch.cpu[row]!;
    const first = createPoint();
    fill(first, window, batch, row);
    const before = notedBefore.get(number);
    first.mark |= before?.noted ?? 0;
    first.notices = before?.notices;
    const { addressLow: low, addressHigh: high } = first;
    const its = numberAt(window, batch, row);
    const cpu: Cpu = {
      cpu: number,
      first,
      second: undefined,
      seen: 1,
      lastRow: row,
      beforeRow: -1,
      last: createPoint(),
      before: createPoint(),
      since: 1,
      nextLow: (low + first.size) >>> 0,
      nextHigh: high,
      runLow: low,
      runHigh: high,
      endedAt: -1,
      // It may be the delay slot of a call in the preceding stretch.
      mayGoNext: mayGoNext(window, batch, row, low) || first.branch === NO_BRANCH,
      noted: 0,
      notices: undefined,
      linkRow: hasLink ? row : NEVER,
      link: LINK_AT_ENTRY,
      linked: undefined,
      held: [],
      place: places,
      leaps,
      number: its,
      numbered: places,
      firstNumber: its,
      firstPlace: places,
    };
    if (cpu.nextLow <= low) passLimit(cpu, low, high);
    if (batch.kind[row] === SKIPPED) executed?.skipped(high, low);
    if (hasLink) first.link = before?.link ?? LINK_AT_ENTRY;
    if ((query.mark & (POINT.setsLink | POINT.skipped)) === POINT.setsLink) setLink(cpu, row);
    cpus.set(number, cpu);
    return cpu;
  }

  /** Ends the straight run after an instruction of no size, or one behind which the upper half of addresses changes. */
  function passLimit(cpu: Cpu, low: number, high: number): void {
    executed?.run(cpu.runHigh, cpu.runLow, low);
    if (cpu.nextLow < low) cpu.nextHigh = (high + 1) >>> 0;
    cpu.runLow = cpu.nextLow;
    cpu.runHigh = cpu.nextHigh;
    cpu.endedAt = places;
  }

  /** Ends the straight run with the last instruction, whose lower half of the address is `lastLow`. */
  function endRun({ runHigh, runLow, endedAt, place }: Cpu, lastLow: number): void {
    if (place !== endedAt) executed?.run(runHigh, runLow, lastLow);
  }

  /** Notes that the instruction in `query` set the link register. */
  function setLink(cpu: Cpu, row: number): void {
    cpu.linkRow = row;
    cpu.link = (query.mark & POINT.knownLink) === 0 ? UNKNOWN_LINK : { low: query.targetLow, high: query.targetHigh };
  }

  /** Returns the value of the link register before a row, if an instruction of the straight run set it. */
  function linkBefore(window: Window, batch: Batch, to: number, cpu: Cpu): LinkValue | undefined {
    const { linkRow, link } = cpu;
    if (linkRow === NEVER) return undefined;
    let value = link;
    if (source.link === undefined) return value;
    for (let row = Math.max(0, linkRow); row < to; row++) {
      if (batch.kind[row] !== KIND.register || batch.cpu[row] !== cpu.cpu) continue;
      const shown = source.link(window, batch, row);
      if (shown !== undefined && !isForeign(shown, modeMark(window, batch, cpu))) value = shownBy(shown, value);
    }
    return value;
  }

  /** Returns the mode of the last instruction, as bits of its mark. */
  function modeMark(window: Window, batch: Batch, { lastRow, last }: Cpu): number {
    return lastRow < 0 ? last.mark : source.code(window, batch, lastRow, code);
  }

  /** Notes a register record of a cpu that has executed nothing so far. */
  function noteLink(window: Window, batch: Batch, row: number): void {
    const number = batch.cpu[row]!;
    if (source.link === undefined || cpus.has(number)) return;
    const before = notedBefore.get(number);
    const link = source.link(window, batch, row);
    // An instruction sets it once; the next record may be that of an interrupt.
    if (link === undefined || before?.link !== undefined || isForeign(link, 0)) return;
    notedBefore.set(number, { noted: 0, notices: undefined, ...before, link: shownBy(link, LINK_AT_ENTRY) });
  }

  function numberAt(window: Window, batch: Batch, row: number): number {
    return numbering === undefined ? NO_NUMBER : numbering.numberOf(window, batch, row);
  }

  /** Returns true if numbers of instructions of the cpu before this one are missing. */
  function areSkipped(window: Window, batch: Batch, row: number, cpu: Cpu): boolean {
    cpu.leaps = leaps;
    const number = numberAt(window, batch, row);
    const last = lastNumber(window, batch, cpu);
    cpu.number = number;
    cpu.numbered = places;
    const interrupted = interruptions && (vectorOf(placed(next, batch, row)) !== 0 || (cpu.noted & INTERRUPTED) !== 0);
    const step = stepOf(last, cpu.place, number, places);
    const counted = countedBy(step);
    if (counted === 'each') each = true;
    else if (counted === 'all' && !each && judged !== batch.first) judge(window, batch);
    return isMissing(step, each, interrupted);
  }

  /** Searches the batch for a proof that instructions are counted per cpu. */
  function judge(window: Window, batch: Batch): void {
    judged = batch.first;
    const lasts = new Map<number, readonly [number, number]>();
    let place = 0;
    for (let row = 0; row < batch.count && !each; row++) {
      if (batch.kind[row] !== INSTRUCTION && batch.kind[row] !== SKIPPED) continue;
      const number = numberAt(window, batch, row);
      const last = lasts.get(batch.cpu[row]!);
      place++;
      if (last !== undefined) each = countedBy(stepOf(last[0], last[1], number, place)) === 'each';
      lasts.set(batch.cpu[row]!, [number, place]);
    }
  }

  function lastNumber(window: Window, batch: Batch, { lastRow, number, numbered, place }: Cpu): number {
    return numbered === place || lastRow < 0 ? number : numberAt(window, batch, lastRow);
  }

  function putGapAt(batch: Batch, row: number, cpu: Cpu): void {
    placed(next, batch, row);
    sink.cpu = cpu.cpu;
    sink.since = cpu.since;
    putGap(next, sink);
    cpu.since = 0;
    forget(cpu);
  }

  /** Forgets the instructions before a gap, which do not affect later ones. */
  function forget(cpu: Cpu): void {
    cpu.linkRow = NEVER;
    cpu.held.length = 0;
    cpu.lastRow = -1;
    cpu.last.record = -1;
  }

  function mayGoNext(window: Window, batch: Batch, row: number, low: number): boolean {
    if (low === slotLow) {
      slotLow = NOWHERE;
      return true;
    }
    fill(query, window, batch, row);
    const { branch, mark, targetLow, size } = query;
    if ((mark & PAST_SLOT) === PAST_SLOT && branch === BRANCH.call && targetLow === (low + 2 * size) >>> 0) {
      slotLow = (low + size) >>> 0;
      elsewhere[(slotLow >>> 1) & (PLACES - 1)] = NOWHERE;
      return false;
    }
    query.addressLow = (low + size) >>> 0;
    // An exception at its target may return at once.
    const atVector = (mark & POINT.vectors) !== 0 && vectorOf(query) !== 0;
    const leaves = (mark & POINT.direct) !== 0 && targetLow !== query.addressLow && !atVector;
    const may =
      (branch === BRANCH.call || (mark & POINT.always) !== 0) &&
      !leaves &&
      (mark & (POINT.delay | POINT.skipped)) === 0;
    query.addressLow = low;
    if (!may && (mark & (POINT.skipped | POINT.setsLink)) === 0) elsewhere[(low >>> 1) & (PLACES - 1)] = low;
    return may;
  }

  function note(window: Window, batch: Batch, row: number): void {
    const notice = source.noted?.(window, batch, row);
    if (notice !== undefined) noteFor(batch.cpu[row]!, notice.mark, notice);
  }

  function noteFor(number: number, mark: number, notice?: Notice): void {
    const before: Before = notedBefore.get(number) ?? { noted: 0, notices: undefined, link: undefined };
    const its = cpus.get(number) ?? before;
    its.noted |= mark;
    if (notice !== undefined) its.notices = [...(its.notices ?? []), notice];
    if (its === before) notedBefore.set(number, before);
  }

  /** `skips`: instruction numbers are missing before the row. */
  function putBreak(window: Window, batch: Batch, row: number, cpu: Cpu, skips: boolean): void {
    const low = batch.addressLow[row]!;
    const high = batch.addressHigh[row]!;
    if (low !== cpu.nextLow || high !== cpu.nextHigh) {
      endRun(cpu, cpu.lastRow < 0 ? cpu.last.addressLow : batch.addressLow[cpu.lastRow]!);
      cpu.runLow = low;
      cpu.runHigh = high;
    }
    if ((cpu.noted & POINT.afterGap) !== 0) {
      putGapAt(batch, row, cpu);
      return;
    }
    placed(next, batch, row);
    if (vectorOf(next) !== 0) next.mark |= source.code(window, batch, row, code);
    if (cpu.seen === 1) {
      const { first } = cpu;
      const isProved = cpu.noted === 0 && (first.mark & POINT.secondHalf) === 0;
      if (skips && isProved && !leadsTo(undefined, first, next)) putGapAt(batch, row, cpu);
      else {
        // The first instruction may depend on its predecessor, which is in another stretch.
        const mark = next.mark | cpu.noted | (skips ? POINT.skips : 0);
        cpu.second = { ...next, mark, notices: cpu.notices, link: linkBefore(window, batch, row, cpu) };
        cpu.since = 0;
        const isElsewhere = !hasLink || (!mayReturn(first) && !keepsLink(first, next));
        setLinkAt(cpu, row, isElsewhere ? undefined : linkAtEntry(next.record));
      }
      return;
    }
    const { last } = cpu;
    fillLast(window, batch, cpu);
    const { link } = last;
    if (link?.entry !== undefined) last.link = undefined;
    sink.cpu = cpu.cpu;
    sink.since = cpu.since;
    const at = events.count;
    const before = beforeOf(window, batch, cpu);
    const isGap = putStep(before, last, next, sink, skips);
    cpu.since = sink.since;
    if (link?.entry !== undefined && events.count > at) noteLinked(cpu, link, at, [before, last, next, skips]);
    if (isGap) forget(cpu);
    else if (!hasLink) return;
    else if (events.count > at) followLink(window, batch, row, cpu, at);
    else if (!keepsLink(last, next)) cpu.linkRow = NEVER;
  }

  /** Follows the link register through the events from `from` on, which lead from the last instruction to the row. */
  function followLink(window: Window, batch: Batch, row: number, cpu: Cpu, from: number): void {
    const { kind, flags, resumeLow } = events;
    const latest = kind[events.count - 1];
    if (latest === BRANCH.jump || latest === BRANCH.call) {
      const resume = resumeLow[from]!;
      if (kind[from] === BRANCH.call && (flags[from]! & EVENT.resume) !== 0)
        calledBefore[(resume >>> 1) & (PLACES - 1)] = resume;
      if (!keepsLink(cpu.last, next)) cpu.linkRow = NEVER;
      return;
    }
    const isReturn = latest === BRANCH.return && events.count === from + 1;
    const link = isReturn ? undefined : linkBefore(window, batch, row, cpu);
    setLinkAt(cpu, row, linkAfter(events, from, cpu.last, next, link, cpu.held, resumedLink));
  }

  /** Returns the value of the link register in the interrupted code to which the return at an index of the events leads. */
  function resumedLink(at: number, held: HeldLink[]): LinkValue | undefined {
    const low = events.targetLow[at]!;
    const link = held.length === 0 ? undefined : take(held, low, events.targetHigh[at]!);
    if (link !== undefined || calledBefore[(low >>> 1) & (PLACES - 1)] === low) return link;
    return linkAtEntry(events.record[at]);
  }

  /** Sets the value of the link register before a row. */
  function setLinkAt(cpu: Cpu, row: number, link: LinkValue | undefined): void {
    cpu.linkRow = link === undefined ? NEVER : row;
    if (link !== undefined) cpu.link = link;
  }

  /** Notes the event of a jump, which is a call if the preceding stretch put the address after the jump into the link register. */
  function noteLinked(cpu: Cpu, link: LinkValue, at: number, [before, last, next, skips]: Step): void {
    const { events: calls } = second;
    calls.count = 0;
    putStep(before, { ...last, link: linkTo(fallThroughOf(last)) }, next, second, skips);
    const isEqual = calls.kind[0] === events.kind[at] && calls.flags[0] === events.flags[at];
    if (calls.count === 0 || isEqual) return;
    cpu.linked ??= [];
    cpu.linked.push({
      link,
      record: events.record[at]!,
      sourceLow: last.addressLow,
      sourceHigh: last.addressHigh,
      kind: calls.kind[0]!,
      flags: calls.flags[0]!,
      resumeLow: calls.resumeLow[0]!,
      resumeHigh: calls.resumeHigh[0]!,
    });
  }

  /** Fills the last instruction unless it is in an earlier batch. */
  function fillLast(window: Window, batch: Batch, cpu: Cpu): void {
    const { last, lastRow } = cpu;
    if (lastRow >= 0) {
      fill(last, window, batch, lastRow);
      if (last.branch === BRANCH.jump) last.link = linkBefore(window, batch, lastRow, cpu);
    }
    last.mark |= cpu.noted;
    last.notices = cpu.notices;
  }

  /** Returns the instruction directly before the last one if it may determine what the last one is. */
  function beforeOf(window: Window, batch: Batch, { last, before, beforeRow }: Cpu): FlowPoint | undefined {
    const matters = last.branch === NO_BRANCH || last.branch === BRANCH.jump || (last.mark & POINT.secondHalf) !== 0;
    if (!matters) return undefined;
    if (beforeRow >= 0) fill(before, window, batch, beforeRow);
    return before.record < 0 ? undefined : before;
  }

  /** Copies what later batches need from the rows of this batch. */
  function keepLast(window: Window, batch: Batch, cpu: Cpu): void {
    fillLast(window, batch, cpu);
    cpu.link = linkBefore(window, batch, batch.count, cpu) ?? UNKNOWN_LINK;
    if (cpu.linkRow !== NEVER) cpu.linkRow = BEFORE_BATCH;
    if (cpu.lastRow < 0) return;
    cpu.number = lastNumber(window, batch, cpu);
    cpu.numbered = cpu.place;
    if (beforeOf(window, batch, cpu) === undefined) cpu.before.record = -1;
    cpu.lastRow = cpu.beforeRow = -1;
  }

  function fill(point: Point, window: Window, batch: Batch, row: number): void {
    placed(point, batch, row);
    if (!known.recall(window, batch, row, point)) {
      point.mark = source.code(window, batch, row, code);
      classify(code, point);
      known.keep(window, batch, row, point, source.tail());
    }
    if (batch.kind[row] === SKIPPED) {
      point.mark |= POINT.skipped;
      point.branch = NO_BRANCH;
    }
  }

  function finish(ran?: CodeSink): FlowStretch {
    executed = ran;
    for (const cpu of cpus.values()) endRun(cpu, cpu.last.addressLow);
    const runs = [...cpus.values()].map(runOf);
    for (const [cpu, { noted: mark, notices, link }] of notedBefore) {
      const point = { ...createPoint(), mark, notices };
      if (!cpus.has(cpu)) runs.push({ cpu, first: point, last: point, since: 0, link: link ?? LINK_AT_ENTRY });
    }
    const its = sliceEvents(events, 0, events.count);
    events.count = 0;
    cpus.clear();
    notedBefore.clear();
    places = leaps = 0;
    each = false;
    judged = -1;
    drift = Number.NaN;
    return { events: its, runs };
  }

  function runOf({ cpu, first, second, before, last, since, ...its }: Cpu): FlowRun {
    const numbers: FlowNumbers = {
      first: its.firstNumber,
      firstPlace: its.firstPlace,
      last: its.number,
      lastPlace: its.place,
      all: places,
      each,
    };
    return {
      cpu,
      first,
      ...(second === undefined ? {} : { second }),
      ...(before.record < 0 ? {} : { before }),
      last,
      since,
      ...(its.linkRow !== NEVER && { link: its.link }),
      ...(its.linked !== undefined && { linked: its.linked }),
      ...(its.held.length > 0 && { held: its.held }),
      ...(isNumbered && { numbers }),
    };
  }
}

/** Marks of a call that may go to the instruction after its delay slot: BAL of MIPS, with which code reads its own address. */
const PAST_SLOT = POINT.direct | POINT.delay | POINT.always;
const PLACES = 1 << 14;
/** Link register whose value no address equals. */
const UNKNOWN_LINK: LinkValue = { low: 0, high: -1 };
const LINK_AT_ENTRY = linkAtEntry(undefined);

/** Returns the value at the beginning of the stretch, for the straight run that begins with the record `since`. */
function linkAtEntry(since: RecordNumber | undefined): LinkValue {
  return { low: UNKNOWN_LINK.low, high: UNKNOWN_LINK.high, entry: 'kept', since };
}

/** Returns the value of the link register after a register record that shows `link`, or a record of another register. */
function shownBy(link: LinkValue | undefined, before: LinkValue): LinkValue {
  if (link === undefined) return before;
  return before.entry === undefined ? link : { ...link, entry: 'shown', since: before.since };
}

/** Returns true for a branch that may be a return, depending on the instruction before it. */
function mayReturn({ branch, mark }: FlowPoint): boolean {
  return branch === BRANCH.return || (branch === BRANCH.jump && (mark & POINT.direct) === 0);
}

function linkTo({ addressLow, addressHigh }: FlowPoint): LinkValue {
  return { low: addressLow, high: addressHigh };
}

/** Values of `linkRow`. */
const BEFORE_BATCH = -1;
const NEVER = -2;
/** Sentinel: no instruction begins at the last byte. */
const NOWHERE = 0xffffffff;

function placed(point: Point, batch: Batch, row: number): Point {
  point.record = batch.first + row;
  point.addressLow = batch.addressLow[row]!;
  point.addressHigh = batch.addressHigh[row]!;
  point.size = batch.size[row]!;
  point.branch = NO_BRANCH;
  point.mark = 0;
  point.notices = undefined;
  point.link = undefined;
  return point;
}
