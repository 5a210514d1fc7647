/**
 * Rows that repeat: a record with the key of an earlier one gets its codes without being described. Text formats make keys of the bytes of a
 * record (`Decoder.repeats`), binary ones of its words and columns (`Decoder.wordsKeys`). The table holds the latest record of each hash, so its
 * size does not depend on the trace, and records that come once push no other ones out for long.
 */
import type { Decoder, Window } from '../../../shared/format/format.ts';
import { createRepeated, KEY_BYTES, takeMoved, WORD_BYTES, type Repeated } from '../../../shared/format/repeated.ts';
import { FLAG, type Batch } from '../../../shared/records/batch.ts';
import { KIND, KINDS } from '../../../shared/records/record.ts';
import { utf8 } from '../../../shared/base/utf8.ts';
import { codeOfHalves, NULL_CODE, setCode, type DictionaryColumn } from '../../parquet/column.ts';

export interface Repeats {
  /** Called before the rows [from, to) of a batch. */
  prepare(window: Window, batch: Batch, from: number, to: number): void;
  /** Sets the codes of a row and returns true, if an earlier record had the same key. */
  set(window: Window, batch: Batch, i: number, row: number): boolean;
  /** Keeps the codes of a row for which `set` has just returned false. */
  learn(row: number): void;
}

const SLOTS = 1 << 14;
const KEY_WORDS = KEY_BYTES / 4;
/** Integers before the codes of a slot: length of the key, native code, cpu, flags. */
const FACTS = 4;

/** Columns whose values are those of the row itself, although its record repeats another one. */
export interface OwnColumns {
  readonly address: DictionaryColumn;
  readonly target: DictionaryColumn;
  readonly source: DictionaryColumn;
  readonly value: DictionaryColumn;
  /** Sets the address of a row, and what follows from it. */
  setAddress(batch: Batch, i: number): void;
}

/** A text of a column with the words of the row, by their positions among them. */
interface Template {
  readonly column: DictionaryColumn;
  readonly parts: readonly (Uint8Array | number)[];
}

const NO_TEXTS: readonly Template[] = [];
/** Longest text with words in bytes. */
const MOST_TEXT = 4096;

