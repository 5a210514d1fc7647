/** Interns code addresses: an address gets a place, a small number that indexes the columns of all facts about it. */
import { moveColumns } from '../../collections/columns.ts';
import { ABSENT, createAddressMap, type AddressTable } from '../../collections/address-map.ts';

export interface Places {
  readonly columns: PlaceColumns;
  /** Returns the place of an address; -1 if it has none. */
  find(low: number, high: number): number;
  /** Returns the place of an address; creates it if there is none. */
  at(low: number, high: number): number;
  each(visit: (low: number, high: number, place: number) => void): void;
  /** Returns the facts that cannot be looked up again. */
  table(): PlacesTable;
}

/** One row for each place. */
interface PlaceColumns {
  low: Uint32Array<ArrayBuffer>;
  high: Uint32Array<ArrayBuffer>;
  /** Owner code that functions.ts caches here; -1 if it was not looked up yet. */
  symbolic: Int32Array<ArrayBuffer>;
  /** Function that a call enters here, and the first record of such a call; -1 and infinity if there is none. */
  called: Int32Array<ArrayBuffer>;
  calledFirst: Float64Array<ArrayBuffer>;
  /** First record of a call that is to return here; infinity if there is none. */
  resumedFirst: Float64Array<ArrayBuffer>;
}

export interface PlacesTable extends Pick<PlaceColumns, 'called' | 'calledFirst' | 'resumedFirst'> {
  readonly places: AddressTable;
}

export function createPlaces(from?: PlacesTable): Places {
  const numbers = createAddressMap(from?.places);
  const columns = createColumns(Math.max(64, numbers.size));
  if (from !== undefined) {
    columns.called.set(from.called);
    columns.calledFirst.set(from.calledFirst);
    columns.resumedFirst.set(from.resumedFirst);
    numbers.each((low, high, place) => {
      columns.low[place] = low;
      columns.high[place] = high;
    });
  }
  return {
    columns,
    find(low, high) {
      const place = numbers.get(low, high);
      return place === ABSENT ? -1 : place;
    },
    at(low, high) {
      const known = numbers.get(low, high);
      if (known !== ABSENT) return known;
      const place = numbers.size;
      if (place === columns.called.length) moveColumns(columns, createColumns(2 * place));
      numbers.set(low, high, place);
      columns.low[place] = low;
      columns.high[place] = high;
      return place;
    },
    each: numbers.each,
    table() {
      const kept = createAddressMap();
      const places: number[] = [];
      numbers.each((low, high, place) => {
        if (columns.called[place]! < 0 && columns.resumedFirst[place] === Number.POSITIVE_INFINITY) return;
        kept.set(low, high, places.length);
        places.push(place);
      });
      return {
        places: kept.table(),
        called: Int32Array.from(places, (place) => columns.called[place]!),
        calledFirst: Float64Array.from(places, (place) => columns.calledFirst[place]!),
        resumedFirst: Float64Array.from(places, (place) => columns.resumedFirst[place]!),
      };
    },
  };
}

function createColumns(capacity: number): PlaceColumns {
  return {
    low: new Uint32Array(capacity),
    high: new Uint32Array(capacity),
    symbolic: new Int32Array(capacity).fill(-1),
    called: new Int32Array(capacity).fill(-1),
    calledFirst: new Float64Array(capacity).fill(Number.POSITIVE_INFINITY),
    resumedFirst: new Float64Array(capacity).fill(Number.POSITIVE_INFINITY),
  };
}
