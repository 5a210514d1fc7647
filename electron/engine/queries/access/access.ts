/** Finds the last or next access to a span of memory or to a register, with the contents before and after that access. */
import type { AccessArguments, Answer } from '../../../../shared/requests/requests.ts';
import { KNOWN } from '../../../../shared/requests/requests.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import type { RecordNumber } from '../../../../shared/base/units.ts';
import { answerInSlices, type Steps } from '../../threads/in-slices.ts';
import type { Task } from '../../threads/task.ts';
import { reachOf, type Trace } from '../../trace.ts';
import { READ_KINDS, WRITE_KINDS } from './accesses.ts';
import { lastAccess, nextAccessTo } from './access-memory.ts';
import { lastSetting, nextSetting } from './access-register.ts';
import { memorySteps } from '../memory/memory.ts';
import { records } from '../records/records.ts';
import { registers } from '../memory/registers.ts';
import { spanOf } from '../records/span.ts';

/** Longest span for which values are returned, in bytes. */
const MOST_VALUE_BYTES = 64;

type Question = Omit<AccessArguments, 'trace'>;

/** Yields to other requests while it runs, because data without locality may require a scan of much of the trace. */
export function access(trace: Trace, question: Question, task: Task): Promise<Result<Answer<'access'>>> {
  return answerInSlices(accessSteps(trace, question), task);
}

function* accessSteps(trace: Trace, question: Question): Steps<Answer<'access'>> {
  if ((question.address === undefined) === (question.register === undefined))
    return fail('usage', 'give either an address range or a register');
  const reach = reachOf(trace);
  const found = yield* findAccess(trace, question);
  if (!found.ok) return found;
  if (found.value === undefined) return ok({ record: null, reach });
  const n = found.value;
  const record = records(trace, { from: n, count: 1 });
  if (!record.ok) return record;
  const { cpu } = record.value.records[0] ?? {};
  const before = n === 0 ? ok(undefined) : yield* held(trace, question, n - 1, cpu);
  if (!before.ok) return before;
  const after = yield* held(trace, question, n, cpu);
  if (!after.ok) return after;
  return ok({
    record: record.value.records[0] ?? null,
    ...(before.value === undefined ? {} : { before: before.value }),
    ...(after.value === undefined ? {} : { after: after.value }),
    reach,
  });
}

function* findAccess(trace: Trace, { way, at, address, register, cpu }: Question): Steps<RecordNumber | undefined> {
  const { blocks } = trace;
  const backwards = way.startsWith('last');
  if (blocks.length === 0 || (!backwards && at + 1 >= blocks.records)) return ok(undefined);
  if (register !== undefined) {
    if (way.endsWith('read')) return ok(undefined);
    return backwards ? lastSetting(trace, register, cpu, at) : nextSetting(trace, register, cpu, at);
  }
  const span = spanOf(BigInt(address?.low ?? '0x0'), BigInt(address?.high ?? '0x0'));
  const kinds = (way.endsWith('write') ? 0 : READ_KINDS) | (way.endsWith('read') ? 0 : WRITE_KINDS);
  return yield* backwards ? lastAccess(trace, kinds, span, at) : nextAccessTo(trace, kinds, span, at);
}

/** Returns the contents of the span or register after a record took effect, or undefined if they are unknown or the span is too long. */
function* held(
  trace: Trace,
  { address, register }: Question,
  at: RecordNumber,
  cpu: number | undefined,
): Steps<string | undefined> {
  if (register !== undefined) {
    const found = registers(trace, { at, ...(cpu === undefined ? {} : { cpu }) });
    if (!found.ok) return found;
    return ok(found.value.files[0]?.registers.find(({ name }) => name === register)?.value);
  }
  if (address === undefined || !trace.ingest.totals.valued) return ok(undefined);
  const { low, high } = spanOf(BigInt(address.low), BigInt(address.high));
  const length = high - low + 1n;
  if (length > MOST_VALUE_BYTES) return ok(undefined);
  const view = yield* memorySteps(trace, { at, address: address.low, length: Number(length) });
  if (!view.ok) return view;
  const { bytes, known } = view.value;
  if (!known.some((how) => how !== KNOWN.not)) return ok(undefined);
  return ok([...bytes].map((byte, i) => (known[i] === KNOWN.not ? '??' : byte.toString(16).padStart(2, '0'))).join(''));
}
