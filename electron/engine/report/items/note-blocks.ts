/** Returns the blocks of a note in a report. */
import { counted, group } from '../../../../shared/base/numbers.ts';
import type { StackFrame } from '../../../../shared/requests/flow.ts';
import { isEffect, type RecordView } from '../../../../shared/records/record.ts';
import { toHex } from '../../../../shared/base/units.ts';
import { code, sentences, type Block, type Cell, type Column, type GridCell, type Row } from '../blocks.ts';
import type { MemoryData, NoteData } from '../document.ts';
import { visible } from '../../../../shared/base/visible.ts';
import { line, recordsText, timeText } from '../words.ts';
import { effectText, recordText } from './record-text.ts';

export function noteBlocks(data: NoteData): Block[] {
  const { note, from, to, registers, memory, stack } = data;
  const at = to - 1;
  return [
    labels(data),
    ...(note.text.trim() === '' ? [] : [{ block: 'prose', text: note.text, heading: 3 } as const]),
    ...(data.records.length === 0 ? [] : [recordTable(data)]),
    ...endBlocks(data),
    ...registers.flatMap(({ cpu, registers: all }): Block[] => {
      const whose = cpu === undefined ? '' : ` of CPU ${String(cpu)}`;
      const label = `Registers${whose} after record ${group(at)}`;
      const cells = all.map(({ name, value, since }): GridCell => ({
        name: visible(name),
        value: visible(value),
        note: `since ${group(since)}`,
        strong: since >= from && since < to,
      }));
      return [
        { block: 'heading', text: label },
        { block: 'grid', label, cells },
      ];
    }),
    ...(memory === undefined ? [] : memoryBlocks(memory, data, at)),
    ...(stack === undefined ? [] : stackBlocks(stack, at)),
  ];
}

function endBlocks({ note: { place }, from, to }: NoteData): Block[] {
  if (to === from) return [{ block: 'say', text: 'The note points past the last record of the trace.' }];
  if (place.to === undefined || place.to <= to) return [];
  return [
    { block: 'say', text: `The note extends past the last record of the trace, which is record ${group(to - 1)}.` },
  ];
}

function labels({ note }: NoteData): Block {
  const { place, created, changed, colour, tags } = note;
  const where = recordsText({ from: place.n, to: place.to ?? place.n + 1 });
  const length = place.length === undefined || place.length === 1 ? '' : `, ${group(place.length)} bytes`;
  return {
    block: 'labels',
    colour,
    texts: [
      `${where.charAt(0).toUpperCase()}${where.slice(1)}`,
      ...(place.address === undefined ? [] : [`Address ${visible(place.address)}${length}`]),
      `Written ${timeText(created)}`,
      ...(timeText(changed) === timeText(created) ? [] : [`changed ${timeText(changed)}`]),
      ...(place.elsewhere === true
        ? ['made while the trace was read with other settings, and shown at the record at the same byte']
        : []),
    ],
    tags: tags.map((tag) => line(tag, 60)),
  };
}

interface Part {
  readonly column: Column;
  cell(record: RecordView): string | Cell;
}

const CPU = 'CPU';
const WHAT = 'Text and effects';

const PARTS: readonly Part[] = [
  { column: { title: 'Record', right: true }, cell: ({ n }) => group(n) },
  { column: { title: 'Time', right: true }, cell: ({ time }) => (time === undefined ? '' : group(time)) },
  { column: { title: CPU, right: true }, cell: ({ cpu }) => (cpu === undefined ? '' : String(cpu)) },
  { column: { title: 'Address' }, cell: ({ address }) => code(address ?? '') },
  { column: { title: 'Symbol' }, cell: ({ symbol }) => code(visible(symbol ?? '')) },
  { column: { title: WHAT }, cell: whatCell },
  { column: { title: 'Source' }, cell: ({ line: source }) => code(visible(source ?? '')) },
  { column: { title: 'Marks' }, cell: ({ flags = [] }) => visible(flags.join(', ')) },
];

function whatCell(record: RecordView): Cell {
  const text = isEffect(record.kind) ? `↳ ${effectText(record)}` : recordText(record);
  return { text: line(text, 240), code: true, foreign: true };
}

function recordTable({ records, runs = [], from, to }: NoteData): Block {
  const ran = new Map(runs.map((run) => [run.n, run]));
  const isOneCpu = new Set(records.map(({ cpu }) => cpu)).size === 1;
  const shown = PARTS.filter(({ column }) => !isOneCpu || column.title !== CPU);
  const rows: Row[] = [];
  let before: number | undefined;
  for (const record of records) {
    if (before !== undefined && record.n > before + 1) {
      const left = counted(record.n - before - 1, 'record is left out here', 'records are left out here');
      rows.push({ cells: shown.map(({ column }) => (column.title === WHAT ? left : '')) });
    }
    before = record.n;
    rows.push(...runRows(ran.get(record.n), shown));
    const isHere = record.n >= from && record.n < to;
    rows.push({
      cells: shown.map(({ cell }) => cell(isOneCpu ? withoutGuess(record) : record)),
      mark: isHere ? 'here' : isEffect(record.kind) ? 'effect' : undefined,
    });
  }
  const last = records.at(-1)?.n ?? 0;
  return {
    block: 'table',
    caption: `Context: ${recordsText({ from: records[0]?.n ?? 0, to: last + 1 })}`,
    columns: shown.map(({ column }) => column),
    rows,
  };
}

