/**
 * The comparison of a trace with another one: the alignment, the row that both cursors are at, and the question why a value differs. The
 * cursors of both traces follow the row, and the row follows a cursor that something else moves.
 *
 * Which instructions correspond is known long before all values are compared, and has the same rows. So the rows are shown as soon as the
 * paths are aligned, and the places where values differ come later.
 */
import { untrack } from 'svelte';
import { ok } from '../../../shared/base/result.ts';
import { ALIGNED_ROWS_MOST, type AlignedRows, type ProvedBranch } from '../../../shared/requests/compare.ts';
import { DIFF_REGIONS_MOST, type Aligning, type Diff } from '../../../shared/requests/diff.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import { attached } from '../../trace/attached.svelte.ts';
import type { Range } from '../../trace/cursor.svelte.ts';
import { createChunks } from '../../trace/questions/chunks.svelte.ts';
import { createFlowQuestion, type FlowQuestion } from '../../trace/questions/flow-question.svelte.ts';
import type { Trace } from '../../trace/trace.svelte.ts';
import { alignmentOf, nextDifference, type Alignment } from './differences.ts';
import { compareOptions } from '../../trace/compare-options.ts';
import { questionOf } from './pair/question.ts';
import type { PairOfWhys } from './why-pairs.ts';

/** The other trace, and what counts as a difference: `by` is absent if values do. */
interface PairKey extends Aligning {
  readonly other: string;
}

interface RowsKey extends PairKey {
  readonly by: 'path' | 'symbol';
}

/** Records of a row; -1 if a run has no instruction in it. */
export interface RowPair {
  readonly a: RecordNumber;
  readonly b: RecordNumber;
}

export interface ComparedRow extends RowPair {
  /** Both runs executed the instruction, with other effects. */
  readonly differs: boolean;
  /** The branches of the row, if the traces are compared by proved branches; null for a run without one. */
  readonly branches?: { readonly a: ProvedBranch | null; readonly b: ProvedBranch | null };
}

/** Answers before all values are compared. */
interface Paths {
  readonly found: Diff;
  /** Record of the first trace where the first value differs, if that is before the paths part. */
  readonly value: RecordNumber | null;
}

export interface Comparison {
  /** Aligns the paths. */
  readonly paths: FlowQuestion<PairKey, Paths>;
  /** Compares the values as well. */
  readonly question: FlowQuestion<PairKey, Diff>;
  /** Answer about the other trace that is set: with values if they are compared already. */
  readonly found: Diff | undefined;
  /** Only the paths are compared so far. */
  readonly isPartial: boolean;
  /** Only the place where the paths part is known so far. What follows is being aligned. */
  readonly isOpening: boolean;
  readonly alignment: Alignment | undefined;
  /** Arguments that all requests about the pair share; undefined without another trace. */
  readonly pair: (RowsKey & { readonly trace: string; readonly only?: 'start' }) | undefined;
  readonly other: Trace | undefined;
  /** Sets the trace to compare with, and what counts, as soon as both traces are indexed. */
  readonly compareWith: (other: Trace | undefined, aligning: Aligning) => void;
  /** Row of the cursor; null until it is known. */
  readonly row: number | null;
  /** The first difference is shown as soon as it is known, wherever the cursor is. */
  startsAtFirst: boolean;
  /** Row that waits for its records, and whether going there can be undone with Back. */
  readonly going: Going | null;
  /** The cursors are at these records, and the row need not follow them. */
  readonly arrived: (cursors: RowPair) => void;
  readonly go: (row: number, isJump: boolean) => void;
  /** Goes to the first difference. */
  readonly goToFirst: () => void;
  /** Goes there again if nothing else was done since it was only known where the paths part: a difference may be before. */
  readonly correctFirst: () => void;
  /** Goes to the row of a record. */
  readonly goTo: (side: 'a' | 'b', at: RecordNumber, isJump: boolean) => Promise<void>;
  /** Goes to the row of a cursor that something else than the row has moved; of that of the first trace if both were. */
  readonly follow: (cursors: RowPair) => void;
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
  readonly stop: () => void;
}

export interface Going {
  readonly isJump: boolean;
  /** Side whose cursor the row follows: that cursor stays. */
  readonly follows?: 'a' | 'b';
}

const CHUNK = 400;
/** Records of a trace that is not aligned in an instant. */
const LONG = 1_000_000;
/** The regions up to where the paths part. */
const START = { only: 'start', most: DIFF_REGIONS_MOST } as const;
/** All regions, and nothing else. */
const REGIONS = { only: 'regions', most: DIFF_REGIONS_MOST } as const;

