/**
 * The parts of a block as they lie in the index: where each begins, in which state its decoder is there, and the fingerprint of its code and
 * registers. With them, a query decodes some records of a block without those before, and passes parts whose code it knows already. Formats
 * without `marksParts` have no such row.
 */
import { PART_RECORDS, type Batch, type BatchPart } from '../../../../shared/records/batch.ts';
import type { State } from '../../../../shared/format/format.ts';
import type { ByteOffset } from '../../../../shared/base/units.ts';
import { ByteReader, ByteWriter, IndexDamaged } from '../../collections/varint.ts';

/** A part of PART_RECORDS records; the last one of a block has fewer. */
export interface BlockPart extends BatchPart {
  /** Of its first record. */
  readonly position: ByteOffset;
}

/** Takes the batches of a block. */
export interface PartCounter {
  add(batch: Batch): void;
  /** Returns the row of the block that begins at `start`. Its parts at or after `end` cannot be started at. The counter is then empty again. */
  finish(start: ByteOffset, end: ByteOffset): Uint8Array<ArrayBuffer>;
}

export function createPartCounter(): PartCounter {
  let parts: BlockPart[] = [];
  let isBroken = false;
  return {
    add({ first, count, start, end, parts: marked }) {
      if (isBroken || first !== parts.length * PART_RECORDS) {
        // The batch before was full of blank lines, in the middle of a part.
        const last = parts.at(-1);
        if (!isBroken && last !== undefined) last.first = last.second = 0;
        isBroken = true;
        return;
      }
      for (let row = 0, part = 0; row < count; row += PART_RECORDS, part++) {
        // Blank lines before a record belong to its part, as when the block is decoded from its start.
        const position = row === 0 ? start[0]! : end[row - 1]!;
        parts.push({ ...(marked[part] ?? UNMARKED), position });
      }
    },
    finish(start, end) {
      const row = encodeParts(parts, start, end);
      parts = [];
      isBroken = false;
      return row;
    },
  };
}

const UNMARKED: BatchPart = { state: undefined, first: 0, second: 0 };

const out = new ByteWriter();

function encodeParts(parts: readonly BlockPart[], start: ByteOffset, end: ByteOffset): Uint8Array<ArrayBuffer> {
  const states = new Map<string, number>();
  const numbers = parts.map(({ state, position }) => {
    if (state === undefined || position >= end) return 0;
    const text = JSON.stringify(state);
    const number = states.get(text) ?? states.size + 1;
    states.set(text, number);
    return number;
  });
  const text = new TextEncoder().encode(`[${[...states.keys()].join()}]`);
  out.varint(text.length);
  out.bytes(text, text.length);
  out.varint(parts.length);
  let before = start;
  parts.forEach(({ position, first, second }, k) => {
    out.varint(position - before);
    out.varint(numbers[k]!);
    for (const word of [first, second]) for (let shift = 0; shift < 32; shift += 8) out.byte((word >>> shift) & 255);
    before = position;
  });
  return out.take();
}

const STATES = new TextDecoder();

/** Returns the parts of the block that begins at `start`. */
export function decodeParts(bytes: Uint8Array, start: ByteOffset): readonly BlockPart[] {
  const reader = new ByteReader(bytes);
  // Sealed content: it is what encodeParts wrote.
  const states = JSON.parse(STATES.decode(reader.bytes(reader.varint()))) as readonly State[];
  const count = reader.varint();
  // Each takes a byte or more.
  if (count > bytes.length) throw new IndexDamaged('a row has more parts than bytes');
  const parts: BlockPart[] = [];
  let position = start;
  for (let part = 0; part < count; part++) {
    position += reader.varint();
    const state = states[reader.varint() - 1];
    parts.push({ position, state, first: reader.u32() | 0, second: reader.u32() | 0 });
  }
  return parts;
}
