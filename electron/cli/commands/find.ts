/** `find`: the next or previous matching records, or their number. */
import type { Criteria, FindArguments } from '../../../shared/requests/requests.ts';
import { fail, ok } from '../../../shared/base/result.ts';
import type { Result } from '../../../shared/base/result.ts';
import { addressSpan, spanOf } from '../options/addresses.ts';
import { valueBytes } from '../../../shared/requests/records.ts';
import { whole } from '../../../shared/requests/schema.ts';
import { command } from '../command.ts';
import type { Context } from '../command.ts';
import { searchProgress } from '../print/search-progress.ts';
import { counted, group } from '../../../shared/base/numbers.ts';
import { flag, kinds, number, recordNumber, regularExpression, value, word } from '../options/options.ts';
import { recordPrinter } from '../print/record-lines.ts';
import { withTrace, type OpenTrace } from '../trace.ts';

export const find = command({
  name: 'find',
  text: 'The next or previous matching records, or their number; JSON Lines with --json',
  notes: [
    'Records must match all given options. Without --after and --before the search starts at the first record.',
    '--value 0x60 finds records that move or set exactly 0x60; --value 0x60 --width 4 also finds 60 00 00 00 inside wider',
    'accesses and registers, at any byte, aligned or not, in the byte order of the trace.',
  ].join('\n'),
  trace: 'needed',
  options: {
    address: addressSpan('A[-B]', 'touches any byte of the span, both ends included'),
    kind: kinds('is of one of these kinds'),
    value: value('V', 'reads, writes or sets this value'),
    width: number('BYTES', valueBytes, 'the value has this many bytes, and may be part of a wider access or register'),
    register: word('NAME', 'sets this register, named as in the trace', 'the name of a register'),
    text: regularExpression('REGEX', 'its text matches this JavaScript regular expression; (?i:..) ignores case'),
    from: recordNumber('only this record and later ones'),
    to: recordNumber('only records before this one'),
    after: recordNumber('only after this record, oldest first'),
    before: recordNumber('only before this record, newest first'),
    limit: number('K', whole(1, Number.MAX_SAFE_INTEGER), 'at most this many, 1 by default'),
    count: flag('print the number of matches instead; with --json {count, from, to}'),
  },
  async run(context, { address, kind, value, width, register, text, from, to, after, before, limit, count }) {
    if (!address && !kind && !value && register === undefined && text === undefined) {
      return fail('usage', 'find: give at least one of --address, --kind, --value, --register and --text');
    }
    if (after !== undefined && before !== undefined) {
      return fail('usage', 'find: give --after or --before, not both');
    }
    if (count === true && (after !== undefined || before !== undefined || limit !== undefined)) {
      return fail(
        'usage',
        'find: --count counts all records in --from and --to; leave out --after, --before and --limit',
      );
    }
    if (width !== undefined && !value) return fail('usage', 'find: --width needs --value');
    if (width !== undefined && value && BigInt(value) >> BigInt(8 * width) !== 0n) {
      return fail(
        'usage',
        `find: --value ${value} does not fit into ${counted(width, 'byte')}; give a greater --width`,
      );
    }
    if (from !== undefined && to !== undefined && from > to) {
      return fail('usage', 'find: --from must not be greater than --to');
    }
    const rest = {
      ...(kind && { kinds: kind }),
      ...(value && { value }),
      ...(width !== undefined && { width }),
      ...(register !== undefined && { register }),
      ...(text !== undefined && { text }),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
    };
    const place = { ...(after !== undefined && { after }), ...(before !== undefined && { before }) };
    return withTrace(context, async (trace) => {
      const span = address && (await spanOf(context, trace, address));
      if (span?.ok === false) return span;
      const what = { ...(span && { address: span.value }), ...rest };
      const indexed = await trace.index();
      if (!indexed.ok) return indexed;
      const { records } = indexed.value;
      return count === true
        ? printCount(context, trace, what, records)
        : print(context, trace, what, place, limit ?? 1, records);
    });
  },
});

/** Matches per request. */
const PART = 1000;

async function print(
  context: Context,
  trace: OpenTrace,
  what: Criteria,
  start: Pick<FindArguments, 'after' | 'before'>,
  limit: number,
  records: number,
): Promise<Result<void>> {
  const put = recordPrinter(context);
  const newest = start.before !== undefined;
  const onEvent = searchProgress(context, trace.opened.file.bytes, {
    from: Math.max(what.from ?? 0, (start.after ?? -1) + 1),
    to: Math.min(what.to ?? records, start.before ?? records, records),
    newest,
  });
  let place = start;
  for (let left = limit; left > 0 && context.out.ended === 'no';) {
    const part = Math.min(PART, left);
    const answer = await trace.request('find', { trace: trace.id, ...what, ...place, limit: part }, { onEvent });
    context.progress.clear();
    if (!answer.ok) return answer;
    const found = answer.value.records;
    await put(found);
    const last = found.at(-1);
    if (!last || found.length < part) break;
    place = newest ? { before: last.n } : { after: last.n };
    left -= found.length;
  }
  return ok(undefined);
}

async function printCount(context: Context, trace: OpenTrace, what: Criteria, records: number): Promise<Result<void>> {
  const to = Math.min(what.to ?? records, records);
  const from = Math.min(what.from ?? 0, to);
  const onEvent = searchProgress(context, trace.opened.file.bytes, { from, to, newest: false });
  const answer = await trace.request('findAll', { trace: trace.id, ...what }, { onEvent });
  context.progress.clear();
  if (!answer.ok) return answer;
  const { found } = answer.value;
  if (context.common.json) await context.out.json({ count: found, from, to });
  else await context.out.write(`${group(found)} of ${group(to - from)} records match\n`);
  return ok(undefined);
}
