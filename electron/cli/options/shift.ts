/** `--shift`: how far the program of a second trace was loaded from that of the first. */
import { word, type Option } from './options.ts';

export interface Shift {
  /** Bytes in decimal, may be negative; undefined if it is to be found. */
  readonly bytes: string | undefined;
}

export const shift: Option<Shift> = {
  ...word('N', 'addresses of the other trace minus those of the first, in bytes; auto by default', ''),
  must: 'auto or a number, such as 0x1000 or -4096',
  read(text) {
    if (text === 'auto') return { bytes: undefined };
    const [, sign = '', digits = ''] = /^([+-]?)(0x[0-9a-f]+|[0-9]+)$/i.exec(text) ?? [];
    return digits === '' ? undefined : { bytes: (sign === '-' ? -BigInt(digits) : BigInt(digits)).toString() };
  },
};
