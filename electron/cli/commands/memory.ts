/** `memory`: known contents of memory at a record. */
import { KNOWN } from '../../../shared/requests/requests.ts';
import type { MemoryArguments, MemoryView } from '../../../shared/requests/requests.ts';
import { ok } from '../../../shared/base/result.ts';
import type { Result } from '../../../shared/base/result.ts';
import { toHex } from '../../../shared/base/units.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import { address, addressOf } from '../options/addresses.ts';
import { command } from '../command.ts';
import type { Context } from '../command.ts';
import { searchProgress } from '../print/search-progress.ts';
import { dump, unusedIn } from '../print/memory-dump.ts';
import type { MemoryPart } from '../print/memory-dump.ts';
import { flag, size } from '../options/options.ts';
import { AT, AT_MISSING, missing, reach } from '../options/state-at.ts';
import { withTrace, type OpenTrace } from '../trace.ts';

/** Upper limits in bytes: of one request, and of the command. */
const PART = 65536;
const MOST = 2 ** 20;

export const memory = command({
  name: 'memory',
  text: 'Known memory contents at a record, with the records that last wrote and last accessed each byte',
  notes: 'Unknown bytes are `??`. A write sets a byte, a read proves its value.',
  trace: 'needed',
  options: {
    at: AT,
    address: address('A', 'the first byte; required'),
    length: size('L', 'number of bytes, at most 1M; required'),
    opcodes: flag('include bytes that executed opcodes prove'),
    'from-image': flag('include bytes of --image for memory that no record wrote or read before'),
  },
  async run(context, { at, address: typed, length, opcodes = false, 'from-image': image = false }) {
    if (typed === undefined) return missing(context, 'give the first byte with --address A');
    if (length === undefined) return missing(context, 'give the number of bytes with --length L');
    if (length < 1 || length > MOST)
      return missing(context, `--length must be 1 to ${MOST} bytes, not ${length}; read more in several steps`);
    if (at === undefined) return missing(context, AT_MISSING);
    if (image && (context.common.image ?? []).length === 0)
      return missing(context, '--from-image needs the program; give it with --image FILE');
    return withTrace(context, async (trace) => {
      const found = await addressOf(context, trace, typed);
      if (!found.ok) return found;
      const address = found.value;
      if (BigInt(address) + BigInt(length) > END)
        return missing(context, `${length} bytes starting at ${address} exceed the highest address`);
      const reached = await reach(trace, at);
      if (!reached.ok) return reached;
      const parts = await read(context, trace, at, { address, length, opcodes, image });
      context.progress.clear();
      if (!parts.ok) return parts;
      const { common, out } = context;
      if (common.json)
        await out.json({
          at,
          address,
          length,
          ...columns(parts.value),
          ...((opcodes || image) && knownFrom(parts.value)),
          ...(image && { unused: unusedIn(parts.value) }),
        });
      else for (const text of dump(at, parts.value, out.colour)) await out.write(text);
      return ok(undefined);
    });
  },
});

const END = 1n << 64n;

async function read(
  context: Context,
  trace: OpenTrace,
  at: RecordNumber,
  { address, length, ...also }: Pick<MemoryArguments, 'address' | 'length' | 'opcodes' | 'image'>,
): Promise<Result<readonly MemoryPart[]>> {
  const parts: MemoryPart[] = [];
  const onEvent = searchProgress(context, trace.opened.file.bytes, { from: 0, to: at + 1, newest: true });
  for (let from = 0; from < length; from += PART) {
    const start = BigInt(address) + BigInt(from);
    const part = Math.min(PART, length - from);
    const answer = await trace.request(
      'memory',
      { trace: trace.id, at, address: toHex(start), length: part, ...also },
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

/** With --opcodes or --from-image: the evidence per byte. */
function knownFrom(parts: readonly MemoryPart[]) {
  return { known: parts.flatMap(({ view }) => Array.from(view.known, (how) => HOW[how] ?? null)) };
}

const HOW: Readonly<Record<number, string>> = {
  [KNOWN.data]: 'data',
  [KNOWN.opcode]: 'opcode',
  [KNOWN.image]: 'image',
};

function hexOf({ bytes, known }: MemoryView): string {
  return Array.from(bytes, (byte, i) => (known[i] === KNOWN.not ? '??' : byte.toString(16).padStart(2, '0'))).join('');
}

function recordsOf(column: Float64Array): (RecordNumber | null)[] {
  return Array.from(column, (n) => (n < 0 ? null : n));
}
