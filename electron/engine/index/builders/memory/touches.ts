/**
 * Effects of a block on memory: its last accesses per byte (page-touches.ts) and the resulting masks (page-masks.ts).
 *
 * Accesses are gone through from the newest to the oldest, and those that neither touch nor write a byte last are dropped:
 * in each batch and then in the block most of them by a small table of 8-byte words where no values are known, the rest when
 * they are sorted by line.
 */
import type { Batch, Condensed } from '../../../../../shared/records/batch.ts';
import { BATCH_RECORDS, FLAG, recordsOf, SPAN_WORDS } from '../../../../../shared/records/batch.ts';
import { KIND, KINDS, READS, WRITES } from '../../../../../shared/records/record.ts';
import { KIND_SHIFT, PAGE_SHIFT } from '../accesses/access-list.ts';
import { lineKey, PAGE_SLOTS, type AccessCounter, type PageCounts } from '../accesses/accesses.ts';
import { createDensePages } from '../accesses/dense-pages.ts';
import { ACCESS_LESS, ACCESS_VALUE, ACCESS_WRITE, type Contradictions } from './replay.ts';
import { createTouchRowWriter, type BlockTouchRows } from './touch-rows.ts';

export interface TouchCounter {
  /** `batch.first` counts from the start of the block. The batch's accesses are counted by `accesses` on the way. */
  add(batch: Batch, accesses: AccessCounter): void;
  /** Returns the effects of the block; the counter is then empty again. */
  endBlock(): BlockTouches;
}

export interface BlockTouches {
  /** Undefined if nearly every access touches other bytes: the block then has to be decoded to know. */
  readonly rows: BlockTouchRows | undefined;
  /** Whether any access had a value. */
  readonly valued: boolean;
  readonly contradictions: Contradictions;
}

/** Result for a block that must be decoded. */
const NOTHING = { rows: undefined, contradictions: { bytes: 0, record: -1, earlier: -1 } };
/** Last accesses of a block, and times that the line changed, from which on it has no locality. */
const MANY = 49_152;
/** Share of a batch's records that are last accesses, each in another line than the one before, where data lies without locality. */
const SCATTERED = 3 / 8;
/** 8-byte words that the table has room for. */
const SLOTS = 8192;
const WRITES_SHIFT = 8;
/** In the table, behind the bytes that are touched and written: which of the first eight kinds were met, which all accesses are. */
const KIND_BIT = 1 << 16;

/** By kind: 0 no access to memory, 1 a read, 2 a write. */
const ROLE = new Uint8Array(KINDS.length);
for (const kind of READS) ROLE[KIND[kind]] = 1;
for (const kind of WRITES) ROLE[KIND[kind]] = 2;
const WRITE_ROLE = 2;
const HAS_ADDRESS: number = FLAG.address;
const NO_EFFECT: number = FLAG.noEffect;
const HAS_VALUE: number = FLAG.value;

/** Bits in the table of an access that lies in an 8-byte word: by role << 7 | size << 3 | its first byte in the word. */
const NEEDS = new Int32Array(3 << 7);
for (let size = 0; size <= 8; size++) {
  for (let first = 0; first + size <= 8; first++) {
    const span = ((1 << Math.max(1, size)) - 1) << first;
    NEEDS[(1 << 7) | (size << 3) | first] = span;
    NEEDS[(WRITE_ROLE << 7) | (size << 3) | first] = span | (span << WRITES_SHIFT);
  }
}

