/**
 * Lines of a trace in another order, as when captures are appended, cut at the wrong place, or sorted. A line that gives others their meaning,
 * such as a header, is missing, repeated or late.
 */
const LF = 10;

/** Number of orders. */
export const ORDERS = 5;

/** Returns the bytes with their lines in several other orders. */
export function rearranged(bytes: Uint8Array): readonly Uint8Array[] {
  const lines = linesOf(bytes);
  const [first, ...rest] = lines;
  if (first === undefined || rest.length === 0) return [];
  const middle = rest.length >> 1;
  const orders = [
    rest,
    [...rest.slice(0, 2), first, ...rest.slice(2)],
    [...rest.slice(0, middle), first, ...rest.slice(middle), first],
    [...rest, ...lines],
    lines.toReversed(),
  ];
  return orders.map((order) => Uint8Array.from(order.flatMap((line) => [...line])));
}

function linesOf(bytes: Uint8Array): readonly Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const found = bytes.indexOf(LF, at);
    const end = found < 0 ? bytes.length : found + 1;
    lines.push(bytes.subarray(at, end));
    at = end;
  }
  return lines;
}
