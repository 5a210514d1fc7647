/**
 * Are these bytes BYU 12-byte records?
 *
 * The share of records that are what a P6 does decides, each stretch of records at its best phase.
 */
import type { Claim, Head } from '../../format/format.ts';
import { isPacked, isText } from '../../format/heads.ts';
import { score, UNIT, WEIGHED_RECORDS } from './requests.ts';

/** Fewer records than this look right by chance too often to be sure. */
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
      ...(shifted > 0 ? ['some records do not lie at multiples of twelve bytes'] : []),
      ...(records < FEW ? ['there are too few records to be sure'] : []),
      ...(size % UNIT === 0 ? ["the file's length is a multiple of twelve"] : []),
    ],
  };
}

/** Share of likely records; how many stretches lie at another phase than the file's first byte. */
function weigh(bytes: Uint8Array): { readonly share: number; readonly shifted: number } {
  let good = 0;
  let all = 0;
  let shifted = 0;
  for (let from = 0; from + UNIT <= bytes.length; from += WEIGHED_RECORDS * UNIT) {
    const count = Math.min(WEIGHED_RECORDS, Math.floor((bytes.length - from) / UNIT));
    const phase = count < FEW ? 0 : bestPhase(bytes, from, count);
    if (phase !== 0) shifted++;
    const held = Math.min(count, Math.floor((bytes.length - from - phase) / UNIT));
    all += held;
    good += score(bytes, from + phase, held, 0);
  }
  return { share: good / all, shifted };
}

function bestPhase(bytes: Uint8Array, from: number, count: number): number {
  let best = 0;
  let bestScore = -1;
  for (let phase = 0; phase < UNIT; phase++) {
    const held = Math.min(count, Math.floor((bytes.length - from - phase) / UNIT));
    const good = score(bytes, from + phase, held, 0);
    if (good > bestScore) {
      best = phase;
      bestScore = good;
    }
  }
  return best;
}
