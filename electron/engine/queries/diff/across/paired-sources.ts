/**
 * Finds which branch a message of a Pentium is about, if the image shows it. A processor that runs a branch together with the instruction
 * before it can report that one as the source, and in another capture of the same run the branch itself.
 */
import { EVENT, NO_BRANCH, type Events } from '../../../../../shared/flow/events.ts';
import { pentiumIsa } from '../../../flow/classify/by-image.ts';
import { createImageCode } from '../../../flow/classify/image-code.ts';
import { loadDisassembler } from '../../../image/disassembler.ts';
import type { Trace } from '../../../trace.ts';

/** Returns the bytes from the reported source of an event to its branch, 0 or more; undefined if the code there is not known. */
export type BytesToBranch = (events: Events, k: number) => number | undefined;

/** Returns true for traces of a Pentium whose code is known. */
export function hasPentiumCode({ reader, images }: Trace): boolean {
  return reader.decoder.format.branches?.pentium === true && images.list.some(({ segments }) => segments.length > 0);
}

/** Returns undefined if the sources of a trace are those of its branches, or its code is not known. */
export async function createBytesToBranch(trace: Trace): Promise<BytesToBranch | undefined> {
  if (!hasPentiumCode(trace)) return undefined;
  const code = createImageCode(trace.images, await loadDisassembler());
  return (events, k) => {
    const [low, high] = [events.sourceLow[k]!, events.sourceHigh[k]!];
    // Messages of reads that were not captured whole do not show the operand size.
    const isKnown = events.operandSize[k] !== 0;
    for (const isa of isKnown ? [pentiumIsa(events, k)] : (['x86-32', 'x86-16'] as const)) {
      const own = code.at(low, high, isa);
      if (own === undefined) return undefined;
      if (own.branch !== NO_BRANCH || own.serialises) continue;
      // Only a direct branch runs as the second of a pair. That it leads to the target of the message proves that the message is about it.
      const target = code.at((low + own.size) >>> 0, high, isa)?.target;
      const isProved =
        (events.flags[k]! & EVENT.target) !== 0 &&
        target?.low === events.targetLow[k] &&
        target?.high === events.targetHigh[k];
      if (isProved) return own.size;
    }
    return isKnown ? 0 : undefined;
  };
}
