/** Answers the functions of SQL that need the trace: shared/sql/schema.ts describes them, and electron/engine/sql/database.ts checks arguments. */
import { KNOWN } from '../../../../shared/requests/requests.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { toHex, type RecordNumber } from '../../../../shared/base/units.ts';
import type { Cell } from '../../sql/protocol.ts';
import { symbolText } from '../../image/symbols.ts';
import { answerInSlices, type Steps } from '../../threads/in-slices.ts';
import type { Task } from '../../threads/task.ts';
import { beyond, reachOf, type Trace } from '../../trace.ts';
import { WRITE_KINDS } from '../access/accesses.ts';
import { lastAccess } from '../access/access-memory.ts';
import { callStack } from '../calls/call-stack.ts';
import { symbolsNamed } from '../info/symbols.ts';
import { memory } from '../memory/memory.ts';
import { registers } from '../memory/registers.ts';
import { rowOf } from '../records/block-reader.ts';
import { spanOf, type Span } from '../records/span.ts';

type Answer = (trace: Trace, args: readonly Cell[], task: Task) => Promise<Result<Cell>>;

export const FUNCTIONS: Readonly<Record<string, Answer>> = {
  async mem_at(trace, [n, address, length], task) {
    const at = recordOf(trace, n);
    if (!at.ok) return at;
    const room = 2n ** 64n - (address as bigint);
    if (BigInt(length as number) > room) return ok(null);
    const found = await memory(
      trace,
      { at: at.value, address: toHex(address as bigint), length: length as number },
      task,
    );
    if (!found.ok) return found;
    const { bytes, known } = found.value;
    const digits = (byte: number, i: number): string =>
      known[i] === KNOWN.not ? '??' : byte.toString(16).padStart(2, '0');
    return ok(Array.from(bytes, digits).join(''));
  },
  reg_at: (trace, args, task) => Promise.resolve(registerAt(trace, args, task)),
  async last_write(trace, [n, address, length], task) {
    const at = recordOf(trace, n);
    if (!at.ok) return at;
    const low = address as bigint;
    const high = low + BigInt(length as number) - 1n;
    const span = spanOf(low, high < 2n ** 64n ? high : 2n ** 64n - 1n);
    const found = await answerInSlices(lastWrite(trace, span, at.value), task);
    return found.ok ? ok(found.value ?? null) : found;
  },
  async stack_at(trace, [n], task) {
    const at = recordOf(trace, n);
    if (!at.ok) return at;
    const found = await callStack(trace, { at: at.value }, task);
    if (!found.ok) return found;
    const { frames } = found.value;
    return ok(frames.length === 0 ? null : frames.map((frame) => frame.function).join(' < '));
  },
  sym({ images }, [address]) {
    const hit = images.symbolAt(address as bigint);
    return Promise.resolve(ok(hit === undefined ? null : symbolText(hit)));
  },
  line({ images }, [address]) {
    const line = images.lineAt(address as bigint);
    return Promise.resolve(ok(line === undefined ? null : `${line.file}:${String(line.line)}`));
  },
  async address_of(trace, [name], task) {
    const found = await symbolsNamed(trace, { name: name as string }, task);
    return found.ok ? ok(found.value.symbols[0]?.address ?? null) : found;
  },
};

function registerAt(trace: Trace, [n, name, cpu]: readonly Cell[], task: Task): Result<Cell> {
  const at = recordOf(trace, n);
  if (!at.ok) return at;
  if (task.cancelled()) return task.cancel();
  const found = registers(trace, { at: at.value, ...(typeof cpu === 'number' && { cpu }) });
  if (!found.ok) return found;
  const { files } = found.value;
  const row = rowOf(trace, at.value);
  if (!row.ok) return row;
  const own = files.find((file) => file.cpu === row.value.batch.cpu[row.value.row]);
  // Without a CPU in the record, only the registers of a single one are meant.
  const file = own ?? (files.length === 1 ? files[0] : undefined);
  return ok(file?.registers.find((its) => its.name === name)?.value ?? null);
}

function* lastWrite(trace: Trace, span: Span, at: RecordNumber): Steps<RecordNumber | undefined> {
  return yield* lastAccess(trace, WRITE_KINDS, span, at);
}

function recordOf(trace: Trace, n: Cell): Result<RecordNumber> {
  const at = n as number;
  const reach = reachOf(trace);
  return at < reach.records ? ok(at) : beyond(at, reach);
}
