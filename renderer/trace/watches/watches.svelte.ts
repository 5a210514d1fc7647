/** The watches of an open trace, in the order in which a person put them. */
import type { Endian } from '../../../shared/requests/watches.ts';
import type { SavedWatches, Watched } from './saved-watch.ts';

export interface Watch extends Watched {
  /** Unique among the watches of the trace. */
  readonly id: number;
}

export interface Watches {
  readonly list: readonly Watch[];
  /** Id of the watch whose changes and history are shown; null if there is none. */
  chosen: number | null;
  /** Byte order of numbers in memory. */
  endian: Endian;
  /** Adds a watch at the end and chooses it; chooses the one that is there if the same thing is watched already. Returns its id. */
  readonly add: (watched: Watched) => number;
  readonly remove: (id: number) => void;
  /** Moves a watch by a number of places. */
  readonly move: (id: number, by: number) => void;
  /** Changes how a watch is shown. */
  readonly change: (id: number, changed: Pick<Watched, 'name' | 'bytes' | 'form'>) => void;
  readonly saved: SavedWatches;
  readonly restore: (saved: SavedWatches) => void;
}

export function createWatches(defaultEndian: Endian): Watches {
  let made = 0;
  let list = $state.raw<readonly Watch[]>([]);
  let chosen = $state<number | null>(null);
  let endian = $state<Endian>(defaultEndian);

  function create(watched: Watched): Watch {
    made += 1;
    return { ...watched, id: made };
  }

  return {
    get list() {
      return list;
    },
    get chosen() {
      return chosen;
    },
    set chosen(next) {
      chosen = next;
    },
    get endian() {
      return endian;
    },
    set endian(next) {
      endian = next;
    },
    add(watched) {
      const known = list.find((other) => isSame(other, watched));
      const watch = known ?? create(watched);
      if (!known) list = [...list, watch];
      chosen = watch.id;
      return watch.id;
    },
    remove(id) {
      const at = list.findIndex((watch) => watch.id === id);
      list = list.filter((watch) => watch.id !== id);
      if (chosen === id) chosen = (list[at] ?? list.at(-1))?.id ?? null;
    },
    move(id, by) {
      const at = list.findIndex((watch) => watch.id === id);
      const to = Math.min(list.length - 1, Math.max(0, at + by));
      if (at >= 0) list = list.toSpliced(at, 1).toSpliced(to, 0, ...list.slice(at, at + 1));
    },
    change(id, changed) {
      list = list.map((watch) => (watch.id === id ? { ...watch, ...changed } : watch));
    },
    get saved() {
      const at = list.findIndex(({ id }) => id === chosen);
      return { endian, list: list.map(withoutId), ...(at >= 0 && { chosen: at }) };
    },
    restore(saved) {
      endian = saved.endian ?? defaultEndian;
      // Watches that are there already keep their ids.
      const kept = [...list];
      list = (saved.list ?? []).map((watched) => {
        const at = kept.findIndex((other) => isSame(other, watched));
        const [known] = at < 0 ? [] : kept.splice(at, 1);
        return known === undefined ? create(watched) : { ...watched, id: known.id };
      });
      chosen = (list[saved.chosen ?? 0] ?? list[0])?.id ?? null;
    },
  };
}

/** Returns true if two watches follow the same thing, however it is shown. */
function isSame(a: Watched, b: Watched): boolean {
  return (
    a.register === b.register &&
    a.cpu === b.cpu &&
    a.variable === b.variable &&
    a.address === b.address &&
    (a.address === undefined || a.bytes === b.bytes)
  );
}

function withoutId(watch: Watch): Watched {
  const watched: Watched & { id?: number } = { ...watch };
  delete watched.id;
  return watched;
}
