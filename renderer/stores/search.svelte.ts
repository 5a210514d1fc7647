/** Looking for the next or previous record that matches: one search at a time per trace, with its progress, cancellable. */
import type { Client, FindArguments } from '../../shared/api.ts';
import type { Kind, RecordView } from '../../shared/record.ts';
import type { AddressSpan, Cursor } from './cursor.svelte.ts';

export type Direction = 'next' | 'previous';

export interface Wanted {
  readonly address?: AddressSpan;
  readonly kinds?: readonly Kind[];
  readonly text?: string;
  readonly direction: Direction;
  /** What is looked for, to complete `no earlier ...`: `write to 0x8000`. */
  readonly label: string;
  /** The record to look from; the cursor by default. -1 with `next` looks from the start. */
  readonly from?: number;
}

export interface Search {
  readonly running: { readonly label: string; readonly at: number } | null;
  /** What the last search had to say where it found nothing; empty otherwise. */
  readonly message: string;
  /** The regular expression that was looked for last. */
  text: string;
  /** Moves the cursor to the match and answers it; undefined where there is none or the search was stopped. */
  readonly find: (wanted: Wanted) => Promise<RecordView | undefined>;
  /** `find` for a regular expression over the records' text; says what is wrong with one that is none. */
  readonly findText: (text: string, direction: Direction) => Promise<RecordView | undefined>;
  readonly cancel: () => void;
}

export const WRITES: readonly Kind[] = ['write', 'bus-write', 'io-write'];
export const READS: readonly Kind[] = ['read', 'bus-read', 'io-read'];

export function createSearch(client: Client, trace: string, cursor: Cursor, say: (text: string) => void): Search {
  let running = $state.raw<{ readonly label: string; readonly at: number } | null>(null);
  let message = $state('');
  let text = $state('');
  let controller: AbortController | undefined;

  function cancel(): void {
    controller?.abort();
    controller = undefined;
    running = null;
  }

  async function find(wanted: Wanted): Promise<RecordView | undefined> {
    cancel();
    const own = new AbortController();
    controller = own;
    const from = wanted.from ?? cursor.n;
    running = { label: wanted.label, at: from };
    message = '';
    say('');
    const result = await client.call('find', toArguments(trace, wanted, from), {
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
    if (found) {
      cursor.jump(found.n, wanted.address);
      return found;
    }
    const where = wanted.direction === 'next' ? 'later' : 'earlier';
    const reach = result.value.reach.complete ? '' : ' in the part that is indexed';
    message = `There is no ${where} ${wanted.label}${reach}.`;
    say(message);
    return undefined;
  }

  async function findText(wanted: string, direction: Direction): Promise<RecordView | undefined> {
    text = wanted;
    if (wanted === '') return undefined;
    try {
      new RegExp(wanted);
    } catch (problem) {
      message = `This is no regular expression: ${problem instanceof Error ? problem.message : String(problem)}`;
      return undefined;
    }
    return find({ text: wanted, direction, label: `match of ${wanted}` });
  }

  return {
    get text() {
      return text;
    },
    set text(next) {
      text = next;
      message = '';
    },
    get running() {
      return running;
    },
    get message() {
      return message;
    },
    find,
    findText,
    cancel,
  };
}

function toArguments(trace: string, wanted: Wanted, from: number): FindArguments {
  const { address, kinds, text } = wanted;
  return {
    trace,
    limit: 1,
    ...(kinds ? { kinds } : {}),
    ...(text === undefined ? {} : { text }),
    ...(address ? { address: { low: hex(address.low), high: hex(address.low + BigInt(address.bytes) - 1n) } } : {}),
    ...(wanted.direction === 'next' ? (from < 0 ? {} : { after: from }) : { before: from }),
  };
}

function hex(value: bigint): `0x${string}` {
  return `0x${value.toString(16)}`;
}
