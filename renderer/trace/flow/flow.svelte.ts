/**
 * Walking a program's flow from the cursor: over and out of calls, and from one branch or call of an edge to the next. One
 * question at a time per trace, cancellable.
 */
import { group } from '../../../present/base/numbers.ts';
import type { Client } from '../../../shared/requests/requests.ts';
import type { CallEdge, FlowProgress, StepKind } from '../../../shared/requests/flow.ts';
import type { BranchKind } from '../../../shared/flow/events.ts';
import { ok } from '../../../shared/base/result.ts';
import type { Result } from '../../../shared/base/result.ts';
import type { Hex, RecordNumber } from '../../../shared/base/units.ts';
import { placeThen, type Then } from '../questions/late-answer.ts';
import type { Trace } from '../trace.svelte.ts';

/** What `next / previous of this edge` are about. */
export type Edge = BranchEnds | CallEnds;

/** All branches of a kind with these ends; an end that is left out is one that is not known. */
export interface BranchEnds {
  readonly of: 'branches';
  readonly kind: BranchKind;
  readonly source?: Hex;
  readonly target?: Hex;
}

/** All calls of a kind from one function to another, those concluded apart from those seen: an edge of the call graph. */
export interface CallEnds extends Pick<CallEdge, 'caller' | 'callee' | 'kind' | 'inferred'> {
  readonly of: 'calls';
  /** What to call them: `main → fib`. */
  readonly label: string;
}

export interface Flow {
  /** What is looked for, and the record where that is. */
  readonly running: { readonly label: string; readonly at: RecordNumber | null } | null;
  /** The one that somebody chose; else that of the branch at the cursor, for as long as one walks from there. */
  readonly edge: Edge | null;
  readonly choose: (edge: Edge | null) => void;
  /** Moves the cursor over, or out of, a call; answers where to. */
  readonly step: (step: StepKind) => Promise<RecordNumber | undefined>;
  /** Moves the cursor to the next or previous branch or call of the edge. */
  readonly follow: (direction: 'next' | 'previous') => Promise<RecordNumber | undefined>;
  /** Moves the cursor to the call that entered a frame with this record. */
  readonly toCall: (since: RecordNumber) => Promise<RecordNumber | undefined>;
  readonly cancel: () => void;
}

const STEP_LABELS: Readonly<Record<StepKind, string>> = {
  over: 'the end of the call',
  out: 'the end of this function',
  'back over': 'the beginning of the call',
  'back out': 'the call of this function',
};

const NO_STEP: Readonly<Record<StepKind, string>> = {
  over: 'Nothing behind this record is outside of the call.',
  out: 'What is behind the end of this function is not in the trace.',
  'back over': 'Nothing before this record is outside of the call.',
  'back out': 'The call of this function is not in the trace.',
};

/** Where no call is open nothing can be told of its end. */
const NO_CALLS = 'Which function runs here is not known: there is no call to step over or out of.';

interface Options {
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: FlowProgress) => void;
}

export function createFlow(trace: () => Trace, say: (text: string) => void): Flow {
  let running = $state.raw<Flow['running']>(null);
  let edge = $state.raw<Edge | null>(null);
  /** Where walking along an edge taken at the cursor has led; null where somebody chose the edge. */
  let walked: RecordNumber | null = null;
  let controller: AbortController | undefined;

  function cancel(): void {
    controller?.abort();
    controller = undefined;
    running = null;
  }

  /** Asks, says why not, and moves the cursor to the record that is answered, unless a person has gone elsewhere meanwhile. */
  async function go(
    label: string,
    none: () => string | Promise<string>,
    ask: (options: Options) => Promise<Result<RecordNumber | null>>,
    then: Then = placeThen(trace().cursor),
  ): Promise<RecordNumber | undefined> {
    cancel();
    const own = new AbortController();
    controller = own;
    running = { label, at: null };
    say('');
    const result = await ask({
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
      say(then.told(`${why}${trace().reach.complete ? '' : ' So far: the index is not complete.'}`));
      return undefined;
    }
    if (!then.isHere(false)) {
      say(then.told(`${label.charAt(0).toUpperCase()}${label.slice(1)} is record ${group(result.value)}.`));
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

  /** The branch with which a record was reached, or that it is. */
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
    const then = placeThen(cursor);
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
          here.ok
            ? 'Choose an edge in the Branches or Call graph pane, or stand on a branch, first.'
            : here.error.message,
        );
        return undefined;
      }
    }
    const wanted = edge;
    const where = direction === 'next' ? 'later' : 'earlier';
    const unnamed = wanted.of === 'calls' ? 'call' : 'branch';
    const noun = `${wanted.kind === 'unknown' ? unnamed : wanted.kind} of this edge`;
    const found = await go(
      `the ${direction} ${noun}`,
      () => `There is no ${where} ${noun} (${nameOf(wanted)}).`,
      async (options) => {
        if (wanted.of === 'calls') {
          const { caller, callee, kind, inferred } = wanted;
          const asked = { trace: id, caller, callee, kind, inferred, at: n, direction };
          const result = await client.request('nextCall', asked, options);
          return result.ok ? { ok: true, value: result.value.n } : result;
        }
        const result = await client.request(
          'branchEvents',
          {
            trace: id,
            kinds: [wanted.kind],
            source: wanted.source ?? null,
            target: wanted.target ?? null,
            count: 1,
            ...(direction === 'next' ? { from: n + 1 } : { to: n, backwards: true }),
          },
          options,
        );
        return result.ok ? { ok: true, value: result.value.events[0]?.n ?? null } : result;
      },
      then,
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
    cancel,
  };
}

/** Branches that enter a function. */
const ENTERING: readonly BranchKind[] = ['call', 'jump', 'exception', 'interrupt'];

/** The call that entered a frame with record `since`; null where that is not in the trace. */
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
    // The first instruction that the call led to.
    const call = await client.request('step', { trace, at: since, step: 'back out' }, options);
    return call.ok ? ok(call.value.n) : call;
  }
  if (kind !== 'branch') return ok(since);
  // A message is the call itself, or the first one that tells where the program is.
  const range = { from: since, to: since + 1, count: 1, kinds: ENTERING };
  const events = await client.request('branchEvents', { trace, ...range }, options);
  return events.ok ? ok(events.value.events.length > 0 ? since : null) : events;
}

/** `main → fib`, `0x8000 → not known`. */
function nameOf(edge: Edge): string {
  return edge.of === 'calls' ? edge.label : `${edge.source ?? 'not known'} → ${edge.target ?? 'not known'}`;
}

/** The edge that a branch belongs to. */
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
