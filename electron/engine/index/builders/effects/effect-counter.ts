/**
 * Sums up the effects of executed instructions while a block is scanned: the registers they set, and the memory and ports they accessed, in
 * the order of records. Takes the batches of a block; gives a fingerprint of all effects of each CPU, and of those before each place where
 * fingerprints are cut (cuts.ts). Times, numbers of records and offsets in the file never count.
 */
import { FLAG, NO_CPU, type Batch } from '../../../../../shared/records/batch.ts';
import type { FlowStretch } from '../../../../../shared/flow/events.ts';
import { LONG_LINE, type Decoder, type Window } from '../../../../../shared/format/format.ts';
import { KIND, KINDS, isEffect } from '../../../../../shared/records/record.ts';
import { namesSet } from '../../../../../shared/records/registers.ts';
import { CR } from '../../../../../shared/base/characters.ts';
import { cutsOf } from './cuts.ts';
import { encodeEffects, type BlockEffects } from './effect-row.ts';
import { FIRST_BASE, SECOND_BASE } from './fingerprint.ts';
import { registerForm } from './register-form.ts';

export interface EffectCounter {
  /** Takes the next batch of a block. Records count from the block's start. */
  add(decoder: Decoder, window: Window, batch: Batch): void;
  /** Returns the row of the block with these branch events, whose records count likewise. The counter is then empty again. */
  finish(stretch: FlowStretch | undefined): Uint8Array<ArrayBuffer>;
}

/** By the code of a kind: 1 for effects of an instruction. */
const EFFECTS = Uint8Array.from(KINDS, (kind) => Number(isEffect(kind)));
const ACCESS_FLAGS = FLAG.address | FLAG.noEffect | FLAG.value;

/** Running sums of one CPU. */
interface Sums {
  first: number;
  second: number;
  tokens: number;
}

/** A branch between two blocks leads to the first or second instruction of the later one. */
const FIRST_INSTRUCTIONS = 3;

/** Words of an instruction: its record, and the sums of its CPU before it. */
const RECORD = 0;
const FIRST = 1;
const SECOND = 2;
const TOKENS = 3;
const CPU = 4;
const CODE_WORDS = 5;

/** One in so many instructions follows effects that fit. A power of two. */
const MEAN = 128;
/** Instructions that do not fit before one that is cut. They keep tight loops, each of whose rounds may fit, from being full of cuts. */
const APART = 16;
/** Powers of FIRST_BASE, for the tokens of an instruction: itself and its effects. More effects never fit alike. */
const MOST_TOKENS = 64;
const POWERS = new Int32Array(MOST_TOKENS);
POWERS.forEach((_, k) => (POWERS[k] = k === 0 ? 1 : Math.imul(POWERS[k - 1]!, FIRST_BASE)));

/** Codes as numbers of this module: a loop over all records must not read them from an object. */
const SKIPPED = KIND.skipped;
const REGISTER = KIND.register;
const VALUE = FLAG.value;

/** Numbers of sets are 16 bits. */
const SETS = 65_536;
const NO_FORM = 0;
/** Behind all records of a block. */
const NO_PLACE = 2 ** 31 - 1;
/** Longest tail that a lead and three words cover. */
const LONG_TAIL = 15;
/** Forms that are learned for a set of registers; records of yet other forms are described. */
const MOST_TRIES = 8;

