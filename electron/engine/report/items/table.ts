/** Report part with the hottest functions, loops, branches or pages. */
import { TABLE_NAMES } from '../../../../present/text/part-names.ts';
import { counted, group } from '../../../../shared/base/numbers.ts';
import { pageRows } from '../../../../shared/requests/addresses.ts';
import type { ReportPart } from '../../../../shared/report/plan.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { branches } from '../../queries/calls/branches.ts';
import { calls } from '../../queries/calls/calls.ts';
import { loops } from '../../queries/calls/loops.ts';
import { profile } from '../../queries/calls/profile.ts';
import { pages } from '../../queries/heat/pages.ts';
import { withoutProgress, type Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { code, sentences, type Block, type Cell } from '../blocks.ts';
import type { Item, TableData } from '../document.ts';
import { coverageBlocks, instructionBlocks, lineBlocks } from './code-blocks.ts';
import { loopBlocks, profileBlocks } from './hot-spots.ts';
import { sourceOf } from '../sources.ts';
import { visible } from '../../../../shared/base/visible.ts';
import { recordsText, shareText, tableCaption } from '../words.ts';

export type TablePart = Extract<ReportPart, { readonly kind: 'table' }>;

/** Requests with other names than their tables. */
const CALLS: Readonly<Partial<Record<TablePart['table'], string>>> = {
  functions: 'calls',
  lines: 'coverage',
  instructions: 'coverage',
};

const MOST = 20;
const PAGE = 4096;

/** Pages are counted over the whole trace, so the range of the part does not apply to them. */
export async function makeTable(trace: Trace, part: TablePart, task: Task): Promise<Result<Item>> {
  const { table, most = MOST, from, to } = part;
  const range = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  const call = CALLS[table] ?? table;
  const isPages = table === 'pages';
  const source = sourceOf(trace, call, isPages ? { size: PAGE } : range, isPages ? {} : range);
  if (!source.ok) return source;
  const data = await dataOf(trace, table, most, range, task);
  if (!data.ok) return data;
  const { records } = source.value;
  const isWhole = records.from === 0 && records.to >= trace.blocks.records;
  const title = `${TABLE_NAMES[table]}${isWhole ? '' : `: ${recordsText(records)}`}`;
  return ok({ kind: 'table', title, sources: [source.value], data: data.value });
}

async function dataOf(
  trace: Trace,
  table: TablePart['table'],
  most: number,
  range: { readonly from?: number; readonly to?: number },
  task: Task,
): Promise<Result<TableData>> {
  const silent: Task<unknown> = withoutProgress(task);
  switch (table) {
    case 'branches': {
      const found = await branches(trace, range, silent);
      if (!found.ok) return found;
      const { edges, left } = found.value;
      const count = edges.reduce((sum, edge) => sum + edge.count, left?.count ?? 0);
      return ok({ table, rows: edges.slice(0, most), all: edges.length + (left?.edges ?? 0), count });
    }
    case 'profile': {
      const found = await profile(trace, range, silent);
      if (!found.ok) return found;
      const { functions, unit, cost, evidence, notes } = found.value;
      return ok({ table, rows: functions.slice(0, most), all: functions.length, unit, cost, evidence, notes });
    }
    case 'loops': {
      const found = await loops(trace, range, silent);
      if (!found.ok) return found;
      const { loops: rows, unit, cost, notes } = found.value;
      return ok({ table, rows: rows.slice(0, most), all: rows.length, unit, cost, notes });
    }
    case 'lines':
    case 'instructions':
    case 'coverage':
      return (await import('./code.ts')).codeData(trace, table, most, range, task);
    case 'functions': {
      const found = await calls(trace, range, silent);
      if (!found.ok) return found;
      const { functions, unit, evidence, notes } = found.value;
      const sum = functions.reduce((all, { self }) => all + self, 0);
      return ok({ table, rows: functions.slice(0, most), all: functions.length, unit, evidence, sum, notes });
    }
    case 'pages': {
      const found = await pages(trace, { size: PAGE });
      if (!found.ok) return found;
      const counts = pageRows(found.value).map((row) => ({ row, count: totalOf(row.kinds) }));
      const sorted = counts.toSorted((a, b) => b.count - a.count);
      return ok({
        table,
        rows: sorted.slice(0, most).map(({ row }) => row),
        all: counts.length,
        count: counts.reduce((sum, { count }) => sum + count, 0),
      });
    }
  }
}

function totalOf(kinds: Readonly<Record<string, number | undefined>>): number {
  return Object.values(kinds).reduce((sum: number, count) => sum + (count ?? 0), 0);
}

export function tableBlocks(data: TableData): Block[] {
  switch (data.table) {
    case 'profile':
      return profileBlocks(data);
    case 'loops':
      return loopBlocks(data);
    case 'lines':
      return lineBlocks(data);
    case 'instructions':
      return instructionBlocks(data);
    case 'coverage':
      return coverageBlocks(data);
    case 'branches':
      return branchBlocks(data);
    case 'functions':
      return functionBlocks(data);
    case 'pages':
      return pageBlocks(data);
  }
}

function branchBlocks({ rows, all, count }: Extract<TableData, { readonly table: 'branches' }>): Block[] {
  if (rows.length === 0) return [{ block: 'say', text: 'The trace shows no branches here.' }];
  const most = rows[0]?.count ?? 0;
  return [
    {
      block: 'table',
      caption: tableCaption(rows.length, all, ['edge', 'edges'], `${counted(count, 'branch', 'branches')} in all`),
      columns: [
        { title: 'From' },
        { title: 'To' },
        { title: 'Kind' },
        { title: 'Count', right: true },
        { title: 'Share', right: true },
        { title: 'First record', right: true },
      ],
      rows: rows.map((edge) => ({
        cells: [
          placeText(edge.source, edge.sourceSymbol),
          placeText(edge.target, edge.targetSymbol),
          `${edge.kind}${edge.inferred ? ' (inferred)' : ''}`,
          { text: group(edge.count), bar: edge.count / most },
          shareText(edge.count, count),
          group(edge.first),
        ],
      })),
    },
  ];
}

function functionBlocks(data: Extract<TableData, { readonly table: 'functions' }>): Block[] {
  const { rows, all, unit, evidence, sum, notes } = data;
  if (rows.length === 0) return [{ block: 'say', text: 'The trace shows no functions here.' }];
  const most = rows[0]?.total ?? 0;
  return [
    {
      block: 'table',
      caption: tableCaption(rows.length, all, ['function', 'functions'], `counted in ${unit}, known from ${evidence}`),
      columns: [
        { title: 'Function' },
        { title: 'Address' },
        { title: 'Calls', right: true },
        { title: 'Self', right: true },
        { title: 'Share', right: true },
        { title: 'Total', right: true },
      ],
      rows: rows.map(({ name, address, calls: times, self, total }) => ({
        cells: [
          code(visible(name)),
          code(address ?? ''),
          group(times),
          group(self),
          shareText(self, sum),
          { text: group(total), bar: most === 0 ? 0 : total / most },
        ],
      })),
    },
    ...sentences(notes),
  ];
}

function pageBlocks({ rows, all, count }: Extract<TableData, { readonly table: 'pages' }>): Block[] {
  const [busiest] = rows;
  if (busiest === undefined) return [{ block: 'say', text: 'The trace shows no accesses.' }];
  const most = totalOf(busiest.kinds);
  return [
    {
      block: 'table',
      caption: tableCaption(
        rows.length,
        all,
        ['page of 4 KiB', 'pages of 4 KiB'],
        `${counted(count, 'access', 'accesses')} in all`,
      ),
      columns: [
        { title: 'Page' },
        { title: 'Accesses', right: true },
        { title: 'Share', right: true },
        { title: 'First record', right: true },
        { title: 'Last record', right: true },
      ],
      rows: rows.map(({ page, kinds, first, last }) => {
        const own = totalOf(kinds);
        return {
          cells: [code(page), { text: group(own), bar: own / most }, shareText(own, count), group(first), group(last)],
        };
      }),
    },
  ];
}

/** For example `main+0x8 (0x8010)` or `unknown`. */
function placeText(address: string | undefined, symbol: string | undefined): Cell {
  if (address === undefined) return { text: 'unknown' };
  return code(symbol === undefined ? address : `${visible(symbol)} (${address})`);
}
