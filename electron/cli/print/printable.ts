/** Text on one line that can neither control the terminal nor look like other text. */
import { visible } from '../../../shared/base/visible.ts';

/** Makes hidden characters visible and cuts the text after `most` characters. */
export function printable(text: string, most = Number.POSITIVE_INFINITY): string {
  if (PLAIN.test(text) && text.length <= most) return text;
  const plain = visible(text).replaceAll('\t', ' ');
  return plain.length > most ? `${plain.slice(0, most)}…` : plain;
}

/** Nearly all cells of tables match. */
const PLAIN = /^[ -~]*$/;
