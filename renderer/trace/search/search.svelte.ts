/**
 * Searches a trace: the search form, the next or previous match, and the list of all matches. One search for a next match at a time
 * per trace, which reports its progress and can be cancelled.
 */
import type { Client, Criteria, FindArguments, Reach } from '../../../shared/requests/requests.ts';
import type { RecordView } from '../../../shared/records/record.ts';
import { group } from '../../../shared/base/numbers.ts';
import { EMPTY_FORM, readForm, type SearchForm } from './criteria.ts';
import type { AddressSpan, Cursor } from '../cursor.svelte.ts';
import { rememberPlace, type RequestPlace } from '../questions/late-answer.ts';
import { createHighlights, type Highlights } from './highlights.svelte.ts';
import { createResults, type Results } from './results.svelte.ts';

export type Direction = 'next' | 'previous';

export interface Wanted {
  readonly criteria: Criteria;
  readonly direction: Direction;
  /** Completes `there is no earlier ...`: `write to 0x8000`. */
  readonly label: string;
  /** Address that the cursor is set to at the match. */
  readonly address?: AddressSpan;
  /** Record to search from; the cursor by default. -1 with `next` searches from the start. */
  readonly from?: number;
}

export interface Search {
  form: SearchForm;
  /** Error in the form: the field and the reason. */
  readonly problem: { readonly field: keyof SearchForm; readonly why: string } | null;
  readonly isEmpty: boolean;
  readonly running: { readonly label: string; readonly at: number } | null;
  /** Message of the last search if it did not move the cursor; empty otherwise. */
  readonly message: string;
  readonly results: Results;
  readonly highlights: Highlights;
  /**
   * Moves the cursor to the match and returns it. Returns undefined if there is none, if the search was cancelled, or if the cursor
   * was moved meanwhile; a message says so in each case except a cancellation.
   */
  readonly find: (wanted: Wanted) => Promise<RecordView | undefined>;
  /** Moves the cursor to the next match, or to the last one before it if there is no later match. */
  readonly findNear: (wanted: Omit<Wanted, 'direction'>) => Promise<void>;
  /** Moves to the next or previous match of the form. Also lists all matches, unless they are listed already. */
  readonly step: (direction: Direction) => Promise<RecordView | undefined>;
  /** Lists all matches of the form. */
  readonly list: () => void;
  readonly cancel: () => void;
}

/** Parts of a trace that searching needs. */
export interface Searched {
  readonly client: Client;
  readonly trace: string;
  readonly cursor: Cursor;
  readonly reach: () => Reach;
  readonly say: (text: string) => void;
}

export function createSearch({ client, trace, cursor, reach, say }: Searched): Search {
  let running = $state.raw<{ readonly label: string; readonly at: number } | null>(null);
  let message = $state('');
  /** Place that the message is about; null if it is not about a place. */
  let messagePlace = $state.raw<RequestPlace | null>(null);
  /** The message is only about the part of the trace that was indexed when it was shown. */
  let isPartial = $state(false);
  let form = $state.raw<SearchForm>(EMPTY_FORM);
  let controller: AbortController | undefined;
  const results = createResults(client, trace, reach);
  const highlights = createHighlights({ client, trace, reach, results, form: () => form, range: () => cursor.range });
  const read = $derived(readForm(form, cursor.range));

  function cancel(): void {
    controller?.abort();
    controller = undefined;
    running = null;
  }

  async function find(wanted: Wanted): Promise<RecordView | undefined> {
    const found = await look(wanted);
    return found ?? undefined;
  }

  /** Returns null if there is no match; undefined if that is unknown, or the search was cancelled. */
  async function look(wanted: Wanted): Promise<RecordView | null | undefined> {
    cancel();
    const own = new AbortController();
    controller = own;
    const from = wanted.from ?? cursor.n;
    const requested = rememberPlace(cursor);
    running = { label: wanted.label, at: from };
    message = '';
    messagePlace = null;
    isPartial = false;
    say('');
    const result = await client.request('find', toArguments(trace, wanted, from), {
      signal: own.signal,
      onEvent: (event) => {
        if (controller === own) running = { label: wanted.label, at: event.at };
      },
    });
    if (controller !== own) return undefined;
    controller = undefined;
    running = null;
    if (!result.ok) {
      message = result.error.message;
      say(message);
      return undefined;
    }
    const found = result.value.records[0];
    if (found && requested.isStillHere(wanted.address !== undefined)) {
      cursor.jump(found.n, wanted.address);
      return found;
    }
    if (found) {
      message = `The ${wanted.direction} ${wanted.label} is record ${group(found.n)}.`;
    } else {
      const where = wanted.direction === 'next' ? 'later' : 'earlier';
      isPartial = !result.value.reach.complete;
      message = `There is no ${where} ${wanted.label}${isPartial ? ' in the indexed part' : ''}.`;
    }
    messagePlace = requested;
    say(requested.qualify(message));
    return found === undefined ? null : undefined;
  }

  function list(): void {
    message = '';
    if (read.kind === 'criteria') results.search(read.criteria);
    else if (read.kind === 'empty') results.clear();
  }

  return {
    get form() {
      return form;
    },
    set form(next) {
      form = next;
      message = '';
    },
    get problem() {
      return read.kind === 'unclear' ? read : null;
    },
    get isEmpty() {
      return read.kind === 'empty';
    },
    get running() {
      return running;
    },
    get message() {
      if (message === '' || (isPartial && reach().complete)) return '';
      return messagePlace?.qualify(message) ?? message;
    },
    results,
    highlights,
    find,
    async findNear(wanted) {
      const { n } = cursor;
      const ahead = await look({ ...wanted, direction: 'next' });
      if (ahead !== null || cursor.n !== n) return;
      const where = isPartial ? ' in the indexed part' : '';
      const previous = await find({ ...wanted, direction: 'previous', from: n });
      if (previous) say(`There is no later ${wanted.label}${where}. This is the last one${where}.`);
    },
    async step(direction) {
      if (read.kind !== 'criteria') return undefined;
      const { criteria } = read;
      if (!isSame(criteria, results.criteria)) list();
      return find({ criteria, direction, label: 'match' });
    },
    list,
    cancel,
  };
}

function isSame(a: Criteria, b: Criteria | null): boolean {
  return b !== null && JSON.stringify(a) === JSON.stringify(b);
}

function toArguments(trace: string, { criteria, direction }: Wanted, from: number): FindArguments {
  return {
    trace,
    limit: 1,
    ...criteria,
    ...(direction === 'next' ? (from < 0 ? {} : { after: from }) : { before: from }),
  };
}
