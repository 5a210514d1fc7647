/**
 * The comparison of a trace with another one: the alignment, the row that both cursors are at, and the question why a value differs. The
 * cursors of both traces follow the row, and the row follows the cursor of the first trace if something else moves it.
 */
import { ALIGNED_ROWS_MOST, type AlignedRows } from '../../../shared/requests/compare.ts';
import { DIFF_REGIONS_MOST, type Diff } from '../../../shared/requests/diff.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import { attached } from '../../trace/attached.svelte.ts';
import type { Range } from '../../trace/cursor.svelte.ts';
import { createChunks } from '../../trace/questions/chunks.svelte.ts';
import { createFlowQuestion, type FlowQuestion } from '../../trace/questions/flow-question.svelte.ts';
import type { Trace } from '../../trace/trace.svelte.ts';
import { alignmentOf, nextDifference, type Alignment } from './differences.ts';
import { compareOptions } from './options.ts';
import type { PairOfWhys } from './why-pairs.ts';

interface PairKey {
  readonly other: string;
  readonly cpu?: number;
}

/** Records of a row; -1 if a run has no instruction in it. */
export interface RowPair {
  readonly a: RecordNumber;
  readonly b: RecordNumber;
}

export interface ComparedRow extends RowPair {
  /** Both runs executed the instruction, with other effects. */
  readonly differs: boolean;
}

export interface Comparison {
  readonly question: FlowQuestion<PairKey, Diff>;
  /** Answer about the other trace that is set. */
  readonly found: Diff | undefined;
  readonly alignment: Alignment | undefined;
  /** Arguments that all requests about the pair share; undefined without another trace. */
  readonly pair: { readonly trace: string; readonly other: string; readonly cpu?: number } | undefined;
  readonly other: Trace | undefined;
  /** Sets the trace to compare with, and the CPU, as soon as both traces are indexed. */
  readonly compareWith: (other: Trace | undefined, cpu: number | undefined) => void;
  /** Row of the cursor; null until it is known. */
  readonly row: number | null;
  /** The first difference is shown as soon as it is known, wherever the cursor is. */
  startsAtFirst: boolean;
  /** Row that waits for its records, and whether going there can be undone with Back. */
  readonly going: { readonly isJump: boolean } | null;
  /** The cursors have followed the row: record of the first trace. */
  readonly arrived: (record: RecordNumber) => void;
  readonly go: (row: number, isJump: boolean) => void;
  /** Goes to the row of a record. */
  readonly goTo: (side: 'a' | 'b', at: RecordNumber, isJump: boolean) => Promise<void>;
  /** Goes to the row of the cursor, unless the row moved the cursor there. */
  readonly follow: (n: RecordNumber) => void;
  readonly step: (way: 1 | -1) => void;
  readonly pairAt: (row: number) => ComparedRow | undefined;
  /** Fetches the records of rows. */
  readonly want: (ranges: readonly Range[]) => void;
  /** Question about a value on both sides that is shown; null if there is none. */
  whys: PairOfWhys | null;
  /** Name of the register or memory that a person has chosen in the list of differences; null if there is none. */
  chosen: string | null;
  /** Return the question about the chosen value, and about the value of the row that differs. The lists set them. */
  whysOfState: () => PairOfWhys | undefined;
  whysOfRow: () => PairOfWhys | undefined;
  /** Path of the other trace once it was open: if a person closes it, it is not opened again by itself. */
  wasOpen: string | null;
  readonly stop: () => void;
}

const CHUNK = 400;

