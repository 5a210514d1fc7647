/** `branches`: the branches of the program, counted by kind and ends, or one by one. */
import { jsonText } from '../../../shared/base/visible.ts';
import type { Answer, Arguments } from '../../../shared/requests/requests.ts';
import type { BranchEdge, BranchEvent } from '../../../shared/requests/flow.ts';
import { BRANCH_KINDS, type BranchKind } from '../../../shared/flow/events.ts';
import { fail, ok } from '../../../shared/base/result.ts';
import type { Result } from '../../../shared/base/result.ts';
import { whole } from '../../../shared/requests/schema.ts';
import { command } from '../command.ts';
import type { Context } from '../command.ts';
import { searchProgress } from '../print/search-progress.ts';
import { group } from '../../../shared/base/numbers.ts';
import { flag, number, oneOfList, recordNumber } from '../options/options.ts';
import { createTable, type Column } from '../print/table.ts';
import { withTrace, type OpenTrace } from '../trace.ts';

export const branches = command({
  name: 'branches',
  text: 'Branches, each with its number of executions; with --events one by one',
  notes: [
    'Ends that the trace does not record are left out; kinds that follow only from other branches are marked inferred.',
    '--events prints JSON Lines with --json.',
  ].join('\n'),
  trace: 'needed',
  options: {
    events: flag('print every branch in record order instead of counting them'),
    kind: oneOfList<BranchKind>('K,K', `only branches of these kinds: ${BRANCH_KINDS.join(', ')}`, BRANCH_KINDS),
    from: recordNumber('only branches of this record and later ones'),
    to: recordNumber('only branches of records before this one'),
    limit: number('K', whole(1, Number.MAX_SAFE_INTEGER), 'at most this many, all by default'),
  },
  async run(context, { events, kind, from, to, limit = Number.MAX_SAFE_INTEGER }) {
    if (from !== undefined && to !== undefined && from > to)
      return fail('usage', 'branches: --from must not be greater than --to');
    const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
    return withTrace(context, async (trace) => {
      const indexed = await trace.index();
      if (!indexed.ok) return indexed;
      const { records } = indexed.value;
      const searched = { from: from ?? 0, to: Math.min(to ?? records, records), newest: false };
      const onEvent = searchProgress(context, trace.opened.file.bytes, searched);
      return events === true
        ? printEvents(context, trace, range, kind, limit, onEvent)
        : printEdges(context, trace, range, kind, limit, onEvent);
    });
  },
});

interface Range {
  readonly from?: number;
  readonly to?: number;
}

type OnEvent = (event: { readonly at: number }) => void;

async function printEdges(
  { common, out, progress, notify }: Context,
  trace: OpenTrace,
  range: Range,
  kinds: readonly BranchKind[] | undefined,
  limit: number,
  onEvent: OnEvent,
): Promise<Result<void>> {
  const query = { trace: trace.id, ...range, ...(kinds !== undefined && { kinds }) };
  const answer = await trace.request('branches', query, { onEvent });
  progress.clear();
  if (!answer.ok) return answer;
  const { edges, left } = answer.value;
  const wanted = edges.slice(0, limit);
  if (left !== undefined)
    notify(`${group(left.edges)} rarer branches are left out; they were taken ${group(left.count)} times in total`);
  if (common.json) await out.json(wanted.map(edgeInOrder));
  else
    await out.write(wanted.length === 0 ? noneText(range, kinds) : createTable(EDGE_COLUMNS, out.colour).lines(wanted));
  return ok(undefined);
}

function noneText(range: Range, kinds: readonly BranchKind[] | undefined): string {
  const isAll = range.from === undefined && range.to === undefined && kinds === undefined;
  return isAll ? 'The trace contains no branches.\n' : 'No branches match.\n';
}

/** Events per request. */
const PART = 10_000;

async function printEvents(
  { common, out, progress }: Context,
  trace: OpenTrace,
  range: Range,
  kinds: readonly BranchKind[] | undefined,
  limit: number,
  onEvent: OnEvent,
): Promise<Result<void>> {
  const table = createTable(EVENT_COLUMNS, out.colour);
  let next: number | null = range.from ?? 0;
  let any = false;
  for (let left = limit; left > 0 && next !== null && out.ended === 'no';) {
    const args: Arguments<'branchEvents'> = {
      trace: trace.id,
      ...range,
      from: next,
      count: Math.min(PART, left),
      ...(kinds && { kinds }),
    };
    const answer: Result<Answer<'branchEvents'>> = await trace.request('branchEvents', args, { onEvent });
    progress.clear();
    if (!answer.ok) return answer;
    const found = answer.value.events.slice(0, left);
    if (common.json) await out.write(found.map((event) => `${jsonText(eventInOrder(event))}\n`).join(''));
    else await out.write(table.lines(found));
    any ||= found.length > 0;
    left -= found.length;
    next = answer.value.next;
  }
  if (!any && !common.json) await out.write(noneText(range, kinds));
  return ok(undefined);
}

function edgeInOrder({ source, target, kind, count, inferred, ...rest }: BranchEdge): BranchEdge {
  return { ...ends(source, target), kind, count, inferred, ...rest };
}

function eventInOrder({ n, source, target, kind, inferred, operandSize, ...rest }: BranchEvent): BranchEvent {
  return {
    n,
    ...ends(source, target),
    kind,
    inferred,
    ...(operandSize === undefined ? {} : { operandSize }),
    ...rest,
  };
}

function ends(source: BranchEdge['source'], target: BranchEdge['target']): Pick<BranchEdge, 'source' | 'target'> {
  return { ...(source === undefined ? {} : { source }), ...(target === undefined ? {} : { target }) };
}

type Ends = Pick<BranchEdge, 'source' | 'target' | 'sourceSymbol' | 'targetSymbol' | 'kind' | 'inferred' | 'flags'>;

const END_COLUMNS: readonly Column<Ends>[] = [
  { title: 'kind', text: ({ kind }) => kind },
  { title: 'source', right: true, text: ({ source }) => source ?? '?' },
  { title: 'from', text: ({ sourceSymbol }) => sourceSymbol ?? '' },
  { title: 'target', right: true, text: ({ target }) => target ?? '?' },
  { title: 'to', text: ({ targetSymbol }) => targetSymbol ?? '' },
  {
    title: 'marks',
    text: ({ inferred, flags }) => [...(inferred ? ['inferred'] : []), ...(flags ?? [])].join(' '),
  },
];

const EDGE_COLUMNS: readonly Column<BranchEdge>[] = [
  { title: 'count', right: true, text: ({ count }) => group(count) },
  ...END_COLUMNS,
  { title: 'first', right: true, text: ({ first }) => group(first) },
  { title: 'last', right: true, text: ({ last }) => group(last) },
];

const EVENT_COLUMNS: readonly Column<BranchEvent>[] = [
  { title: 'record', right: true, text: ({ n }) => group(n) },
  { title: 'cpu', right: true, text: ({ cpu }) => cpu?.toString() ?? '' },
  ...END_COLUMNS,
];