export function createTouchCounter(): TouchCounter {
  let room = 65_536;
  /** Address (as pages are numbered in the block), bits, record, where the value lies: of each access; a batch's starting at its newest. */
  let addresses = new Uint32Array(room);
  let bits = new Uint8Array(room);
  let records = new Int32Array(room);
  let valueAt = new Int32Array(0);
  /** Nearly every access of the block touches other bytes: nothing more is kept of it. */
  let hopeless = false;
  let wasHopeless = false;
  let count = 0;
  /** How often a record lies in another line than the one before of its kind in its page: a stream through memory touches bytes last without. */
  let lines = 0;
  /** Where the accesses of each batch begin. */
  const starts: number[] = [];
  let values = new Uint8Array(65_536);
  let valueWords = new Int32Array(values.buffer);
  let valuesEnd = 0;
  /** In use from the first address on that does not fit 32 bits. */
  const densePages = createDensePages();

  /** The table: number of an 8-byte word + 1, and its bytes that a later access touches and writes. */
  const words = new Int32Array(SLOTS * 2);
  let kept = new Int32Array(room);
  /** Records of a batch, as far as their page and kind was not accessed in the same line right before. */
  const changes = new Uint16Array(BATCH_RECORDS);
  const rowWriter = createTouchRowWriter();

  return { add, endBlock };

  function add(batch: Batch, accesses: AccessCounter): void {
    const { kind, flags } = batch;
    if (batch.condensed !== undefined) {
      accesses.addCondensed(batch, batch.condensed);
      if (!hopeless) addCondensed(batch, batch.condensed);
      return;
    }
    if (hopeless) {
      accesses.add(batch, batch.count);
      return;
    }
    const base = valuesEnd;
    if (batch.values.length > 0) keepValues(batch.values.bytes, batch.values.length);
    if (count + batch.count > room) grow(count + batch.count);
    starts.push(count);
    const pages = densePages.used() ? undefined : accesses.pages();
    const rest = pages === undefined ? batch.count : addWithinLines(batch, base, pages);
    accesses.add(batch, rest);
    for (let i = rest - 1; i >= 0; i--) {
      if (ROLE[kind[i]!] === 0 || (flags[i]! & (FLAG.address | FLAG.noEffect)) !== FLAG.address) continue;
      addPieces(batch, i, base);
    }
    giveUp(batch);
  }

  function giveUp(batch: Batch): void {
    // Where the block before had no locality, the first batch shows whether this one has any.
    const enough = wasHopeless && starts.length === 1 ? recordsOf(batch) * SCATTERED : 2 * MANY;
    hopeless = valuesEnd === 0 && Math.min(count, lines) > Math.max(enough, MANY / 16);
  }

  /** Rows that are alike have been joined already, so nearly all of them touch other bytes. */
  function addCondensed(batch: Batch, { spans }: Condensed): void {
    const { kind, flags, addressLow, size, first } = batch;
    if (count + batch.count > room) grow(count + batch.count);
    starts.push(count);
    const rows = batch.count;
    // Of variables of the counter a compiler does not know that they are whole numbers.
    const from = count | 0;
    const toAddresses = addresses;
    const toBits = bits;
    const toRecords = records;
    let to = from;
    for (let row = 0; row < rows; row++) {
      if ((flags[row]! & (HAS_ADDRESS | NO_EFFECT)) !== HAS_ADDRESS) continue;
      const bytes = size[row]! | 0;
      // The branch predictor cannot guess whether a row is an access: every row is written, and a non-access is overwritten by the next row.
      const role = ROLE[kind[row]!]!;
      toAddresses[to] = addressLow[row]!;
      toBits[to] = (bytes === 0 ? 0 : bytes - 1) | ((role >>> 1) * ACCESS_WRITE);
      toRecords[to] = (first + spans[row * SPAN_WORDS + 2]!) | 0;
      to = (to + ((role | (role >>> 1)) & 1)) | 0;
    }
    count = to;
    lines += to - from;
    if (densePages.used()) for (let i = from; i < to; i++) addresses[i] = densePages.address(addresses[i]!, 0);
    giveUp(batch);
  }

  /**
   * Adds and counts accesses while all addresses fit 32 bits and no access crosses lines; returns how many records are left to do,
   * counted from the batch's first. Leaves out most of those that neither touch nor write a byte last in the batch, unless values
   * are known in the block: each then reports what bytes held before.
   */
  function addWithinLines(batch: Batch, valuesFrom: number, pages: PageCounts): number {
    const { kind, flags, addressLow, addressHigh, size, valueAt: valueOf } = batch;
    // `| 0` shows the compiler that parameters and closure variables are 32-bit integers.
    const first = batch.first | 0;
    const values = valuesFrom | 0;
    const leavesOut = valuesEnd === 0;
    if (!leavesOut && valueAt.length < room) valueAt = larger(valueAt, room);
    const toValueAt = valueAt;
    // All that is written lies in variables of this call: those of the counter cost a look-up for every record.
    const toAddresses = addresses;
    const toBits = bits;
    const toRecords = records;
    const roles = ROLE;
    const needs = NEEDS;
    const table = words;
    table.fill(0);
    const { slots } = pages;
    const base = pages.base | 0;
    // No call in this loop: whatever is called could change any array, so that all of them would be looked up again for every
    // record. What has to be reported to others lies in lists until the end.
    const evicted = pages.evicted(batch.count);
    let evictedEnd = 0;
    const reported = changes;
    let reportedEnd = 0;
    // Addresses less 2^31, which fit a machine word with a sign: others would be compared as doubles.
    let least = 0x7fffffff;
    let most = -0x80000000;
    let met = 0;
    let to = count | 0;
    let i = (batch.count - 1) | 0;
    for (; i >= 0; i--) {
      const its = flags[i]!;
      if ((its & HAS_ADDRESS) === 0) continue;
      const low = addressLow[i]! | 0;
      const bytes = size[i]! | 0;
      if (addressHigh[i] !== 0 || bytes < 0 || bytes > 64 - (low & 63)) break;
      const record = (first + i) | 0;
      const k = kind[i]!;
      met |= 1 << k;
      const signed = low ^ -0x80000000;
      if (signed < least) least = signed;
      const last = (signed + (bytes === 0 ? 0 : bytes - 1)) | 0;
      if (last > most) most = last;
      // The slot of the page and the key of its line, see PageCounts: calls cost too much here.
      const page = low >>> 12;
      const at = ((page ^ (page >>> 7) ^ (k << 4)) & (PAGE_SLOTS - 1)) << 2;
      const key = (page << PAGE_SHIFT) | (k << KIND_SHIFT) | ((low >>> 6) & 63);
      const change = slots[at]! ^ key;
      const counted = (base + record) | 0;
      // Written over by the next one where the line is the same: whether it is cannot be guessed.
      reported[reportedEnd] = i;
      reportedEnd = (reportedEnd + ((change | -change) >>> 31)) | 0;
      if ((change & ~63) === 0) {
        slots[at] = key;
        slots[at + 1] = (slots[at + 1]! + 1) | 0;
        if (counted < slots[at + 2]!) slots[at + 2] = counted;
        else if (counted > slots[at + 3]!) slots[at + 3] = counted;
      } else {
        evicted[evictedEnd] = slots[at]!;
        evicted[evictedEnd + 1] = slots[at + 1]!;
        evicted[evictedEnd + 2] = slots[at + 2]!;
        evicted[evictedEnd + 3] = slots[at + 3]!;
        evictedEnd += 4;
        slots[at] = key;
        slots[at + 1] = 1;
        slots[at + 2] = counted;
        slots[at + 3] = counted;
      }
      const role = roles[k]!;
      if (role === 0 || (its & NO_EFFECT) !== 0) continue;
      let access = ((bytes === 0 ? 0 : bytes - 1) & ACCESS_LESS) | (role === WRITE_ROLE ? ACCESS_WRITE : 0);
      if (!leavesOut) {
        if ((its & HAS_VALUE) !== 0) {
          access |= ACCESS_VALUE;
          toValueAt[to] = (values + valueOf[i]!) | 0;
        }
      } else if (bytes <= 8 - (low & 7)) {
        // Never 0, which stands for an empty slot.
        const word = (low >>> 3) + 1;
        const need = needs[(role << 7) | ((bytes & 15) << 3) | (low & 7)]! | (KIND_BIT << k);
        const slot = ((word ^ (word >>> 11)) & (SLOTS - 1)) << 1;
        if (table[slot] === word) {
          const has = table[slot + 1]!;
          if ((has & need) === need) continue;
          table[slot + 1] = has | need;
        } else {
          table[slot] = word;
          table[slot + 1] = need;
        }
      }
      toAddresses[to] = low;
      toBits[to] = access;
      toRecords[to] = record;
      to++;
    }
    pages.evict(evicted, evictedEnd);
    reportLines(pages, batch, reportedEnd);
    lines += reportedEnd;
    count = to;
    if (met !== 0) pages.widen(least + 2 ** 31, most + 2 ** 31, met);
    return i + 1;
  }

  /** Apart, since a function is compiled for each of its loops. */
  function reportLines(pages: PageCounts, { kind, addressLow }: Batch, reported: number): void {
    for (let at = 0; at < reported; at++) {
      const index = changes[at]!;
      pages.touch(lineKey(addressLow[index]!, kind[index]!));
    }
  }

  /** An access cut where lines end; it stops at the top of the address space. */
  function addPieces(batch: Batch, i: number, base: number): void {
    const valued = (batch.flags[i]! & FLAG.value) !== 0;
    let low = batch.addressLow[i]!;
    let high = batch.addressHigh[i]!;
    let left = batch.size[i]! === 0 ? 1 : batch.size[i]!;
    let value = valued ? base + batch.valueAt[i]! : 0;
    while (left > 0) {
      if (count === room) grow(count + 1);
      const bytes = Math.min(left, 64 - (low & 63));
      if (high !== 0 && !densePages.used()) densePages.begin(addresses, count);
      addresses[count] = densePages.used() ? densePages.address(low, high) : low;
      bits[count] = (bytes - 1) | (ROLE[batch.kind[i]!] === WRITE_ROLE ? ACCESS_WRITE : 0);
      records[count] = batch.first + i;
      lines++;
      if (valued) keepValueAt(count, value);
      count++;
      left -= bytes;
      value += bytes;
      low += bytes;
      if (low <= 0xffffffff) continue;
      if (high === 0xffffffff) break;
      low = 0;
      high++;
    }
  }

  function keepValueAt(access: number, at: number): void {
    if (valueAt.length < room) valueAt = larger(valueAt, room);
    bits[access] = bits[access]! | ACCESS_VALUE;
    valueAt[access] = at;
  }

  function keepValues(bytes: Uint8Array, length: number): void {
    if (valuesEnd + length > values.length - 3) {
      const more = new Uint8Array(Math.max(values.length * 2, (valuesEnd + length + 7) & ~3));
      more.set(values.subarray(0, valuesEnd));
      values = more;
      valueWords = new Int32Array(more.buffer);
    }
    values.set(bytes.subarray(0, length), valuesEnd);
    // A word in the batch's heap has the same layout here.
    valuesEnd = (valuesEnd + length + 3) & ~3;
  }

  function grow(wanted: number): void {
    room = Math.max(room * 2, wanted);
    const moreAddresses = new Uint32Array(room);
    moreAddresses.set(addresses);
    addresses = moreAddresses;
    records = larger(records, room);
    kept = larger(kept, room);
    const more = new Uint8Array(room);
    more.set(bits);
    bits = more;
    if (valueAt.length > 0) valueAt = larger(valueAt, room);
  }

  function endBlock(): BlockTouches {
    const valued = valuesEnd > 0;
    if (densePages.used()) densePages.rank(addresses, count);
    const last = hopeless ? 0 : valued ? keepAll() : keepLast();
    const tooMany = hopeless || (!valued && Math.min(last, lines) > MANY);
    const accesses = { addresses, bits, records, valueAt, values, valueWords };
    const written = tooMany ? NOTHING : rowWriter.write(accesses, kept, last, valued, densePages);
    wasHopeless = tooMany;
    hopeless = false;
    count = lines = valuesEnd = starts.length = 0;
    densePages.clear();
    return { ...written, valued };
  }

  /** All accesses starting at the newest. */
  function keepAll(): number {
    let end = 0;
    for (let batch = starts.length - 1; batch >= 0; batch--)
      end = keepAllOf(starts[batch]!, starts[batch + 1] ?? count, end);
    return end;
  }

  function keepAllOf(from: number, behind: number, keptEnd: number): number {
    const to = kept;
    let end = keptEnd;
    for (let access = from; access < behind; access++) to[end++] = access;
    return end;
  }

  /** The same as in a batch, for the block; stops where too many are kept. */
  function keepLast(): number {
    const most = lines > MANY ? MANY : count;
    words.fill(0);
    let end = 0;
    for (let batch = starts.length - 1; batch >= 0; batch--) {
      end = keepOf(starts[batch]!, starts[batch + 1] ?? count, end);
      if (end > most) return end;
    }
    return end;
  }

  /** Keeps those of the accesses [from, behind) that are last to touch or write a byte, and returns where the kept ones end. */
  function keepOf(from: number, behind: number, keptEnd: number): number {
    const table = words;
    const places = addresses;
    const fromBits = bits;
    const to = kept;
    let end = keptEnd;
    for (let access = from; access < behind; access++) {
      const address = places[access]!;
      const its = fromBits[access]!;
      const size = (its & ACCESS_LESS) + 1;
      if ((address & 7) + size <= 8) {
        const key = (address >>> 3) + 1;
        const span = ((1 << size) - 1) << (address & 7);
        const need = (its & ACCESS_WRITE) === 0 ? span : span | (span << WRITES_SHIFT);
        const slot = ((key ^ (key >>> 11)) & (SLOTS - 1)) * 2;
        if (table[slot] === key) {
          const has = table[slot + 1]!;
          if ((has & need) === need) continue;
          table[slot + 1] = has | need;
        } else {
          table[slot] = key;
          table[slot + 1] = need;
        }
      }
      to[end++] = access;
    }
    return end;
  }
}

function larger(list: Int32Array, length: number): Int32Array<ArrayBuffer> {
  const more = new Int32Array(length);
  more.set(list);
  return more;
}