export function createEffectCounter(): EffectCounter {
  /** By instruction of the block: CODE_WORDS. They share one array because loops over several arrays run out of machine registers. */
  let codes = new Int32Array(16_384 * CODE_WORDS);
  let codeCount = 0;
  let records = 0;
  const sums = new Map<number, Sums>();
  /** The numbers of sets of registers belong to a decoder. */
  let ofDecoder: Decoder | undefined;
  /** By set of registers: the characters from its first name to the end of the line; NO_FORM if they are not known. */
  const lengths = new Int32Array(SETS);
  /** The character before these and the first three of them, read as a little-endian word. */
  const leads = new Int32Array(SETS);
  const tries = new Uint8Array(SETS);

  return { add, finish };

  function sumsOf(cpu: number): Sums {
    const known = sums.get(cpu);
    if (known !== undefined) return known;
    const begun: Sums = { first: 0, second: 0, tokens: 0 };
    sums.set(cpu, begun);
    return begun;
  }

  function add(decoder: Decoder, window: Window, batch: Batch): void {
    if (decoder !== ofDecoder) {
      ofDecoder = decoder;
      lengths.fill(NO_FORM);
      tries.fill(0);
    }
    const count = batch.count | 0;
    if ((codeCount + count) * CODE_WORDS > codes.length) {
      const larger = new Int32Array(2 * (codeCount + count) * CODE_WORDS);
      larger.set(codes);
      codes = larger;
    }
    const { kind, cpu, addressLow, addressHigh, size, flags, registers, valueAt, end, values } = batch;
    const { bytes, base, length: reach } = window;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const heap = new DataView(values.bytes.buffer, values.bytes.byteOffset, values.bytes.byteLength);
    const rows = codes;
    let place = (codeCount * CODE_WORDS) | 0;
    const before = records | 0;
    let current = NO_CPU;
    let own = sumsOf(current);
    let first = own.first | 0;
    let second = own.second | 0;
    let tokens = own.tokens | 0;
    for (let row = 0; row < count; row++) {
      const its = kind[row]!;
      if (its > SKIPPED && EFFECTS[its] === 0) continue;
      if (cpu[row]! !== current) {
        own.first = first;
        own.second = second;
        own.tokens = tokens;
        current = cpu[row]!;
        own = sumsOf(current);
        first = own.first | 0;
        second = own.second | 0;
        tokens = own.tokens | 0;
      }
      /** A sum of the record's words with odd factors: a change of one word always changes it. */
      let word: number;
      if (its <= SKIPPED) {
        rows[place + RECORD] = before + row;
        rows[place + FIRST] = first;
        rows[place + SECOND] = second;
        rows[place + TOKENS] = tokens;
        rows[place + CPU] = current;
        place += CODE_WORDS;
        word = 1 + its;
      } else if (its === REGISTER) {
        const set = registers[row]!;
        const length = lengths[set]!;
        let stop = ((end[row]! - base) | 0) - 1;
        if (bytes[stop - 1] === CR) stop--;
        const from = stop - length;
        if (length === NO_FORM || from < 1 || stop > reach || view.getInt32(from - 1, true) !== leads[set]!) {
          word = described(decoder, window, batch, row);
          if (set !== 0 && tries[set]! < MOST_TRIES) learn(set, window, decoder, batch, row);
        } else if (length <= LONG_TAIL) {
          // Together with the lead, these words cover the tail.
          word =
            (Math.imul(leads[set], 0x85ebca6b) +
              Math.imul(view.getInt32(from + 3, true), 0x2c1b3c6d) +
              Math.imul(view.getInt32(stop - 8, true), 0x297a2d39) +
              Math.imul(view.getInt32(stop - 4, true), 0x165667b1)) |
            0;
        } else {
          word = leads[set] | 0;
          for (let p = from + 3; p < stop; p += 4)
            word =
              (Math.imul(word ^ (word >>> 15), 0x2c1b3c6d) + view.getInt32(p + 4 <= stop ? p : stop - 4, true)) | 0;
        }
      } else {
        const bits = flags[row]!;
        const width = size[row]!;
        word =
          (Math.imul(its | ((bits & ACCESS_FLAGS) << 8) | (width << 18), 0x85ebca6b) +
            Math.imul(addressLow[row]!, 0x2c1b3c6d) +
            Math.imul(addressHigh[row]!, 0x297a2d39)) |
          0;
        if ((bits & VALUE) !== 0) {
          const at = valueAt[row]! | 0;
          if (width === 4) word = (word + Math.imul(heap.getInt32(at, true), 0x165667b1)) | 0;
          else
            for (let p = at; p < at + width; p++)
              word = (Math.imul(word ^ (word >>> 15), 0x165667b1) + heap.getUint8(p)) | 0;
        }
      }
      const one = Math.imul(word ^ (word >>> 15), 0x9e3779b1);
      const two = Math.imul(one ^ (one >>> 13), 0x7feb352d);
      first = (Math.imul(first, FIRST_BASE) + one) | 0;
      second = (Math.imul(second, SECOND_BASE) + (two ^ (two >>> 14))) | 0;
      tokens = (tokens + 1) | 0;
    }
    own.first = first;
    own.second = second;
    own.tokens = tokens;
    codeCount = place / CODE_WORDS;
    records += count;
  }

  /** Notes the form of a register record's text, for later records of the same set. */
  function learn(set: number, window: Window, decoder: Decoder, batch: Batch, row: number): void {
    tries[set]!++;
    const form = registerForm(decoder, bytesOf(window, batch, row), batch, row);
    lengths[set] = form?.length ?? NO_FORM;
    leads[set] = form?.lead ?? 0;
  }

  function finish(stretch: FlowStretch | undefined): Uint8Array<ArrayBuffer> {
    const found = [...sums].filter(([, { tokens }]) => tokens > 0);
    const places = codeCount === 0 ? undefined : cutsOf(stretch, new Map(found.map(([cpu]) => [cpu, startsOf(cpu)])));
    const effects = found.map(([cpu, { first, second, tokens }]): BlockEffects => {
      const all = { first: first >>> 0, second: second >>> 0, tokens };
      return { cpu, all, ...cutAt(cpu, places?.get(cpu) ?? []) };
    });
    sums.clear();
    codeCount = 0;
    records = 0;
    return encodeEffects(effects);
  }

  /** Returns the first instructions of a CPU: where branches between this block and the one before lead. */
  function startsOf(cpu: number): readonly number[] {
    const starts: number[] = [];
    for (let at = 0; at < codeCount * CODE_WORDS && starts.length < FIRST_INSTRUCTIONS; at += CODE_WORDS)
      if (codes[at + CPU] === cpu) starts.push(codes[at + RECORD]!);
    return starts;
  }

  /**
   * Returns the sums of a CPU before ascending records, without those that are none of its instructions, and before instructions that
   * follow effects that fit: two runs with the same effects are cut there, also in loops, whose path shows no place.
   */
  function cutAt(cpu: number, wanted: readonly number[]): Omit<BlockEffects, 'cpu' | 'all'> {
    // Read often, so they are no variables of the enclosing function.
    const rows = codes;
    const stop = (codeCount * CODE_WORDS) | 0;
    const found: number[] = [];
    const instructions: number[] = [];
    let allInstructions = 0;
    let next = 0;
    let place = wanted[0] ?? NO_PLACE;
    // Effects of the instructions before, the latest first, as numbers of 32 bits.
    let one = 0;
    let two = 0;
    let sum = 0;
    let tokens = 0;
    /** Instructions since the last that fitted, at most APART. */
    let since = APART;
    for (let at = 0; at < stop; at += CODE_WORDS) {
      if (rows[at + CPU]! !== cpu) continue;
      const record = rows[at + RECORD]!;
      const sumBefore = rows[at + FIRST]!;
      const tokensBefore = rows[at + TOKENS]!;
      const more = (tokensBefore - tokens) | 0;
      const three = two;
      two = one;
      one = (sumBefore - (more < MOST_TOKENS ? Math.imul(sum, POWERS[more]!) : 0)) | 0;
      sum = sumBefore;
      tokens = tokensBefore;
      const fits = effectsFit(one, two, three);
      while (place < record) place = wanted[++next] ?? NO_PLACE;
      if (place === record || (fits && since === APART)) {
        found.push(at);
        instructions.push(allInstructions);
      }
      if (fits) since = 0;
      else if (since < APART) since++;
      allInstructions++;
    }
    const column = (word: number): number[] => found.map((place) => codes[place + word]!);
    return {
      allInstructions,
      record: Float64Array.from(column(RECORD)),
      instructions: Uint32Array.from(instructions),
      first: Uint32Array.from(column(FIRST)),
      second: Uint32Array.from(column(SECOND)),
      tokens: Uint32Array.from(column(TOKENS)),
    };
  }
}

/** Returns true for one in MEAN triples of numbers. */
function effectsFit(one: number, two: number, three: number): boolean {
  let sum = (one + Math.imul(two, 0x85ebca6b) + Math.imul(three, 0x2c1b3c6d)) | 0;
  sum = Math.imul(sum ^ (sum >>> 15), 0x297a2d39);
  return ((sum >>> 20) & (MEAN - 1)) === 0;
}

/** Returns a number of 32 bits for the names and values of a register record. */
function described(decoder: Decoder, window: Window, batch: Batch, row: number): number {
  const text = JSON.stringify(namesSet(decoder.describe(bytesOf(window, batch, row), batch, row)));
  let hash = text.length;
  for (let k = 0; k < text.length; k++) hash = (Math.imul(hash ^ (hash >>> 15), 0x01000193) + text.charCodeAt(k)) | 0;
  return hash;
}

function bytesOf({ bytes, base, length }: Window, { start, end }: Batch, row: number): Uint8Array {
  const at = start[row]! - base;
  return bytes.subarray(at, Math.min(end[row]! - base, at + LONG_LINE, length));
}
