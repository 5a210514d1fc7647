/** Tools about the state of the processor and of memory at a record. */
import { KNOWN, type MemoryView } from '../../../../shared/requests/records.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { toHex, type Hex } from '../../../../shared/base/units.ts';
import { both, bothOf, listed, type Findings } from '../findings.ts';
import { address, cpu, recordNumber, spanAt, text, tool, type Tool } from '../tool.ts';
import type { OpenTrace } from '../../trace.ts';
import { recordItem } from './records.ts';

const at = recordNumber('record number; the state after this record has taken effect');
const length = { type: 'integer', minimum: 1, maximum: 4096, description: 'bytes; 4 by default' } as const;
const place = { address, length, register: text('name of a register, in place of an address'), cpu } as const;

export const stateTools: readonly Tool[] = [
  tool({
    name: 'registers',
    title: 'Register values',
    description:
      'The known registers after a record, each with the record that set it. A register that is not listed is unknown.',
    arguments: { at, cpu },
    required: ['at'],
    async run({ at, cpu }, trace, { cursor, call }) {
      const args = { trace: trace.id, at, ...(cpu !== undefined && { cpu }) };
      const found = await trace.request('registers', args, { signal: call.signal });
      if (!found.ok) return found;
      const items = found.value.files.flatMap(({ cpu: own, registers }) =>
        registers.map(({ name, value, since }) => ({
          register: name,
          cpu: own,
          value: both(value),
          evidence: `set by record ${since}`,
        })),
      );
      return ok(listed({ at: found.value.at }, 'registers', items, cursor));
    },
  }),
  tool({
    name: 'memory',
    title: 'Memory contents',
    description:
      'The known bytes of memory after a record, in runs with the same evidence. Each run of 2, 4 or 8 bytes is also shown as a number in ' +
      'both orders of bytes; which one the program uses, the trace does not say.',
    arguments: { at, address, length: { ...length, description: 'bytes; 64 by default' } },
    required: ['at', 'address'],
    async run({ at, address, length = 64 }, trace, { cursor, call }) {
      const span = spanAt(address, length);
      if (!span.ok) return span;
      const args = { trace: trace.id, at, address: span.value.low, length, opcodes: true, image: true };
      const found = await trace.request('memory', args, { signal: call.signal });
      if (!found.ok) return found;
      return ok(listed({ at: found.value.at }, 'bytes', runsOf(found.value), cursor));
    },
  }),
  tool({
    name: 'last_write',
    title: 'Who wrote this?',
    description:
      'The last record at or before a record that wrote any of these bytes, or set a register, with contents before and after.',
    arguments: { at: recordNumber('search back from this record'), ...place },
    required: ['at'],
    run: ({ at, ...where }, trace, { call }) => accessOf(trace, 'last-write', at, where, call.signal),
  }),
  tool({
    name: 'next_access',
    title: 'Who uses this next?',
    description: 'The first record after a record that reads or writes any of these bytes, or that sets a register.',
    arguments: {
      at: recordNumber('search forward from this record'),
      ...place,
      kind: { type: 'string', enum: ['read', 'write', 'access'], description: 'access, which is either, by default' },
    },
    required: ['at'],
    run: ({ at, kind = 'access', ...where }, trace, { call }) =>
      accessOf(
        trace,
        kind === 'read' ? 'next-read' : kind === 'write' ? 'next-write' : 'next-access',
        at,
        where,
        call.signal,
      ),
  }),
];

interface Where {
  readonly address?: string;
  readonly length?: number;
  readonly register?: string;
  readonly cpu?: number;
}

async function accessOf(
  trace: OpenTrace,
  way: 'last-write' | 'next-read' | 'next-write' | 'next-access',
  at: number,
  { address, length = 4, register, cpu }: Where,
  signal: AbortSignal,
): Promise<Result<Findings>> {
  if ((address === undefined) === (register === undefined))
    return fail('usage', 'give an address or a register, and not both');
  const span = address === undefined ? undefined : spanAt(address, length);
  if (span?.ok === false) return span;
  const found = await trace.request(
    'access',
    {
      trace: trace.id,
      way,
      at,
      ...(span && { address: span.value }),
      ...(register !== undefined && { register, ...(cpu !== undefined && { cpu }) }),
    },
    { signal },
  );
  if (!found.ok) return found;
  const { record, before, after } = found.value;
  const about =
    record === null
      ? { note: 'No record of the trace does that in this direction.' }
      : { before: contentsOf(before), after: contentsOf(after) };
  return ok(listed(about, 'records', record === null ? [] : [recordItem(record)], 0));
}

/** Bytes of memory in the order of their addresses, or the value of a register. */
function contentsOf(text: string | undefined): string | undefined {
  return text?.startsWith('0x') === true ? both(text as Hex) : text;
}

/** Evidence for a byte, by its value of KNOWN. */
const EVIDENCE: Readonly<Record<number, string>> = {
  [KNOWN.not]: 'unknown: no record wrote or read it',
  [KNOWN.opcode]: 'the opcode of an executed instruction',
  [KNOWN.image]: 'the program image; no record wrote or read it before',
};

/** Bytes of one run at most, as many as have a value in a register. */
const RUN = 16;

/** Groups bytes that the same record wrote or proves. */
function runsOf({ address, bytes, known, writers, touched }: MemoryView): object[] {
  const evidence = (k: number): string =>
    EVIDENCE[known[k]!] ??
    (writers[k]! >= 0 && known[k] === KNOWN.data
      ? `written by record ${writers[k]!}${touched[k] === writers[k] ? '' : `, last accessed by record ${touched[k]!}`}`
      : `read by record ${touched[k]!}`);
  const runs: object[] = [];
  for (let from = 0; from < bytes.length;) {
    let to = from + 1;
    while (to < bytes.length && to - from < RUN && evidence(to) === evidence(from)) to++;
    const own = [...bytes.subarray(from, to)];
    const isKnown = known[from] !== KNOWN.not;
    runs.push({
      address: both(toHex(BigInt(address) + BigInt(from))),
      bytes: isKnown
        ? own.map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
        : '?? '.repeat(own.length).trim(),
      ...(isKnown &&
        NUMBERS.includes(own.length) && { little_endian: bothOf(own, 'little'), big_endian: bothOf(own, 'big') }),
      evidence: evidence(from),
    });
    from = to;
  }
  return runs;
}

/** Lengths that are shown as numbers, too. */
const NUMBERS = [1, 2, 4, 8];
