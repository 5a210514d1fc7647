/** Report part with a text written by a user. */
import type { Item } from '../document.ts';
import { line } from '../words.ts';

const TITLE = 80;

/** The title is the heading at the start of the text. A text without a heading is not listed in the contents. */
export function textItem(text: string): Item {
  const [first = ''] = text.trimStart().split('\n', 1);
  const heading = /^#{1,6}[ \t]/.test(first) ? withoutClosingMarks(first.replace(/^#+/, '').trim()) : '';
  return { kind: 'text', title: line(heading.replaceAll(/[*_`]/g, ''), TITLE), sources: [], data: { text } };
}

/** Removes the number signs that may end a heading. */
function withoutClosingMarks(heading: string): string {
  let end = heading.length;
  while (heading[end - 1] === '#') end--;
  return heading.slice(0, end).trimEnd();
}