/** @param columns all others that follow from the fields of a record except its time */
export function createRepeats(
  decoder: Decoder,
  columns: readonly DictionaryColumn[],
  own: OwnColumns,
): Repeats | undefined {
  if (decoder.repeats === undefined && decoder.wordsKeys === undefined) return undefined;
  const ends = [own.address, own.target, own.source, own.value];
  const width = FACTS + columns.length + ends.length;
  const slots = new Int32Array(SLOTS * width).fill(-1);
  const keys = new Int32Array(SLOTS * KEY_WORDS);
  const templates = new Array<readonly Template[]>(SLOTS).fill(NO_TEXTS);
  const words = new Int32Array(KEY_WORDS);
  const key = createRepeated(new Uint8Array(words.buffer));
  const isBig = decoder.settings['endian'] === 'big';
  const isValued = Uint8Array.from(KINDS, () => Number(decoder.valuedKinds === undefined));
  for (const kind of decoder.valuedKinds ?? []) isValued[KIND[kind]] = 1;
  let numbers = new Int32Array(0);
  /** Words of the key of the last record. */
  let length = 0;
  const facts = new Int32Array(FACTS);
  const text = new Uint8Array(MOST_TEXT);
  /** Slot of the last record; -1 if it has no key. */
  let slot = -1;
  return { prepare, set, learn };

  function prepare(window: Window, batch: Batch, from: number, to: number): void {
    if (decoder.repeats !== undefined) return;
    if (numbers.length < to) numbers = new Int32Array(to);
    decoder.wordsKeys!(window, batch, from, to, numbers);
  }

  function set(window: Window, batch: Batch, i: number, row: number): boolean {
    slot = -1;
    const time = batch.time[i]!;
    if (!Number.isNaN(time) && (!Number.isSafeInteger(time) || (batch.flags[i]! & FLAG.wideTime) !== 0)) return false;
    if (!(decoder.repeats === undefined ? takeNumber(batch, i) : takeBytes(window, batch, i))) return false;
    facts[0] = key.length;
    facts[1] = batch.native[i]!;
    facts[2] = batch.cpu[i]!;
    facts[3] = batch.flags[i]!;
    slot = hashOf(words, length, facts) & (SLOTS - 1);
    if (!isHere()) return false;
    const at = slot * width + FACTS;
    for (let c = 0; c < columns.length; c++) {
      const code = slots[at + c]!;
      if (code !== NULL_CODE) setCode(columns[c]!, row, code);
    }
    if (key.wordCount > 0)
      for (const { column, parts } of templates[slot]!) setCode(column, row, codeOfParts(column, parts));
    setOwn(batch, i, row);
    return true;
  }

  function takeBytes({ base, bytes, length: held }: Window, batch: Batch, i: number): boolean {
    const [from, to] = [batch.start[i]! - base, batch.end[i]! - base];
    if (to > held || !decoder.repeats!(bytes, from, to, batch, i, key)) return false;
    length = (key.length + 3) >>> 2;
    for (let byte = key.length; byte < 4 * length; byte++) key.bytes[byte] = 0;
    return true;
  }

  function takeNumber(batch: Batch, i: number): boolean {
    key.hasValue = false;
    if (numbers[i] === 0 || (!takeMoved(key, batch, i, isBig) && isValued[batch.kind[i]!] === 1)) return false;
    words[0] = numbers[i]!;
    words[1] = batch.kind[i]!;
    words[2] = batch.size[i]!;
    length = 3;
    key.length = 4 * length;
    return true;
  }

  function codeOfParts({ texts }: DictionaryColumn, parts: Template['parts']): number {
    let end = 0;
    for (const part of parts) {
      if (typeof part === 'number') {
        for (let at = wordStart(key, part); at < key.wordEnds[part]!; at++) text[end++] = key.words[at]!;
      } else for (let at = 0; at < part.length; at++) text[end++] = part[at]!;
    }
    return texts.codeOfBytes(text, end);
  }

  function setOwn(batch: Batch, i: number, row: number): void {
    const at = slot * width + FACTS + columns.length;
    const hasAddress = slots[at] !== NULL_CODE;
    if (hasAddress) own.setAddress(batch, i);
    if (slots[at + 1] !== NULL_CODE)
      setCode(own.target, row, codeOfHalves(own.target, batch.targetLow[i]!, batch.targetHigh[i]!));
    const source = slots[at + 2]!;
    if (source !== NULL_CODE)
      setCode(
        own.source,
        row,
        hasAddress ? codeOfHalves(own.source, batch.addressLow[i]!, batch.addressHigh[i]!) : source,
      );
    const value = slots[at + 3]!;
    if (value !== NULL_CODE) setCode(own.value, row, key.hasValue ? codeOfHalves(own.value, key.low, key.high) : value);
  }

  function isHere(): boolean {
    const at = slot * width;
    for (let fact = 0; fact < FACTS; fact++) if (slots[at + fact] !== facts[fact]) return false;
    const start = slot * KEY_WORDS;
    for (let word = 0; word < length; word++) if (keys[start + word] !== words[word]) return false;
    return true;
  }

  function learn(row: number): void {
    if (slot < 0) return;
    const texts = key.wordCount > 0 ? templatesOf(columns, row, wordsOf(key)) : NO_TEXTS;
    if (texts === undefined) return;
    templates[slot] = texts;
    const at = slot * width;
    slots.set(facts, at);
    for (let word = 0; word < length; word++) keys[slot * KEY_WORDS + word] = words[word]!;
    const codes = at + FACTS;
    for (let c = 0; c < columns.length; c++) slots[codes + c] = columns[c]!.codes[row] ?? NULL_CODE;
    for (const { column } of texts) slots[codes + columns.indexOf(column)] = NULL_CODE;
    for (let c = 0; c < ends.length; c++) slots[codes + columns.length + c] = ends[c]!.codes[row] ?? NULL_CODE;
  }
}

function wordStart({ wordEnds }: Repeated, word: number): number {
  return word === 0 ? 0 : wordEnds[word - 1]!;
}

function wordsOf(key: Repeated): readonly string[] {
  return Array.from({ length: key.wordCount }, (_, word) =>
    utf8(key.words.subarray(wordStart(key, word), key.wordEnds[word])),
  );
}

/** Returns the texts of a row that have words in them; undefined if a text has a word twice, so that its places are not certain, or is long. */
function templatesOf(
  columns: readonly DictionaryColumn[],
  row: number,
  words: readonly string[],
): readonly Template[] | undefined {
  const templates: Template[] = [];
  for (const column of columns) {
    const code = column.codes[row] ?? NULL_CODE;
    if (column.spec.type !== 'text' || code === NULL_CODE) continue;
    const text = column.texts.text(code);
    let parts: (string | number)[] = [text];
    for (const [number, word] of words.entries()) {
      if (text.split(word).length > 2) return undefined;
      parts = parts.flatMap((part) => {
        const [before, after] = typeof part === 'string' ? part.split(word) : [];
        return before === undefined || after === undefined ? [part] : [before, number, after];
      });
    }
    if (parts.length === 1) continue;
    const stored = parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part));
    if (
      stored.reduce<number>((sum, part) => sum + (typeof part === 'number' ? 0 : part.length), WORD_BYTES) > MOST_TEXT
    )
      return undefined;
    templates.push({ column, parts: stored });
  }
  return templates;
}

/** As FNV-1a of Fowler, Noll and Vo, but word by word, with the upper bits mixed into the lower ones. */
function hashOf(words: Int32Array, length: number, facts: Int32Array): number {
  let hash = 0x811c9dc5;
  for (let fact = 1; fact < FACTS; fact++) {
    hash = Math.imul(hash ^ facts[fact]!, 0x01000193);
    hash ^= hash >>> 15;
  }
  for (let word = 0; word < length; word++) {
    hash = Math.imul(hash ^ words[word]!, 0x01000193);
    hash ^= hash >>> 15;
  }
  return hash;
}
