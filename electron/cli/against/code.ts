/** `coverage --against` and `profile --against`: the functions and lines of two runs as one. */
import {
  changedLines,
  changeOf,
  codeChanges,
  ranAlike,
  type CodeChanges,
} from '../../../shared/against/code-changes.ts';
import type {
  FunctionCode,
  FunctionCodeChange,
  LineCode,
  LineCodeChange,
} from '../../../shared/requests/answers/code-changes.ts';
import { callChanges, change, isSame, type FunctionChange } from '../../../shared/against/call-changes.ts';
import type { CostMeasure } from '../../../shared/requests/flow.ts';
import type { Coverage } from '../../../shared/requests/answers/coverage.ts';
import { counted, group, signed } from '../../../shared/base/numbers.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import type { Context } from '../command.ts';
import { costColumns } from '../print/changes.ts';
import { percent } from '../print/coverage/tables.ts';
import { createTable, type Column } from '../print/table.ts';
import { fromBoth, sameUnit, withSides, type AgainstValues, type Sides } from './options.ts';

export interface CodeLook {
  readonly level: 'function' | 'line';
  /** Largest number of rows; all by default. */
  readonly limit?: number;
  /** Measure of the costs of functions. */
  readonly by?: CostMeasure | undefined;
  /** Returns the path of a source file where the reader has it. */
  readonly pathOf: (file: string) => string;
}

export function coverageAgainst(
  context: Context,
  against: string,
  given: AgainstValues,
  look: CodeLook,
): Promise<Result<void>> {
  return withSides(context, against, given, async (sides) => {
    const found = await codeOfBoth(context, sides);
    if (!found.ok) return found;
    const { changes, notes } = found.value;
    const { common, out } = context;
    if (common.json) await out.json(documentOf(changes, { shift: sides.shift, notes }, look));
    else await out.write(coverageText(changes, look, out.colour));
    if (!common.json) notify(context, notes);
    return ok(undefined);
  });
}

export function profileAgainst(
  context: Context,
  against: string,
  given: AgainstValues,
  look: CodeLook,
): Promise<Result<void>> {
  return withSides(context, against, given, async (sides) =>
    look.level === 'line' ? profileLines(context, sides, look) : profileFunctions(context, sides, look),
  );
}

async function profileLines(context: Context, sides: Sides, look: CodeLook): Promise<Result<void>> {
  const found = await codeOfBoth(context, sides);
  if (!found.ok) return found;
  const { changes, notes } = found.value;
  const rows = changedLines(changes);
  const { common, out } = context;
  if (common.json) {
    const lines = rows.slice(0, look.limit).map((row) => linesOf(row, look));
    await out.json({ unit: 'instructions', shift: sides.shift, lines, notes });
    return ok(undefined);
  }
  const same = changes.lines.length - rows.length;
  const total = changes.lines.reduce((sum, row) => sum + changeOf(row), 0);
  const columns: readonly Column<LineCodeChange>[] = [
    { title: 'self A', right: true, text: ({ a }) => shown(a?.self) },
    { title: 'self B', right: true, text: ({ b }) => shown(b?.self) },
    { title: 'change', right: true, text: (row) => signed(changeOf(row)) },
    { title: 'count A', right: true, text: ({ a }) => shown(a?.count) },
    { title: 'count B', right: true, text: ({ b }) => shown(b?.count) },
    { title: 'line', text: (row) => placeText(row, look) },
  ];
  await out.write(
    [
      `Costs in instructions; the lines of B took ${signed(total)}. ${counted(same, 'line')} of ${group(changes.lines.length)} cost the same in both.\n`,
      ...(rows.length === 0 ? [] : [createTable(columns, out.colour).lines(rows.slice(0, look.limit))]),
    ].join('\n'),
  );
  notify(context, notes);
  return ok(undefined);
}

async function profileFunctions(context: Context, sides: Sides, { limit, by }: CodeLook): Promise<Result<void>> {
  const profiles = await fromBoth(context, sides, (trace, onEvent) =>
    trace.request('profile', { trace: trace.id, ...(by !== undefined && { by }) }, { onEvent }),
  );
  if (!profiles.ok) return profiles;
  const comparable = sameUnit(profiles.value);
  if (!comparable.ok) return comparable;
  const [a, b] = profiles.value;
  const { functions } = callChanges(
    { functions: a.functions, edges: [] },
    { functions: b.functions, edges: [] },
    BigInt(sides.shift),
  );
  const notes = { a: a.notes, b: b.notes, both: [] };
  const { common, out } = context;
  if (common.json) {
    const rows = functions.slice(0, limit);
    await out.json({ unit: a.unit, cost: { a: a.cost, b: b.cost }, shift: sides.shift, functions: rows, notes });
    return ok(undefined);
  }
  const changed = functions.filter((one) => !isSame(one));
  const table = createTable<FunctionChange>(
    [
      ...costColumns<FunctionChange>('self'),
      { title: 'of A', right: true, text: (row) => shareText(change(row, 'self'), a.cost) },
      ...costColumns<FunctionChange>('total'),
      ...costColumns<FunctionChange>('calls'),
      { title: 'function', text: ({ name }) => name },
    ],
    out.colour,
  );
  const same = functions.length - changed.length;
  await out.write(
    [
      `Costs in ${a.unit}: ${group(a.cost)} in A, ${group(b.cost)} in B, ${signed(b.cost - a.cost)}. ${counted(same, 'function')} of ${group(functions.length)} cost the same in both.\n`,
      ...(changed.length === 0 ? [] : [table.lines(changed.slice(0, limit))]),
    ].join('\n'),
  );
  notify(context, notes);
  return ok(undefined);
}

