/** Reads the message byte of a row, the last byte of its entry, from each kind of container. */
import type { Batch } from '../../records/batch.ts';
import { HEX, NO_DIGIT } from '../../base/characters.ts';
import type { Window } from '../../format/format.ts';
import type { Endian } from './fixed.ts';
import type { Dialect } from './options.ts';

export type MessageByte = (window: Window, batch: Batch, row: number) => number;

export function messageByteOf(dialect: Dialect, endian: Endian): MessageByte {
  switch (dialect) {
    case 'raw':
    case 'checkpoints':
      return ({ bytes, base }, { end }, row) => bytes[end[row]! - base - 1]!;
    case 'openocd':
      return ({ bytes, base }, { end }, row) => bytes[end[row]! - base - 1]!;
    case 'words':
    case 'words-checkpoints':
      return ({ bytes, base }, { end }, row) => {
        const at = end[row]! - base - 4;
        const big = endian === 'big' || (endian === 'auto' && bytes[at] === 0 && bytes[at + 3] !== 0);
        return bytes[big ? at + 3 : at]!;
      };
    case 'hex':
      // One or two digits, followed by blanks up to the next entry.
      return ({ bytes, base }, { end }, row) => {
        let at = end[row]! - base - 1;
        while (HEX[bytes[at]!] === NO_DIGIT) at--;
        const high = HEX[bytes[at - 1] ?? 0]!;
        return HEX[bytes[at]!]! | (high === NO_DIGIT ? 0 : high << 4);
      };
  }
}
