/**
 * Lists single calls: the same that the call graph counts, except those that only returns prove. A walk over the branch events of a range
 * keeps a shadow stack for each CPU. Calls that are open at the end of a part of the range are followed by snapshots of the stacks.
 */
import { AGAINST_TIME } from '../../../../shared/requests/flow.ts';
import { fail, ok } from '../../../../shared/base/result.ts';
import { joinAddress, toHex, type RecordNumber } from '../../../../shared/base/units.ts';
import { knownCalls, statesAt, type KnownCalls } from '../../flow/calls.ts';
import { walkFlow } from '../../flow/events/walk.ts';
import { resolveDeferredTargets } from '../../flow/interrupts/whole-trace-facts.ts';
import { FRAME, type Frames } from '../../flow/stack/frames.ts';
import { createShadowStack, type ShadowStack, type StackState } from '../../flow/stack/shadow-stack.ts';
import { createCallEdges, EDGE, EDGE_KINDS } from '../../flow/tally/call-edges.ts';
import { createCallTally } from '../../flow/tally/call-tally.ts';
import type { Cell } from '../../sql/protocol.ts';
import { frameEnd } from '../calls/frame-end.ts';
import { functionNames, type NameOf } from '../calls/function-names.ts';
import { lacksFlowRecords } from '../calls/lacks-flow-records.ts';
import type { Range, Rows, TableQuestion } from './rows.ts';
import type { Trace } from '../../trace.ts';

/** Blocks that are read before the first rows are sent, and at most before the next ones. */
const FIRST_BLOCKS = 1;
const MOST_BLOCKS = 64;

export async function* callRows({ trace, task }: TableQuestion, range: Range, wanted: string | undefined): Rows {
  if (lacksFlowRecords(trace) || range.from >= range.to) return ok(undefined);
  const known = await knownCalls(trace, task);
  if (!known.ok) return known;
  if (known.value.backwards) return fail('usage', `calls: ${AGAINST_TIME}`);
  const name = functionNames(trace.images, known.value.functions);
  const isWanted = functionTest(name, wanted);
  const { from, to } = within(known.value, isWanted, range);
  if (from >= to) return ok(undefined);
  const states = await statesAt(trace, known.value, from, task);
  if (!states.ok) return states;
  const walk = createWalk(known.value, isWanted, states.value);
  let at = from;
  for (let blocks = FIRST_BLOCKS; at < to; blocks = Math.min(MOST_BLOCKS, blocks * 2)) {
    const end = Math.min(to, endOf(trace, at, blocks));
    const walked = await walkFlow(trace, { from: at, to: end }, task, walk.visitor);
    if (!walked.ok) return walked;
    const rows = walk.take();
    for (const row of rows) {
      if (row.end !== undefined || row.frame === undefined) continue;
      const ended = await frameEnd(trace, known.value, row.cpu, row.frame, end, task);
      if (!ended.ok) return ended;
      row.end = ended.value;
    }
    yield rows.map((row) => rowOf(row, name));
    at = end;
  }
  return ok(undefined);
}

function endOf({ blocks }: Trace, at: RecordNumber, many: number): RecordNumber {
  const block = blocks.blockOfRecord(at) + many;
  return block < blocks.length ? blocks.firstRecord(block) : blocks.records;
}

function functionTest(name: NameOf, wanted: string | undefined): (fn: number) => boolean {
  if (wanted === undefined) return () => true;
  return (fn) => {
    const its = name(fn);
    return [its.name, its.symbol, its.address, ...its.aliases].includes(wanted);
  };
}

/** Narrows the range to the records between the first and the last call that is wanted, which the call graph knows. */
function within({ tally }: KnownCalls, isWanted: (fn: number) => boolean, { from, to }: Range): Range {
  const { count, columns, left } = tally.edges;
  if (left > 0) return { from, to };
  let [first, last] = [Number.POSITIVE_INFINITY, -1];
  for (let edge = 0; edge < count; edge++) {
    if (columns.kind[edge]! >> 1 === EDGE.unseen || !isWanted(columns.callee[edge]!)) continue;
    first = Math.min(first, columns.first[edge]!);
    last = Math.max(last, columns.last[edge]!);
  }
  return { from: Math.max(from, first), to: Math.min(to, last + 1) };
}

interface CallRow {
  readonly n: RecordNumber;
  readonly cpu: number;
  readonly fn: number;
  readonly caller: number;
  readonly kind: number;
  readonly inferred: boolean;
  readonly depth: number;
  readonly site: bigint | undefined;
  /** Its frame while it is open; undefined if that is not known. */
  frame:
    { readonly begun: number; readonly level: number; readonly called: number; readonly since: number } | undefined;
  /** Record that ended it; undefined while it is open, null if that is unknown. */
  end: RecordNumber | null | undefined;
}

