/**
 * Moves the cursor along the program's flow: over and out of calls, and from one branch or call of an edge to the next. One request
 * at a time per trace, which can be cancelled.
 */
import { group } from '../../../shared/base/numbers.ts';
import type { Client } from '../../../shared/requests/requests.ts';
import type { BranchEvents, CallEdge, FlowProgress, StepKind } from '../../../shared/requests/flow.ts';
import type { LineStep, LineStepKind } from '../../../shared/requests/source/answers.ts';
import type { Loop } from '../../../shared/requests/profile.ts';
import type { BranchKind } from '../../../shared/flow/events.ts';
import { ok } from '../../../shared/base/result.ts';
import type { Result } from '../../../shared/base/result.ts';
import type { Hex, RecordNumber } from '../../../shared/base/units.ts';
import { rememberPlace, type RequestPlace } from '../questions/late-answer.ts';
import type { TraceBase } from '../trace-base.ts';

/** Edge that the commands `next / previous of this edge` follow. */
export type Edge = BranchEnds | CallEnds | BackEdges;

/** Identifies all branches of a kind with these ends. An absent end is an unknown one. */
export interface BranchEnds {
  readonly of: 'branches';
  readonly kind: BranchKind;
  readonly source?: Hex;
  readonly target?: Hex;
}

/**
 * Identifies calls: all calls of a function, or those of an edge of the call graph (of a kind from one function to another, either all
 * inferred or all seen).
 */
export interface CallEnds extends Pick<CallEdge, 'callee'>, Partial<Pick<CallEdge, 'caller' | 'kind' | 'inferred'>> {
  readonly of: 'calls';
  /** Name of the edge or function: `main → fib`, `fib`. */
  readonly label: string;
}

/** Identifies the back edges of a loop: jumps to its header from within its body, one for each iteration. */
export interface BackEdges extends Pick<Loop, 'header' | 'end'> {
  readonly of: 'iterations';
}

/** A source line, or an instruction. */
export type Code = { readonly file: string; readonly line: number } | { readonly address: Hex };

export interface Flow {
  /** Description of the running request, and the record that it has reached. */
  readonly running: { readonly label: string; readonly at: RecordNumber | null } | null;
  /** Edge that a person chose, else the edge of the branch at the cursor while the cursor follows it. */
  readonly edge: Edge | null;
  readonly choose: (edge: Edge | null) => void;
  /** Moves the cursor over, or out of, a call. Returns the record it moved to. */
  readonly step: (step: StepKind) => Promise<RecordNumber | undefined>;
  /** Moves the cursor to the next or previous branch or call of the edge. */
  readonly follow: (direction: 'next' | 'previous') => Promise<RecordNumber | undefined>;
  /** Moves the cursor to the call that entered a frame with this record. */
  readonly toCall: (since: RecordNumber) => Promise<RecordNumber | undefined>;
  /** Moves the cursor to another source line. */
  readonly stepLine: (step: LineStepKind) => Promise<RecordNumber | undefined>;
  /** Moves the cursor to the next or previous execution of a source line or of an instruction. */
  readonly toExecution: (of: Code, direction: 'next' | 'previous') => Promise<RecordNumber | undefined>;
  readonly cancel: () => void;
}

const STEP_LABELS: Readonly<Record<StepKind, string>> = {
  over: 'the end of the call',
  out: 'the end of this function',
  'back over': 'the beginning of the call',
  'back out': 'the call of this function',
};

const LINE_LABELS: Readonly<Record<LineStepKind, string>> = {
  into: 'the next source line',
  over: 'the next source line of this function',
  'back into': 'the previous source line',
  'back over': 'the previous source line of this function',
};

const NO_STEP: Readonly<Record<StepKind, string>> = {
  over: 'This call has not returned by the end of the trace.',
  out: 'This function has not returned by the end of the trace.',
  'back over': 'No record before this one is outside the call.',
  'back out': 'The call of this function is not in the trace.',
};

const NO_CALLS = 'The function that runs here is unknown, so there is no call to step over or out of.';

interface Options {
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: FlowProgress) => void;
}

