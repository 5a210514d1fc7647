/** Instructions that the image proves to have run between consecutive entries of captures. */
import type { RanInstruction } from '../../../../shared/requests/flow.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { toHex } from '../../../../shared/base/units.ts';
import type { FollowedRun, ImageFlow } from '../events/image-flow.ts';
import { loadDisassembler } from '../../image/disassembler.ts';
import { codeOf, followCapture } from './capture-input.ts';
import { placeOf } from './place.ts';
import { firstBlockFor, pauses, visitCaptures } from './visit.ts';
import { instructionsIn } from './xscale/entries.ts';

export const runsBetween: ImageFlow['runsBetween'] = async (trace, { from, count }, task) => {
  const runs: FollowedRun[] = [];
  const { disassemble } = await loadDisassembler();
  const code = codeOf(trace.images);
  const block = await firstBlockFor(trace, from, task);
  if (!block.ok) return block;
  const visited: Result<undefined> = await visitCaptures(
    trace,
    block.value,
    (capture) => {
      const { first, entries } = capture;
      if (first >= from + count) return false;
      if (first + entries.length <= from) return true;
      const { addresses, thumb, ends, gaps, knownFrom } = followCapture(trace, capture, code);
      entries.forEach((message, entry) => {
        const n = first + entry;
        const [start, end] = [ends[entry - 1] ?? 0, ends[entry] ?? 0];
        const missing = end - start < (instructionsIn(message) ?? Number.POSITIVE_INFINITY);
        const isAfterStart = knownFrom !== null && entry >= knownFrom;
        // Several gaps after the same address: all of their reasons are given.
        const reasons =
          missing && isAfterStart ? gaps.filter(({ after }) => after === end).map(({ reason }) => reason) : [];
        if (n < from || n >= from + count || (end <= start && reasons.length === 0)) return;
        const instructions = addresses.slice(start, end).map((address, i): RanInstruction => ({
          address: toHex(address),
          ...placeOf(trace.images, code, disassemble, address, thumb[start + i]!),
        }));
        runs.push({
          n,
          instructions,
          ...(reasons.length > 0 && { unknown: [...new Set(reasons)].join(', or ') }),
        });
      });
      return true;
    },
    pauses(task),
  );
  if (!visited.ok) return visited;
  return task.cancelled() ? task.cancel() : ok(runs);
};
