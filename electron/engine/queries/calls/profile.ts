/**
 * Returns the flat profile of a range: the cost of each function, with its first call and longest stay, and of each pair of caller and
 * callee. The walk over the whole trace has counted everything; a range is walked over.
 */
import type { FlowProgress, FunctionId } from '../../../../shared/requests/flow.ts';
import { AGAINST_TIME_PROFILE } from '../../../../shared/requests/profile.ts';
import type { LongestStay, Profile, ProfileFunction, ProfilePair } from '../../../../shared/requests/profile.ts';
import type { Arguments } from '../../../../shared/requests/requests.ts';
import { group } from '../../../../shared/base/numbers.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { callsOf, knownCalls, type RangeCalls } from '../../flow/calls.ts';
import { DEEPER, UNKNOWN } from '../../flow/functions/functions.ts';
import { EDGE, EDGE_KINDS } from '../../flow/tally/call-edges.ts';
import type { CallCounts } from '../../flow/tally/call-tally.ts';
import { pairTotals } from '../../flow/tally/context-totals.ts';
import { createLongestStays, type StayColumns } from '../../flow/tally/longest-stays.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { rangeOf } from '../find/find.ts';
import { callNotes } from './call-notes.ts';
import { evidenceOf, functionsOf } from './calls.ts';
import { functionNames, type NameOf } from './function-names.ts';
import { timedCalls, type TimedCalls } from './timed-calls.ts';

/** Maximum number of functions, and of pairs, in an answer. The most costly ones are kept. */
const MOST_ANSWERED = 100_000;

export async function profile(
  trace: Trace,
  args: Omit<Arguments<'profile'>, 'trace'>,
  task: Task<FlowProgress>,
): Promise<Result<Profile>> {
  const reach = reachOf(trace);
  const range = rangeOf(trace, args);
  const known = await knownCalls(trace, task);
  if (!known.ok) return known;
  const found = await (args.by === 'time' ? timesAndStays : callsAndStays)(trace, range, task);
  if (!found.ok) return found;
  const { functions, tally, unit, longest, timeNotes = [] } = found.value;
  const { backwards } = known.value;
  const name = functionNames(trace.images, functions);
  const pairs = pairsOf(tally, name, !backwards);
  const entered = enteredOf(pairs);
  const stays = backwards ? new Map<FunctionId, LongestStay>() : staysOf(longest, functions.count, name);
  const rows = functionsOf(tally, functions.count, name).map((one): ProfileFunction => {
    const stay = stays.get(one.id);
    return { ...one, ...entered.get(one.id), ...(stay !== undefined && { longest: stay }) };
  });
  rows.sort((a, b) => b.self - a.self || b.total - a.total || b.calls - a.calls || (a.id < b.id ? -1 : 1));
  return ok({
    evidence: evidenceOf(trace, found.value),
    unit,
    cost: tally.self.values.reduce((sum, self) => sum + self, 0),
    functions: rows.slice(0, MOST_ANSWERED),
    pairs: pairs.slice(0, MOST_ANSWERED),
    notes: [
      ...timeNotes,
      ...callNotes(tally),
      ...(backwards ? [AGAINST_TIME_PROFILE] : []),
      ...omitted(rows.length, 'functions'),
      ...omitted(pairs.length, 'pairs of functions'),
    ],
    reach,
  });
}

function omitted(count: number, what: string): string[] {
  return count > MOST_ANSWERED ? [`${group(count - MOST_ANSWERED)} ${what} with the lowest cost are omitted.`] : [];
}

type Found = Omit<RangeCalls, 'unit'> &
  Partial<Pick<TimedCalls, 'timeNotes'>> & { readonly unit: string; readonly longest: StayColumns };

async function timesAndStays(
  trace: Trace,
  { from, to }: { readonly from: number; readonly to: number },
  task: Task<FlowProgress>,
): Promise<Result<Found>> {
  const stays = createLongestStays(from, to);
  const sink = { add: (fn: number, _depth: number, since: number, until: number) => stays.add(fn, since, until) };
  const found = await timedCalls(trace, { from, to }, task, () => sink);
  return found.ok ? ok({ ...found.value, longest: stays.columns }) : found;
}

async function callsAndStays(
  trace: Trace,
  { from, to }: { readonly from: number; readonly to: number },
  task: Task<FlowProgress>,
): Promise<Result<Found>> {
  const known = await knownCalls(trace, task);
  if (!known.ok || (from === 0 && to === known.value.records)) return known;
  const stays = createLongestStays(from, to);
  const sink = { add: (fn: number, _depth: number, since: number, until: number) => stays.add(fn, since, until) };
  const found = await callsOf(trace, { from, to }, task, { spans: () => sink });
  return found.ok ? ok({ ...found.value, longest: stays.columns }) : found;
}