export function createFlow(trace: () => TraceBase, say: (text: string) => void): Flow {
  let running = $state.raw<Flow['running']>(null);
  let edge = $state.raw<Edge | null>(null);
  /** Record that following the edge at the cursor has reached; null if a person chose the edge. */
  let walked: RecordNumber | null = null;
  let controller: AbortController | undefined;

  function cancel(): void {
    controller?.abort();
    controller = undefined;
    running = null;
  }

  /** Runs a request and moves the cursor to the record in its answer, unless the cursor was moved meanwhile. Says why if it fails. */
  async function go(
    label: string,
    none: () => string | Promise<string>,
    request: (options: Options) => Promise<Result<RecordNumber | null>>,
    requested: RequestPlace = rememberPlace(trace().cursor),
  ): Promise<RecordNumber | undefined> {
    cancel();
    const own = new AbortController();
    controller = own;
    running = { label, at: null };
    say('');
    const result = await request({
      signal: own.signal,
      onEvent: ({ at }) => {
        if (controller === own) running = { label, at };
      },
    });
    const why = result.ok && result.value === null ? await none() : '';
    if (controller !== own) return undefined;
    controller = undefined;
    running = null;
    if (!result.ok) {
      say(result.error.message);
      return undefined;
    }
    if (result.value === null) {
      say(requested.qualify(`${why}${trace().reach.complete ? '' : ' The index is not complete yet.'}`));
      return undefined;
    }
    if (!requested.isStillHere(false)) {
      say(requested.qualify(`${label.charAt(0).toUpperCase()}${label.slice(1)} is record ${group(result.value)}.`));
      return undefined;
    }
    trace().cursor.jump(result.value);
    return result.value;
  }

  async function hasCalls(at: RecordNumber): Promise<boolean> {
    const stack = await trace().client.request('stack', { trace: trace().id, at });
    return !stack.ok || stack.value.frames.length > 0;
  }

  function noneOf(how: StepKind, at: RecordNumber): () => Promise<string> {
    return async () => ((await hasCalls(at)) ? NO_STEP[how] : NO_CALLS);
  }

  async function stepFrom(at: RecordNumber, how: StepKind, options: Options): Promise<Result<RecordNumber | null>> {
    const { client, id } = trace();
    const result = await client.request('step', { trace: id, at, step: how }, options);
    return result.ok ? ok(result.value.n) : result;
  }

  function step(how: StepKind): Promise<RecordNumber | undefined> {
    const at = trace().cursor.n;
    return go(STEP_LABELS[how], noneOf(how, at), (options) => stepFrom(at, how, options));
  }

  /** Runs a request whose answer may say why there is no such record. */
  async function goByLine(label: string, request: (options: Options) => Promise<Result<LineStep>>) {
    const found = { reason: '', isProved: false };
    const reached = await go(
      label,
      () => found.reason,
      async (options) => {
        const result = await request(options);
        if (!result.ok) return result;
        found.reason = result.value.reason ?? '';
        found.isProved = result.value.isProved === true;
        return ok(result.value.n);
      },
    );
    if (reached !== undefined && found.isProved)
      say('It ran between this message and the one before, as the images prove. Elsewhere it may have run unproved.');
    return reached;
  }

  function stepLine(how: LineStepKind): Promise<RecordNumber | undefined> {
    const { client, id, cursor } = trace();
    const args = { trace: id, at: cursor.n, step: how };
    return goByLine(LINE_LABELS[how], (options) => client.request('lineStep', args, options));
  }

  function toExecution(of: Code, direction: 'next' | 'previous'): Promise<RecordNumber | undefined> {
    const { client, id, cursor } = trace();
    const { n } = cursor;
    const args = { trace: id, at: n, ...of, ...(direction === 'previous' && { backwards: true }) };
    const what = 'line' in of ? `line ${of.line}` : of.address;
    return goByLine(`the ${direction} execution of ${what}`, (options) =>
      client.request('lineExecution', args, options),
    );
  }

  /** Returns the edge of the branch at a record, or of the branch that led to it. */
  async function edgeAt(n: RecordNumber, signal: AbortSignal): Promise<Result<BranchEnds | null>> {
    const { client, id } = trace();
    const result = await client.request('branchEvents', { trace: id, from: n, to: n + 1, count: 1 }, { signal });
    if (!result.ok) return result;
    const event = result.value.events[0];
    return { ok: true, value: event === undefined ? null : endsOf(event) };
  }

  async function follow(direction: 'next' | 'previous'): Promise<RecordNumber | undefined> {
    const { client, id, cursor } = trace();
    const { n } = cursor;
    const requested = rememberPlace(cursor);
    if (edge === null || (walked !== null && walked !== n)) {
      const before = edge;
      cancel();
      const own = new AbortController();
      controller = own;
      const here = await edgeAt(n, own.signal);
      if (controller !== own || edge !== before) return undefined;
      if (here.ok && here.value !== null) {
        edge = here.value;
        walked = n;
      } else if (edge === null) {
        say(
          here.ok ? 'Choose an edge in the Branches or Call graph pane first, or go to a branch.' : here.error.message,
        );
        return undefined;
      }
    }
    const wanted = edge;
    const where = direction === 'next' ? 'later' : 'earlier';
    const noun = nounOf(wanted);
    const found = await go(
      `the ${direction} ${noun}`,
      () => `There is no ${where} ${noun} (${nameOf(wanted)}).`,
      async (options) => {
        if (wanted.of === 'calls') {
          const { caller, callee, kind, inferred } = wanted;
          const args = {
            trace: id,
            callee,
            ...(caller !== undefined && { caller }),
            ...(kind !== undefined && { kind }),
            ...(inferred !== undefined && { inferred }),
            at: n,
            direction,
          };
          const result = await client.request('nextCall', args, options);
          return result.ok ? ok(result.value.n) : result;
        }
        if (wanted.of === 'iterations') return nextIteration(trace(), wanted, n, direction, options);
        const { kind, source = null, target = null } = wanted;
        const args = { trace: id, kinds: [kind], source, target, count: 1, ...stretch(n, direction) };
        const result = await client.request('branchEvents', args, options);
        return result.ok ? ok(result.value.events[0]?.n ?? null) : result;
      },
      requested,
    );
    if (found !== undefined && walked !== null && edge === wanted) walked = found;
    return found;
  }

  return {
    get running() {
      return running;
    },
    get edge() {
      return edge;
    },
    choose(next) {
      edge = next;
      walked = null;
    },
    step,
    follow,
    toCall(since) {
      const { client, id } = trace();
      return go(STEP_LABELS['back out'], noneOf('back out', since), (options) => callAt(client, id, since, options));
    },
    stepLine,
    toExecution,
    cancel,
  };
}

