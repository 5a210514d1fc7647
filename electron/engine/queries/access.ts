/** Who last wrote, last or next touched a span of memory or a register, and what it held before and after. */
import type { AccessArguments, Answer } from '../../../shared/api.ts';
import { KNOWN } from '../../../shared/api.ts';
import { FLAG } from '../../../shared/batch.ts';
import { KIND, READS, WRITES, type Kind, type RecordView } from '../../../shared/record.ts';
import { fail, ok, type Result } from '../../../shared/result.ts';
import { joinAddress, type RecordNumber } from '../../../shared/units.ts';
import { reachOf, type Trace } from '../trace.ts';
import { recordView, visitBatches, type Decoded } from './block-reader.ts';
import { memory } from './memory.ts';
import { registers } from './registers.ts';

/** Longer spans get no values. */
const MOST_VALUE_BYTES = 64;

export function access(trace: Trace, args: Omit<AccessArguments, 'trace'>): Result<Answer<'access'>> {
  if ((args.address === undefined) === (args.register === undefined))
    return fail('usage', 'say either which addresses or which register');
  const found = args.register === undefined ? touching(trace, args) : setting(trace, args);
  if (!found.ok) return found;
  if (found.value === undefined) return ok({ record: null, reach: reachOf(trace) });
  const { n } = found.value;
  const before = n === 0 ? undefined : held(trace, args, n - 1, found.value);
  const after = held(trace, args, n, found.value);
  return ok({
    record: found.value,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    reach: reachOf(trace),
  });
}

function touching(trace: Trace, { way, at, address }: Omit<AccessArguments, 'trace'>): Result<RecordView | undefined> {
  const kinds = new Set(kindsOf(way).map((kind) => KIND[kind]));
  const low = BigInt(address?.low ?? '0x0');
  const high = BigInt(address?.high ?? '0x0');
  return look(trace, way, at, ({ batch }, i) => {
    if (!kinds.has(batch.kind[i]!)) return false;
    if ((batch.flags[i]! & FLAG.address) === 0 || (batch.flags[i]! & FLAG.noEffect) !== 0) return false;
    const first = joinAddress(batch.addressLow[i]!, batch.addressHigh[i]!);
    return first <= high && first + BigInt(Math.max(1, batch.size[i]!)) > low;
  });
}

function setting(
  trace: Trace,
  { way, at, register, cpu }: Omit<AccessArguments, 'trace'>,
): Result<RecordView | undefined> {
  if (way.endsWith('read')) return ok(undefined);
  return look(trace, way, at, (decoded, i) => {
    const { batch } = decoded;
    if (batch.kind[i] !== KIND.register || (cpu !== undefined && batch.cpu[i] !== cpu)) return false;
    const view = recordView(trace, decoded, i);
    return view.registers?.some(([name]) => name === register) ?? view.register === register;
  });
}

function kindsOf(way: AccessArguments['way']): readonly Kind[] {
  if (way.endsWith('write')) return WRITES;
  return way.endsWith('read') ? READS : [...READS, ...WRITES];
}

function look(
  trace: Trace,
  way: AccessArguments['way'],
  at: RecordNumber,
  matches: (decoded: Decoded, index: number) => boolean,
): Result<RecordView | undefined> {
  const { blocks } = trace;
  const backwards = way.startsWith('last');
  if (blocks.length === 0 || (!backwards && at + 1 >= blocks.records)) return ok(undefined);
  let found: RecordView | undefined;
  let block = blocks.blockOfRecord(Math.min(backwards ? at : at + 1, blocks.records - 1));
  for (; block >= 0 && block < blocks.length && found === undefined; block += backwards ? -1 : 1) {
    const read = visitBatches(trace, block, 0, (decoded) => {
      for (let i = 0; i < decoded.batch.count; i++) {
        const n = decoded.first + i;
        if (backwards ? n > at : n <= at) continue;
        if (!matches(decoded, i)) continue;
        found = recordView(trace, decoded, i);
        if (!backwards) return false;
      }
      return true;
    });
    if (!read.ok) return read;
  }
  return ok(found);
}

function held(
  trace: Trace,
  { address, register }: Omit<AccessArguments, 'trace'>,
  at: RecordNumber,
  { cpu }: RecordView,
): string | undefined {
  if (register !== undefined) {
    const found = registers(trace, { at, ...(cpu === undefined ? {} : { cpu }) });
    return found.ok ? found.value.files[0]?.registers.find(({ name }) => name === register)?.value : undefined;
  }
  if (address === undefined) return undefined;
  const length = BigInt(address.high) - BigInt(address.low) + 1n;
  if (length > MOST_VALUE_BYTES) return undefined;
  const view = memory(trace, { at, address: address.low, length: Number(length) });
  if (!view.ok || !view.value.known.some((how) => how !== KNOWN.not)) return undefined;
  const { bytes, known } = view.value;
  return [...bytes].map((byte, i) => (known[i] === KNOWN.not ? '??' : byte.toString(16).padStart(2, '0'))).join('');
}
