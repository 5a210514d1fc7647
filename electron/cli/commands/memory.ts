/** `memory`: what is known of a stretch of memory at a record. */
import { KNOWN } from '../../../shared/requests/requests.ts';
import type { MemoryView } from '../../../shared/requests/requests.ts';
import { ok } from '../../../shared/base/result.ts';
import type { Result } from '../../../shared/base/result.ts';
import { toHex } from '../../../shared/base/units.ts';
import type { Hex, RecordNumber } from '../../../shared/base/units.ts';
import { address, addressOf } from '../addresses.ts';
import { command } from '../command.ts';
import type { Context } from '../command.ts';
import { searchProgress } from '../find-progress.ts';
import { dump } from '../print/memory-dump.ts';
import type { MemoryPart } from '../print/memory-dump.ts';
import { flag, size } from '../options.ts';
import { AT, AT_MISSING, missing, reach } from '../state-at.ts';
import { withTrace, type OpenTrace } from '../trace.ts';

/** Bytes of one answer of the engine, and of one run of the command. */
const PART = 65536;
const MOST = 2 ** 20;

export const memory = command({
  name: 'memory',
  text: 'What is known of memory at a record, who wrote it last and who touched it',
  notes: 'Bytes that the trace has not shown by then are `??`. A read proves what a byte holds, a write sets it.',
  trace: 'needed',
  options: {
    at: AT,
    address: address('A', 'the first byte; needed'),
    length: size('L', 'how many bytes, at most 1M; needed'),
    opcodes: flag('also bytes known from executed opcodes'),
  },
  async run(context, { at, address: typed, length, opcodes = false }) {
    if (typed === undefined) return missing(context, 'say where with --address A');
    if (length === undefined) return missing(context, 'say how many bytes with --length L');
    if (length < 1 || length > MOST)
      return missing(context, `--length must be 1 to ${MOST} bytes, not ${length}; ask for more in several steps`);
    if (at === undefined) return missing(context, AT_MISSING);
    return withTrace(context, async (trace) => {
      const found = await addressOf(context, trace, typed);
      if (!found.ok) return found;
      const address = found.value;
      if (BigInt(address) + BigInt(length) > END)
        return missing(context, `${length} bytes from ${address} on reach past the highest address`);
      const reached = await reach(trace, at);
      if (!reached.ok) return reached;
      const parts = await ask(context, trace, at, { address, length, opcodes });
      context.progress.clear();
      if (!parts.ok) return parts;
      const { common, out } = context;
      if (common.json)
        await out.json({ at, address, length, ...columns(parts.value), ...(opcodes && knownFrom(parts.value)) });
      else for (const text of dump(at, parts.value, out.colour)) await out.write(text);
      return ok(undefined);
    });
  },
});

const END = 1n << 64n;

async function ask(
  context: Context,
  trace: OpenTrace,
  at: RecordNumber,
  { address, length, opcodes }: { readonly address: Hex; readonly length: number; readonly opcodes: boolean },
): Promise<Result<readonly MemoryPart[]>> {
  const parts: MemoryPart[] = [];
  const onEvent = searchProgress(context, trace.opened.file.bytes, { from: 0, to: at + 1, newest: true });
  for (let from = 0; from < length; from += PART) {
    const start = BigInt(address) + BigInt(from);
    const part = Math.min(PART, length - from);
    const answer = await trace.request(
      'memory',
      { trace: trace.id, at, address: toHex(start), length: part, opcodes },
      { onEvent },
    );
    if (!answer.ok) return answer;
    parts.push({ start, view: answer.value });
  }
  return ok(parts);
}

function columns(parts: readonly MemoryPart[]) {
  return {
    bytes: parts.map(({ view }) => hexOf(view)).join(''),
    writers: parts.flatMap(({ view }) => recordsOf(view.writers)),
    touched: parts.flatMap(({ view }) => recordsOf(view.touched)),
  };
}

/** With --opcodes per byte what tells it. */
function knownFrom(parts: readonly MemoryPart[]) {
  return { known: parts.flatMap(({ view }) => Array.from(view.known, (how) => HOW[how] ?? null)) };
}

const HOW: Readonly<Record<number, string>> = { [KNOWN.data]: 'data', [KNOWN.opcode]: 'opcode' };

function hexOf({ bytes, known }: MemoryView): string {
  return Array.from(bytes, (byte, i) => (known[i] === KNOWN.not ? '??' : byte.toString(16).padStart(2, '0'))).join('');
}

function recordsOf(column: Float64Array): (RecordNumber | null)[] {
  return Array.from(column, (n) => (n < 0 ? null : n));
}
