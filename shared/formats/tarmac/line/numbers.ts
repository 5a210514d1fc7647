/** The number of an executed instruction: `12 clk 0 IT (7) 00008000 ..` has 7. */
import type { Batch } from '../../../records/batch.ts';
import { CLOSE, OPEN, SPACE, UPPER_I, ZERO } from '../../../base/characters.ts';
import { NO_NUMBER, type Numbering } from '../../../flow/numbering.ts';
import { indexIn, type Window } from '../../../format/format.ts';
import type { Dialect } from './dialect.ts';

/** What the option `numbers` can be: what numbers count, or that they tell nothing of missing lines. */
export const NUMBERS = ['instructions', 'exceptions', 'any'] as const;

/** Undefined where nothing numbers the instructions: RTL has addresses in the brackets, cycle models have them and opcodes. */
export function numberingOf(dialect: Dialect, counts: string | undefined): Numbering | undefined {
  if (dialect === 'rtl' || dialect === 'es' || counts === 'any') return undefined;
  return { counts: counts === 'exceptions' ? 'exceptions' : 'instructions', numberOf };
}

/** Bytes of a line among which its number begins. */
const FRONT = 96;
/** Numbers of up to this many digits are exact. */
const EXACT_DIGITS = 15;

function numberOf(window: Window, batch: Batch, row: number): number {
  const { bytes, base } = window;
  const start = indexIn(window, batch.start[row]!);
  const end = Math.min(batch.end[row]! - base, start + FRONT) | 0;
  let at = start;
  while (at < end && bytes[at] !== OPEN) at++;
  let word = at - 1;
  while (word > start && bytes[word]! <= SPACE) word--;
  if (at === end || word <= start || (bytes[word - 1]! & ~LOWER) !== UPPER_I) return NO_NUMBER;
  let number = 0;
  const first = ++at;
  for (; at < end; at++) {
    const digit = (bytes[at]! - ZERO) >>> 0;
    if (digit > 9) break;
    number = number * 10 + digit;
  }
  return at === first || at - first > EXACT_DIGITS || bytes[at] !== CLOSE ? NO_NUMBER : number;
}

const LOWER = 32;
