/** Encoding of index rows: byte buffers of variable-length numbers (LEB128 on exact doubles up to 2^53). */

export class IndexDamaged extends Error {
  /** Thrown when bytes read from an index cannot be what was written. The engine then drops the index. */
  constructor(reason: string) {
    super(`the index is damaged: ${reason}`);
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

  /** Writes a whole number, 0 <= value <= 2^53 - 1. */
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

  /** Writes a whole number, -2^52 <= value < 2^52, in zigzag order: numbers near 0 take one byte. */
  signed(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  /** Writes the first `length` bytes. */
  bytes(bytes: Uint8Array, length: number): void {
    if (this.length + length > this.#bytes.length) this.#grow(length);
    this.#bytes.set(bytes.subarray(0, length), this.length);
    this.length += length;
  }

  /** Returns a copy of the written bytes and empties the writer. */
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

/** Reads the bytes of a ByteWriter. Throws IndexDamaged at the end of the bytes. */
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

  /** Returns the next bytes as a view of the same memory. */
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
