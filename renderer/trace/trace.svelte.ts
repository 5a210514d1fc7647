/** One open trace: facts about it, the progress of its index, and the stores that panes share. */
import type { Client, IndexReport, Opened, Progress, Reach, TraceInfo } from '../../shared/requests/requests.ts';
import type { Failure } from '../../shared/base/result.ts';
import { compareOptions } from './compare-options.ts';
import { createAddressNames, type AddressNames } from './address-names.svelte.ts';
import { nameOf } from './file-names.ts';
import { createAccessSearch, type AccessSearch } from './access/access-search.svelte.ts';
import { createCalls, type Calls } from './flow/calls.svelte.ts';
import { createComposer, type Composer } from './report/composer.svelte.ts';
import { createCursor } from './cursor.svelte.ts';
import { createDepths, type Depths } from './flow/depths.svelte.ts';
import { createDetails, type Details } from './flow/details.svelte.ts';
import { createFigures, type Figures } from './figures.svelte.ts';
import { createFlow, type Flow } from './flow/flow.svelte.ts';
import { createFolds, type Folds } from './flow/folds.svelte.ts';
import { createNotes, type Notes } from './notes/notes.svelte.ts';
import { pageVisibility } from './notes/page-visibility.ts';
import { createPaneOptions } from './kept-options.svelte.ts';
import { createRows } from './questions/rows.svelte.ts';
import { createRuns, type Runs } from './flow/runs.svelte.ts';
import { createSearch, type Search } from './search/search.svelte.ts';
import { createThrottle } from './questions/throttle.ts';
import type { InTurn } from './questions/turns.ts';
import type { Source, TraceBase } from './trace-base.ts';
import { createView } from './view.svelte.ts';
import { createChangeSearch, type ChangeSearch } from './watches/change-search.svelte.ts';
import { createWatches, type Watches } from './watches/watches.svelte.ts';
import { createSlice, type Slice } from './why/why.svelte.ts';

export type IndexState = 'building' | 'paused' | 'complete' | 'failed';

