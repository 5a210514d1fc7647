/**
 * What a line of an RTL code of eight letters is, by its code: `MNR4O__I` is a fetch of the core, `BNW4___D` a write on the bus.
 */
import { KIND } from '../../../records/record.ts';
import { RTL_NAMES } from '../codes.ts';

/** Position in KINDS by code, from FIRST_RTL on. Transfers of coprocessors touch no memory: they are events. */
export const RTL_KINDS: Uint8Array = Uint8Array.from(RTL_NAMES, kindOf);

function kindOf(name: string): number {
  const bus = name.startsWith('B');
  if (name[1] === 'C') return KIND.event;
  if (name[2] === 'W') return bus ? KIND['bus-write'] : KIND.write;
  if (name.endsWith('I') || name[4] === 'O') return bus ? KIND['bus-fetch'] : KIND.fetch;
  return bus ? KIND['bus-read'] : KIND.read;
}