/** Returns rows for the instructions that ran before a message. The message itself only shows how the run ended. */
function runRows(run: NonNullable<NoteData['runs']>[number] | undefined, shown: readonly Part[]): Row[] {
  if (run === undefined) return [];
  const { instructions, left = 0, unknown } = run;
  const row = (texts: Readonly<Record<string, string | Cell>>): Row => ({
    cells: shown.map(({ column }) => texts[column.title] ?? ''),
    mark: 'effect',
  });
  return [
    ...(left === 0 ? [] : [row({ [WHAT]: `${counted(left, 'more instruction')} ran before these` })]),
    ...instructions.map(({ address, symbol, line: source, text }) =>
      row({
        Address: code(address),
        Symbol: code(visible(symbol ?? '')),
        [WHAT]: code(`↳ ${visible(text ?? 'ran')}`),
        Source: code(visible(source ?? '')),
      }),
    ),
    ...(unknown === undefined ? [] : [row({ [WHAT]: `The following instructions are unknown: ${visible(unknown)}` })]),
  ];
}

/** Removes the marks of assumed CPUs, which are irrelevant if all records are of one CPU. */
function withoutGuess(record: RecordView): RecordView {
  const flags = record.flags?.filter((flag) => flag !== 'cpu-assumed') ?? [];
  return { ...record, flags };
}

const ROW = 16;
const TOP = 1n << 64n;

function memoryBlocks({ address, length, bytes, writers }: MemoryData, { note }: NoteData, at: number): Block[] {
  const digits = Array.from({ length }, (_, i) => bytes.slice(2 * i, 2 * i + 2));
  const title = `Memory after record ${group(at)}`;
  const first = BigInt(address);
  const low = BigInt(note.place.address ?? address);
  const high = low + BigInt(note.place.length ?? 1);
  const end = first + BigInt(length);
  const left = (high < TOP ? high : TOP) - end;
  const more: Block[] =
    left <= 0n
      ? []
      : [
          {
            block: 'say',
            text: `${counted(Number(left), 'more byte')}, starting at ${toHex(end)}, ${left === 1n ? 'is' : 'are'} left out.`,
          },
        ];
  if (digits.every((byte) => byte === '??') && writers.every((writer) => writer < 0)) {
    return [
      { block: 'heading', text: title },
      { block: 'say', text: `The trace does not show the contents of ${toHex(low)} at this record.` },
      ...more,
    ];
  }
  const rows: Row[] = [];
  for (let start = 0; start < length; start += ROW) {
    const own = digits.slice(start, start + ROW);
    const from = first + BigInt(start);
    rows.push({
      cells: [
        code(toHex(from)),
        code(own.join(' ')),
        { text: own.map(characterOf).join(''), code: true },
        writersText(writers.slice(start, start + ROW)),
      ],
      mark: from < high && from + BigInt(ROW) > low ? 'here' : undefined,
    });
  }
  return [
    {
      block: 'table',
      caption: `${title}; ?? is unknown`,
      columns: [{ title: 'Address' }, { title: 'Bytes' }, { title: 'Text' }, { title: 'Last written by record' }],
      rows,
    },
    ...more,
  ];
}

function characterOf(digits: string): string {
  const value = Number.parseInt(digits, 16);
  return value >= 0x20 && value < 0x7f ? String.fromCharCode(value) : '·';
}

const MOST_WRITERS = 4;

function writersText(writers: readonly number[]): string {
  const distinct = [...new Set(writers.filter((writer) => writer >= 0))];
  const shown = distinct.slice(0, MOST_WRITERS).map(group).join('; ');
  return distinct.length > MOST_WRITERS ? `${shown} and ${group(distinct.length - MOST_WRITERS)} more` : shown;
}

function stackBlocks({ cpu, frames, notes }: NonNullable<NoteData['stack']>, at: number): Block[] {
  const whose = cpu === undefined ? '' : ` of CPU ${String(cpu)}`;
  const say = sentences(notes);
  if (frames.length === 0) return say;
  return [
    {
      block: 'table',
      caption: `Call stack${whose} at record ${group(at)}, innermost first`,
      columns: [
        { title: 'Function' },
        { title: 'Since record', right: true },
        { title: 'Called at' },
        { title: 'Marks' },
      ],
      rows: frames.map(frameRow),
    },
    ...say,
  ];
}

function frameRow({ function: name, since, site, siteSymbol, inferred, entered }: StackFrame): Row {
  const place = [site, siteSymbol === undefined ? undefined : `(${visible(siteSymbol)})`].filter(Boolean).join(' ');
  return {
    cells: [
      code(visible(name)),
      since === undefined ? '' : group(since),
      code(place),
      [entered, inferred === true ? 'inferred' : undefined].filter(Boolean).join(', '),
    ],
  };
}