/** Returns the part of the arguments of `branchEvents` that means the records after or before record `n`. */
function stretch(n: RecordNumber, direction: 'next' | 'previous') {
  return direction === 'next' ? { from: n + 1 } : { to: n, backwards: true };
}

/** Number of jumps to a loop header that are fetched at a time: all but few come from within the loop. */
const JUMPS = 50;

async function nextIteration(
  { client, id }: TraceBase,
  { header, end }: BackEdges,
  n: RecordNumber,
  direction: 'next' | 'previous',
  options: Options,
): Promise<Result<RecordNumber | null>> {
  const [low, high] = [BigInt(header), BigInt(end)];
  for (let range: ReturnType<typeof stretch> | null = stretch(n, direction); range !== null;) {
    // Formats that do not show the kinds of branches have jumps of unknown kind.
    const args = { trace: id, kinds: ['jump', 'unknown'] as const, target: header, count: JUMPS };
    const page: Result<BranchEvents> = await client.request('branchEvents', { ...args, ...range }, options);
    if (!page.ok) return page;
    const found = page.value.events.find(
      ({ source }) => source !== undefined && BigInt(source) >= low && BigInt(source) <= high,
    );
    if (found) return ok(found.n);
    const next: RecordNumber | null = page.value.next;
    range = next === null ? null : direction === 'next' ? { from: next } : { to: next, backwards: true };
  }
  return ok(null);
}

/** Kinds of branches that enter a function. */
const ENTERING: readonly BranchKind[] = ['call', 'jump', 'exception', 'interrupt'];

/** Returns the call that entered a frame with record `since`, or null if the call is not in the trace. */
export async function callAt(
  client: Client,
  trace: string,
  since: RecordNumber,
  options: Options = {},
): Promise<Result<RecordNumber | null>> {
  const { signal } = options;
  const records = await client.request('records', { trace, from: since, count: 1 }, signal ? { signal } : {});
  if (!records.ok) return records;
  const kind = records.value.records[0]?.kind;
  if (kind === 'instruction' || kind === 'skipped') {
    // `since` is the first instruction of the function.
    const call = await client.request('step', { trace, at: since, step: 'back out' }, options);
    return call.ok ? ok(call.value.n) : call;
  }
  if (kind !== 'branch') return ok(since);
  // `since` is the message of the call, or the first message with the program's position.
  const range = { from: since, to: since + 1, count: 1, kinds: ENTERING };
  const events = await client.request('branchEvents', { trace, ...range }, options);
  return events.ok ? ok(events.value.events.length > 0 ? since : null) : events;
}

/** Returns what one of an edge is called: `call of this function`, `jump of this edge`, `iteration of this loop`. */
function nounOf(edge: Edge): string {
  if (edge.of === 'iterations') return 'iteration of this loop';
  const unnamed = edge.of === 'calls' ? 'call' : 'branch';
  const { kind = unnamed } = edge;
  const isEdge = edge.of === 'branches' || edge.caller !== undefined;
  return `${kind === 'unknown' ? unnamed : kind} of this ${isEdge ? 'edge' : 'function'}`;
}

/** Returns the name of an edge: `main → fib`, `0x8000 → unknown`, `0x8000 to 0x8010`. */
function nameOf(edge: Edge): string {
  if (edge.of === 'iterations') return `${edge.header} to ${edge.end}`;
  return edge.of === 'calls' ? edge.label : `${edge.source ?? 'unknown'} → ${edge.target ?? 'unknown'}`;
}

/** Returns the edge that a branch belongs to. */
export function endsOf({ kind, source, target }: Omit<BranchEnds, 'of'>): BranchEnds {
  return {
    of: 'branches',
    kind,
    ...(source === undefined ? {} : { source }),
    ...(target === undefined ? {} : { target }),
  };
}

export function isSameEdge(edge: Edge | null, other: BranchEnds): boolean {
  return (
    edge?.of === 'branches' && edge.kind === other.kind && edge.source === other.source && edge.target === other.target
  );
}