interface Cpu {
  readonly stack: ShadowStack;
  /** Open calls of each stack of the CPU, outermost first. */
  readonly open: Map<number, CallRow[]>;
}

function createWalk(
  { functions, messages, deferred, handlers, inferred }: KnownCalls,
  isWanted: (fn: number) => boolean,
  states: ReadonlyMap<number, StackState>,
) {
  const cpus = new Map<number, Cpu>();
  let rows: CallRow[] = [];
  /** Calls that the event being added makes. */
  const made: {
    readonly caller: number;
    readonly callee: number;
    readonly kind: number;
    readonly inferred: boolean;
    readonly record: number;
  }[] = [];
  const edges = {
    ...createCallEdges(),
    add(caller: number, callee: number, kind: number, isInferred: boolean, record: number) {
      if (kind !== EDGE.unseen) made.push({ caller, callee, kind, inferred: isInferred, record });
    },
  };
  for (const [cpu, state] of states) cpuOf(cpu, state);
  return {
    visitor: {
      begin(
        cpu: number,
        { addressLow, addressHigh, record }: { addressLow: number; addressHigh: number; record: number },
      ) {
        cpuOf(cpu).stack.begin(addressLow, addressHigh, record);
      },
      take(raw: Parameters<typeof resolveDeferredTargets>[0]) {
        const events = resolveDeferredTargets(raw, { deferred, handlers, inferred });
        for (let i = 0; i < events.count; i++) {
          const cpu = events.cpu[i]!;
          const { stack, open } = cpuOf(cpu);
          made.length = 0;
          stack.add(events, i);
          const record = events.record[i]!;
          const state = stack.state();
          close(state, open, record, made.at(-1)?.kind === EDGE['tail call']);
          for (const call of made) add(cpu, state.frames, open, call, call === made.at(-1));
        }
        return true;
      },
    },
    /** Returns the calls that began since the last time, in order. */
    take(): CallRow[] {
      const taken = rows.sort((a, b) => a.n - b.n);
      rows = [];
      return taken;
    },
  };

  function cpuOf(cpu: number, state?: StackState): Cpu {
    const there = cpus.get(cpu);
    if (there !== undefined) return there;
    const tally = { ...createCallTally(), edges };
    const its = { stack: createShadowStack({ functions, tally, messages }, state), open: new Map<number, CallRow[]>() };
    cpus.set(cpu, its);
    return its;
  }

  function add(
    cpu: number,
    frames: Frames,
    open: Map<number, CallRow[]>,
    { caller, callee, kind, inferred: isInferred, record }: (typeof made)[number],
    isTop: boolean,
  ): void {
    const top = frames.count - 1;
    const { columns, base, begun } = frames;
    const hasFrame = isTop && top >= 0 && columns.fn[top] === callee;
    const row: CallRow = {
      n: record,
      cpu,
      fn: callee,
      caller,
      kind,
      inferred: isInferred,
      depth: Math.max(0, top),
      site:
        hasFrame && kind !== EDGE['tail call'] && (columns.known[top]! & FRAME.site) !== 0
          ? joinAddress(columns.siteLow[top]!, columns.siteHigh[top]!)
          : undefined,
      frame: hasFrame
        ? { begun, level: base + top, called: columns.called[top]!, since: columns.since[top]! }
        : undefined,
      end: hasFrame ? undefined : null,
    };
    if (hasFrame) open.set(begun, [...(open.get(begun) ?? []), row]);
    if (isWanted(callee)) rows.push(row);
  }
}

/** Ends the calls whose frames are closed. A tail call ends the call of its frame. */
function close(
  { frames, suspended }: StackState,
  open: Map<number, CallRow[]>,
  record: RecordNumber,
  isTail: boolean,
): void {
  for (const [begun, list] of open) {
    const stack = frames.begun === begun ? frames : suspended.find((its) => its.begun === begun);
    for (let row; (row = list.at(-1)) !== undefined;) {
      const at = row.frame!.level - (stack?.base ?? 0);
      const isOpen =
        stack !== undefined && at >= 0 && at < stack.count && stack.columns.called[at] === row.frame!.called;
      const isReplaced = isOpen && isTail && stack === frames && at === frames.count - 1;
      if (isOpen && !isReplaced) break;
      // Calls of a stack that was lost ended at an unknown record.
      row.end = stack === undefined ? null : record;
      list.pop();
    }
    if (list.length === 0) open.delete(begun);
  }
}

function rowOf({ n, end, cpu, fn, caller, kind, inferred, depth, site }: CallRow, name: NameOf): readonly Cell[] {
  const its = name(fn);
  return [
    n,
    end,
    cpu < 0 ? null : cpu,
    its.name,
    its.address,
    name(caller).name,
    site === undefined ? null : toHex(site),
    depth,
    EDGE_KINDS[kind],
    Number(inferred),
  ];
}
