/** Escapes text for the content of XML and HTML elements and for quoted attributes. Invisible characters appear by name. */
import { visible } from '../../../shared/base/visible.ts';

const CODES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escaped(text: string): string {
  return visible(text).replaceAll(/[&<>"']/g, (character) => CODES[character] ?? '');
}
