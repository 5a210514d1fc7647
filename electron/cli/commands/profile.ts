/** `profile`: the functions by their cost, or one function between its callers and callees. */
import type { ProfileFunction, ProfilePair } from '../../../shared/requests/profile.ts';
import { group } from '../../../shared/base/numbers.ts';
import { ok } from '../../../shared/base/result.ts';
import { whole } from '../../../shared/requests/schema.ts';
import { command } from '../command.ts';
import { functionNamed } from '../function-named.ts';
import { flowRange, RANGE_NOTE, withFlow } from '../options/flow-range.ts';
import { number, oneOf, word } from '../options/options.ts';
import { createTable, type Column } from '../print/table.ts';

const ORDERS = ['self', 'total', 'calls', 'longest', 'first', 'name'] as const;
type Order = (typeof ORDERS)[number];

export const profile = command({
  name: 'profile',
  text: 'Hot spots: the functions by their own cost, each with its first call and longest stay',
  notes: [
    'Costs are counted in instructions if the trace has them, otherwise in branches. `total` includes callees; recursion counts once.',
    '`longest` is the most records for which one call stayed in the function; + if it began before or ended after these records.',
    '--function prints one function with its callers and callees. `total` then is the time while that pair was open; a tail call',
    'replaces its caller on the stack, so its time counts for the function below.',
    RANGE_NOTE,
    '--json prints {evidence, unit, cost, functions, pairs, notes}, with --function {evidence, unit, cost, function, callers, callees, notes}.',
  ].join('\n'),
  trace: 'needed',
  options: {
    function: word('F', 'only this function, between its callers and callees', 'a name or an address'),
    sort: oneOf('COLUMN', `order of the functions: ${ORDERS.join(', ')}; self by default`, ORDERS),
    limit: number('K', whole(1, Number.MAX_SAFE_INTEGER), 'at most this many rows of each table, all by default'),
    ...flowRange('calls'),
  },
  async run(context, { function: wanted, sort = 'self', limit = Number.MAX_SAFE_INTEGER, from, to }) {
    const { common, out } = context;
    return withFlow(context, { from, to }, async (trace, range, onEvent) => {
      const answer = await trace.request('profile', { trace: trace.id, ...range }, { onEvent });
      context.progress.clear();
      if (!answer.ok) return answer;
      const { evidence, unit, cost, functions, pairs, notes } = answer.value;
      const title = `From ${evidence}; ${group(cost)} ${unit}.\n`;
      if (wanted === undefined) {
        const rows = functions.toSorted(COMPARED[sort]).slice(0, limit);
        if (common.json) {
          await out.json({ evidence, unit, cost, functions: rows, pairs: pairs.slice(0, limit), notes });
        } else {
          const table = createTable(columnsOf(cost), out.colour).lines(rows);
          await out.write([title, rows.length === 0 ? 'The trace contains no calls.\n' : table].join('\n'));
        }
      } else {
        const found = await functionNamed(context, trace, wanted, functions);
        if (!found.ok) return found;
        const one = found.value;
        const callers = pairs.filter(({ callee }) => callee === one.id).slice(0, limit);
        const callees = pairs.filter(({ caller }) => caller === one.id).slice(0, limit);
        if (common.json) {
          await out.json({ evidence, unit, cost, function: one, callers, callees, notes });
        } else {
          const names = new Map(functions.map(({ id, name }) => [id, name]));
          const nameOf = (id: string): string => names.get(id) ?? id;
          const table = (which: 'caller' | 'callee', rows: readonly ProfilePair[]): string =>
            rows.length === 0
              ? `No ${which}s are known.\n`
              : createTable(pairColumns(which, cost, nameOf), out.colour).lines(rows);
          await out.write(
            [
              title,
              createTable(columnsOf(cost), out.colour).lines([one]),
              table('caller', callers),
              table('callee', callees),
            ].join('\n'),
          );
        }
      }
      if (!common.json) for (const note of notes) context.notify(note);
      return ok(undefined);
    });
  },
});

/** The answer is in the order of `self` already; the sort is stable. */
const COMPARED: Readonly<Record<Order, (a: ProfileFunction, b: ProfileFunction) => number>> = {
  self: () => 0,
  total: (a, b) => b.total - a.total,
  calls: (a, b) => b.calls - a.calls,
  longest: (a, b) => recordsOf(b) - recordsOf(a),
  first: (a, b) => (a.first ?? Number.MAX_VALUE) - (b.first ?? Number.MAX_VALUE),
  name: (a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)),
};

function recordsOf({ longest }: ProfileFunction): number {
  return longest === undefined ? 0 : longest.to - longest.from;
}

function columnsOf(cost: number): readonly Column<ProfileFunction>[] {
  return [
    { title: 'self %', right: true, text: ({ self }) => share(self, cost) },
    { title: 'self', right: true, text: ({ self }) => group(self) },
    { title: 'total %', right: true, text: ({ total }) => share(total, cost) },
    { title: 'total', right: true, text: ({ total }) => group(total) },
    { title: 'calls', right: true, text: ({ calls }) => group(calls) },
    { title: 'first', right: true, text: ({ first }) => (first === undefined ? '' : group(first)) },
    {
      title: 'longest',
      right: true,
      text: (one) => (one.longest === undefined ? '' : `${group(recordsOf(one))}${one.longest.open ? '+' : ' '}`),
    },
    { title: 'at', right: true, text: ({ longest }) => (longest === undefined ? '' : group(longest.from)) },
    { title: 'marks', text: marksOf },
    { title: 'function', text: ({ name, aliases }) => [name, ...aliases].join(', ') },
  ];
}

function pairColumns(
  which: 'caller' | 'callee',
  cost: number,
  nameOf: (id: string) => string,
): readonly Column<ProfilePair>[] {
  return [
    { title: 'total %', right: true, text: ({ total }) => (total === undefined ? '?' : share(total, cost)) },
    { title: 'total', right: true, text: ({ total }) => (total === undefined ? '?' : group(total)) },
    { title: 'calls', right: true, text: ({ calls }) => group(calls) },
    { title: 'first', right: true, text: ({ first }) => (first === undefined ? '' : group(first)) },
    { title: 'kinds', text: ({ kinds }) => (kinds.join() === 'call' ? '' : kinds.join(', ')) },
    { title: 'marks', text: marksOf },
    { title: which, text: (pair) => nameOf(pair[which]) },
  ];
}

function marksOf({ inferred, unseen }: ProfileFunction | ProfilePair): string {
  return [
    ...(inferred === undefined ? [] : [`${group(inferred)} inferred`]),
    ...(unseen === undefined ? [] : [`${group(unseen)} from returns`]),
  ].join(', ');
}

function share(part: number, whole: number): string {
  return whole === 0 ? '' : ((100 * part) / whole).toFixed(1);
}
