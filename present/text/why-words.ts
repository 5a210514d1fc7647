/** Words about the origin of a value: the Why pane and reports use these. */
import { counted, group } from '../../shared/base/numbers.ts';
import type { Bytes, Why, WhyArguments, WhyEdge, WhyKind, WhyUse } from '../../shared/requests/why.ts';

interface KindWords {
  readonly sign: string;
  readonly word: string;
  /** The trace of the value ends there. */
  readonly isEnd: boolean;
  readonly meaning: string;
}

export const KIND_WORDS: Readonly<Record<WhyKind, KindWords>> = {
  copy: { sign: '=', word: 'copy', isEnd: false, meaning: 'The value was moved' },
  computed: { sign: '+', word: 'computed', isEnd: false, meaning: 'The value was made of others' },
  constant: { sign: '#', word: 'constant', isEnd: true, meaning: 'The value is in the instruction' },
  input: { sign: '↓', word: 'input', isEnd: true, meaning: 'Read from memory that nothing in the trace wrote before' },
  image: { sign: '▤', word: 'image', isEnd: true, meaning: 'Read from memory that a program image has' },
  unknown: { sign: '?', word: 'unknown', isEnd: true, meaning: 'Nothing says what made the value' },
};

export const EDGE_WORDS: Readonly<Record<WhyEdge, string>> = { data: '', address: 'address', control: 'control' };

/** Bytes of memory whose values a row shows. */
export const MOST_SHOWN = 8;

/** Returns `r0`, `r0 of CPU 1`, `[0x8000]` or `[0x8000+4]`. */
export function placeText(bytes: Bytes): string {
  if ('register' in bytes)
    return bytes.cpu === null || bytes.cpu === 0 ? bytes.register : `${bytes.register} of CPU ${bytes.cpu}`;
  return bytes.length <= 1 ? `[${bytes.address}]` : `[${bytes.address}+${bytes.length}]`;
}

/** Returns `0x5` or `30 00 ??`; `?` if nothing is known. */
export function valueText(bytes: Bytes, most = Number.POSITIVE_INFINITY): string {
  if (bytes.value === null) return '?';
  if ('register' in bytes) return bytes.value;
  const pairs = bytes.value.match(/../g) ?? [];
  return `${pairs.slice(0, most).join(' ')}${pairs.length > most ? ' …' : ''}`;
}

export function bytesText(bytes: Bytes, most = MOST_SHOWN): string {
  return isPlace(bytes) ? `${placeText(bytes)} = ${valueText(bytes, most)}` : 'other state';
}

/** Returns false for a use without a place that the answer can name. */
export function isPlace(bytes: Bytes): boolean {
  return !('length' in bytes && bytes.length === 0);
}

/** Returns `r4<7:0> = 0x30 (#3)`, or the reason in place of the step. */
export function useText(use: WhyUse): string {
  const edge = EDGE_WORDS[use.edge];
  const step = use.step === null ? (use.reason ?? 'the value of the question') : `#${use.step}`;
  const inferred = use.inferred === true ? ', inferred' : '';
  return `${edge === '' ? '' : `${edge} `}${bytesText(use)} (${step}${inferred})`;
}

/** Returns `copied 7 times`, or `copied 64 bytes` of a loop. */
export function copiesText(count: number, moved?: number): string {
  if (moved !== undefined) return `copied ${counted(moved, 'byte')}`;
  return count === 1 ? 'copied once' : `copied ${group(count)} times`;
}

/** Returns `by 128 instructions` for the copies of a loop and their step; empty for other copies. */
export function copiersText(count: number, moved?: number): string {
  return moved === undefined ? '' : `by ${counted(count + 1, 'instruction')}`;
}

/** Returns the question in a few words: `Why r0 = 0x5 after record 12`, `Where r0 = 0x5 went after record 12`. */
export function questionText(
  { at, of, forward }: Pick<Why, 'at' | 'of' | 'forward'>,
  { pc }: Pick<WhyArguments, 'pc'> = {},
): string {
  if (forward === true) return `Where ${bytesText(of, 4)} went after record ${group(at)}`;
  return pc === true ? `Why record ${group(at)} was reached` : `Why ${bytesText(of, 4)} after record ${group(at)}`;
}

/** Returns where the search for origins or uses ended, in a sentence. */
export function endedText({ ended, steps, forward }: Pick<Why, 'ended' | 'steps' | 'forward'>): string {
  if (ended.reason === 'ends') return 'Complete: every value is followed until it was overwritten or the trace ended.';
  if (forward === true && ended.reason === 'unknown') return 'Complete, but some values are not followed to their end.';
  if (ended.reason === 'origins') return 'Complete: every value is followed to where it came from.';
  if (ended.reason === 'unknown') return 'Complete, but the origin of some values is unknown.';
  const open = `${counted(ended.open.length, 'value')} not followed further.`;
  if (ended.reason === 'cancelled')
    return steps.length === 0
      ? 'Stopped before the first step was found.'
      : `Stopped after ${counted(steps.length, 'step')}: ${open}`;
  // A chain of copies can use up what is followed before there are as many steps as requested.
  const copies = steps.reduce((sum, step) => sum + (step.copies?.length ?? 0), 0);
  const folded = copies > 0 ? ` and ${counted(copies, 'copy', 'copies')}` : '';
  return `The first ${counted(steps.length, 'step')}${folded}: ${open}`;
}
