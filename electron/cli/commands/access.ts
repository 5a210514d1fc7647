/** `last-write`, `next-access` and their like: who touched memory or set a register, and what it held before and after. */
import { ACCESS_WAYS } from '../../../shared/requests/requests.ts';
import type { AccessFound, AccessWay, Reach } from '../../../shared/requests/requests.ts';
import { inOrder } from '../../../shared/records/record.ts';
import { ok } from '../../../shared/base/result.ts';
import type { Hex, RecordNumber } from '../../../shared/base/units.ts';
import { addressSpan, spanOf } from '../addresses.ts';
import { command } from '../command.ts';
import type { Command, Context } from '../command.ts';
import { group } from '../print/numbers.ts';
import { recordNumber, word } from '../options.ts';
import { recordPrinter } from '../print/record-lines.ts';
import { AT_MISSING, CPU, missing, reach } from '../state-at.ts';
import { facts } from '../print/table.ts';
import { withTrace, type OpenTrace } from '../trace.ts';

const TEXT: Readonly<Record<AccessWay, string>> = {
  'last-write': 'Who last wrote memory or set a register, at a record',
  'last-read': 'Who last read or fetched memory',
  'last-access': 'Who last touched memory or set a register',
  'next-write': 'Who next writes memory or sets a register',
  'next-read': 'Who next reads or fetches memory',
  'next-access': 'Who next touches memory or sets a register',
};

const DONE: Readonly<Record<AccessWay, string>> = {
  'last-write': 'nothing wrote',
  'last-read': 'nothing read',
  'last-access': 'nothing touched',
  'next-write': 'nothing writes',
  'next-read': 'nothing reads',
  'next-access': 'nothing touches',
};

/** One command for each way. */
export const accessCommands: readonly Command[] = ACCESS_WAYS.map((way) =>
  command({
    name: way,
    text: TEXT[way],
    notes: `With what the span, of up to 64 bytes, or the register held before that record and after it. Parts of the register
and other names for its bits, as W0 of X0 or D0 of V0, count as the register.`,
    trace: 'needed',
    options: {
      at: recordNumber(isLast(way) ? 'this record or the newest before it; needed' : 'only after this record; needed'),
      address: addressSpan('A[-B]', 'any byte of the span, both ends included'),
      register: word('NAME', 'this register instead, by its name in the trace', 'the name of a register'),
      cpu: CPU('only this cpu, for --register'),
    },
    async run(context, { at, address, register, cpu }) {
      if (address === undefined && register === undefined)
        return missing(context, 'say what with --address A or --register NAME');
      if (address !== undefined && register !== undefined)
        return missing(context, 'give --address or --register, not both');
      if (address !== undefined && cpu !== undefined) return missing(context, '--cpu goes with --register only');
      if (at === undefined) return missing(context, AT_MISSING);
      return withTrace(context, async (trace) => {
        const span = address && (await spanOf(context, trace, address));
        if (span?.ok === false) return span;
        const reached = await reach(trace, at, !isLast(way));
        if (!reached.ok) return reached;
        const what = {
          ...(span && { address: span.value }),
          ...(register !== undefined && { register }),
          ...(cpu !== undefined && { cpu }),
        };
        const answer = await trace.request('access', { trace: trace.id, way, at, ...what });
        if (!answer.ok) return answer;
        await print(context, answer.value, `${DONE[way]} ${whatText(what)} ${placeText(way, at)}`);
        if (answer.value.record === null && register !== undefined)
          await hint(context, trace, way, register, answer.value.reach);
        return ok(undefined);
      });
    },
  }),
);

function isLast(way: AccessWay): boolean {
  return way.startsWith('last');
}

interface What {
  readonly address?: { readonly low: Hex; readonly high: Hex };
  readonly register?: string;
  readonly cpu?: number;
}

function whatText({ address, register = '', cpu }: What): string {
  if (address === undefined) return `register ${register}${cpu === undefined ? '' : ` of cpu ${cpu}`}`;
  return address.low === address.high ? address.low : `${address.low}-${address.high}`;
}

function placeText(way: AccessWay, at: RecordNumber): string {
  return isLast(way) ? `up to record ${group(at)}` : `after record ${group(at)}`;
}

async function print(context: Context, { record, before, after }: AccessFound, nobody: string): Promise<void> {
  const { common, out } = context;
  if (common.json) {
    await out.json(record && { ...inOrder(record), before, after });
  } else if (record === null) await out.write(`${nobody}\n`);
  else {
    await recordPrinter(context)([record]);
    const held = facts(
      [
        ['before', before],
        ['after', after],
      ],
      out.colour,
    );
    if (held !== '') await out.write(`\n${held}`);
  }
}

/** Says why nothing may have been found: names are those of the trace. */
async function hint(
  context: Context,
  trace: OpenTrace,
  way: AccessWay,
  register: string,
  { records }: Reach,
): Promise<void> {
  if (way.endsWith('read')) {
    context.tell('traces record only which records set a register, not which read it');
    return;
  }
  const answer = await trace.request('registers', { trace: trace.id, at: records - 1 });
  const names = answer.ok ? answer.value.files.flatMap((file) => file.registers.map(({ name }) => name)) : [];
  const alike = names.find((name) => name.toLowerCase() === register.toLowerCase() && name !== register);
  if (alike !== undefined) context.tell(`the trace has no register ${register} but ${alike}`);
}
