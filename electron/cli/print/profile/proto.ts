/** Writes messages of Protocol Buffers: fields of varints, of bytes and of packed varints. */
const DELIMITED = 2;

export interface Message {
  /** Adds a whole number; zero, which is the default of every field, is left out. */
  number(field: number, value: number | bigint): Message;
  packed(field: number, values: readonly number[]): Message;
  /** Adds bytes, text or a message. */
  bytes(field: number, value: Uint8Array | string): Message;
  done(): Uint8Array;
}

export function createMessage(): Message {
  const parts: Uint8Array[] = [];
  const message: Message = {
    number(field, value) {
      if (BigInt(value) !== 0n) parts.push(varint(field << 3), varint(value));
      return message;
    },
    packed(field, values) {
      const all = joined(values.map(varint));
      return all.length === 0 ? message : message.bytes(field, all);
    },
    bytes(field, value) {
      const data = typeof value === 'string' ? new TextEncoder().encode(value) : value;
      parts.push(varint((field << 3) | DELIMITED), varint(data.length), data);
      return message;
    },
    done: () => joined(parts),
  };
  return message;
}

/** Seven bits a byte, the lowest first. */
function varint(value: number | bigint): Uint8Array {
  let rest = BigInt.asUintN(64, BigInt(value));
  const bytes: number[] = [];
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
