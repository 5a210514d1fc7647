/**
 * The code that ran in a stretch of blocks, as a row of the index: its counts, and the beginning and end of each CPU, from which the outcomes between two
 * stretches follow.
 */
import { createEvents, EVENT, type FlowRun } from '../../../../../shared/flow/events.ts';
import { passed, withEach } from '../../../../../shared/flow/numbering.ts';
import type { ProgramFlow } from '../../../../../shared/format/format.ts';
import type { RecordNumber } from '../../../../../shared/base/units.ts';
import { ByteReader, ByteWriter } from '../../../collections/varint.ts';
import { movedRun } from '../flow-row.ts';
import { isBranch } from './code-counter.ts';
import { createCodeSum, PARTS, readTable, writeTable, type CodeTable } from './code-table.ts';

export interface CodeRow {
  readonly code: CodeTable;
  /** Records count from the beginning of the stretch. */
  readonly runs: readonly FlowRun[];
}

const out = new ByteWriter();

export function encodeCode({ code, runs }: CodeRow): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(JSON.stringify(runs));
  out.varint(text.length);
  out.bytes(text, text.length);
  writeTable(out, code);
  return out.take();
}

export function decodeCode(bytes: Uint8Array): CodeRow {
  const reader = new ByteReader(bytes);
  const text = reader.bytes(reader.varint());
  // Sealed content: it is what encodeCode wrote.
  const runs = JSON.parse(new TextDecoder().decode(text)) as FlowRun[];
  return { runs, code: readTable(reader, bytes.length) };
}

export interface CodeJoiner {
  /** Adds the next stretch, which begins with a record. */
  add(row: CodeRow, first: RecordNumber): void;
  finish(): CodeRow;
}

/** The state of a CPU before the first stretch. */
export interface Before {
  readonly runs: readonly FlowRun[];
  /** True at the beginning of the trace, where nothing else precedes an instruction. */
  readonly isStart: boolean;
}

/** Adds up the code of consecutive stretches, with the outcomes between them. By default it is not known what precedes the first one. */
export function createCodeJoiner(flow: ProgramFlow, before: Before = { runs: [], isStart: false }): CodeJoiner {
  const sum = createCodeSum();
  const lasts = new Map<number, FlowRun>(before.runs.map((run) => [run.cpu, run]));
  /** By CPU: its first instructions. */
  const firsts = new Map<number, FlowRun>();
  let places = 0;
  let each = before.runs.some(({ numbers }) => numbers?.each === true);
  return {
    add({ code, runs }, first) {
      for (const part of PARTS) sum[part].addAll(code[part]);
      each ||= runs.some(({ numbers }) => numbers?.each === true);
      for (const run of runs) addRun(movedRun(run, first));
      const all = runs.find(({ numbers }) => numbers !== undefined)?.numbers?.all ?? 0;
      for (const [cpu, run] of lasts)
        if (run.numbers !== undefined) lasts.set(cpu, { ...run, numbers: passed(run.numbers, all) });
      places += all;
    },
    finish: () => ({ code: sum, runs: [...lasts.values()].map(runOf) }),
  };

  function addRun(its: FlowRun): void {
    const earlier = lasts.get(its.cpu);
    const between = createEvents(4);
    const { run } = flow.join(earlier, each ? withEach(its) : its, between, createEvents(0));
    lasts.set(its.cpu, run);
    const begins = run.first.record >= 0 && !firsts.has(its.cpu);
    if (begins) firsts.set(its.cpu, movedPlaces(run, places));
    const isKnown = earlier !== undefined && earlier.last.record >= 0;
    // The outcome of first instructions depends on what precedes them.
    if (!isKnown && !before.isStart) return;
    const { kind, flags, sourceLow, sourceHigh } = between;
    let isGap = false;
    for (let at = 0; at < between.count; at++) {
      if ((flags[at]! & EVENT.gap) !== 0) isGap = true;
      if (isBranch(kind[at]!, flags[at]!)) sum.taken.add(sourceHigh[at]!, sourceLow[at]!, sourceLow[at]!, 1);
    }
    if (!isKnown || run.first.record < 0) return;
    if (!isGap && directlyFollows(earlier, run))
      sum.followed.add(earlier.last.addressHigh, earlier.last.addressLow, earlier.last.addressLow, 1);
  }

  /** Returns a run whose beginning is that of the CPU in all stretches. */
  function runOf(last: FlowRun): FlowRun {
    const run: { -readonly [Name in keyof FlowRun]: FlowRun[Name] } = { ...last };
    delete run.second;
    delete run.linked;
    const first = firsts.get(run.cpu);
    if (first === undefined) return run;
    const { numbers } = run;
    return {
      ...run,
      first: first.first,
      ...(first.second !== undefined && { second: first.second }),
      ...(numbers !== undefined && {
        numbers: {
          ...numbers,
          first: first.numbers?.first ?? numbers.first,
          firstPlace: first.numbers?.firstPlace ?? numbers.firstPlace,
          all: places,
        },
      }),
    };
  }
}

function movedPlaces(run: FlowRun, by: number): FlowRun {
  return run.numbers === undefined
    ? run
    : { ...run, numbers: { ...run.numbers, firstPlace: run.numbers.firstPlace + by } };
}

function directlyFollows({ last }: FlowRun, { first }: FlowRun): boolean {
  const isHere = last.addressLow + last.size === first.addressLow && last.addressHigh === first.addressHigh;
  return last.size > 0 && isHere;
}
