/**
 * Byte enables and special cycles of the Pentium bus, as tables for the decoders of bus traces.
 *
 * A zero among the byte enables BE7#-BE0# requests a byte: 0xfc (1111 1100) requests bytes 0 and 1 of the eight. In special cycles the
 * byte enables select the cycle. Source of the special cycles: AMD-K5 Technical Reference Manual 18524C table 5-23, the same on the
 * Pentium.
 */

/** Byte enables that request no byte. */
export const NO_BYTE = 0xff;
export const BRANCH_TRACE = 0xdf;
const HALT = 0xfb;
/** Byte enables of the two cycles of an interrupt acknowledge. */
export const INT_ACK_FIRST = 0xef;
export const INT_ACK_SECOND = 0xfe;
/** A halt cycle at this address is a stop grant cycle. */
export const STOP_GRANT_ADDRESS = 0x10;

/** Names of the special cycles by their byte enables. */
export const SPECIAL_CYCLES: Readonly<Record<number, string>> = {
  0xfe: 'shutdown',
  0xfd: 'flush (caches invalidated)',
  [HALT]: 'halt',
  0xf7: 'write-back (caches written back and invalidated)',
  0xef: 'flush acknowledge',
  [BRANCH_TRACE]: 'branch trace message',
};

/** By byte enables: the lowest requested byte, 0 if there is none. */
export const LOWEST = byteTable(256, (enables) => requestedBytes(enables)[0] ?? 0);
/** By byte enables: the number of bytes from the lowest to the highest requested one, 0 if there is none. */
export const SPAN = byteTable(256, (enables) => (requestedBytes(enables).at(-1) ?? -1) - LOWEST[enables]! + 1);
/** By byte enables: 1 if they request one or more adjacent bytes. */
export const CONTIGUOUS = byteTable(256, (enables) =>
  Number(enables !== NO_BYTE && requestedBytes(enables).length === SPAN[enables]),
);
/** Byte enables that request adjacent bytes. */
export const NEIGHBOURS: readonly number[] = [...CONTIGUOUS.keys()].filter((enables) => CONTIGUOUS[enables] === 1);

export function byteTable(length: number, value: (index: number) => number): Uint8Array {
  return new Uint8Array(length).map((_, index) => value(index));
}

/** Returns the bytes (0..7) that byte enables request, lowest first. */
export function requestedBytes(enables: number): readonly number[] {
  return [0, 1, 2, 3, 4, 5, 6, 7].filter((byte) => (enables & (1 << byte)) === 0);
}

/** Returns the name of a special cycle. */
export function specialText(enables: number, address: number): string {
  if (enables === HALT && address === STOP_GRANT_ADDRESS) return 'stop grant';
  return SPECIAL_CYCLES[enables] ?? 'unknown special cycle';
}
