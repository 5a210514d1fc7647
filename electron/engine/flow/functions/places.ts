/** What a walk knows of the addresses that branches lead to: all of it under one number, so that one search finds it. */
import { ABSENT, createAddressMap, type AddressTable } from '../../collections/address-map.ts';

export interface Places {
  readonly columns: PlaceColumns;
  /** The place of an address; -1 where it has none. */
  find(low: number, high: number): number;
  /** Made where it has none. */
  at(low: number, high: number): number;
  each(visit: (low: number, high: number, place: number) => void): void;
  /** Of what cannot be found out again. */
  table(): PlacesTable;
}

/** By place. */
interface PlaceColumns {
  /** Its address. */
  low: Uint32Array<ArrayBuffer>;
  high: Uint32Array<ArrayBuffer>;
  /** What symbols tell, as whoever asks them notes it; -1 where nobody did yet. */
  symbolic: Int32Array<ArrayBuffer>;
  /** The function that a call enters there, and the first record of one; -1 and infinite where none is known. */
  called: Int32Array<ArrayBuffer>;
  calledFirst: Float64Array<ArrayBuffer>;
  /** The first record of a call that was to return there. */
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
      if (place === columns.called.length) growColumns(columns);
      numbers.set(low, high, place);
      columns.low[place] = low;
      columns.high[place] = high;
      return place;
    },
    each: numbers.each,
    table() {
      const kept = createAddressMap();
      const of: number[] = [];
      numbers.each((low, high, place) => {
        if (columns.called[place]! < 0 && columns.resumedFirst[place] === Number.POSITIVE_INFINITY) return;
        kept.set(low, high, of.length);
        of.push(place);
      });
      return {
        places: kept.table(),
        called: Int32Array.from(of, (place) => columns.called[place]!),
        calledFirst: Float64Array.from(of, (place) => columns.calledFirst[place]!),
        resumedFirst: Float64Array.from(of, (place) => columns.resumedFirst[place]!),
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

function growColumns(columns: PlaceColumns): void {
  const larger = createColumns(columns.called.length * 2);
  larger.low.set(columns.low);
  larger.high.set(columns.high);
  larger.symbolic.set(columns.symbolic);
  larger.called.set(columns.called);
  larger.calledFirst.set(columns.calledFirst);
  larger.resumedFirst.set(columns.resumedFirst);
  Object.assign(columns, larger);
}
