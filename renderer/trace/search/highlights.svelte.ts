/**
 * Searches whose matches lists highlight: the current one, and those that a person pinned, each with a colour and a sign. Matches are known
 * exactly for the records in sight; for the whole trace they are counted in columns.
 */
import { untrack } from 'svelte';
import type { Client, Criteria, Reach } from '../../../shared/requests/requests.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import { createChunks, type Chunks } from '../questions/chunks.svelte.ts';
import type { Range } from '../cursor.svelte.ts';
import { criteriaText, EMPTY_FORM, readForm, type SearchForm } from './criteria.ts';
import type { Matches, Results } from './results.svelte.ts';

/** Colours of pinned searches; the position of a colour plus 1 is its sign. */
export const PIN_COLOURS = ['orange', 'green', 'purple', 'red', 'teal', 'yellow'] as const;
export type PinColour = (typeof PIN_COLOURS)[number];

export interface Pin {
  readonly form: SearchForm;
  readonly colour: PinColour;
  /** False if its matches are not highlighted at the moment. */
  readonly shown: boolean;
}

export interface Highlight {
  /** `1` to `6`, or `•` for the current search. */
  readonly sign: string;
  readonly colour: PinColour | 'current';
  readonly label: string;
  /** The regular expression that texts match; empty if the search has none. */
  readonly text: string;
  /** Matches in columns of the trace, as far as they are known. */
  readonly matches: readonly Matches[];
}

export interface Highlights {
  readonly pins: readonly Pin[];
  /** Highlighted searches, the current one first. */
  readonly list: readonly Highlight[];
  /** Reason why the form cannot be pinned now, or null. */
  readonly refusal: string | null;
  /** Pins the search of the form. */
  readonly pin: () => void;
  readonly toggle: (colour: PinColour) => void;
  readonly remove: (colour: PinColour) => void;
  /** Replaces all pins by those of a saved view. Pins that are no searches are left out. */
  readonly restore: (pins: readonly Pin[]) => void;
  /** Finds the matches in ranges of records. */
  readonly want: (ranges: readonly Range[]) => void;
  /** Returns the highlighted searches that a record matches. */
  readonly at: (n: RecordNumber) => readonly Highlight[];
  /** Matches of pinned searches are being counted. */
  readonly running: boolean;
  readonly stop: () => void;
}

interface Sources {
  readonly client: Client;
  readonly trace: string;
  readonly reach: () => Reach;
  readonly results: Results;
  readonly form: () => SearchForm;
  readonly range: () => Range | null;
}

/** Matches of one search, by record. */
interface Hits {
  readonly criteria: Criteria;
  readonly chunks: Chunks<ReadonlySet<RecordNumber>>;
  matches: readonly Matches[];
  counting: AbortController | undefined;
}

const CHUNK = 1000;
const COLUMNS = 400;
const NONE: readonly Highlight[] = [];

