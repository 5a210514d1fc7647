/** What is known of the registers once a record has taken effect. */
import type { Answer, Arguments } from '../../../shared/api.ts';
import { NO_CPU } from '../../../shared/batch.ts';
import { KIND } from '../../../shared/record.ts';
import { createRegisterFile, setRegisters, type RegisterFile } from '../../../shared/registers.ts';
import { ok, type Result } from '../../../shared/result.ts';
import { reachOf, type Trace } from '../trace.ts';
import { recordBytes, visitBatches } from './block-reader.ts';

export function registers(
  trace: Trace,
  { at, cpu }: Omit<Arguments<'registers'>, 'trace'>,
): Result<Answer<'registers'>> {
  const files = new Map<number, RegisterFile>();
  const { blocks, reader } = trace;
  for (let block = 0; block < blocks.length && blocks.firstRecord(block) <= at; block++) {
    const read = visitBatches(trace, block, 0, (decoded) => {
      const { batch, first } = decoded;
      for (let i = 0; i < batch.count && first + i <= at; i++) {
        if (batch.kind[i] !== KIND.register) continue;
        const its = batch.cpu[i]!;
        const file = files.get(its) ?? createRegisterFile();
        files.set(its, file);
        setRegisters(file, reader.decoder.describe(recordBytes(decoded, i), batch, i), first + i);
      }
      return first + batch.count <= at;
    });
    if (!read.ok) return read;
  }
  return ok({
    at,
    files: [...files]
      .filter(([its]) => cpu === undefined || its === cpu)
      .sort(([a], [b]) => a - b)
      .map(([its, file]) => ({ ...(its === NO_CPU ? {} : { cpu: its }), registers: file.known() })),
    reach: reachOf(trace),
  });
}
