/**
 * The three values that everything follows: the cursor (record n), the range (what time the charts show) and the address.
 * One per open trace. Panes read and set them; no pane talks to another.
 */
import type { ByteOffset, RecordNumber } from '../../shared/base/units.ts';
import { createHistory } from './history.ts';

export interface AddressSpan {
  readonly low: bigint;
  /** Bytes from `low` on, at least 1 and none above the last address. */
  readonly bytes: number;
}

/** A register of one cpu; without a cpu where the trace names none. */
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
  /** The address was chosen at this record: it is not what remains of an earlier place. */
  readonly isAddressHere: boolean;
  readonly register: RegisterName | null;
  /** What questions are about: whichever of both was chosen last. */
  readonly about: 'address' | 'register';
  /** The byte of the file that was gone to; null where the record itself is meant. */
  readonly offset: ByteOffset | null;
  /** null = the whole trace, however far it grows. */
  range: Range | null;
  readonly canGoBack: boolean;
  readonly canGoForward: boolean;
  /** Moves by small steps: not remembered as a jump. */
  readonly step: (n: RecordNumber) => void;
  /** Goes to a record, and to an address where one is given: remembered. */
  readonly jump: (n: RecordNumber, address?: AddressSpan) => void;
  /** Goes to a byte of the file, and to the record `n` that it is in, or to the next one where it is in none: remembered. */
  readonly jumpToByte: (offset: ByteOffset, n: RecordNumber) => void;
  /** Chooses an address: questions are about it from now on. */
  readonly setAddress: (address: AddressSpan | null) => void;
  /** Chooses a register: questions are about it from now on; the address stays for the panes that follow it. */
  readonly setRegister: (register: RegisterName | null) => void;
  readonly back: () => void;
  readonly forward: () => void;
}

interface Place {
  readonly n: RecordNumber;
  readonly address: AddressSpan | null;
  /** The record that one was at when it was chosen. */
  readonly addressAt: RecordNumber;
  readonly register: RegisterName | null;
  readonly about: 'address' | 'register';
  readonly offset: ByteOffset | null;
}

const REMEMBERED = 500;
const SPACE = 1n << 64n;

/** An access may go on above the last address: what it does there nobody can ask about. */
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
