import type { Entry } from '../../electron/engine/flow/captures/xscale/entries.ts';
import { entriesOf } from '../../shared/xscale/buffer.ts';
import { instructionsOf, MESSAGE, MESSAGE_OF } from '../../shared/xscale/messages.ts';

/** Entries of a buffer as the follower gets them. */
export function read(buffer: Uint8Array, [chkpt0, chkpt1]: readonly (number | undefined)[] = []): readonly Entry[] {
  return entriesOf(buffer).map(({ byte, start, end, target, checkpoint }) => {
    const register = checkpoint === 0 ? chkpt0 : checkpoint === 1 ? chkpt1 : undefined;
    const to = target ?? register;
    const message = MESSAGE_OF[byte]!;
    return {
      message,
      count: message === MESSAGE.reserved ? 0 : instructionsOf(byte),
      ...(to !== undefined && { target: to }),
      bytes: end - start === 5 ? 5 : 1,
    };
  });
}