export const comparisonOf = attached((trace: Trace): Comparison => {
  const options = compareOptions(trace);
  const { client, id } = trace;
  let other = $state.raw<Trace>();
  let row = $state<number | null>(null);
  let going = $state.raw<{ readonly isJump: boolean } | null>(null);
  let startsAtFirst = $state(false);
  let whys = $state.raw<PairOfWhys | null>(null);
  let chosen = $state<string | null>(null);
  let wasOpen = $state<string | null>(null);
  /** Record that the row has moved the cursor to. */
  let own = -1;
  /** Number of the newest move: answers to earlier ones come too late. */
  let moves = 0;

  const question = createFlowQuestion<PairKey, Diff>((key, { signal, onEvent }) =>
    client.request('diff', { trace: id, ...key, most: DIFF_REGIONS_MOST }, { signal, onEvent }),
  );
  const pairKey = $derived(other && keyOf(other.id, options.cpu));
  const found = $derived(
    pairKey && JSON.stringify(question.key) === JSON.stringify(pairKey) && !question.error ? question.value : undefined,
  );
  const alignment = $derived(found && alignmentOf(found.regions));
  const rows = createChunks<AlignedRows>(CHUNK, async (from, count, signal) => {
    const most = Math.min(count, ALIGNED_ROWS_MOST);
    if (!pairKey) return { ok: false, error: { code: 'closed', message: 'The other trace was closed.' } };
    return client.request('alignedRows', { trace: id, ...pairKey, from, count: most }, { signal });
  });

  function keyOf(otherId: string, cpu: number | undefined): PairKey {
    return { other: otherId, ...(cpu !== undefined && { cpu }) };
  }

  function go(next: number, isJump: boolean): void {
    moves += 1;
    row = Math.min(Math.max(0, next), Math.max(0, (alignment?.rows ?? 1) - 1));
    going = { isJump };
  }

  async function rowOf(side: 'a' | 'b', at: RecordNumber): Promise<number | undefined> {
    if (!pairKey) return undefined;
    moves += 1;
    const mine = moves;
    const result = await client.request('counterpart', { trace: id, ...pairKey, at, side });
    if (mine !== moves) return undefined;
    if (!result.ok) trace.say(result.error.message);
    return result.ok ? result.value.row : undefined;
  }

  return {
    question,
    get found() {
      return found;
    },
    get alignment() {
      return alignment;
    },
    get pair() {
      return pairKey && { trace: id, ...pairKey };
    },
    get other() {
      return other;
    },
    compareWith(next, cpu) {
      if (next?.id !== other?.id) {
        other = next;
        row = null;
        going = null;
        whys = null;
        rows.clear();
      }
      if (next) question.ask(keyOf(next.id, cpu));
      else question.stop();
    },
    get row() {
      return row;
    },
    get startsAtFirst() {
      return startsAtFirst;
    },
    set startsAtFirst(wanted) {
      startsAtFirst = wanted;
    },
    get going() {
      return going;
    },
    arrived(record) {
      own = record;
      going = null;
    },
    go,
    async goTo(side, at, isJump) {
      const next = await rowOf(side, at);
      if (next !== undefined) go(next, isJump);
    },
    follow(n) {
      if (n === own) return;
      own = n;
      void rowOf('a', n).then((next) => {
        if (next !== undefined) row = next;
      });
    },
    step(way) {
      if (!alignment) return;
      const next = nextDifference(alignment, row ?? -1, way);
      if (next === undefined) trace.say(way > 0 ? 'There is no later difference.' : 'There is no earlier difference.');
      else go(next, true);
    },
    pairAt(at) {
      const chunk = rows.at(at);
      const place = chunk && at - chunk.from;
      const a = place === undefined ? undefined : chunk?.a[place];
      const b = place === undefined ? undefined : chunk?.b[place];
      const differs = place !== undefined && chunk?.differs[place] === 1;
      return a === undefined || b === undefined ? undefined : { a, b, differs };
    },
    want: (ranges) => rows.want(ranges, alignment?.rows ?? 0),
    get whys() {
      return whys;
    },
    set whys(next) {
      whys = next;
    },
    get chosen() {
      return chosen;
    },
    set chosen(next) {
      chosen = next;
    },
    whysOfState: () => undefined,
    whysOfRow: () => undefined,
    get wasOpen() {
      return wasOpen;
    },
    set wasOpen(path) {
      wasOpen = path;
    },
    stop() {
      question.stop();
      rows.clear();
    },
  };
});
