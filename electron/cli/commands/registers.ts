/** `registers`: known register values at a record. */
import type { RegisterFiles } from '../../../shared/requests/requests.ts';
import { bankOf, spellFlags } from '../../../shared/records/arm-registers.ts';
import type { RegisterValue } from '../../../shared/records/registers.ts';
import { ok } from '../../../shared/base/result.ts';
import type { Result } from '../../../shared/base/result.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import { command } from '../command.ts';
import type { Context } from '../command.ts';
import { group } from '../../../shared/base/numbers.ts';
import { AT, CPU, withStateAt } from '../options/state-at.ts';
import { createTable } from '../print/table.ts';
import type { OpenTrace } from '../trace.ts';

export const registers = command({
  name: 'registers',
  text: 'Known register values at a record, with the record that set each',
  notes: 'Unknown registers are left out. The CPU of the record comes first; --json lists all CPUs in `cpus`.',
  trace: 'needed',
  options: { at: AT, cpu: CPU('only this CPU') },
  run: (context, { at, cpu }) =>
    withStateAt(context, at, async (trace, at) => {
      const answer = await trace.request('registers', { trace: trace.id, at });
      if (!answer.ok) return answer;
      const { files } = answer.value;
      if (cpu !== undefined) {
        await print(context, at, fileOf(context, files, cpu), []);
        return ok(undefined);
      }
      const own = await cpuOfRecord(trace, at);
      if (!own.ok) return own;
      const nothing = { ...(own.value !== undefined && { cpu: own.value }), registers: [] };
      const first = files.find((file) => file.cpu === own.value) ?? files[0] ?? nothing;
      await print(context, at, first, files);
      return ok(undefined);
    }),
});

type File = RegisterFiles['files'][number];

/** If the trace names no CPUs, its only one is number 0. */
function fileOf(context: Context, files: readonly File[], cpu: number): File {
  const [only] = files;
  if (cpu === 0 && only !== undefined && files.length === 1 && only.cpu === undefined) {
    context.notify(`${context.trace}: the trace names no CPUs; these are the registers of its only one`);
    return only;
  }
  return files.find((file) => file.cpu === cpu) ?? { cpu, registers: [] };
}

async function cpuOfRecord(trace: OpenTrace, at: RecordNumber): Promise<Result<number | undefined>> {
  const answer = await trace.request('records', { trace: trace.id, from: at, count: 1 });
  return answer.ok ? ok(answer.value.records[0]?.cpu) : answer;
}

/** Prints the register file of one CPU, and all others if there are several. */
async function print({ common, out }: Context, at: RecordNumber, first: File, all: readonly File[]): Promise<void> {
  if (common.json) {
    await out.json({ at, ...fileDocument(first), ...(all.length > 1 && { cpus: all.map(fileDocument) }) });
  } else {
    const others = all.filter((file) => file !== first);
    await out.write([first, ...others].map((file) => describe(at, file, out.colour)).join('\n'));
  }
}

function fileDocument({ cpu, registers }: File) {
  const values = registers.map(({ name, value, since }) => [name, { value, since }] as const);
  return { cpu, registers: Object.fromEntries(values) };
}

interface Row extends RegisterValue {
  readonly at: RecordNumber;
}

function describe(at: RecordNumber, { cpu, registers }: File, colour: boolean): string {
  const whose = cpu === undefined ? '' : `, CPU ${cpu}`;
  if (registers.length === 0) return `record ${group(at)}${whose}: no register is known\n`;
  const rows = [...registers].sort((a, b) => bankOrder(a).localeCompare(bankOrder(b)));
  const table = createTable(COLUMNS, colour).lines(rows.map((row) => ({ ...row, at })));
  return `record ${group(at)}${whose}\n${table}`;
}

/** Sort key: registers without a bank come first. */
function bankOrder({ name }: RegisterValue): string {
  return bankOf(name) ?? '';
}

const COLUMNS = [
  { title: 'bank', text: ({ name }: Row) => bankOf(name) ?? '' },
  { title: 'register', text: ({ name }: Row) => name },
  { title: 'value', right: true, text: ({ value }: Row) => value },
  { title: 'set by', right: true, text: ({ since }: Row) => group(since) },
  { title: 'changed', text: ({ since, at }: Row) => (since === at ? 'here' : '') },
  { title: 'flags', text: ({ name, value }: Row) => spellFlags(name, BigInt(value)) ?? '' },
];
