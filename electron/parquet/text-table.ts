/**
 * Distinct texts in order of their first appearance, as Parquet stores them: in UTF-8, each after its length in four bytes. Texts that a
 * caller has as bytes never become strings.
 */
export interface TextTable {
  readonly count: () => number;
  /** Returns the number of a text, which becomes an entry if it is not one yet. */
  codeOf(text: string): number;
  /** The same for bytes[0, length) of UTF-8. */
  codeOfBytes(bytes: Uint8Array, length: number): number;
  text(code: number): string;
  /** Returns all texts as Parquet stores them, valid until the next one. */
  stored(): Uint8Array;
  /** Returns the first and the last text in the order of their bytes; undefined if there are none. */
  extremes(): readonly [low: string, high: string] | undefined;
}

const LENGTH_BYTES = 4;
/** Share of the slots that may be in use: one half. */
const LOAD = 2;

export function createTextTable(): TextTable {
  let held = Buffer.alloc(1 << 8);
  let end = 0;
  /** Start of each text behind its length. */
  let starts = new Uint32Array(1 << 5);
  let count = 0;
  /** Numbers of texts plus one, by hash; 0 in free slots. */
  let slots = new Int32Array(1 << 6);
  /** Texts that came as strings. */
  const known = new Map<string, number>();
  return { count: () => count, codeOf, codeOfBytes, text, stored: () => held.subarray(0, end), extremes };

  function codeOf(given: string): number {
    let code = known.get(given);
    if (code === undefined) {
      const bytes = Buffer.from(given);
      code = codeOfBytes(bytes, bytes.length);
      known.set(given, code);
    }
    return code;
  }

  function codeOfBytes(bytes: Uint8Array, length: number): number {
    let slot = hashOf(bytes, 0, length) & (slots.length - 1);
    for (; slots[slot] !== 0; slot = (slot + 1) & (slots.length - 1)) {
      const code = slots[slot]! - 1;
      if (isSame(code, bytes, length)) return code;
    }
    slots[slot] = count + 1;
    append(bytes, length);
    if (LOAD * count > slots.length) widen();
    return count - 1;
  }

  function isSame(code: number, bytes: Uint8Array, length: number): boolean {
    const start = starts[code]!;
    if (endOf(code) - start !== length) return false;
    for (let i = 0; i < length; i++) if (held[start + i] !== bytes[i]) return false;
    return true;
  }

  function endOf(code: number): number {
    return code + 1 < count ? starts[code + 1]! - LENGTH_BYTES : end;
  }

  function append(bytes: Uint8Array, length: number): void {
    const start = end + LENGTH_BYTES;
    if (start + length > held.length) {
      const larger = Buffer.alloc(Math.max(2 * held.length, start + length));
      held.copy(larger, 0, 0, end);
      held = larger;
    }
    held.writeUInt32LE(length, end);
    for (let i = 0; i < length; i++) held[start + i] = bytes[i]!;
    if (count === starts.length) {
      const more = new Uint32Array(2 * count);
      more.set(starts);
      starts = more;
    }
    starts[count++] = start;
    end = start + length;
  }

  function widen(): void {
    slots = new Int32Array(4 * slots.length);
    for (let code = 0; code < count; code++) {
      let slot = hashOf(held, starts[code]!, endOf(code)) & (slots.length - 1);
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = code + 1;
    }
  }

  function text(code: number): string {
    return held.toString('utf8', starts[code], endOf(code));
  }

  function extremes(): readonly [low: string, high: string] | undefined {
    if (count === 0) return undefined;
    let [low, high] = [0, 0];
    for (let code = 1; code < count; code++) {
      if (compare(code, low) < 0) low = code;
      else if (compare(code, high) > 0) high = code;
    }
    return [text(low), text(high)];
  }

  function compare(a: number, b: number): number {
    const [atA, atB] = [starts[a]!, starts[b]!];
    const length = Math.min(endOf(a) - atA, endOf(b) - atB);
    for (let i = 0; i < length; i++) {
      const difference = held[atA + i]! - held[atB + i]!;
      if (difference !== 0) return difference;
    }
    return endOf(a) - atA - (endOf(b) - atB);
  }
}

/** FNV-1a of Fowler, Noll and Vo, with the upper bits mixed into the lower ones. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let at = from; at < to; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
  return hash ^ (hash >>> 15);
}
