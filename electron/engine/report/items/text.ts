/** Report part with a text written by a user. */
import type { Item } from '../document.ts';
import { line } from '../words.ts';

const TITLE = 80;

/** The title is the heading at the start of the text. A text without a heading is not listed in the contents. */
export function textItem(text: string): Item {
  const heading = /^\s*#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*(?:\n|$)/.exec(text)?.[1] ?? '';
  return { kind: 'text', title: line(heading.replaceAll(/[*_`]/g, ''), TITLE), sources: [], data: { text } };
}
