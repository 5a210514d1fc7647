/** `profile`: the functions by their cost, or one function between its callers and callees. */
import { COST_MEASURES } from '../../../shared/requests/flow.ts';
import type { ProfileFunction, ProfilePair } from '../../../shared/requests/profile.ts';
import { group } from '../../../shared/base/numbers.ts';
import { fail, ok, type Result } from '../../../shared/base/result.ts';
import { instructionCosts, lineCosts } from '../../../shared/coverage/costs.ts';
import type { CodeTimes } from '../../../shared/requests/answers/code-times.ts';
import type { Coverage } from '../../../shared/requests/answers/coverage.ts';
import { whole } from '../../../shared/requests/schema.ts';
import { resultPlace } from '../../result-file.ts';
import { profileAgainst } from '../against/code.ts';
import { AGAINST_NOTE, againstOptions, checkAgainst } from '../against/options.ts';
import { command, type Context } from '../command.ts';
import { writeResult } from '../figure-file.ts';
import { functionNamed } from '../function-named.ts';
import { flowRange, RANGE_NOTE, withFlow } from '../options/flow-range.ts';
import { flag, number, oneOf, path, word } from '../options/options.ts';
import { printLoops } from '../print/profile/loops.ts';
import { instructionTable, instructionTimes, lineTable, lineTimes } from '../print/profile/code-tables.ts';
import { createTable, type Column } from '../print/table.ts';
import { FORMS, writtenAs } from '../profile/forms.ts';
import { filesRead } from '../trace.ts';

const LEVELS = ['function', 'line', 'instruction', 'loop'] as const;
const ORDERS = ['self', 'total', 'calls', 'longest', 'first', 'name'] as const;
type Order = (typeof ORDERS)[number];

