/** Report part with a text written by a user. */
import { textName } from '../../../../present/text/part-names.ts';
import type { Item } from '../document.ts';
import { line } from '../words.ts';

const TITLE = 80;

/** The title is the heading at the start of the text. A text without a heading is not listed in the contents. */
export function textItem(text: string): Item {
  return { kind: 'text', title: line(textName(text), TITLE), sources: [], data: { text } };
}
