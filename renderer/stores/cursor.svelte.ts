/**
 * The three values that everything follows: the cursor (record n), the range (what time the charts show) and the address.
 * One per open trace. Panes read and set them; no pane talks to another.
 */
import type { RecordNumber } from '../../shared/units.ts';
import { createHistory } from './history.ts';

export interface AddressSpan {
  readonly low: bigint;
  /** Bytes from `low` on, at least 1. */
  readonly bytes: number;
}

/** Records [from, to). */
export interface Range {
  readonly from: RecordNumber;
  readonly to: RecordNumber;
}

export interface Cursor {
  readonly n: RecordNumber;
  readonly address: AddressSpan | null;
  /** null = the whole trace, however far it grows. */
  range: Range | null;
  readonly canGoBack: boolean;
  readonly canGoForward: boolean;
  /** Moves by small steps: not remembered as a jump. */
  readonly step: (n: RecordNumber) => void;
  /** Goes to a record, and to an address where one is given: remembered. */
  readonly jump: (n: RecordNumber, address?: AddressSpan) => void;
  readonly setAddress: (address: AddressSpan | null) => void;
  readonly back: () => void;
  readonly forward: () => void;
}

interface Place {
  readonly n: RecordNumber;
  readonly address: AddressSpan | null;
}

const REMEMBERED = 500;

export function createCursor(): Cursor {
  let place = $state.raw<Place>({ n: 0, address: null });
  let range = $state.raw<Range | null>(null);
  let moves = $state(0);
  const history = createHistory<Place>(REMEMBERED);

  function go(next: Place | undefined): void {
    if (next) place = next;
    moves += 1;
  }

  return {
    get n() {
      return place.n;
    },
    get address() {
      return place.address;
    },
    get range() {
      return range;
    },
    set range(next) {
      range = next;
    },
    get canGoBack() {
      return moves >= 0 && history.canGoBack;
    },
    get canGoForward() {
      return moves >= 0 && history.canGoForward;
    },
    step(n) {
      place = { n, address: place.address };
    },
    jump(n, address) {
      if (n === place.n && address === undefined) return;
      history.push(place);
      go({ n, address: address ?? place.address });
    },
    setAddress(address) {
      place = { n: place.n, address };
    },
    back() {
      go(history.back(place));
    },
    forward() {
      go(history.forward(place));
    },
  };
}
