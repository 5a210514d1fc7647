/** Report part with the change of costs or of coverage from this run to the other one. */
import { CHANGE_NAMES } from '../../../../present/text/part-names.ts';
import { callChanges, change, isSame, type FunctionChange } from '../../../../shared/against/call-changes.ts';
import { changedLines, changeOf, codeChanges, ranAlike } from '../../../../shared/against/code-changes.ts';
import type { FunctionCode, LineCode, LineCodeChange } from '../../../../shared/requests/answers/code-changes.ts';
import { counted, group, signed } from '../../../../shared/base/numbers.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { visible } from '../../../../shared/base/visible.ts';
import type { ReportPart } from '../../../../shared/report/plan.ts';
import { listedIn } from '../../queries/source/counts.ts';
import { profile } from '../../queries/calls/profile.ts';
import { withoutProgress, type Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { code, sentences, type Block } from '../blocks.ts';
import type { ChangeData, Item } from '../document.ts';
import { sourceOf } from '../sources.ts';
import { tableCaption } from '../words.ts';

export type ChangePart = Extract<ReportPart, { readonly kind: 'change' }>;

const MOST = 20;

export async function makeChange(
  trace: Trace,
  other: Trace | undefined,
  { of, most = MOST }: ChangePart,
  task: Task,
): Promise<Result<Item>> {
  if (other === undefined)
    return fail('usage', 'a part of the plan compares the trace with another one; name it with --against');
  const { shiftBetween } = await import('../../queries/diff/paths/shift.ts');
  const shift = await shiftBetween(trace, other, withoutProgress(task));
  if (!shift.ok) return shift;
  const data = await dataOf(trace, other, of, { most, shift: shift.value.shift }, task);
  if (!data.ok) return data;
  const call = of === 'profile' ? 'profile' : 'coverage';
  const its = sourceOf(trace, call, {});
  if (!its.ok) return its;
  const others = sourceOf(other, call, {});
  if (!others.ok) return others;
  return ok({
    kind: 'change',
    title: CHANGE_NAMES[of],
    sources: [its.value, { ...others.value, of: 'other' }],
    data: data.value,
  });
}

async function dataOf(
  trace: Trace,
  other: Trace,
  of: ChangePart['of'],
  { most, shift }: { readonly most: number; readonly shift: string },
  task: Task,
): Promise<Result<ChangeData>> {
  const silent = withoutProgress(task);
  if (of === 'profile') {
    const a = await profile(trace, {}, silent);
    if (!a.ok) return a;
    const b = await profile(other, {}, silent);
    if (!b.ok) return b;
    if (a.value.unit !== b.value.unit)
      return fail(
        'usage',
        `costs cannot be compared: the first trace counts ${a.value.unit}, and the other one ${b.value.unit}`,
      );
    const graph = ({ functions }: typeof a.value) => ({ functions, edges: [] });
    const changed = callChanges(graph(a.value), graph(b.value), BigInt(shift)).functions.filter((one) => !isSame(one));
    return ok({
      of,
      shift,
      unit: a.value.unit,
      cost: { a: a.value.cost, b: b.value.cost },
      rows: changed.slice(0, most),
      all: changed.length,
      notes: notesOf(a.value, b.value),
    });
  }
  const a = await listedIn(trace, {}, silent);
  if (!a.ok) return a;
  const b = await listedIn(other, {}, silent);
  if (!b.ok) return b;
  const [its, others] = [a.value, b.value];
  const changes = codeChanges(its, others, BigInt(shift));
  const { functions, totals, notes } = changes;
  const all = { shift, notes: [...notesOf(its, others), ...notes] };
  if (of === 'coverage') {
    const rows = functions.filter((one) => !ranAlike(one));
    return ok({ of, ...all, totals, functions: functions.length, rows: rows.slice(0, most), all: rows.length });
  }
  const rows = changedLines(changes);
  return ok({ of, ...all, rows: rows.slice(0, most), all: rows.length });
}

interface Noted {
  readonly notes: readonly string[];
}

function notesOf(a: Noted, b: Noted): readonly string[] {
  return [...a.notes.map((note) => `A: ${note}`), ...b.notes.map((note) => `B: ${note}`)];
}

export function changeBlocks(data: ChangeData): Block[] {
  return [
    { block: 'say', text: 'A is the trace of this report, B the other one.' },
    ...(data.of === 'profile' ? profileBlocks(data) : data.of === 'lines' ? lineBlocks(data) : coverageBlocks(data)),
    ...sentences(data.notes),
  ];
}

function profileBlocks({ rows, all, unit, cost }: Extract<ChangeData, { readonly of: 'profile' }>): Block[] {
  const sum = `${group(cost.a)} ${unit} in A, ${group(cost.b)} in B, ${signed(cost.b - cost.a)}`;
  if (rows.length === 0) return [{ block: 'say', text: `Every function cost the same in both runs: ${sum}.` }];
  const cells = (row: FunctionChange, of: 'self' | 'total' | 'calls'): readonly string[] => [
    shown(row.a?.[of]),
    shown(row.b?.[of]),
    signed(change(row, of)),
  ];
  return [
    {
      block: 'table',
      caption: tableCaption(rows.length, all, ['function', 'functions'], `with another cost; ${sum}`),
      columns: [{ title: 'Function' }, ...pairColumns('Self'), ...pairColumns('Total'), ...pairColumns('Calls')],
      rows: rows.map((row) => ({
        cells: [code(visible(row.name)), ...cells(row, 'self'), ...cells(row, 'total'), ...cells(row, 'calls')],
      })),
    },
  ];
}

function lineBlocks({ rows, all }: Extract<ChangeData, { readonly of: 'lines' }>): Block[] {
  if (rows.length === 0) return [{ block: 'say', text: 'Every line ran as often in both runs.' }];
  return [
    {
      block: 'table',
      caption: tableCaption(rows.length, all, ['line', 'lines'], 'that ran more or less often'),
      columns: [
        { title: 'Line' },
        ...pairColumns('Instructions'),
        { title: 'Times A', right: true },
        { title: 'Times B', right: true },
      ],
      rows: rows.map((row) => ({
        cells: [
          code(visible(placeText(row))),
          shown(row.a?.self),
          shown(row.b?.self),
          signed(changeOf(row)),
          shown(row.a?.count),
          shown(row.b?.count),
        ],
      })),
    },
  ];
}

function coverageBlocks(data: Extract<ChangeData, { readonly of: 'coverage' }>): Block[] {
  const { rows, all, totals, functions } = data;
  const { both, onlyA, onlyB, neither, notComparedA, notComparedB } = totals;
  return [
    {
      block: 'facts',
      rows: [
        ['Lines that ran in both', group(both)],
        ['Only in A', group(onlyA)],
        ['Only in B', group(onlyB)],
        ['In neither', group(neither)],
        ...(notComparedA + notComparedB === 0
          ? []
          : [['Not compared', `${group(notComparedA)} of A, ${group(notComparedB)} of B`] as const]),
        ['Functions of which the same ran', `${group(functions - all)} of ${group(functions)}`],
      ],
    },
    ...(rows.length === 0
      ? []
      : [
          {
            block: 'table',
            caption: tableCaption(rows.length, all, ['function', 'functions'], 'of which other parts ran'),
            columns: [
              { title: 'Function' },
              { title: 'Ran in A', right: true },
              { title: 'Ran in B', right: true },
              { title: 'Lines only in A', right: true },
              { title: 'Lines only in B', right: true },
              { title: 'Entered in A', right: true },
              { title: 'Entered in B', right: true },
            ],
            rows: rows.map(({ name, a, b, onlyA: inA, onlyB: inB }) => ({
              cells: [
                code(visible(name)),
                ranText(a),
                ranText(b),
                group(inA),
                group(inB),
                shown(a?.count),
                shown(b?.count),
              ],
            })),
          } as const,
        ]),
  ];
}

function pairColumns(what: string): readonly { readonly title: string; readonly right: true }[] {
  return ['A', 'B', 'change'].map((side) => ({ title: `${what} ${side}`, right: true }));
}

/** A program without the function or line has `-`. */
function shown(count: number | undefined): string {
  return count === undefined ? '-' : group(count);
}

function ranText(one: FunctionCode | null): string {
  return one === null ? '-' : `${group(one.instructions.covered)} of ${counted(one.instructions.total, 'instruction')}`;
}

function placeText({ a, b }: LineCodeChange): string {
  const text = ({ file, line }: LineCode): string => `${file}:${line}`;
  const first = (a ?? b)!;
  return b === null || (b.file === first.file && b.line === first.line)
    ? text(first)
    : `${text(first)}, in B ${text(b)}`;
}
