/** `history`: the changes of a register, of bytes of memory or of a variable. */
import type { HistoryRow, WatchHistory } from '../../../shared/requests/watches.ts';
import { group } from '../../../shared/base/numbers.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { whole } from '../../../shared/requests/schema.ts';
import { command, type Context } from '../command.ts';
import { number, recordNumber } from '../options/options.ts';
import { missing } from '../options/state-at.ts';
import { documented, identity, shown, WATCHED, WATCHED_NOTE, watchedOf, type Watched } from '../options/watched.ts';
import { searchProgress } from '../print/search-progress.ts';
import { createTable, type Column } from '../print/table.ts';
import { withTrace, type OpenTrace } from '../trace.ts';

/** Changes per request. */
const PART = 1000;

export const history = command({
  name: 'history',
  text: 'The changes of one register, span of memory or variable, oldest first',
  notes: [
    WATCHED_NOTE,
    'A change is a record after which the value differs; the first record that shows a value counts. `rewrites` counts the writes of the',
    'same value since the change before. A change by `read` happened before its record: the record only shows it.',
    'Parts of variables are named as in C: --variable "list[2].key". A pointer has the value that the records show after --from, and the',
    'history is that of the one address it then points to.',
    'Give one of --register, --address and --variable, once.',
    'Example: tracebench history TRACE --address 0x8000-0x8003 --form signed --from 1000 --limit 20',
    '--json prints {register, cpu or variable, type, address, bytes, start, changes: [{n, how, before, after, rewrites, by}], rewrites, next}:',
    'start is the value before the first record, rewrites follow the last change, and next is the record for --from to continue, or null.',
  ].join('\n'),
  trace: 'needed',
  options: {
    ...WATCHED,
    from: recordNumber('only changes in this record and later ones'),
    to: recordNumber('only changes in records before this one'),
    limit: number('K', whole(1, 1_000_000), 'at most this many changes, 1000 by default'),
  },
  async run(context, { from = 0, to, limit = PART, ...given }) {
    if (to !== undefined && from > to) return fail('usage', 'history: --from must not be greater than --to');
    const { register = [], address = [], variable = [] } = given;
    if (register.length + address.length + variable.length > 1)
      return missing(context, 'give only one register, span or variable; `tracebench watch` takes several');
    return withTrace(context, async (trace) => {
      const indexed = await trace.index();
      if (!indexed.ok) return indexed;
      const { records } = indexed.value;
      const watched = await watchedOf(context, trace, given, Math.max(0, Math.min(from, records - 1)));
      if (!watched.ok) return watched;
      const [one] = watched.value;
      if (one === undefined) return ok(undefined);
      const found = await read(context, trace, one, { from, to: Math.min(to ?? records, records) }, limit);
      if (!found.ok) return found;
      await print(context, one, found.value);
      return ok(undefined);
    });
  },
});

type Found = Omit<WatchHistory, 'reach'>;

async function read(
  context: Context,
  trace: OpenTrace,
  { subject }: Watched,
  range: { readonly from: number; readonly to: number },
  limit: number,
): Promise<Result<Found>> {
  const onEvent = searchProgress(context, trace.opened.file.bytes, { ...range, newest: false });
  const changes: HistoryRow[] = [];
  let start: string | undefined;
  let from = range.from;
  let left = 0;
  for (;;) {
    const part = { from, to: Math.max(from, range.to), most: Math.min(PART, limit - changes.length) };
    const answer = await trace.request('watchHistory', { trace: trace.id, subject, ...part }, { onEvent });
    context.progress.clear();
    if (!answer.ok) return answer;
    const { rewrites, next } = answer.value;
    start ??= answer.value.start;
    const [first, ...later] = answer.value.changes;
    // A part begins with the change that ended the part before, so writes of the same value before it were counted there.
    if (first) changes.push(changes.length === 0 ? first : { ...first, rewrites: first.rewrites + left }, ...later);
    left = rewrites;
    if (next === null || changes.length >= limit) return ok({ start, changes, rewrites, next });
    from = next;
  }
}

async function print(context: Context, watched: Watched, { start, changes, rewrites, next }: Found): Promise<void> {
  const { common, out } = context;
  if (common.json) {
    const rows = changes.map(({ before, after, ...row }) => ({
      n: row.n,
      how: row.how,
      before: documented(watched, before),
      after: documented(watched, after),
      rewrites: row.rewrites,
      ...(row.by && { by: row.by }),
    }));
    await out.json({ ...identity(watched), start: documented(watched, start), changes: rows, rewrites, next });
    return;
  }
  const { name, type } = watched;
  await out.write(`${name}${type === undefined ? '' : ` (${type})`}: ${shown(watched, start)} at the start\n`);
  const table = createTable(columnsOf(watched), out.colour);
  for (let i = 0; i < changes.length; i += PART) await out.write(table.lines(changes.slice(i, i + PART)));
  if (next === null) {
    if (rewrites > 0) await out.write(`${group(rewrites)} more writes of the same value\n`);
    if (changes.length === 0 && rewrites === 0) await out.write('no record changes or writes it\n');
  } else context.notify(`there are more changes; continue with --from ${next}`);
}

function columnsOf(watched: Watched): readonly Column<HistoryRow>[] {
  return [
    { title: 'record', right: true, text: ({ n }) => group(n) },
    { title: 'by', text: ({ how }) => how },
    { title: 'value', right: true, text: ({ after }) => shown(watched, after) },
    { title: 'rewrites before', right: true, text: ({ rewrites }) => (rewrites === 0 ? '' : group(rewrites)) },
    { title: 'instruction', right: true, text: ({ by }) => (by === undefined ? '' : group(by.n)) },
    { title: 'address', right: true, text: ({ by }) => by?.address ?? '' },
    { title: 'symbol', text: ({ by }) => by?.symbol ?? '' },
  ];
}
