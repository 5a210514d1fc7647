/** Reads consecutive numbers from bytes. Reads past the end return zero and set `broken`. */
import { toPlace, type Data } from './data.ts';

export interface Cursor {
  /** Offset of the next number. */
  at: number;
  /** Exclusive end of the readable bytes. */
  readonly end: number;
  broken: boolean;
  u8(): number;
  i8(): number;
  u16(): number;
  /** Reads an unsigned offset or size of 4 or 8 bytes; infinite if no file can have it. */
  place(bytes: number): number;
  word(bytes: number): bigint;
  /** Reads an unsigned LEB128 number; infinite above 2^53 - 1. */
  unsigned(): number;
  /** Reads a signed LEB128 number; NaN if it is not a safe integer. */
  signed(): number;
  /** Skips a text and its terminating zero byte. Returns the offset of the text. */
  name(): number;
  skip(bytes: number): void;
}

export function createCursor(data: Data, start: number, end: number): Cursor {
  const self: Cursor = {
    at: start,
    end,
    broken: false,
    u8() {
      return take(1) ? data.u8(self.at - 1) : 0;
    },
    i8() {
      const value = self.u8();
      return value < 128 ? value : value - 256;
    },
    u16() {
      return take(2) ? data.u16(self.at - 2) : 0;
    },
    place: (bytes) => toPlace(self.word(bytes)),
    word(bytes) {
      return take(bytes) ? data.word(self.at - bytes, bytes) : 0n;
    },
    unsigned() {
      let [value, factor] = [0, 1];
      for (;;) {
        const byte = self.u8();
        value += (byte & 127) * factor;
        if (byte < 128) break;
        factor *= 128;
      }
      return value <= Number.MAX_SAFE_INTEGER ? value : Number.POSITIVE_INFINITY;
    },
    signed() {
      let [value, factor] = [0, 1];
      for (;;) {
        const byte = self.u8();
        value += (byte & 127) * factor;
        factor *= 128;
        if (byte >= 128) continue;
        if ((byte & 64) !== 0) value -= factor;
        break;
      }
      return Number.isSafeInteger(value) ? value : Number.NaN;
    },
    name() {
      const at = self.at;
      const past = data.pastName(at, end);
      self.broken ||= past === undefined;
      self.at = past ?? end;
      return at;
    },
    skip: (bytes) => void take(bytes),
  };
  return self;

  function take(bytes: number): boolean {
    if (self.at + bytes <= end) {
      self.at += bytes;
      return true;
    }
    self.broken = true;
    self.at = end;
    return false;
  }
}