export function createHighlights({ client, trace, reach, results, form, range }: Sources): Highlights {
  let pins = $state.raw<readonly Pin[]>([]);
  /** Number of counts that have started or ended: what `hits` holds besides chunks has changed. */
  let counts = $state(0);
  let counting = $state(0);
  /** Criteria as JSON -> their matches. */
  const hits = new Map<string, Hits>();

  function hitsOf(criteria: Criteria): Hits {
    const key = JSON.stringify(criteria);
    const known = hits.get(key);
    if (known) return known;
    const chunks = createChunks<ReadonlySet<RecordNumber>>(CHUNK, async (from, count, signal) => {
      const part = {
        from: Math.max(from, criteria.from ?? 0),
        to: Math.min(from + count, criteria.to ?? from + count),
      };
      if (part.from >= part.to) return { ok: true, value: new Set() };
      const found = await client.request('findAll', { trace, ...criteria, ...part, most: count }, { signal });
      return found.ok ? { ok: true, value: new Set(found.value.numbers) } : found;
    });
    const made: Hits = { criteria, chunks, matches: [], counting: undefined };
    hits.set(key, made);
    return made;
  }

  /** Criteria of pins do not depend on the range of the charts. */
  function criteriaOf(pinned: SearchForm): Criteria | undefined {
    const read = readForm({ ...pinned, inRange: false }, null);
    return read.kind === 'criteria' ? read.criteria : undefined;
  }

  const list = $derived.by((): readonly (Highlight & { readonly hits: Hits })[] => {
    const current = results.criteria;
    const shown = pins.filter((pin) => pin.shown);
    const pinned = shown.flatMap(({ form: own, colour }) => {
      const criteria = criteriaOf(own);
      if (!criteria) return [];
      const found = hitsOf(criteria);
      return [
        { sign: signOf(colour), colour, ...about(criteria), matches: counts >= 0 ? found.matches : [], hits: found },
      ];
    });
    if (!current || pins.some((pin) => isSame(criteriaOf(pin.form), current))) return pinned;
    const own = {
      sign: '•',
      colour: 'current',
      ...about(current),
      matches: results.matches,
      hits: hitsOf(current),
    } as const;
    return [own, ...pinned];
  });

  /** Counts the matches of pins in the whole trace, once it is indexed. */
  function count(found: Hits): void {
    if (found.counting || found.matches.length > 0 || !reach().complete) return;
    const own = new AbortController();
    found.counting = own;
    counting += 1;
    const requested = { trace, ...found.criteria, columns: COLUMNS };
    void client.request('findAll', requested, { signal: own.signal }).then((result) => {
      counting -= 1;
      if (result.ok) found.matches = [result.value];
      counts += 1;
    });
  }

  function forget(): void {
    const wanted = new Set(
      [...pins.map((pin) => criteriaOf(pin.form)), results.criteria].map((one) => JSON.stringify(one)),
    );
    for (const [key, own] of hits) {
      if (wanted.has(key)) continue;
      own.chunks.clear();
      own.counting?.abort();
      hits.delete(key);
    }
  }

  const free = $derived(PIN_COLOURS.find((colour) => !pins.some((pin) => pin.colour === colour)));

  return {
    get pins() {
      return pins;
    },
    get list() {
      return list;
    },
    get refusal() {
      const read = readForm(form(), range());
      if (read.kind === 'empty') return 'Say what to search for first.';
      if (read.kind === 'unclear') return read.why;
      if (free === undefined) return `At most ${PIN_COLOURS.length} searches can be pinned. Remove one first.`;
      const isPinned = pins.some((pin) => isSame(criteriaOf(pin.form), criteriaOf(form())));
      return isPinned ? 'This search is pinned already.' : null;
    },
    pin() {
      if (free === undefined) return;
      pins = [...pins, { form: { ...EMPTY_FORM, ...form(), inRange: false }, colour: free, shown: true }];
    },
    toggle: (colour) => (pins = pins.map((pin) => (pin.colour === colour ? { ...pin, shown: !pin.shown } : pin))),
    remove: (colour) => (pins = pins.filter((pin) => pin.colour !== colour)),
    restore: (saved) => (pins = saved.filter((pin) => criteriaOf(pin.form))),
    want(ranges) {
      const { records } = reach();
      const searches = list;
      untrack(() => {
        forget();
        for (const { hits: found, colour } of searches) {
          found.chunks.want(ranges, records);
          if (colour !== 'current') count(found);
        }
      });
    },
    at(n) {
      if (list.length === 0) return NONE;
      return list.filter(({ hits: found }) => found.chunks.at(n)?.has(n) === true);
    },
    get running() {
      return counting > 0;
    },
    stop() {
      for (const own of hits.values()) {
        own.chunks.clear();
        own.counting?.abort();
      }
    },
  };
}

export function signOf(colour: PinColour): string {
  return String(PIN_COLOURS.indexOf(colour) + 1);
}

/** Returns a pinned search in a few words. */
export function pinText({ form }: Pin): string {
  const read = readForm(form, null);
  return read.kind === 'criteria' ? criteriaText(read.criteria) : '';
}

function about(criteria: Criteria): Pick<Highlight, 'label' | 'text'> {
  return { label: criteriaText(criteria), text: criteria.text ?? '' };
}

function isSame(a: Criteria | undefined, b: Criteria | undefined): boolean {
  return a !== undefined && b !== undefined && JSON.stringify(a) === JSON.stringify(b);
}