/** Values are compared as well, unless a person wants otherwise. */
function hasValues({ by }: PairKey): boolean {
  return by === undefined;
}

/** Returns the question about the rows, which does not wait for values. */
function rowsKey(key: PairKey): RowsKey {
  return { ...key, by: key.by === 'symbol' ? 'symbol' : 'path' };
}

export const comparisonOf = attached((trace: Trace): Comparison => {
  const options = compareOptions(trace);
  const { client, id } = trace;
  let other = $state.raw<Trace>();
  let row = $state<number | null>(null);
  let going = $state.raw<Going | null>(null);
  let startsAtFirst = $state(false);
  let whys = $state.raw<PairOfWhys | null>(null);
  let chosen = $state<string | null>(null);
  /** The other trace and the options that the row is about. */
  let latest: string | undefined;
  /** Records of the cursors that the row is about. */
  let cursors: RowPair | undefined;
  /** Answer that is shown while the paths are being aligned. */
  let opening = $state.raw<{ readonly key: PairKey; readonly found: Diff }>();
  /** Number of the move to the first difference that was known then. */
  let openingMove: number | undefined;
  /** Number of the newest move: answers to earlier ones come too late. */
  let moves = 0;

  const paths = createFlowQuestion<PairKey, Paths>(async (key, { signal, onEvent }) => {
    if (opensFirst(key)) {
      const first = await client.request('diff', { trace: id, ...rowsKey(key), ...START }, { signal });
      if (first.ok && !signal.aborted) opening = { key, found: first.value };
    }
    // The first value that differs is found at once, unless it is after the place where the paths part: then nobody waits for it.
    const late = new AbortController();
    const value =
      hasValues(key) && trace.opened.format.id === other?.opened.format.id
        ? client
            .request('diff', { trace: id, ...key, only: 'first' }, { signal: AbortSignal.any([signal, late.signal]) })
            .then((first) => (first.ok ? (first.value.first.values?.a ?? null) : null))
        : null;
    const aligned = await client.request('diff', { trace: id, ...rowsKey(key), ...REGIONS }, { signal, onEvent });
    if (!aligned.ok || !aligned.value.same) late.abort();
    return aligned.ok ? ok({ found: aligned.value, value: await value }) : aligned;
  });
  const question = createFlowQuestion<PairKey, Diff>((key, { signal, onEvent }) =>
    client.request('diff', { trace: id, ...key, ...REGIONS }, { signal, onEvent }),
  );
  const pairKey = $derived(other && { other: other.id, ...questionOf(options) });
  const isAbout = (key: PairKey | undefined): boolean =>
    pairKey !== undefined && JSON.stringify(key) === JSON.stringify(pairKey);
  const early = $derived(isAbout(paths.key) && !paths.error ? paths.value : undefined);
  const compared = $derived(
    pairKey && hasValues(pairKey)
      ? isAbout(question.key) && !question.error
        ? question.value
        : undefined
      : early?.found,
  );
  const isOpening = $derived(early === undefined && isAbout(opening?.key));
  const found = $derived(compared ?? early?.found ?? (isOpening ? opening?.found : undefined));
  $effect(() => {
    const key = early && pairKey;
    untrack(() => {
      if (key && hasValues(key)) question.ask(key);
      else question.stop();
    });
  });
  const alignment = $derived(found && alignmentOf(found.regions));
  const rowsOf = (only: { readonly only?: 'start' }) =>
    createChunks<AlignedRows>(CHUNK, async (from, count, signal) => {
      const most = Math.min(count, ALIGNED_ROWS_MOST);
      if (!pairKey) return { ok: false, error: { code: 'closed', message: 'The other trace was closed.' } };
      return client.request('alignedRows', { trace: id, ...rowsKey(pairKey), ...only, from, count: most }, { signal });
    });
  const rows = rowsOf({});
  const openingRows = rowsOf({ only: 'start' });
  /** Rows before the place where the paths part: they stay as they are. */
  const unchanged = $derived(isAbout(opening?.key) ? (opening?.found.regions[0]?.instructionsA ?? 0) : 0);

  /** A long trace shows where the paths part before they are aligned, unless that has to decode both. */
  function opensFirst({ by, ignore = [], ignoreRanges = [], confirm }: PairKey): boolean {
    return (
      trace.last >= LONG &&
      by !== 'symbol' &&
      confirm !== true &&
      ignore.length + ignoreRanges.length === 0 &&
      trace.opened.format.id === other?.opened.format.id
    );
  }

  /** Requests are about the rows that are shown. */
  function start(): { readonly only?: 'start' } {
    return isOpening ? { only: 'start' } : {};
  }

  function go(next: number, isJump: boolean, follows?: 'a' | 'b'): void {
    moves += 1;
    row = Math.min(Math.max(0, next), Math.max(0, (alignment?.rows ?? 1) - 1));
    going = { isJump, ...(follows && { follows }) };
  }

  function goToFirst(isJump: boolean): void {
    const apart = alignment?.starts[0];
    const value = compared ? null : early?.value;
    if (value === null || value === undefined) {
      go(apart ?? alignment?.firstShared ?? 0, isJump);
      return;
    }
    void rowOf('a', value).then((next) => {
      if (next !== undefined) go(Math.min(next, apart ?? next), isJump);
    });
  }

  async function rowOf(side: 'a' | 'b', at: RecordNumber): Promise<number | undefined> {
    if (!pairKey) return undefined;
    moves += 1;
    const mine = moves;
    const result = await client.request('counterpart', { trace: id, ...rowsKey(pairKey), ...start(), at, side });
    if (mine !== moves) return undefined;
    if (!result.ok) trace.say(result.error.message);
    return result.ok ? result.value.row : undefined;
  }

  return {
    paths,
    question,
    get found() {
      return found;
    },
    get isPartial() {
      return found !== undefined && compared === undefined;
    },
    get isOpening() {
      return isOpening;
    },
    get alignment() {
      return alignment;
    },
    get pair() {
      return pairKey && { trace: id, ...rowsKey(pairKey), ...start() };
    },
    get other() {
      return other;
    },
    compareWith(next, aligning) {
      const about = JSON.stringify([next?.id, aligning]);
      if (about !== latest) {
        latest = about;
        // A row of the comparison before must not arrive in this one.
        moves += 1;
        other = next;
        row = null;
        going = null;
        cursors = undefined;
        whys = null;
        opening = undefined;
        openingMove = undefined;
        rows.clear();
        openingRows.clear();
      }
      if (next) paths.ask({ other: next.id, ...aligning });
      else paths.stop();
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
    arrived(next) {
      cursors = next;
      going = null;
    },
    go: (next, isJump) => go(next, isJump),
    goToFirst() {
      goToFirst(true);
      openingMove = isOpening ? moves : undefined;
    },
    correctFirst() {
      if (isOpening || openingMove === undefined) return;
      const isUntouched = openingMove === moves;
      openingMove = undefined;
      if (isUntouched) goToFirst(false);
    },
    async goTo(side, at, isJump) {
      const next = await rowOf(side, at);
      if (next !== undefined) go(next, isJump);
    },
    follow(next) {
      const side = next.a !== cursors?.a ? 'a' : next.b !== cursors.b ? 'b' : undefined;
      cursors = next;
      if (side === undefined) return;
      void rowOf(side, next[side]).then((found) => {
        if (found !== undefined) go(found, false, side);
      });
    },
    step(way) {
      if (!alignment) return;
      const next = nextDifference(alignment, row ?? -1, way);
      if (next !== undefined) go(next, true);
      else if (isOpening) trace.say('What follows is still being aligned.');
      else if (found && compared === undefined) trace.say('Values are still being compared.');
      else trace.say(way > 0 ? 'There is no later difference.' : 'There is no earlier difference.');
    },
    pairAt(at) {
      const chunk =
        (isOpening ? undefined : rows.at(at)) ?? (isOpening || at < unchanged ? openingRows.at(at) : undefined);
      const place = chunk && at - chunk.from;
      const a = place === undefined ? undefined : chunk?.a[place];
      const b = place === undefined ? undefined : chunk?.b[place];
      const differs = place !== undefined && chunk?.differs[place] === 1;
      const proved = place === undefined ? undefined : chunk?.branches;
      const branches = proved && { a: proved.a[place!] ?? null, b: proved.b[place!] ?? null };
      return a === undefined || b === undefined ? undefined : { a, b, differs, ...(branches && { branches }) };
    },
    want: (ranges) => (isOpening ? openingRows : rows).want(ranges, alignment?.rows ?? 0),
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
    stop() {
      paths.stop();
      question.stop();
      rows.clear();
      openingRows.clear();
    },
  };
});