export const profile = command({
  name: 'profile',
  text: 'Hot spots: the functions by their own cost, each with its first call and longest stay',
  notes: [
    'Costs are counted in instructions if the trace has them, otherwise in branches. `total` includes callees; recursion counts once.',
    '--by time: the time from an instruction to the next one of the same processor counts for the first one. Time across gaps of the',
    'trace, and where records have no time, is unknown and not counted. It reads all records of the range.',
    '`longest` is the most records for which one call stayed in the function; + if it began before or ended after these records.',
    '--function prints one function with its callers and callees. `total` then is the time while that pair was open; a tail call',
    'replaces its caller on the stack, so its time counts for the function below.',
    '--level line and instruction count how often the code ran, and need the image; --level loop prints what `loops` does.',
    '--callgrind writes costs and calls for KCachegrind, with those of each instruction if the image has the code: a call is at its call',
    'site if there is only one, otherwise at the beginning of the caller. --speedscope and --pprof write the cost of each call path.',
    RANGE_NOTE,
    AGAINST_NOTE,
    'Lines are the same by file and number, or in a source that was edited by their place in a function that is the same.',
    '--json prints {evidence, unit, cost, functions, pairs, notes}, with --function {evidence, unit, cost, function, callers, callees, notes}.',
  ].join('\n'),
  trace: 'needed',
  options: {
    function: word('F', 'only this function, between its callers and callees', 'a name or an address'),
    sort: oneOf('COLUMN', `order of the functions: ${ORDERS.join(', ')}; self by default`, ORDERS),
    limit: number('K', whole(1, Number.MAX_SAFE_INTEGER), 'at most this many rows of each table, all by default'),
    level: oneOf('LEVEL', `what the table lists: ${LEVELS.join(', ')}; function by default`, LEVELS),
    callgrind: flag('write a file for KCachegrind and callgrind_annotate'),
    speedscope: flag('write JSON for speedscope'),
    pprof: flag('write a gzipped profile for pprof; needs -o'),
    output: path('FILE', 'the file to write', 'o'),
    by: oneOf('WHAT', 'what costs are measured in: counts (the default) or time', COST_MEASURES),
    ...flowRange('calls'),
    ...againstOptions,
  },
  async run(
    context,
    { function: wanted, sort = 'self', limit = Number.MAX_SAFE_INTEGER, level, output, by, ...given },
  ) {
    const { from, to } = given;
    const comparable = checkAgainst(context, given, {
      ...Object.fromEntries(FORMS.flatMap((one) => (given[one] === true ? [[one, true]] : []))),
      ...{ output, from, to, function: wanted },
      ...(sort !== 'self' && { sort }),
    });
    if (!comparable.ok) return comparable;
    if (given.against !== undefined) {
      if (level === 'instruction' || level === 'loop')
        return fail('usage', `profile: --against compares functions and lines, not --level ${level}`);
      if (by === 'time' && level === 'line')
        return fail('usage', 'profile: --against compares times of functions, not --level line');
      const look = { level: level ?? 'function', limit, by, pathOf: (file: string) => file };
      return profileAgainst(context, given.against, given, look);
    }
    const measure = by === undefined ? {} : { by };
    const chosen = FORMS.filter((form) => given[form] === true);
    const [form] = chosen;
    const both = [
      ...chosen,
      ...(level !== undefined ? ['level'] : []),
      ...(wanted !== undefined ? ['function'] : []),
      ...(context.common.json && form !== undefined && output === undefined ? ['json'] : []),
    ];
    if (by === 'time' && level === 'loop')
      return fail('usage', 'profile: --by time is known for functions, lines and instructions, not --level loop');
    if (both.length > 1) return fail('usage', `profile: give --${both[0]!} or --${both[1]!}, not both`);
    if (output !== undefined && form === undefined)
      return fail('usage', `profile: -o needs one of ${FORMS.map((one) => `--${one}`).join(', ')}`);
    if (form === 'pprof' && output === undefined)
      return fail('usage', 'profile: --pprof writes a binary file; name it with -o FILE');
    if (output !== undefined) {
      const place = await resultPlace(output, filesRead(context));
      if (!place.ok) return place;
    }
    const { common, out } = context;
    return withFlow(context, { from, to }, async (trace, range, onEvent) => {
      if (form !== undefined) {
        const written = await writtenAs(form, context, trace, { ...range, ...measure }, onEvent);
        context.progress.clear();
        return written.ok ? print(context, written.value, output) : written;
      }
      if (level === 'line' || level === 'instruction') {
        const texts = level === 'instruction';
        const costs =
          by === 'time'
            ? timesOf(await trace.request('codeTimes', { trace: trace.id, ...range }, { onEvent }), level, limit)
            : countsOf(
                await trace.request('coverage', { trace: trace.id, ...range, level, texts }, { onEvent }),
                level,
                limit,
              );
        context.progress.clear();
        return costs.ok ? printCosts(context, level, costs.value) : costs;
      }
      if (level === 'loop') return printLoops(context, trace, { range, limit, onEvent });
      const answer = await trace.request('profile', { trace: trace.id, ...range, ...measure }, { onEvent });
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

async function print(
  context: Context,
  written: string | Uint8Array,
  output: string | undefined,
): Promise<Result<void>> {
  const bytes = typeof written === 'string' ? new TextEncoder().encode(written) : written;
  if (output !== undefined) return writeResult(context, bytes, output);
  await context.out.write(typeof written === 'string' ? written : new TextDecoder().decode(written));
  return ok(undefined);
}

type CodeLevel = 'line' | 'instruction';

/** The most expensive lines or instructions. */
interface CodeCost extends Pick<CodeTimes, 'unit' | 'cost' | 'notes'> {
  readonly rows: readonly object[];
  table(colour: boolean): string;
}

function countsOf(answer: Result<Coverage>, level: CodeLevel, limit: number): Result<CodeCost> {
  if (!answer.ok) return answer;
  const { executed: cost, notes } = answer.value;
  const common = { unit: 'instructions', cost, notes };
  if (level === 'line') {
    const rows = lineCosts(answer.value).slice(0, limit);
    return ok({ ...common, rows, table: (colour) => lineTable(rows, cost, colour) });
  }
  const rows = instructionCosts(answer.value, limit);
  return ok({ ...common, rows, table: (colour) => instructionTable(rows, cost, colour) });
}

function timesOf(answer: Result<CodeTimes>, level: CodeLevel, limit: number): Result<CodeCost> {
  if (!answer.ok) return answer;
  const { unit, cost, notes, lines, instructions } = answer.value;
  if (level === 'line') {
    const rows = lines.slice(0, limit);
    return ok({ unit, cost, notes, rows, table: (colour) => lineTimes(rows, cost, colour) });
  }
  const rows = instructions.slice(0, limit);
  return ok({ unit, cost, notes, rows, table: (colour) => instructionTimes(rows, cost, colour) });
}

async function printCosts(
  context: Context,
  level: CodeLevel,
  { unit, cost, notes, rows, table }: CodeCost,
): Promise<Result<void>> {
  const { common, out } = context;
  if (common.json) {
    await out.json({ unit, cost, [`${level}s`]: rows, notes });
    return ok(undefined);
  }
  await out.write(`${group(cost)} ${unit}.\n\n${table(out.colour)}`);
  for (const note of notes) context.notify(note);
  return ok(undefined);
}

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
