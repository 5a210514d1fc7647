/**
 * Searching: the form of the search pane, the next or previous record that matches it, and all that do.
 * One search for the next record at a time per trace, with its progress, cancellable.
 */
import type { Client, Criteria, FindArguments, Reach } from '../../../shared/requests/requests.ts';
import type { RecordView } from '../../../shared/records/record.ts';
import { group } from '../../../present/base/numbers.ts';
import { EMPTY_FORM, readForm, type SearchForm } from './criteria.ts';
import type { AddressSpan, Cursor } from '../cursor.svelte.ts';
import { placeThen, type Then } from '../questions/late-answer.ts';
import { createResults, type Results } from './results.svelte.ts';

export type Direction = 'next' | 'previous';

export interface Wanted {
  readonly criteria: Criteria;
  readonly direction: Direction;
  /** What is looked for, to complete `no earlier ...`: `write to 0x8000`. */
  readonly label: string;
  /** Where the cursor's address goes as well. */
  readonly address?: AddressSpan;
  /** The record to look from; the cursor by default. -1 with `next` looks from the start. */
  readonly from?: number;
}

export interface Search {
  form: SearchForm;
  /** Why the form cannot be searched for, and which field is to blame. */
  readonly problem: { readonly field: keyof SearchForm; readonly why: string } | null;
  readonly isEmpty: boolean;
  readonly running: { readonly label: string; readonly at: number } | null;
  /** What the last search had to say where it found nothing; empty otherwise. */
  readonly message: string;
  readonly results: Results;
  /**
   * Moves the cursor to the match and answers it; undefined where there is none, the search was stopped, or the person has gone
   * elsewhere meanwhile, who is told.
   */
  readonly find: (wanted: Wanted) => Promise<RecordView | undefined>;
  /** The next match, or the last one where none is ahead, of which a person is told that it is behind. */
  readonly findNear: (wanted: Omit<Wanted, 'direction'>) => Promise<void>;
  /** `find` for the form; lists all matches as well where they are not listed yet. */
  readonly step: (direction: Direction) => Promise<RecordView | undefined>;
  /** Lists all that match the form. */
  readonly list: () => void;
  readonly cancel: () => void;
}

/** What a search needs of its trace. */
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
  /** What the message is about; null where that is no place. */
  let asked = $state.raw<Then | null>(null);
  /** What the message says is true of the part that was indexed then. */
  let partly = $state(false);
  let form = $state.raw<SearchForm>(EMPTY_FORM);
  let controller: AbortController | undefined;
  const results = createResults(client, trace, reach);
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

  /** Null where there is none; undefined where that is not known, or nobody wants to know any more. */
  async function look(wanted: Wanted): Promise<RecordView | null | undefined> {
    cancel();
    const own = new AbortController();
    controller = own;
    const from = wanted.from ?? cursor.n;
    const then = placeThen(cursor);
    running = { label: wanted.label, at: from };
    message = '';
    asked = null;
    partly = false;
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
    if (found && then.isHere(wanted.address !== undefined)) {
      cursor.jump(found.n, wanted.address);
      return found;
    }
    if (found) {
      message = `The ${wanted.direction} ${wanted.label} is record ${group(found.n)}.`;
    } else {
      const where = wanted.direction === 'next' ? 'later' : 'earlier';
      partly = !result.value.reach.complete;
      message = `There is no ${where} ${wanted.label}${partly ? ' in the part that is indexed' : ''}.`;
    }
    asked = then;
    say(then.told(message));
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
      if (message === '' || (partly && reach().complete)) return '';
      return asked?.told(message) ?? message;
    },
    results,
    find,
    async findNear(wanted) {
      const { n } = cursor;
      const ahead = await look({ ...wanted, direction: 'next' });
      if (ahead !== null || cursor.n !== n) return;
      const behind = await find({ ...wanted, direction: 'previous', from: n });
      if (behind) say(`The last ${wanted.label} is behind the cursor.`);
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
