/** What is known of a stretch of memory once a record has taken effect, who wrote it last and who touched it. */
import { KNOWN, type Answer, type Arguments } from '../../../shared/api.ts';
import { FLAG } from '../../../shared/batch.ts';
import { KIND, READS, WRITES } from '../../../shared/record.ts';
import { ok, type Result } from '../../../shared/result.ts';
import { joinAddress } from '../../../shared/units.ts';
import { reachOf, type Trace } from '../trace.ts';
import { visitBatches } from './block-reader.ts';
import { addOpcodes } from './opcodes.ts';

const WRITE_CODES = new Set(WRITES.map((kind) => KIND[kind]));
const READ_CODES = new Set(READS.map((kind) => KIND[kind]));

export function memory(trace: Trace, args: Omit<Arguments<'memory'>, 'trace'>): Result<Answer<'memory'>> {
  const { at, address, length, opcodes = false } = args;
  const start = BigInt(address);
  const view = {
    at,
    address,
    length,
    bytes: new Uint8Array(length),
    known: new Uint8Array(length),
    writers: new Float64Array(length).fill(-1),
    touched: new Float64Array(length).fill(-1),
  };
  /** Per byte the record that left what `view` says of it. */
  const since = new Float64Array(length).fill(-1);
  const { blocks } = trace;
  for (let block = 0; block < blocks.length && blocks.firstRecord(block) <= at; block++) {
    const read = visitBatches(trace, block, 0, ({ batch, first }) => {
      for (let i = 0; i < batch.count && first + i <= at; i++) {
        const flags = batch.flags[i]!;
        const writes = WRITE_CODES.has(batch.kind[i]!);
        if (!writes && !READ_CODES.has(batch.kind[i]!)) continue;
        if ((flags & FLAG.address) === 0 || (flags & FLAG.noEffect) !== 0) continue;
        const offset = joinAddress(batch.addressLow[i]!, batch.addressHigh[i]!) - start;
        const bytes = Math.max(1, batch.size[i]!);
        if (offset >= BigInt(length) || offset + BigInt(bytes) <= 0n) continue;
        for (let k = 0; k < bytes; k++) {
          const byte = Number(offset) + k;
          if (byte < 0 || byte >= length) continue;
          view.touched[byte] = first + i;
          if (writes) view.writers[byte] = first + i;
          if (writes || (flags & FLAG.value) !== 0) since[byte] = first + i;
          if ((flags & FLAG.value) !== 0) {
            view.bytes[byte] = batch.values.bytes[batch.valueAt[i]! + k]!;
            view.known[byte] = KNOWN.data;
          } else if (writes) {
            view.bytes[byte] = 0;
            view.known[byte] = KNOWN.not;
          }
        }
      }
      return first + batch.count <= at;
    });
    if (!read.ok) return read;
  }
  const proved = opcodes ? addOpcodes(trace, { at, low: start }, view, since) : ok(undefined);
  return proved.ok ? ok({ ...view, reach: reachOf(trace) }) : proved;
}
