/** Detects BYU 12-byte records by the share of plausible records, with each stretch of records at its best phase. */
import type { Claim, Head } from '../../format/format.ts';
import { isPacked, isText } from '../../format/heads.ts';
import { countLikely, UNIT, WEIGHED_RECORDS } from './requests.ts';
import { bestPhase, type CountLikely } from '../../format/units.ts';

/** With fewer records a match by chance is too frequent. */
const FEW = 8;

export function sniff({ bytes, size }: Head): Claim | undefined {
  const records = Math.floor(bytes.length / UNIT);
  if (records === 0 || isPacked(bytes) || isText(bytes)) return undefined;
  const { share, shifted } = weigh(bytes);
  if (share < 0.25) return undefined;
  const sure = records < FEW ? 0.3 + 0.04 * records : 0.95;
  return {
    confidence: sure * share,
    options: {},
    reasons: [
      `${String(Math.floor(share * 100))} % of the first ${String(records)} twelve-byte records are bus requests of a P6`,
      ...(shifted > 0 ? ['some records do not start at multiples of twelve bytes'] : []),
      ...(records < FEW ? ['there are too few records to be sure'] : []),
      ...(size % UNIT === 0 ? ["the file's length is a multiple of twelve"] : []),
    ],
  };
}

/** Returns the share of likely records, and the number of stretches at another phase than the file's first byte. */
function weigh(bytes: Uint8Array): { readonly share: number; readonly shifted: number } {
  let good = 0;
  let all = 0;
  let shifted = 0;
  const likelyAt: CountLikely = (at, count, least) => countLikely(bytes, at, count, least);
  for (let from = 0; from + UNIT <= bytes.length; from += WEIGHED_RECORDS * UNIT) {
    const count = Math.min(WEIGHED_RECORDS, Math.floor((bytes.length - from) / UNIT));
    const phase = count < FEW ? 0 : bestPhase(from, bytes.length, UNIT, count, likelyAt);
    if (phase !== 0) shifted++;
    const held = Math.min(count, Math.floor((bytes.length - from - phase) / UNIT));
    all += held;
    good += countLikely(bytes, from + phase, held, 0);
  }
  return { share: good / all, shifted };
}
