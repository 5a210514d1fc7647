/** A trace as a thread reads it. Threads name a trace by its TraceRef, and each opens its own TraceReader from that. */
import type { Decoder, Settings } from '../../../shared/format/format.ts';
import { formatById } from '../../../shared/formats/index.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { createWindowLoader, planBlocks, type BlockPlan, type WindowLoader } from './blocks.ts';
import { openSource, type Source } from '../platform/source.ts';

export interface TraceRef {
  /** Unique among the open traces of an engine. */
  readonly key: string;
  readonly path: string;
  /** The file that the path led to when the trace was opened. */
  readonly identity: string;
  readonly format: string;
  readonly settings: Settings;
  /** Size when the trace was opened; what is appended later is not looked at. */
  readonly fileBytes: number;
  readonly blockBytes: number;
}

/** A trace as one thread has it open. */
export interface TraceReader {
  readonly ref: TraceRef;
  readonly source: Source;
  readonly decoder: Decoder;
  readonly plan: BlockPlan;
  readonly loader: WindowLoader;
}

export function openTraceReader(ref: TraceRef): Result<TraceReader> {
  const format = formatById(ref.format);
  if (format === undefined)
    return fail('no-such-format', `there is no format '${ref.format}'; 'tracebench formats' lists them`);
  const decoder = format.open(ref.settings);
  if (!decoder.ok) return decoder;
  const source = openSource(ref.path);
  if (!source.ok) return source;
  if (source.value.identity !== ref.identity) {
    source.value.close();
    return fail(
      'changed',
      `${ref.path}: another file has taken its place while it was open; close it and open it again`,
    );
  }
  if (source.value.size < ref.fileBytes) {
    source.value.close();
    return fail(
      'shrunk',
      `${ref.path}: the file became shorter while it was open, at byte ${String(source.value.size)}; open it again`,
    );
  }
  const plan = planBlocks(decoder.value.framing, ref.fileBytes, ref.blockBytes);
  return ok({
    ref,
    source: source.value,
    decoder: decoder.value,
    plan,
    loader: createWindowLoader(source.value, decoder.value, plan),
  });
}
