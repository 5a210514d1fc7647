import { expect, test } from 'vitest';
import { doubtfulImage, type ImageMatch } from '../../shared/requests/image-match.ts';

const FIGURES = { verdict: 'unknown', checked: 0, matching: 0, outside: 0, text: '' } as const;
const inside: ImageMatch = { ...FIGURES, evidence: 'fetches', checked: 10, matching: 4, outside: 6 };
const elsewhere: ImageMatch = { ...FIGURES, evidence: 'fetches', checked: 10, outside: 10 };
const data: ImageMatch = { ...FIGURES, evidence: 'none' };

function branches(matching: number, checked: number): ImageMatch {
  return { ...FIGURES, evidence: 'branches', checked, matching, outside: 3, distinct: { checked, matching } };
}

test('warns of the first image with a verdict of a wrong one, even while the trace is indexed', () => {
  const wrong: ImageMatch = { ...inside, verdict: 'other-build' };
  expect(doubtfulImage([inside, wrong, wrong], false)).toBe(1);
});

test('warns if no address lies in any image, once the whole trace is known', () => {
  expect(doubtfulImage([data, elsewhere], true)).toBe(1);
  expect(doubtfulImage([data, elsewhere], false)).toBe(-1);
  // A library that never ran is no reason if another image has the program.
  expect(doubtfulImage([elsewhere, inside], true)).toBe(-1);
  expect(doubtfulImage([data], true)).toBe(-1);
  expect(doubtfulImage([{ ...FIGURES, evidence: 'opcodes', outside: 7 }], true)).toBe(0);
});

test('warns if no source of a branch matches', () => {
  expect(doubtfulImage([branches(0, 5)], true)).toBe(0);
  expect(doubtfulImage([branches(1, 5)], true)).toBe(-1);
  expect(doubtfulImage([branches(5, 5), branches(0, 2)], true)).toBe(1);
});
