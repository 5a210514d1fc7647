/**
 * Branch stacks as `perf script -F ...,brstack` prints them: samples of LBR and similar facilities of other processors.
 *
 *     bash 1234 [003] 5678.123456: cycles:u: 0x4011e0/0x401200/P/-/-/4/COND/-  0x4011f0/0x4011d8/M/-/-/0/RET/-
 *
 * One line is one sample with up to some dozens of branches, **the newest first**. This sample of cpu 3 has two branches: a return at
 * 0x4011f0 to 0x4011d8, mispredicted, and after it a conditional jump at 0x4011e0 to 0x401200, predicted, 4 cycles later. Each branch is
 * a record of kind `branch` that ends where the next one starts. The first record also contains the head of the line. Every other word
 * is a record of its own. Within a line the decoder carries the position of the line, the number of its branches so far and its cpu.
 */
import { NO_CPU } from '../../records/batch.ts';
import type { Decoder, Format, Settings } from '../../format/format.ts';
import { LINE_DIAGNOSTICS } from '../../format/lines.ts';
import { ok, type Result } from '../../base/result.ts';
import { completeSettings } from '../../format/settings.ts';
import { decodeSamples } from './decode.ts';
import { describe, fields } from './describe.ts';
import { BRSTACK_FLOW } from './flow.ts';
import { MAPPINGS } from './mappings.ts';
import { repeats } from './repeats.ts';
import { sniff } from './sniff.ts';
import { nativeName } from './codes.ts';

export const brstack: Format = {
  id: 'brstack',
  name: 'perf script branch stacks',
  dialects: [],
  extensions: ['txt', 'script', 'brstack', 'perf'],
  options: [],
  timeUnit: 'ns',
  branches: { as: 'messages', unclassified: true, sampled: true },
  sniff,
  open,
  diagnostics: {
    ...LINE_DIAGNOSTICS,
    'unknown-word': 'A word among the branches of a sample is not a branch; its text is kept.',
  },
};

function open(given: Settings): Result<Decoder> {
  const settings = completeSettings(brstack, given);
  if (!settings.ok) return settings;
  return ok({
    format: brstack,
    framing: { kind: 'lines', parts: true },
    valuedKinds: [],
    settings: settings.value,
    initial: { line: -1, branches: 0, cpu: NO_CPU },
    decode: decodeSamples,
    // A block starts with a line, where all states are the same.
    agrees: () => true,
    describe,
    fields,
    repeats,
    nativeName,
    flow: BRSTACK_FLOW,
    mappings: MAPPINGS,
  });
}
