/** Text of traces, files and people as the command line prints it: on one line, and it can neither steer the terminal nor look like other text. */
import { visible } from '../../../shared/base/visible.ts';

/** At most `most` characters of it. */
export function printable(text: string, most = Number.POSITIVE_INFINITY): string {
  const plain = visible(text).replaceAll('\t', ' ');
  return plain.length > most ? `${plain.slice(0, most)}…` : plain;
}
