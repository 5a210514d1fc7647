/** Tools about the trace and its records. */
import { basename } from 'node:path';
import { KINDS, type Kind, type RecordView } from '../../../../shared/records/record.ts';
import { ok } from '../../../../shared/base/result.ts';
import { both, listed } from '../findings.ts';
import { address, hexOf, recordNumber, spanAt, text, tool, type Tool } from '../tool.ts';

/** Records of one answer; fewer fit if they are long. */
const RECORDS = 100;

const kinds = {
  type: 'array',
  items: { type: 'string', enum: KINDS },
  description: 'only records of these kinds; memory is read by read, fetch and written by write',
} as const;

export const recordTools: readonly Tool[] = [
  tool({
    name: 'info',
    title: 'Facts about the trace',
    description:
      'Format, number of records by kind, times, addresses, program images, and lines that could not be read. Call it first.',
    arguments: {},
    required: [],
    async run(_, trace, { cursor, call }) {
      const info = await trace.request('info', { trace: trace.id }, { signal: call.signal });
      if (!info.ok) return info;
      const { file, format, records, kinds: counts, time, address: bounds, images = [], diagnostics } = info.value;
      const about = {
        file: basename(file.path),
        bytes: file.bytes,
        format: format.name,
        dialect: format.dialect,
        records,
        record_numbers: records === 0 ? 'none' : `0 to ${records - 1}`,
        kinds: counts,
        time,
        addresses: bounds && { lowest: both(bounds.lowest), highest: both(bounds.highest) },
        images: images.map(({ path, machine, functions, lines }) => ({
          file: basename(path),
          machine,
          functions,
          has_source_lines: lines !== undefined,
        })),
        ...(images.length === 0 && {
          note: 'Without a program image there are no symbols, source lines and coverage.',
        }),
      };
      const problems = diagnostics.map(({ code, count, firstRecord, text: what }) => ({
        problem: what,
        code,
        count,
        evidence: `first at record ${firstRecord}`,
      }));
      return ok(listed(about, 'problems', problems, cursor));
    },
  }),
  tool({
    name: 'records',
    title: 'Records of the trace',
    description:
      'Records in file order from a number: instructions with disassembly, memory accesses, register writes, branches.',
    arguments: {
      from: recordNumber('number of the first record'),
      count: { type: 'integer', minimum: 1, maximum: 10_000, description: `number of records, ${RECORDS} by default` },
    },
    required: ['from'],
    async run({ from, count = RECORDS }, trace, { cursor, call }) {
      const start = Math.max(from, cursor);
      const end = from + count;
      const wanted = Math.max(1, Math.min(RECORDS, end - start));
      const found = await trace.request(
        'records',
        { trace: trace.id, from: start, count: wanted },
        { signal: call.signal },
      );
      if (!found.ok) return found;
      const { records, reach } = found.value;
      const last = Math.min(end, reach.records);
      return ok({
        about: { from: start },
        list: 'records',
        items: records.map(recordItem),
        of: Math.max(0, last - start),
        cursorAfter: (shown) => (start + shown < last ? String(start + shown) : undefined),
      });
    },
  }),
  tool({
    name: 'find',
    title: 'Search records',
    description:
      'Records that match all given criteria. Forwards from `after`, oldest first, or backwards from `before`, newest first. For the last write ' +
      'of a place use last_write, which is faster and also shows what the write changed.',
    arguments: {
      address,
      length: { type: 'integer', minimum: 1, description: 'bytes from the address; 1 by default' },
      kinds,
      value: text('moves exactly this value, or sets a register to it'),
      register: text('sets the register of this name, as the trace writes it'),
      text: text('JavaScript regular expression, matched against the line of the record'),
      after: recordNumber('only later records'),
      before: recordNumber('only earlier records, newest first'),
      limit: { type: 'integer', minimum: 1, maximum: RECORDS, description: '20 by default' },
    },
    required: [],
    async run(
      { address: at, length = 1, kinds: only, value, limit = 20, after, before, ...given },
      trace,
      { cursor, call },
    ) {
      const span = at === undefined ? undefined : spanAt(at, length);
      if (span?.ok === false) return span;
      const number = value === undefined ? undefined : hexOf('value', value);
      if (number?.ok === false) return number;
      const isBackwards = before !== undefined;
      // The cursor is one more than a record number, so that 0 stands for the start.
      const from = cursor > 0 ? (isBackwards ? { before: cursor - 1 } : { after: cursor - 1 }) : {};
      const found = await trace.request(
        'find',
        {
          trace: trace.id,
          ...given,
          // The schema has checked that they are kinds.
          ...(only && { kinds: only as readonly Kind[] }),
          ...(span && { address: span.value }),
          ...(number && { value: number.value }),
          ...(after !== undefined && { after }),
          ...(isBackwards && { before }),
          ...from,
          limit,
        },
        { signal: call.signal },
      );
      if (!found.ok) return found;
      const { records } = found.value;
      const about = records.length < limit ? { note: 'There are no further matches in this direction.' } : {};
      return ok({
        about,
        list: 'records',
        items: records.map(recordItem),
        cursorAfter: (shown) =>
          shown < records.length || records.length === limit ? String(records[shown - 1]!.n + 1) : undefined,
      });
    },
  }),
];

/** A record with its numbers in both bases. The record itself is the evidence: the trace has it at this byte. */
export function recordItem(record: RecordView): object {
  const { n, offset, kind, native, time, cpu, size, register, registers, isa, line, flags } = record;
  return {
    n,
    kind,
    native,
    time,
    cpu,
    address: both(record.address),
    symbol: record.symbol,
    line,
    size,
    register,
    value: both(record.value),
    registers: registers?.map(([name, value]) => `${name} = ${both(value) ?? 'unknown'}`),
    text: record.text,
    isa,
    opcode: record.opcode,
    source: both(record.source),
    source_symbol: record.sourceSymbol,
    target: both(record.target),
    target_symbol: record.targetSymbol,
    marks: flags,
    evidence: `recorded at byte ${offset} of the trace`,
  };
}