export interface Trace extends TraceBase {
  readonly search: Search;
  readonly accessSearch: AccessSearch;
  readonly flow: Flow;
  readonly calls: Calls;
  readonly figures: Figures;
  readonly depths: Depths;
  readonly details: Details;
  readonly folds: Folds;
  readonly runs: Runs;
  readonly addressNames: AddressNames;
  readonly notes: Notes;
  readonly watches: Watches;
  readonly changeSearch: ChangeSearch;
  /** Steps that made a value. */
  readonly slice: Slice;
  /** Report that is being composed. */
  readonly composer: Composer;
  /** Open trace that this one is compared with; undefined if there is none. */
  readonly compared: Trace | undefined;
  readonly indexing: IndexState;
  /** Building the index has to wait for the indexes of other traces. */
  readonly waits: boolean;
  readonly progress: Progress | null;
  readonly report: IndexReport | null;
  readonly failure: Failure | null;
  readonly build: (rebuild?: boolean) => Promise<void>;
  readonly pause: () => void;
  /** Writes what a person has typed into notes and the report. */
  readonly keepTyped: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Interval in milliseconds at which charts follow a growing index. */
const REFRESH = 350;

/**
 * @param inTurn limits how many indexes are built at once
 * @param traces all open traces
 */
export function createTrace(
  client: Client,
  source: Source,
  opened: Opened,
  say: (text: string) => void,
  inTurn: InTurn = (_signal, work) => work(),
  traces: () => readonly Trace[] = () => [],
): Trace {
  const id = opened.trace;
  let reach = $state.raw<Reach>(opened.reach);
  let indexing = $state<IndexState>(opened.reach.complete ? 'complete' : 'building');
  let waits = $state(false);
  let progress = $state.raw<Progress | null>(null);
  let report = $state.raw<IndexReport | null>(null);
  let failure = $state.raw<Failure | null>(null);
  let info = $state.raw<TraceInfo | null>(null);
  let controller: AbortController | undefined;

  const extent = $derived(estimate(reach, opened.file.bytes));
  const cursor = createCursor();
  const view = createView(cursor, () => extent);
  const shown = $derived(cursor.range ?? { from: 0, to: extent });
  const rows = createRows(async (from, count, signal) => {
    const result = await client.request('records', { trace: id, from, count }, { signal });
    return result.ok ? { ok: true, value: result.value.records } : result;
  });

  const calls = createCalls(client, id, cursor, say);
  const details = createDetails(() => trace);
  const search = createSearch({ client, trace: id, cursor, reach: () => reach, say });

  let infoRequests = 0;
  let infoShown = 0;
  /** Notices that have been shown. */
  const shownNotices = new Set(opened.notices);
  const closing: (() => Promise<unknown>)[] = [];

  async function refreshInfo(): Promise<void> {
    infoRequests += 1;
    const own = infoRequests;
    const result = await client.request('info', { trace: id });
    // An answer that a later one has overtaken is out of date.
    if (!result.ok || own < infoShown) return;
    infoShown = own;
    info = result.value;
    for (const notice of info.notices.filter((text) => !shownNotices.has(text))) {
      shownNotices.add(notice);
      say(notice);
    }
  }

  /** An index that has not grown keeps its object, so that nothing is asked again. */
  function reachTo({ records, bytes, complete }: Reach): void {
    if (records === reach.records && bytes === reach.bytes && complete === reach.complete) return;
    reach = { records, bytes, complete };
  }

  const follow = createThrottle<Progress>(REFRESH, (event) => {
    progress = event;
    reachTo({ ...event, complete: false });
    search.results.follow();
    void refreshInfo();
  });

  async function build(rebuild = false): Promise<void> {
    controller?.abort();
    const own = new AbortController();
    controller = own;
    failure = null;
    if (rebuild || indexing !== 'complete') indexing = 'building';
    if (rebuild) trace.folds.unfoldAll();
    waits = indexing === 'building';
    const ask = () => {
      if (controller === own) waits = false;
      return client.request(
        'index',
        { trace: id, ahead: true, ...(rebuild ? { rebuild } : {}) },
        {
          signal: own.signal,
          onEvent: (event) => {
            if ('bytes' in event) follow.push(event);
          },
        },
      );
    };
    const isReopened = indexing === 'complete';
    const answer = isReopened ? ask() : inTurn(own.signal, ask);
    // Facts that several panes show are requested together with what the panes request.
    const informed = isReopened ? refreshInfo() : undefined;
    const result = await answer;
    if (controller !== own) return;
    controller = undefined;
    follow.flush();
    follow.stop();
    progress = null;
    if (result.ok) {
      report = result.value;
      reachTo(result.value);
      indexing = result.value.complete ? 'complete' : 'paused';
      search.results.follow();
    } else if (own.signal.aborted) {
      indexing = 'paused';
    } else {
      failure = result.error;
      indexing = 'failed';
    }
    await (indexing === 'complete' && informed ? informed : refreshInfo());
  }

  const trace: Trace = {
    id,
    source,
    name: nameOf(source.path),
    opened,
    client,
    cursor,
    view,
    paneOptions: createPaneOptions(),
    rows,
    search,
    accessSearch: createAccessSearch(() => trace, say),
    flow: createFlow(() => trace, say),
    calls,
    figures: createFigures(client, id, say),
    depths: createDepths(() => trace),
    details,
    folds: createFolds(() => trace, say, details.isHidden),
    runs: createRuns(() => trace),
    addressNames: createAddressNames(() => trace),
    notes: createNotes(client, id, () => trace, say, pageVisibility),
    watches: createWatches(opened.format.options['endian'] === 'big' ? 'big' : 'little'),
    changeSearch: createChangeSearch(() => trace, say),
    slice: createSlice(() => trace),
    composer: createComposer(client, () => trace, say),
    say,
    beforeClose: (work) => closing.push(work),
    get reach() {
      return reach;
    },
    get last() {
      return Math.max(0, Math.max(reach.records, rows.known) - 1);
    },
    get extent() {
      return extent;
    },
    get shown() {
      return shown;
    },
    get compared() {
      const { other } = compareOptions(trace);
      return other === undefined ? undefined : traces().find(({ source: { path } }) => path === other);
    },
    get indexing() {
      return indexing;
    },
    get waits() {
      return waits;
    },
    get progress() {
      return progress;
    },
    get report() {
      return report;
    },
    get failure() {
      return failure;
    },
    get info() {
      return info;
    },
    build,
    pause: () => controller?.abort(),
    async keepTyped() {
      for (const work of closing) await work();
      await trace.composer.keep();
    },
    async close() {
      await trace.keepTyped();
      trace.composer.stop();
      controller?.abort();
      follow.stop();
      rows.stop();
      search.cancel();
      trace.changeSearch.cancel();
      trace.slice.ask(null);
      calls.stop();
      trace.figures.stop();
      search.results.clear();
      search.highlights.stop();
      trace.flow.cancel();
      trace.depths.stop();
      trace.runs.stop();
      await client.request('close', { trace: id });
    },
  };
  return trace;
}

/** Cancels searches that would move the cursor: only the newest one may. */
export function stopLooking({ search, accessSearch, changeSearch, flow }: Trace): void {
  search.cancel();
  accessSearch.cancel();
  changeSearch.cancel();
  flow.cancel();
}

function estimate(reach: Reach, fileBytes: number): number {
  if (reach.complete || reach.bytes <= 0) return reach.records;
  return Math.max(reach.records, Math.round((reach.records * fileBytes) / reach.bytes));
}