function staysOf({ from, to, open }: StayColumns, count: number, name: NameOf): ReadonlyMap<FunctionId, LongestStay> {
  const stays = new Map<FunctionId, LongestStay>();
  for (let fn = 0; fn < Math.min(count, to.length); fn++) {
    // Unknown code is not one function.
    if (to[fn] === 0 || fn === UNKNOWN || fn === DEEPER) continue;
    stays.set(name(fn).id, { from: from[fn]!, to: to[fn]!, ...(open[fn] === 1 && { open: true }) });
  }
  return stays;
}

interface Counting {
  calls: number;
  inferred: number;
  unseen: number;
  first: number;
  total: number | undefined;
  /** Bits of EDGE. */
  kinds: number;
}

/** Joins what the edges count and the time from the call tree, by caller and callee. */
function pairsOf({ edges: { columns, count }, contexts }: CallCounts, name: NameOf, inOrder: boolean): ProfilePair[] {
  const byCaller = new Map<number, Map<number, Counting>>();
  const pairOf = (caller: number, callee: number): Counting => {
    let callees = byCaller.get(caller);
    if (callees === undefined) byCaller.set(caller, (callees = new Map<number, Counting>()));
    let pair = callees.get(callee);
    if (pair === undefined) {
      const total = contexts.cut ? undefined : 0;
      callees.set(callee, (pair = { calls: 0, inferred: 0, unseen: 0, first: Infinity, total, kinds: 0 }));
    }
    return pair;
  };
  for (let edge = 0; edge < count; edge++) {
    const pair = pairOf(columns.caller[edge]!, columns.callee[edge]!);
    const kind = columns.kind[edge]! >> 1;
    const times = columns.times[edge]!;
    if (kind === EDGE.unseen) {
      pair.unseen += times;
      continue;
    }
    pair.calls += times;
    if ((columns.kind[edge]! & 1) === 1) pair.inferred += times;
    pair.first = Math.min(pair.first, columns.first[edge]!);
    pair.kinds |= 1 << kind;
  }
  if (!contexts.cut) {
    const { count: many, caller, callee, total } = pairTotals(contexts);
    for (let i = 0; i < many; i++) if (total[i]! > 0) pairOf(caller[i]!, callee[i]!).total = total[i]!;
  }
  const pairs: ProfilePair[] = [];
  for (const [caller, callees] of byCaller) {
    for (const [callee, { calls, inferred, unseen, first, total, kinds }] of callees) {
      // A call that is known only from its return may be one of the counted calls.
      const isUnseen = unseen > 0 && calls === 0;
      if (caller === UNKNOWN && callee === UNKNOWN && calls === 0) continue;
      pairs.push({
        caller: name(caller).id,
        callee: name(callee).id,
        calls,
        ...(inferred > 0 && { inferred }),
        ...(isUnseen && { unseen }),
        kinds: EDGE_KINDS.filter((_, kind) => (kinds & (1 << kind)) !== 0),
        ...(inOrder && calls > 0 && { first }),
        ...(total !== undefined && { total }),
      });
    }
  }
  const timeOf = ({ total = 0 }: ProfilePair): number => total;
  return pairs.sort((a, b) => timeOf(b) - timeOf(a) || b.calls - a.calls || order(a, b));
}

function order(a: ProfilePair, b: ProfilePair): number {
  const [one, other] = [`${a.caller} ${a.callee}`, `${b.caller} ${b.callee}`];
  return one < other ? -1 : Number(one > other);
}

type Entered = Pick<ProfileFunction, 'first' | 'inferred' | 'unseen'>;

/** Returns what the pairs say about the calls of each callee. */
function enteredOf(pairs: readonly ProfilePair[]): ReadonlyMap<FunctionId, Entered> {
  const entered = new Map<FunctionId, { first: number; inferred: number; unseen: number }>();
  for (const { callee, first = Infinity, inferred = 0, unseen = 0 } of pairs) {
    let row = entered.get(callee);
    if (row === undefined) entered.set(callee, (row = { first: Infinity, inferred: 0, unseen: 0 }));
    row.first = Math.min(row.first, first);
    row.inferred += inferred;
    row.unseen += unseen;
  }
  return new Map(
    [...entered].map(([id, { first, inferred, unseen }]): [FunctionId, Entered] => [
      id,
      { ...(first < Infinity && { first }), ...(inferred > 0 && { inferred }), ...(unseen > 0 && { unseen }) },
    ]),
  );
}