interface BothNotes {
  readonly a: readonly string[];
  readonly b: readonly string[];
  /** About the comparison. */
  readonly both: readonly string[];
}

async function codeOfBoth(
  context: Context,
  sides: Sides,
): Promise<Result<{ readonly changes: CodeChanges; readonly notes: BothNotes }>> {
  const both = await fromBoth<Coverage>(context, sides, (trace, onEvent) =>
    trace.request('coverage', { trace: trace.id }, { onEvent }),
  );
  if (!both.ok) return both;
  const [a, b] = both.value;
  const changes = codeChanges(a, b, BigInt(sides.shift));
  return ok({ changes, notes: { a: a.notes, b: b.notes, both: changes.notes } });
}

function documentOf(
  { functions, lines, totals }: CodeChanges,
  more: { readonly shift: string; readonly notes: BothNotes },
  look: CodeLook,
) {
  const { shift, notes } = more;
  return { shift, functions, lines: lines.map((line) => linesOf(line, look)), totals: { lines: totals }, notes };
}

function linesOf({ a, b }: LineCodeChange, { pathOf }: CodeLook) {
  const side = (one: LineCode | null) => (one === null ? null : { ...one, file: pathOf(one.file) });
  return { a: side(a), b: side(b) };
}

function coverageText(changes: CodeChanges, look: CodeLook, colour: boolean): string {
  const table = look.level === 'line' ? lineTable(changes, look, colour) : functionTable(changes, look, colour);
  return [...(table === '' ? [] : [table]), `${totalsText(changes)}\n`].join('\n');
}

function functionTable({ functions }: CodeChanges, { limit }: CodeLook, colour: boolean): string {
  const rows = functions.filter((one) => !ranAlike(one)).slice(0, limit);
  if (rows.length === 0) return '';
  const ran = (one: FunctionCode | null): string =>
    one === null || one.instructions.total === 0 ? '-' : percent(one.instructions.covered, one.instructions.total);
  const columns: readonly Column<FunctionCodeChange>[] = [
    { title: 'ran A', right: true, text: ({ a }) => ran(a) },
    { title: 'ran B', right: true, text: ({ b }) => ran(b) },
    { title: 'lines only A', right: true, text: ({ onlyA }) => group(onlyA) },
    { title: 'lines only B', right: true, text: ({ onlyB }) => group(onlyB) },
    { title: 'entered A', right: true, text: ({ a }) => shown(a?.count) },
    { title: 'entered B', right: true, text: ({ b }) => shown(b?.count) },
    { title: 'function', text: ({ name }) => name },
  ];
  return createTable(columns, colour).lines(rows);
}

function lineTable({ lines }: CodeChanges, look: CodeLook, colour: boolean): string {
  const rows = lines.filter(({ a, b }) => (a?.count ?? 0) > 0 !== (b?.count ?? 0) > 0).slice(0, look.limit);
  if (rows.length === 0) return '';
  const columns: readonly Column<LineCodeChange>[] = [
    { title: 'count A', right: true, text: ({ a }) => shown(a?.count) },
    { title: 'count B', right: true, text: ({ b }) => shown(b?.count) },
    { title: 'line', text: (row) => placeText(row, look) },
  ];
  return createTable(columns, colour).lines(rows);
}

function totalsText({ functions, totals }: CodeChanges): string {
  const { both, onlyA, onlyB, neither } = totals;
  const alike = functions.filter(ranAlike).length;
  const parts = [
    `${counted(both, 'line')} ran in both runs`,
    `${group(onlyA)} only in A`,
    `${group(onlyB)} only in B`,
    `${group(neither)} in neither`,
  ];
  const lines = both + onlyA + onlyB + neither === 0 ? 'No lines are known' : parts.join(', ');
  return `${lines}. The same parts of ${group(alike)} of ${counted(functions.length, 'function')} ran in both.`;
}

/** A line that moved has both places. */
function placeText({ a, b }: LineCodeChange, { pathOf }: CodeLook): string {
  const text = ({ file, line }: LineCode): string => `${pathOf(file)}:${line}`;
  const [first, second] = [a ?? b!, b];
  if (second === null || (second.file === first.file && second.line === first.line)) return text(first);
  return `${text(first)}, in B ${second.file === first.file ? String(second.line) : text(second)}`;
}

function shown(count: number | undefined): string {
  return count === undefined ? '-' : group(count);
}

function shareText(part: number, whole: number): string {
  if (whole === 0) return '';
  const share = ((100 * part) / whole).toFixed(1);
  return `${part > 0 ? '+' : ''}${share} %`;
}

function notify(context: Context, { a, b, both }: BothNotes): void {
  for (const note of a) context.notify(`A: ${note}`);
  for (const note of b) context.notify(`B: ${note}`);
  for (const note of both) context.notify(note);
}
