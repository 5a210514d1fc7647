/**
 * Detects BYU 6-byte records, or the lines that the format's sample program prints, and their byte order.
 *
 * The share of plausible records decides. If both byte orders are plausible, the one with addresses on fewer pages wins; in doubt it is
 * big endian, the format's own order.
 */
import type { Claim, Head } from '../../format/format.ts';
import { isPacked, isText } from '../../format/heads.ts';
import { addressAt, countLikely, likely, UNIT, WEIGHED_RECORDS } from './cycles.ts';
import { readLine } from './text.ts';
import { bestPhase } from '../../format/units.ts';
import { visitHead } from '../../format/lines.ts';

/** With fewer records a match by chance is too frequent. */
const FEW = 8;

interface Reading {
  readonly little: boolean;
  /** Share of likely records, with each stretch of records at its best phase. */
  readonly share: number;
  /** Number of 4 KiB pages among the likely records. A wrong byte order scatters addresses over more pages. */
  readonly pages: number;
  /** Number of stretches whose best phase differs from that of the file's first byte. */
  readonly shifted: number;
}

export function sniff(head: Head, named = false): Claim | undefined {
  const { bytes } = head;
  const records = Math.floor(bytes.length / UNIT);
  if (records === 0 || isPacked(bytes)) return undefined;
  if (isText(bytes)) return sniffText(head) ?? (named ? NO_LINE : undefined);
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

/** Reading of text without any record in its head, if the user named the format. */
const NO_LINE: Claim = { confidence: 0.05, dialect: 'ascii', options: {}, reasons: ['it is text'] };

/** Judges lines by the share of records, and their byte order by the records that they stand for. */
function sniffText(head: Head): Claim | undefined {
  const { bytes } = head;
  const found = new Uint8Array(UNIT * Math.ceil(bytes.length / SHORTEST_LINE));
  let records = 0;
  const lines = visitHead(head, (at, to) => {
    if (readLine(bytes, at, to, found.subarray(records * UNIT, (records + 1) * UNIT))) records++;
  });
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

/** Length of `00000000 00 D_READ` with its line end. */
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
    ...(reading.little ? ["as big endian, the format's own order, the addresses would be scattered"] : []),
    ...(reading.shifted > 0 ? ['some records do not start at multiples of six bytes'] : []),
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
    const phase =
      count < FEW
        ? 0
        : bestPhase(from, bytes.length, UNIT, count, (at, records, least) =>
            countLikely(bytes, at, records, least, little),
          );
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
