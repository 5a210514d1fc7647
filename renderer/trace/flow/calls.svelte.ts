/** What the panes about calls share: the answers about who called whom, and which function a person looks at. */
import type { Client, Reach } from '../../../shared/requests/requests.ts';
import type { CallGraph, CallSpans, CallTree, FunctionId } from '../../../shared/requests/flow.ts';
import type { Cursor, Range } from '../cursor.svelte.ts';
import { createFlowQuestion, type FlowQuestion } from '../questions/flow-question.svelte.ts';

export interface Calls {
  readonly graph: FlowQuestion<CallsKey, CallGraph>;
  readonly tree: FlowQuestion<CallsKey, CallTree>;
  readonly spans: FlowQuestion<CallsKey, CallSpans>;
  /** The function in the middle of the graph; null where nobody chose one. */
  readonly centre: FunctionId | null;
  readonly canGoBack: boolean;
  readonly centreOn: (id: FunctionId) => void;
  /** To the function that was in the middle before. */
  readonly goBack: () => void;
  /** Centres on the function that runs at the cursor. */
  readonly centreHere: () => Promise<void>;
  /** A question takes longer than a glance. */
  readonly isWalking: boolean;
  /** Stops what takes long, until somebody wants it again. */
  readonly cancel: () => void;
  /** Nobody looks any more. */
  readonly stop: () => void;
}

export interface CallsKey {
  /** Whole records; absent where all are meant. */
  readonly from?: number;
  readonly to?: number;
  /** For calls in time: parts of the range that are told apart, and whose calls. */
  readonly columns?: number;
  readonly cpu?: number;
  /** How far the index had reached: all there is, or one of few steps on the way. */
  readonly step: number;
}

/** While the index grows, questions are asked again each time it is so much larger. */
const GROWTH = 1.5;
const REMEMBERED = 100;

export function createCalls(client: Client, trace: string, cursor: Cursor, say: (text: string) => void): Calls {
  let centre = $state<FunctionId | null>(null);
  /** null: nobody had chosen one yet. */
  let visited = $state.raw<readonly (FunctionId | null)[]>([]);
  let looking: AbortController | undefined;
  const from = (key: CallsKey): number => key.from ?? 0;

  const graph = createFlowQuestion<CallsKey, CallGraph>(
    (key, options) => client.request('calls', { trace, ...askedOf(key) }, options),
    from,
  );
  const tree = createFlowQuestion<CallsKey, CallTree>(
    (key, options) => client.request('tree', { trace, ...askedOf(key) }, options),
    from,
  );
  const spans = createFlowQuestion<CallsKey, CallSpans>(
    (key, options) => client.request('spans', { trace, ...askedOf(key) }, options),
    from,
  );

  /** A choice made while the function at the cursor is still asked for is the newer one. */
  function centreOn(id: FunctionId): void {
    looking?.abort();
    if (id === centre) return;
    visited = [...visited.slice(1 - REMEMBERED), centre];
    centre = id;
  }

  return {
    graph,
    tree,
    spans,
    get centre() {
      return centre;
    },
    get canGoBack() {
      return visited.length > 0;
    },
    centreOn,
    goBack() {
      looking?.abort();
      const before = visited.at(-1);
      if (before === undefined) return;
      visited = visited.slice(0, -1);
      centre = before;
    },
    async centreHere() {
      looking?.abort();
      const own = new AbortController();
      looking = own;
      const result = await client.request('stack', { trace, at: cursor.n }, { signal: own.signal });
      if (own.signal.aborted) return;
      const frame = result.ok ? result.value.frames[0] : undefined;
      if (frame) centreOn(frame.id);
      else say(result.ok ? 'Which function runs at the cursor is not known.' : result.error.message);
    },
    get isWalking() {
      return [graph, tree, spans].some(({ done }) => done !== null);
    },
    cancel() {
      for (const question of [graph, tree, spans]) if (question.done !== null) question.cancel();
    },
    stop() {
      looking?.abort();
      graph.stop();
      tree.stop();
      spans.stop();
    },
  };
}

/**
 * Asks, but not while the first answer is under way: that walks the whole trace, which all later ones build on, so that a range
 * that a person drags must not begin it anew. Whoever asks in an effect asks again once it is there.
 */
export function ask<T>(question: FlowQuestion<CallsKey, T>, key: CallsKey): void {
  if (question.busy && question.value === undefined) return;
  question.ask(key);
}

/** What of a key the engine is asked for. */
function askedOf({ from, to, columns, cpu }: CallsKey): Omit<CallsKey, 'step'> {
  return {
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(columns !== undefined && { columns }),
    ...(cpu !== undefined && { cpu }),
  };
}

/** What to ask for a range of the charts (null: all), at the present reach of the index. */
export function callsKey(range: Range | null, reach: Reach): CallsKey {
  return {
    ...(range && { from: Math.max(0, Math.floor(range.from)), to: Math.max(1, Math.ceil(range.to)) }),
    step: reach.complete ? reach.records : -Math.ceil(Math.log(reach.records + 1) / Math.log(GROWTH)),
  };
}
