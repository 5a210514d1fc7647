/** State that the panes Call graph, Call tree and Hot spots share: the answers about calls, and the function in the centre of the graph. */
import type { Client, Reach } from '../../../shared/requests/requests.ts';
import type { CallGraph, CallSpans, CallTree, FunctionId, FunctionTimeline } from '../../../shared/requests/flow.ts';
import type { Loops, Profile } from '../../../shared/requests/profile.ts';
import { group } from '../../../shared/base/numbers.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import type { Cursor, Range } from '../cursor.svelte.ts';
import { createFlowQuestion, type FlowQuestion } from '../questions/flow-question.svelte.ts';

export interface Calls {
  readonly graph: FlowQuestion<CallsKey, CallGraph>;
  readonly tree: FlowQuestion<CallsKey, CallTree>;
  readonly profile: FlowQuestion<CallsKey, Profile>;
  readonly loops: FlowQuestion<CallsKey, Loops>;
  readonly spans: FlowQuestion<CallsKey, CallSpans>;
  /** Functions and depths over all records, for the overview. */
  readonly timeline: FlowQuestion<CallsKey, FunctionTimeline>;
  /** CPU whose calls are shown over time; undefined = the first CPU in the trace. */
  cpu: number | undefined;
  /** Function in the centre of the graph; null if nobody has chosen one. */
  readonly centre: FunctionId | null;
  readonly canGoBack: boolean;
  readonly centreOn: (id: FunctionId) => void;
  /** Centres the graph as a kept view says; there is no way back to earlier centres. */
  readonly restoreCentre: (id: FunctionId | null) => void;
  /** Centres the graph on the previous function. */
  readonly goBack: () => void;
  /** Centres on the function that runs at a record, by default at the cursor. */
  readonly centreHere: (n?: RecordNumber) => Promise<void>;
  /** A request is running and shows its progress. */
  readonly isWalking: boolean;
  /** Stops the running requests until a person retries them. */
  readonly cancel: () => void;
  /** Cancels all requests: the trace is closing. */
  readonly stop: () => void;
}

export interface CallsKey {
  /** Range of records; absent = all records. */
  readonly from?: number;
  readonly to?: number;
  /** For calls in time order: number of parts of the range that are distinguished. */
  readonly columns?: number;
  /** For calls in time order: CPU whose calls are wanted. */
  readonly cpu?: number;
  /** Progress of the index, in few coarse steps. */
  readonly step: number;
}

/** Factor by which the index grows before requests are repeated. */
const GROWTH = 1.5;
const REMEMBERED = 100;

export function createCalls(client: Client, trace: string, cursor: Cursor, say: (text: string) => void): Calls {
  let centre = $state<FunctionId | null>(null);
  let cpu = $state<number | undefined>();
  /** Previous centres; null = no function was chosen. */
  let visited = $state.raw<readonly (FunctionId | null)[]>([]);
  let looking: AbortController | undefined;
  const from = (key: CallsKey): number => key.from ?? 0;

  const graph = createFlowQuestion<CallsKey, CallGraph>(
    (key, options) => client.request('calls', { trace, ...argumentsOf(key) }, options),
    from,
  );
  const tree = createFlowQuestion<CallsKey, CallTree>(
    (key, options) => client.request('tree', { trace, ...argumentsOf(key) }, options),
    from,
  );
  const profile = createFlowQuestion<CallsKey, Profile>(
    (key, options) => client.request('profile', { trace, ...argumentsOf(key) }, options),
    from,
  );
  const loops = createFlowQuestion<CallsKey, Loops>(
    (key, options) => client.request('loops', { trace, ...argumentsOf(key) }, options),
    from,
  );
  const spans = createFlowQuestion<CallsKey, CallSpans>(
    (key, options) => client.request('spans', { trace, ...argumentsOf(key) }, options),
    from,
  );
  const timeline = createFlowQuestion<CallsKey, FunctionTimeline>(
    (key, options) => client.request('timeline', { trace, ...argumentsOf(key) }, options),
    from,
  );
  const questions = [graph, tree, profile, loops, spans, timeline];

  /** Cancels a pending `centreHere`: this choice is newer. */
  function centreOn(id: FunctionId): void {
    looking?.abort();
    if (id === centre) return;
    visited = [...visited.slice(1 - REMEMBERED), centre];
    centre = id;
  }

  return {
    graph,
    tree,
    profile,
    loops,
    spans,
    timeline,
    get cpu() {
      return cpu;
    },
    set cpu(next) {
      cpu = next;
    },
    get centre() {
      return centre;
    },
    get canGoBack() {
      return visited.length > 0;
    },
    centreOn,
    restoreCentre(id) {
      looking?.abort();
      visited = [];
      centre = id;
    },
    goBack() {
      looking?.abort();
      const before = visited.at(-1);
      if (before === undefined) return;
      visited = visited.slice(0, -1);
      centre = before;
    },
    async centreHere(n = cursor.n) {
      looking?.abort();
      const own = new AbortController();
      looking = own;
      const result = await client.request('stack', { trace, at: n }, { signal: own.signal });
      if (own.signal.aborted) return;
      const frame = result.ok ? result.value.frames[0] : undefined;
      if (frame) centreOn(frame.id);
      else
        say(
          result.ok
            ? n === cursor.n
              ? 'The function that runs at the cursor is unknown.'
              : `The function that runs at record ${group(n)} is unknown.`
            : result.error.message,
        );
    },
    get isWalking() {
      return questions.some(({ done }) => done !== null);
    },
    cancel() {
      for (const question of questions) if (question.done !== null) question.cancel();
    },
    stop() {
      looking?.abort();
      for (const question of questions) question.stop();
    },
  };
}

/**
 * Asks a question, except while its first answer is pending. The first answer walks the whole trace and all later ones build on it,
 * so dragging a range must not restart it. An effect that calls this runs again when the first answer arrives.
 */
export function ask<Key extends CallsKey, T>(question: FlowQuestion<Key, T>, key: Key): void {
  if (question.busy && question.value === undefined) return;
  question.ask(key);
}

/** Returns the arguments of a request for a key. */
function argumentsOf({ from, to, columns, cpu }: CallsKey): Omit<CallsKey, 'step'> {
  return {
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(columns !== undefined && { columns }),
    ...(cpu !== undefined && { cpu }),
  };
}

/** Returns the key for a range of the charts (null: all records) at the current reach of the index. */
export function callsKey(range: Range | null, reach: Reach): CallsKey {
  return {
    ...(range && { from: Math.max(0, Math.floor(range.from)), to: Math.max(1, Math.ceil(range.to)) }),
    step: reach.complete ? reach.records : -Math.ceil(Math.log(reach.records + 1) / Math.log(GROWTH)),
  };
}
