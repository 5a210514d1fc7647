/**
 * The three values of an open trace that all panes share: the cursor (a record), the range that the charts show, and the address.
 * Panes read and set them, and never talk to one another.
 */
import type { ByteOffset, RecordNumber } from '../../shared/base/units.ts';
import { createHistory } from './history.ts';

export interface AddressSpan {
  readonly low: bigint;
  /** Number of bytes, at least 1; the span ends at the last address at most. */
  readonly bytes: number;
}

/** A register of one CPU. `cpu` is absent if the trace names no CPUs. */
export interface RegisterName {
  readonly name: string;
  readonly cpu?: number;
}

/** Records [from, to). */
export interface Range {
  readonly from: RecordNumber;
  readonly to: RecordNumber;
}

export interface Cursor {
  readonly n: RecordNumber;
  readonly address: AddressSpan | null;
  /** The address was chosen at this record rather than at an earlier place. */
  readonly isAddressHere: boolean;
  readonly register: RegisterName | null;
  /** Subject of the access keys: the address or the register, whichever was chosen last. */
  readonly about: 'address' | 'register';
  /** Byte of the file that the cursor was sent to; null if it was sent to a record. */
  readonly offset: ByteOffset | null;
  /** Range of the charts; null = the whole trace, even while it grows. */
  range: Range | null;
  readonly canGoBack: boolean;
  readonly canGoForward: boolean;
  /** Moves the cursor without adding to the history. */
  readonly step: (n: RecordNumber) => void;
  /** Moves the cursor to a record, and to an address if given, and adds to the history. */
  readonly jump: (n: RecordNumber, address?: AddressSpan) => void;
  /** Moves the cursor to a byte of the file and its record `n` (the next record if it is in none), and adds to the history. */
  readonly jumpToByte: (offset: ByteOffset, n: RecordNumber) => void;
  /** Chooses an address as the subject of the access keys. */
  readonly setAddress: (address: AddressSpan | null) => void;
  /** Chooses a register as the subject of the access keys. The address stays, for panes that follow it. */
  readonly setRegister: (register: RegisterName | null) => void;
  readonly back: () => void;
  readonly forward: () => void;
}

interface Place {
  readonly n: RecordNumber;
  readonly address: AddressSpan | null;
  /** Record of the cursor when the address was chosen. */
  readonly addressAt: RecordNumber;
  readonly register: RegisterName | null;
  readonly about: 'address' | 'register';
  readonly offset: ByteOffset | null;
}

const REMEMBERED = 500;
const SPACE = 1n << 64n;

/** Cuts a span at the last address. */
function inSpace(address: AddressSpan): AddressSpan {
  const room = SPACE - address.low;
  return BigInt(address.bytes) > room ? { ...address, bytes: Number(room) } : address;
}

export function createCursor(): Cursor {
  let place = $state.raw<Place>({ n: 0, address: null, addressAt: 0, register: null, about: 'address', offset: null });
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
    get isAddressHere() {
      return place.address !== null && place.addressAt === place.n;
    },
    get register() {
      return place.register;
    },
    get about() {
      return place.about;
    },
    get offset() {
      return place.offset;
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
      place = { ...place, n, offset: null };
    },
    jump(n, address) {
      if (n === place.n && address === undefined && place.offset === null) return;
      history.push(place);
      go({
        ...place,
        n,
        offset: null,
        ...(address ? { address: inSpace(address), addressAt: n, about: 'address' as const } : {}),
      });
    },
    jumpToByte(offset, n) {
      if (n === place.n && offset === place.offset) return;
      history.push(place);
      go({ ...place, n, offset });
    },
    setAddress(address) {
      place = { ...place, address: address && inSpace(address), addressAt: place.n, about: 'address' };
    },
    setRegister(register) {
      place = { ...place, register, about: register ? 'register' : 'address' };
    },
    back() {
      go(history.back(place));
    },
    forward() {
      go(history.forward(place));
    },
  };
}
