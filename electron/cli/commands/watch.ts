/** `watch`: values of registers, memory and variables at a record, with the change before and the change after. */
import type { WatchChange, WatchValue } from '../../../shared/requests/watches.ts';
import { group } from '../../../shared/base/numbers.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import type { RecordNumber } from '../../../shared/base/units.ts';
import { command, type Context } from '../command.ts';
import { AT, withStateAt } from '../options/state-at.ts';
import { documented, identity, shown, WATCHED, WATCHED_NOTE, watchedOf, type Watched } from '../options/watched.ts';
import { searchProgress } from '../print/search-progress.ts';
import { createTable, type Column } from '../print/table.ts';
import type { OpenTrace } from '../trace.ts';

export const watch = command({
  name: 'watch',
  text: 'Values of registers, memory and variables at a record, with their last and next change',
  notes: [
    WATCHED_NOTE,
    'A change is a record after which the value differs; the first record that shows a value counts, a write of the same value does not.',
    'A change by `read` happened before its record: the record only shows that the value is another one now.',
    'Parts of variables are named as in C; a pointer has the value that the records show after --at: --variable "head->next->key".',
    'Example: tracebench watch TRACE --image program.elf --at 1000 --register r0 --address 0x8000-0x8003 --variable count',
    '--json prints {at, values: [{register, cpu or variable, type, address, bytes, contents, value, here, before, last, next}]}.',
  ].join('\n'),
  trace: 'needed',
  options: { at: AT, ...WATCHED },
  run: (context, { at, ...given }) =>
    withStateAt(
      context,
      at,
      async (trace, at) => {
        const watched = await watchedOf(context, trace, given, at);
        if (!watched.ok) return watched;
        const subjects = watched.value.map(({ subject }) => subject);
        const values = await trace.request('watchValues', { trace: trace.id, at, subjects });
        if (!values.ok) return values;
        const rows: Row[] = [];
        for (const [i, one] of watched.value.entries()) {
          const last = await changeOf(context, trace, one, 'last', at);
          if (!last.ok) return last;
          const next = await changeOf(context, trace, one, 'next', at);
          if (!next.ok) return next;
          rows.push({ watched: one, value: values.value.values[i]!, last: last.value, next: next.value });
        }
        await print(context, at, rows);
        return ok(undefined);
      },
      true,
    ),
});

interface Row {
  readonly watched: Watched;
  readonly value: WatchValue;
  readonly last: WatchChange | null;
  readonly next: WatchChange | null;
}

async function changeOf(
  context: Context,
  trace: OpenTrace,
  { subject }: Watched,
  way: 'last' | 'next',
  at: RecordNumber,
): Promise<Result<WatchChange | null>> {
  const newest = way === 'last';
  const searched = newest ? { from: 0, to: at, newest } : { from: at, to: Number.MAX_SAFE_INTEGER, newest };
  const onEvent = searchProgress(context, trace.opened.file.bytes, searched);
  const answer = await trace.request('watchChange', { trace: trace.id, subject, way, at }, { onEvent });
  context.progress.clear();
  return answer.ok ? ok(answer.value.change) : answer;
}

async function print({ common, out }: Context, at: RecordNumber, rows: readonly Row[]): Promise<void> {
  if (!common.json) {
    await out.write(`record ${group(at)}\n${createTable(COLUMNS, out.colour).lines(rows)}`);
    return;
  }
  const values = rows.map(({ watched, value: { contents, here, before }, last, next }) => ({
    ...identity(watched),
    ...documented(watched, contents),
    ...(here && { here }),
    ...(before !== undefined && { before: documented(watched, before) }),
    last: last && change(watched, last),
    next: next && change(watched, next),
  }));
  await out.json({ at, values });
}

function change(watched: Watched, { n, how, before, after }: WatchChange) {
  return { n, how, before: documented(watched, before), after: documented(watched, after) };
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'watched', text: ({ watched }) => watched.name },
  { title: 'cpu', right: true, text: ({ watched }) => String(watched.subject.cpu ?? '') },
  { title: 'type', text: ({ watched }) => watched.type ?? '' },
  { title: 'value', right: true, text: ({ watched, value }) => shown(watched, value.contents) },
  { title: 'here', text: ({ value }) => value.here ?? '' },
  { title: 'last change', right: true, text: ({ last }) => (last ? group(last.n) : 'none') },
  { title: 'by', text: ({ last }) => last?.how ?? '' },
  { title: 'from', right: true, text: ({ watched, last }) => (last ? shown(watched, last.before) : '') },
  { title: 'next change', right: true, text: ({ next }) => (next ? group(next.n) : 'none') },
  { title: 'by', text: ({ next }) => next?.how ?? '' },
  { title: 'to', right: true, text: ({ watched, next }) => (next ? shown(watched, next.after) : '') },
];
