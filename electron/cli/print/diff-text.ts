/** Prints where two runs part, for people. */
import { counted, group } from '../../../shared/base/numbers.ts';
import type { Diff, DiffRegion, PathElements } from '../../../shared/requests/diff.ts';
import { createTable } from './table.ts';

export function diffText(found: Diff, short: boolean): string {
  const { same, of, first, regions, left, matched, instructionsA, instructionsB, shift } = found;
  const moved = shift === '0' ? [] : [`The second program is loaded ${shift} bytes after the first.`];
  if (same) return lines([sameText(of, instructionsA), ...moved]);
  const pair = first.path;
  const place = (n: number | null | undefined): string => (n === null || n === undefined ? 'end' : group(n));
  const head = [
    ...(pair === null ? [] : [`They part at record ${place(pair.a)} of A and ${place(pair.b)} of B: ${pair.what}.`]),
    ...(matched === undefined ? [] : [alignedText(of, matched, instructionsA, instructionsB)]),
    ...moved,
  ];
  if (short) return lines(head);
  const table = createTable<DiffRegion>(
    [
      { title: 'region', text: ({ kind }) => kind },
      { title: 'A from', right: true, text: ({ a }) => group(a[0]) },
      { title: 'A to', right: true, text: ({ a }) => group(a[1]) },
      { title: 'B from', right: true, text: ({ b }) => group(b[0]) },
      { title: 'B to', right: true, text: ({ b }) => group(b[1]) },
      { title: `${of} A`, right: true, text: (region) => group(region.instructionsA) },
      { title: `${of} B`, right: true, text: (region) => group(region.instructionsB) },
    ],
    false,
  ).lines(regions);
  return `${lines(head)}\n${table}${left > 0 ? `\n${counted(left, 'further region')}; --limit shows more.\n` : ''}`;
}

function alignedText(of: PathElements, matched: number, a: number, b: number): string {
  return `${(100 * matched).toFixed(3)} % of ${group(a)} and ${group(b)} ${of} are aligned.`;
}

function sameText(of: PathElements, count: number): string {
  if (of === 'instructions') return `Both runs executed the same ${counted(count, 'instruction')}.`;
  return `Both runs show the same ${of === 'branches' ? counted(count, 'branch', of) : counted(count, 'access', of)}.`;
}

function lines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join('');
}
