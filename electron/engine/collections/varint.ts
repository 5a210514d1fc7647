/** Growing byte buffers of variable-length numbers (LEB128 on exact doubles up to 2^53): the coding of all index rows. */

export class IndexDamaged extends Error {
  /** Thrown when bytes read back from an index cannot be what was written; the session drops the index then. */
  constructor(what: string) {
    super(`the index is damaged: ${what}`);
  }
}

export class ByteWriter {
  #bytes: Uint8Array<ArrayBuffer>;
  length = 0;

  constructor(capacity = 16384) {
    this.#bytes = new Uint8Array(capacity);
  }

  byte(value: number): void {
    if (this.length === this.#bytes.length) this.#grow(1);
    this.#bytes[this.length++] = value;
  }

  /** 0 <= value <= 2^53 - 1, a whole number. */
  varint(value: number): void {
    if (this.length + 8 > this.#bytes.length) this.#grow(8);
    const bytes = this.#bytes;
    let rest = value;
    while (rest >= 2 ** 31) {
      bytes[this.length++] = (rest % 128) + 128;
      rest = Math.floor(rest / 128);
    }
    while (rest > 127) {
      bytes[this.length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    bytes[this.length++] = rest;
  }

  /** A whole number of either sign, from -2^52 to 2^52 - 1 (zigzag: small ones take little room). */
  signed(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** The first `length` of some bytes. */
  bytes(bytes: Uint8Array, length: number): void {
    if (this.length + length > this.#bytes.length) this.#grow(length);
    this.#bytes.set(bytes.subarray(0, length), this.length);
    this.length += length;
  }

  /** A copy of what was written since the last take; the writer is empty again. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.#bytes.slice(0, this.length);
    this.length = 0;
    return taken;
  }

  #grow(by: number): void {
    const larger = new Uint8Array(Math.max(this.#bytes.length * 2, this.length + by));
    larger.set(this.#bytes);
    this.#bytes = larger;
  }
}

/** Reads what a ByteWriter wrote; reading past the end throws IndexDamaged. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.position >= this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes[this.position++];
    if (value === undefined) throw new IndexDamaged('a row ends early');
    return value;
  }

  /** The next ones, in the same memory. */
  bytes(length: number): Uint8Array {
    const end = this.position + length;
    if (end > this.#bytes.length) throw new IndexDamaged('a row ends early');
    const bytes = this.#bytes.subarray(this.position, end);
    this.position = end;
    return bytes;
  }

  varint(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = this.byte();
      if (byte < 128) return value + byte * scale;
      value += (byte - 128) * scale;
      scale *= 128;
      if (scale > 2 ** 56) throw new IndexDamaged('a number is too long');
    }
  }

  signed(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  skipVarints(count: number): void {
    const bytes = this.#bytes;
    let at = this.position;
    for (let left = count; left > 0; left--) {
      while (bytes[at]! >= 128) at++;
      at++;
    }
    if (at > bytes.length) throw new IndexDamaged('a row ends early');
    this.position = at;
  }

  u32(): number {
    return this.byte() + this.byte() * 2 ** 8 + this.byte() * 2 ** 16 + this.byte() * 2 ** 24;
  }
}
