/**
 * Branch stacks as `perf script -F ...,brstack` prints them, the samples of LBR and of its like on other processors:
 *
 *     bash 1234 [003] 5678.123456: cycles:u: 0x4011e0/0x401200/P/-/-/4/COND/-  0x4011f0/0x4011d8/M/-/-/0/RET/-
 *
 * One line is one sample; it has up to some dozens of branches, **the newest first**. Each branch is a record of kind
 * `branch` whose address is the source, from its first byte to the first of the next one; the first also holds what the line
 * says in front. What is no branch is a record of its own, word by word. Inside a line the decoder carries where the line
 * starts, how many branches it had and its processor; between lines it carries nothing.
 */
import { NO_CPU } from '../../records/batch.ts';
import type { Decoder, Format, Settings } from '../../format/format.ts';
import { LINE_DIAGNOSTICS } from '../../format/lines.ts';
import { ok, type Result } from '../../base/result.ts';
import { completeSettings } from '../../format/settings.ts';
import { decodeSamples } from './decode.ts';
import { describe, fields } from './describe.ts';
import { createBrstackFlow } from './flow.ts';
import { sniff } from './sniff.ts';
import { nativeName } from './types.ts';

export const brstack: Format = {
  id: 'brstack',
  name: 'perf script branch stacks',
  dialects: [],
  extensions: ['txt', 'script', 'brstack', 'perf'],
  options: [],
  timeUnit: 'ns',
  branches: { as: 'messages', unclassified: true },
  sniff,
  open,
  diagnostics: {
    ...LINE_DIAGNOSTICS,
    'unknown-word': 'Among the branches of a sample stands a word that is no branch; its text is kept.',
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
    nativeName,
    flow: createBrstackFlow,
  });
}
