/**
 * Are these bytes BYU 6-byte records or what the sample program prints of them, and in which byte order?
 *
 * The share of records that a Pentium does decides whether; where both byte orders read well, the one that keeps addresses
 * together on few pages is right, and big endian when in doubt, because the format says so.
 */
import type { Claim, Head } from '../../format/format.ts';
import { LF } from '../../base/characters.ts';
import { isPacked, isText } from '../../format/heads.ts';
import { trimLineEnd } from '../../format/lines.ts';
import { addressAt, likely, score, UNIT, WEIGHED_RECORDS } from './cycles.ts';
import { readLine } from './text.ts';

/** Fewer records than this look right by chance too often to be sure. */
const FEW = 8;

interface Reading {
  readonly little: boolean;
  /** Share of likely records, each stretch of records at its best phase. */
  readonly share: number;
  /** Different 4 KiB pages among the likely records: a wrong byte order scatters them. */
  readonly pages: number;
  /** Stretches whose best phase is not that of the file's first byte. */
  readonly shifted: number;
}

export function sniff(head: Head): Claim | undefined {
  const { bytes } = head;
  const records = Math.floor(bytes.length / UNIT);
  if (records === 0 || isPacked(bytes)) return undefined;
  if (isText(bytes)) return sniffText(head);
  const { best, swapped } = bestOrder(bytes);
  if (best.share < 0.25) return undefined;
  const sure = records < FEW ? 0.3 + 0.04 * records : 0.95;
  return {
    confidence: sure * best.share,
    dialect: 'binary',
    options: { endian: swapped ? 'little' : 'big' },
    reasons: reasons(best, records, head.size),
  };
}

/** Lines that read as records decide; their byte order shows in the records that they stand for. */
function sniffText({ bytes, size }: Head): Claim | undefined {
  const found = new Uint8Array(UNIT * Math.ceil(bytes.length / SHORTEST_LINE));
  let lines = 0;
  let records = 0;
  for (let at = 0; at < bytes.length;) {
    const lf = bytes.indexOf(LF, at);
    // A last line that the head cuts off says nothing, unless it is all there is.
    if (lf < 0 && bytes.length < size && lines > 0) break;
    const end = lf < 0 ? bytes.length : lf + 1;
    const to = trimLineEnd(bytes, at, end);
    if (to > at) {
      lines++;
      if (readLine(bytes, at, to, found.subarray(records * UNIT, (records + 1) * UNIT))) records++;
    }
    at = end;
  }
  if (records === 0) return undefined;
  const { swapped } = bestOrder(found.subarray(0, records * UNIT));
  return {
    confidence: 0.97 * (records / lines),
    dialect: 'ascii',
    options: { endian: swapped ? 'little' : 'big' },
    reasons: [
      `${String(records)} of the first ${String(lines)} lines are an address, byte enables and the name of a bus cycle`,
      ...(swapped
        ? ['the addresses make sense with their bytes reversed, as the sample program prints on an x86']
        : []),
    ],
  };
}

/** `00000000 00 D_READ` and its line end. */
const SHORTEST_LINE = 19;

function bestOrder(bytes: Uint8Array): { readonly best: Reading; readonly swapped: boolean } {
  const big = weigh(bytes, false);
  const little = weigh(bytes, true);
  const swapped = little.share > big.share + 0.1 || (little.share > big.share - 0.1 && little.pages * 2 <= big.pages);
  return { best: swapped ? little : big, swapped };
}

function reasons(reading: Reading, records: number, size: number): readonly string[] {
  const percent = Math.floor(reading.share * 100);
  const order = reading.little ? 'little' : 'big';
  return [
    `${String(percent)} % of the first ${String(records)} six-byte records are bus cycles of a Pentium with ${order}-endian addresses`,
    ...(reading.little ? ["the addresses scatter when they are read as big endian, the format's own order"] : []),
    ...(reading.shifted > 0 ? ['some records do not lie at multiples of six bytes'] : []),
    ...(records < FEW ? ['there are too few records to be sure'] : []),
    ...(size % UNIT === 0 ? ["the file's length is a multiple of six"] : []),
  ];
}

function weigh(bytes: Uint8Array, little: boolean): Reading {
  const stretch = WEIGHED_RECORDS * UNIT;
  const pages = new Set<number>();
  let good = 0;
  let all = 0;
  let shifted = 0;
  for (let from = 0; from + UNIT <= bytes.length; from += stretch) {
    const count = Math.min(WEIGHED_RECORDS, Math.floor((bytes.length - from) / UNIT));
    const phase = count < FEW ? 0 : bestPhase(bytes, from, count, little);
    if (phase !== 0) shifted++;
    const held = Math.min(count, Math.floor((bytes.length - from - phase) / UNIT));
    all += held;
    for (let at = from + phase, left = held; left > 0; left--, at += UNIT) {
      if (!likely(bytes, at, little)) continue;
      good++;
      pages.add(addressAt(bytes, at, little) >>> 12);
    }
  }
  return { little, share: good / all, pages: pages.size, shifted };
}

function bestPhase(bytes: Uint8Array, from: number, count: number, little: boolean): number {
  let best = 0;
  let bestScore = -1;
  for (let phase = 0; phase < UNIT; phase++) {
    const held = Math.min(count, Math.floor((bytes.length - from - phase) / UNIT));
    const good = score(bytes, from + phase, held, bestScore + 1, little);
    if (good > bestScore) {
      best = phase;
      bestScore = good;
    }
  }
  return best;
}
