/** What a person wrote between the other parts. */
import type { Item } from '../document.ts';
import { line } from '../words.ts';

const TITLE = 80;

/** Titled by the heading that it begins with; without one it has no place in the list of contents. */
export function textItem(text: string): Item {
  const heading = /^\s*#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*(?:\n|$)/.exec(text)?.[1] ?? '';
  return { kind: 'text', title: line(heading.replaceAll(/[*_`]/g, ''), TITLE), sources: [], data: { text } };
}
