/** Tables of the hot spots of a range: functions and loops by their own cost. */
import type { Loop, ProfileFunction } from '../../../../shared/requests/profile.ts';
import { counted, group } from '../../../../shared/base/numbers.ts';
import { visible } from '../../../../shared/base/visible.ts';
import { code, filledColumns, sentences, type Block } from '../blocks.ts';
import type { TableData } from '../document.ts';
import { recordsText, shareText, tableCaption } from '../words.ts';

export function profileBlocks(data: Extract<TableData, { readonly table: 'profile' }>): Block[] {
  const { rows, all, unit, cost, evidence, notes } = data;
  if (rows.length === 0) return [{ block: 'say', text: 'The trace shows no functions here.' }, ...sentences(notes)];
  const most = rows[0]?.self ?? 0;
  const more = `${group(cost)} ${unit} in all, known from ${evidence}`;
  return [
    filledColumns({
      block: 'table',
      caption: tableCaption(rows.length, all, ['function', 'functions'], more),
      columns: [
        { title: 'Function' },
        { title: 'Address' },
        { title: 'Self', right: true },
        { title: 'Share', right: true },
        { title: 'Total', right: true },
        { title: 'Share of total', right: true },
        { title: 'Calls', right: true },
        { title: 'Of the calls' },
        { title: 'First call', right: true },
        { title: 'Longest call' },
      ],
      rows: rows.map((fn) => ({
        cells: [
          code([fn.name, ...fn.aliases].map(visible).join(', ')),
          code(fn.address ?? ''),
          { text: group(fn.self), bar: most === 0 ? 0 : fn.self / most },
          shareText(fn.self, cost),
          group(fn.total),
          shareText(fn.total, cost),
          group(fn.calls),
          doubtsOf(fn),
          fn.first === undefined ? '' : group(fn.first),
          longestOf(fn),
        ],
      })),
    }),
    ...sentences(notes),
  ];
}

function doubtsOf({ inferred, unseen }: ProfileFunction): string {
  return [
    ...(inferred === undefined ? [] : [`${group(inferred)} inferred`]),
    ...(unseen === undefined ? [] : [`${group(unseen)} more known from returns`]),
  ].join(', ');
}

function longestOf({ longest }: ProfileFunction): string {
  if (longest === undefined) return '';
  const { from, to, open } = longest;
  return `${counted(to - from, 'record')}, ${recordsText(longest)}${open ? ', may be longer' : ''}`;
}

export function loopBlocks(data: Extract<TableData, { readonly table: 'loops' }>): Block[] {
  const { rows, all, unit, cost, notes } = data;
  if (rows.length === 0) return [{ block: 'say', text: 'No loop is known here.' }, ...sentences(notes)];
  return [
    filledColumns({
      block: 'table',
      caption: tableCaption(rows.length, all, ['loop', 'loops'], `${group(cost)} ${unit} in all`),
      columns: [
        { title: 'Function' },
        { title: 'Header' },
        { title: 'End' },
        { title: 'Share', right: true },
        { title: 'Instructions', right: true },
        { title: 'Iterations', right: true },
        { title: 'Entries', right: true },
        { title: 'First record', right: true },
        { title: 'Within' },
        { title: 'Remarks' },
      ],
      rows: rows.map((loop) => ({
        cells: [
          code(visible(loop.function ?? '')),
          code(loop.header),
          code(loop.end),
          shareOf(loop, cost),
          between(loop, group),
          group(loop.iterations),
          group(loop.entries),
          loop.first === undefined ? '' : group(loop.first),
          code(loop.outer ?? ''),
          remarksOf(loop),
        ],
      })),
    }),
    ...sentences(notes),
  ];
}

/** For example `12.5 %`, or `10.0 % to 15.0 %` if it is not known exactly. */
function shareOf(loop: Loop, cost: number): string {
  return between(loop, (count) => shareText(count, cost));
}

function between({ least, most }: Loop, text: (count: number) => string): string {
  if (least === undefined || most === undefined) return '';
  const [low, high] = [text(least), text(most)];
  return low === high ? low : `${low} to ${high}`;
}

function remarksOf({ begunBefore, inferred }: Loop): string {
  return [...(begunBefore ? ['entered before these records'] : []), ...(inferred ? ['inferred'] : [])].join(', ');
}
