/** Report part with the differences of two runs: where they part, the regions that differ, and the functions that these are in. */
import { DIFF_NAME } from '../../../../present/text/part-names.ts';
import { countedElements, sameText } from '../../../../shared/against/diff-words.ts';
import { counted, group } from '../../../../shared/base/numbers.ts';
import { fail, ok, type Result } from '../../../../shared/base/result.ts';
import { visible } from '../../../../shared/base/visible.ts';
import type { ReportPart } from '../../../../shared/report/plan.ts';
import type { DiffFunction, DiffPair, DiffRegion, PathElements, RegionKind } from '../../../../shared/requests/diff.ts';
import { withoutProgress, type Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import type { Block, Cell, Row } from '../blocks.ts';
import type { DiffData, Item } from '../document.ts';
import { sourceOf } from '../sources.ts';
import { shareText, tableCaption } from '../words.ts';

export type DiffPart = Extract<ReportPart, { readonly kind: 'diff' }>;

/** Regions and functions that a report shows by default. */
const MOST = 100;

export async function makeDiff(
  trace: Trace,
  other: Trace | undefined,
  { question }: DiffPart,
  task: Task,
): Promise<Result<Item>> {
  if (other === undefined)
    return fail('usage', 'a part of the plan compares the trace with another one; name it with --against');
  const { diff } = await import('../../queries/diff/diff.ts');
  const wanted = { most: MOST, ...question };
  const found = await diff(trace, other, wanted, withoutProgress(task));
  if (!found.ok) return found;
  const its = sourceOf(trace, 'diff', wanted);
  if (!its.ok) return its;
  const others = sourceOf(other, 'diff', wanted);
  if (!others.ok) return others;
  return ok({
    kind: 'diff',
    title: DIFF_NAME,
    sources: [its.value, { ...others.value, of: 'other' }],
    data: { question, ...found.value },
  });
}

export function diffBlocks(data: DiffData): Block[] {
  const { same, by, of, first, regions, left, functions, functionsLeft, matched = 1 } = data;
  const { instructionsA, instructionsB, notCompared, shift, cpu } = data;
  const differing = regions.filter(({ kind }) => kind !== 'same' && kind !== 'not-compared');
  const verdict = same
    ? `${sameText(data)}${by === 'values' ? ', with the same effects' : ''}.`
    : 'A is the trace of this report, B the other one.';
  const isPart = of !== 'instructions' && notCompared > 0;
  const all = isPart
    ? `the ${of} that both traces show`
    : `${group(instructionsA)} ${of} of A and ${group(instructionsB)} of B`;
  const pairRow = (name: string, pair: DiffPair | null): readonly (readonly [string, Cell | string])[] =>
    pair === null ? [] : [[name, { text: visible(`${placesOf(pair)}: ${pair.what}`), foreign: true }]];
  return [
    { block: 'say', text: verdict },
    {
      block: 'facts',
      rows: [
        ...pairRow('They part', first.path),
        ...pairRow('First different value', first.values),
        ['Aligned', `${shareText(matched === 1 ? 1 : Math.min(matched, 0.999), 1)} of ${all}`],
        ['Compared', comparedText(data)],
        ...ignoredRows(data),
        ...(notCompared === 0
          ? []
          : [[of === 'instructions' ? 'Effects not compared' : 'Not compared', notComparedText(data)] as const]),
        ...(shift === '0' ? [] : [['Load addresses', `those of B minus those of A: ${shift} bytes`] as const]),
        ...(cpu === null ? [] : [['CPU', group(cpu)] as const]),
      ],
    },
    ...(differing.length === 0 ? [] : [regionTable(differing, left, of)]),
    ...(functions.length === 0 ? [] : [functionTable(functions, functionsLeft)]),
  ];
}

function comparedText({ by, of }: DiffData): string {
  if (of !== 'instructions') return `the ${of} that both traces show`;
  if (by === 'symbol') return 'which instructions ran, by function and place in it';
  return by === 'values' ? 'which instructions ran, and the values that both traces prove' : 'which instructions ran';
}

function notComparedText({ of, notCompared }: DiffData): string {
  const count = countedElements(of, notCompared);
  return of === 'instructions' ? count : `${count} of one trace, which the other one does not show`;
}

function ignoredRows({ ignored }: DiffData): readonly (readonly [string, Cell | string])[] {
  if (ignored === undefined) return [];
  const { registers, functions, ranges, instructionsA, instructionsB, callsKnown } = ignored;
  const names = [...registers, ...functions, ...ranges.map(({ low, high }) => `${low}-${high}`)].join(', ');
  const own = callsKnown ? '' : '; of functions only their own code, because calls are not known';
  const counts = `${counted(instructionsA, 'instruction')} of A and ${group(instructionsB)} of B${own}`;
  return [['Ignored', { text: visible(`${names}: ${counts}`), foreign: true }]];
}

function placesOf({ a, b }: DiffPair): string {
  const place = (run: string, n: number | null): string =>
    n === null ? `the end of ${run}` : `record ${group(n)} of ${run}`;
  return `${place('A', a)}, ${place('B', b)}`;
}

const KIND_WORDS: Readonly<Record<RegionKind, string>> = {
  same: 'the same',
  values: 'other values',
  'a-only': 'only in A',
  'b-only': 'only in B',
  'not-aligned': 'not aligned',
  'not-compared': 'not compared',
};

function regionTable(regions: readonly DiffRegion[], left: number, of: PathElements): Block {
  const elements = `${of[0]!.toUpperCase()}${of.slice(1)}`;
  return {
    block: 'table',
    caption: [
      `${left === 0 ? '' : 'The first '}${counted(regions.length, 'differing region')}`,
      ...(regions.some(({ kind }) => kind === 'not-aligned')
        ? ['not aligned: too different to say which instructions correspond']
        : []),
    ].join('; '),
    columns: [
      { title: 'Kind' },
      { title: 'Records of A', right: true },
      { title: `${elements} of A`, right: true },
      { title: 'Records of B', right: true },
      { title: `${elements} of B`, right: true },
      { title: 'Different effects', right: true },
    ],
    rows: regions.map(({ kind, a, b, instructionsA, instructionsB, differing }): Row => ({
      cells: [
        KIND_WORDS[kind],
        rangeText(a),
        group(instructionsA),
        rangeText(b),
        group(instructionsB),
        differing === undefined ? '' : group(differing),
      ],
    })),
  };
}

/** Formats a half-open range; an empty one is a place. */
function rangeText([from, to]: readonly [number, number]): string {
  return to <= from ? `before ${group(from)}` : to === from + 1 ? group(from) : `${group(from)} to ${group(to - 1)}`;
}

function functionTable(functions: readonly DiffFunction[], left: number): Block {
  const cell = (count: number): string => (count === 0 ? '' : group(count));
  return {
    block: 'table',
    caption: tableCaption(
      functions.length,
      functions.length + left,
      ['function', 'functions'],
      'counted in instructions',
    ),
    columns: [
      { title: 'Function' },
      { title: 'Only in A', right: true },
      { title: 'Only in B', right: true },
      { title: 'Different effects', right: true },
      { title: 'Not aligned in A', right: true },
      { title: 'Not aligned in B', right: true },
    ],
    rows: functions.map(({ name, onlyA, onlyB, differing, notAlignedA, notAlignedB }): Row => ({
      cells: [
        { text: visible(name ?? 'code of unknown functions'), foreign: true },
        cell(onlyA),
        cell(onlyB),
        cell(differing),
        cell(notAlignedA),
        cell(notAlignedB),
      ],
    })),
  };
}
