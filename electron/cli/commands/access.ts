/** `last-write`, `next-access` and four more: the last or next access to memory or a register, with the contents before and after. */
import { ACCESS_WAYS } from '../../../shared/requests/requests.ts';
import type { AccessFound, AccessWay, Reach } from '../../../shared/requests/requests.ts';
import { inOrder } from '../../../shared/records/record.ts';
import { ok } from '../../../shared/base/result.ts';
import type { Hex, RecordNumber } from '../../../shared/base/units.ts';
import { addressSpan, spanOf } from '../options/addresses.ts';
import { command } from '../command.ts';
import type { Command, Context } from '../command.ts';
import { group } from '../../../shared/base/numbers.ts';
import { recordNumber, word } from '../options/options.ts';
import { recordPrinter } from '../print/record-lines.ts';
import { AT_MISSING, CPU, missing, reach } from '../options/state-at.ts';
import { facts } from '../print/table.ts';
import { withTrace, type OpenTrace } from '../trace.ts';

const TEXT: Readonly<Record<AccessWay, string>> = {
  'last-write': 'The last write of memory or a register before a record',
  'last-read': 'The last read or fetch of memory',
  'last-access': 'The last access to memory or a register',
  'next-write': 'The next write of memory or a register',
  'next-read': 'The next read or fetch of memory',
  'next-access': 'The next access to memory or a register',
};

const NONE: Readonly<Record<AccessWay, string>> = {
  'last-write': 'no write of',
  'last-read': 'no read of',
  'last-access': 'no access to',
  'next-write': 'no write of',
  'next-read': 'no read of',
  'next-access': 'no access to',
};

/** One command per way. */
export const accessCommands: readonly Command[] = ACCESS_WAYS.map((way) =>
  command({
    name: way,
    text: TEXT[way],
    notes: `Shows the contents of the register, or of a span of up to 64 bytes, before and after the record. Parts of the register
and other names for its bits, such as W0 of X0 or D0 of V0, count as the register.`,
    trace: 'needed',
    options: {
      at: recordNumber(isLast(way) ? 'at this record or before it; required' : 'after this record; required'),
      address: addressSpan('A[-B]', 'any byte of the span, both ends included'),
      register: word('NAME', 'this register instead, by its name in the trace', 'the name of a register'),
      cpu: CPU('only this CPU; needs --register'),
    },
    async run(context, { at, address, register, cpu }) {
      if (address === undefined && register === undefined)
        return missing(context, 'give --address A or --register NAME');
      if (address !== undefined && register !== undefined)
        return missing(context, 'give --address or --register, not both');
      if (address !== undefined && cpu !== undefined) return missing(context, '--cpu needs --register');
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
        await print(context, answer.value, `${NONE[way]} ${whatText(what)} ${placeText(way, at)}`);
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
  if (address === undefined) return `register ${register}${cpu === undefined ? '' : ` of CPU ${cpu}`}`;
  return address.low === address.high ? address.low : `${address.low}-${address.high}`;
}

function placeText(way: AccessWay, at: RecordNumber): string {
  return isLast(way) ? `up to record ${group(at)}` : `after record ${group(at)}`;
}

async function print(context: Context, { record, before, after }: AccessFound, none: string): Promise<void> {
  const { common, out } = context;
  if (common.json) {
    await out.json(record && { ...inOrder(record), before, after });
  } else if (record === null) await out.write(`${none}\n`);
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

/** Explains why nothing was found: traces do not record reads of registers, or spell the name differently. */
async function hint(
  context: Context,
  trace: OpenTrace,
  way: AccessWay,
  register: string,
  { records }: Reach,
): Promise<void> {
  if (way.endsWith('read')) {
    context.notify('traces do not record reads of registers; use last-write or next-write');
    return;
  }
  const answer = await trace.request('registers', { trace: trace.id, at: records - 1 });
  const names = answer.ok ? answer.value.files.flatMap((file) => file.registers.map(({ name }) => name)) : [];
  const alike = names.find((name) => name.toLowerCase() === register.toLowerCase() && name !== register);
  if (alike !== undefined) context.notify(`the trace has no register ${register}; it has ${alike}`);
}
