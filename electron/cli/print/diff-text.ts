/** Prints where two runs differ, for people. */
import { counted, group } from '../../../shared/base/numbers.ts';
import { isInstruction, type RecordView } from '../../../shared/records/record.ts';
import { countedElements, sameText } from '../../../shared/against/diff-words.ts';
import type { Diff, DiffFunction, DiffPair, DiffRegion, Ignored, PathElements } from '../../../shared/requests/diff.ts';
import type { Surroundings } from '../diff-context.ts';
import { printable } from './printable.ts';
import { createTable } from './table.ts';

/** A first difference with its surroundings; undefined for a run that has ended. */
export interface Shown {
  readonly by: 'path' | 'values';
  readonly pair: DiffPair;
  readonly a: Surroundings | undefined;
  readonly b: Surroundings | undefined;
}

export function diffText(found: Diff, shown: readonly Shown[], short: boolean): string {
  const { same, by, of, ends, regions, left, functions, functionsLeft, matched, instructionsA, instructionsB, shift } =
    found;
  const notes = [
    ...(ends === undefined ? [] : [`Only the ${ends} of branches were compared: one of the traces shows no others.`]),
    ...(shift === '0' ? [] : [`The second program is loaded ${shift} bytes after the first.`]),
    ...(found.notCompared === 0 ? [] : [notComparedText(of, found.notCompared)]),
  ];
  if (found.ignored !== undefined) notes.push(...ignoredText(found.ignored));
  if (found.withoutSymbol !== undefined && found.withoutSymbol.a + found.withoutSymbol.b > 0)
    notes.push(
      `${counted(found.withoutSymbol.a, 'instruction')} of A and ${group(found.withoutSymbol.b)} of B are outside of all symbols; they were compared by address.`,
    );
  if (found.confirmed === 'fingerprints')
    notes.push(
      'Equal stretches were found by their fingerprints of 64 bits; --confirm decodes and compares all of them.',
    );
  const effects = by === 'values' ? ', with the same values where both traces record them' : '';
  if (same) {
    return lines([`${sameText(found)}${effects}.`, ...notes]);
  }
  const head = [
    ...shown.flatMap((one) => [sentence(one), ...surroundings(one)]),
    ...(matched === undefined ? [] : [alignedText(of, matched, instructionsA, instructionsB)]),
    ...notes,
  ];
  if (short) return lines(head);
  return [
    lines(head),
    regionTable(of).lines(regions) + (left > 0 ? `\n${counted(left, 'further region')}; --limit shows more.\n` : ''),
    ...(functions.length === 0 ? [] : [functionTable().lines(functions)]),
    ...(functionsLeft > 0 ? [`${counted(functionsLeft, 'further function')}; --limit shows more.\n`] : []),
  ].join('\n');
}

function sentence({ by, pair }: Shown): string {
  const place = (n: number | null): string => (n === null ? 'end' : group(n));
  const what = by === 'path' ? 'They part' : 'Values first differ';
  const where = by === 'path' ? '' : ` (${[pair.address, pair.symbol].filter((part) => part !== undefined).join(' ')})`;
  return `${what} at record ${place(pair.a)} of A and ${place(pair.b)} of B${where}: ${pair.what}.`;
}

function surroundings({ a, b }: Shown): readonly string[] {
  return [['A', a] as const, ['B', b] as const].flatMap(([name, side]) => {
    if (side === undefined) return [];
    const calls = side.stack === undefined || side.stack.length === 0 ? '' : `, in ${side.stack.join(' < ')}`;
    return [
      '',
      `${name}${printable(calls, CALLS_MOST)}`,
      ...side.instructions.map(({ record, effects, isHere }) => instruction(record, effects, isHere)),
      '',
    ];
  });
}

const CALLS_MOST = 300;
const TEXT_MOST = 60;

function instruction(record: RecordView, effects: readonly RecordView[], isHere: boolean): string {
  const what = isInstruction(record.kind) ? (record.text ?? record.opcode) : otherText(record);
  const text = printable([record.symbol, what].filter((part) => part !== undefined).join('  '), TEXT_MOST);
  const skipped = record.kind === 'skipped' ? '  (skipped)' : '';
  const all = effects.map(effectText).join(', ');
  return `${isHere ? '>' : ' '} ${group(record.n).padStart(12)}  ${record.address ?? ''}  ${text}${skipped}${all === '' ? '' : `  ; ${all}`}`;
}

/** Returns a record that is no instruction in words, without its address. */
function otherText({ kind, native, target, targetSymbol, value }: RecordView): string {
  const to = target === undefined ? [] : ['to', target, ...(targetSymbol === undefined ? [] : [targetSymbol])];
  return [kind === 'other' ? native : kind, ...to, ...(value === undefined ? [] : [`= ${value}`])].join(' ');
}

function effectText({ kind, register, registers, value, address }: RecordView): string {
  if (kind === 'register')
    return (registers ?? [[register ?? '?', value] as const]).map(([name, its]) => `${name}=${its ?? '?'}`).join(', ');
  return `${kind} ${address ?? '?'}${value === undefined ? '' : `=${value}`}`;
}

const regionTable = (of: PathElements) =>
  createTable<DiffRegion>(
    [
      { title: 'region', text: ({ kind }) => kind },
      { title: 'A from', right: true, text: ({ a }) => group(a[0]) },
      { title: 'A to', right: true, text: ({ a }) => group(a[1]) },
      { title: 'B from', right: true, text: ({ b }) => group(b[0]) },
      { title: 'B to', right: true, text: ({ b }) => group(b[1]) },
      { title: `${of} A`, right: true, text: (region) => group(region.instructionsA) },
      { title: `${of} B`, right: true, text: (region) => group(region.instructionsB) },
      { title: 'differing', right: true, text: ({ differing }) => (differing === undefined ? '' : group(differing)) },
    ],
    false,
  );

const functionTable = () =>
  createTable<DiffFunction>(
    [
      { title: 'function', text: ({ name }) => printable(name ?? '(unknown)', TEXT_MOST) },
      { title: 'address', right: true, text: ({ address }) => address ?? '' },
      { title: 'only in A', right: true, text: ({ onlyA }) => group(onlyA) },
      { title: 'only in B', right: true, text: ({ onlyB }) => group(onlyB) },
      { title: 'differing', right: true, text: ({ differing }) => group(differing) },
      { title: 'not aligned A', right: true, text: ({ notAlignedA }) => group(notAlignedA) },
      { title: 'not aligned B', right: true, text: ({ notAlignedB }) => group(notAlignedB) },
    ],
    false,
  );

function alignedText(of: PathElements, matched: number, a: number, b: number): string {
  const apart = Math.round((1 - matched) * (a + b));
  const all = `${group(a)} and ${group(b)} ${of}`;
  if (apart === 0) return `All ${all} are aligned.`;
  // A share that is rounded up could be 100 %.
  return `${(Math.floor(100_000 * matched) / 1000).toFixed(3)} % of ${all} are aligned: all but ${group(apart)}.`;
}

function ignoredText({
  registers,
  functions,
  ranges,
  instructionsA,
  instructionsB,
  callsKnown,
}: Ignored): readonly string[] {
  const code = [...functions, ...ranges.map(({ low, high }) => (low === high ? low : `${low}-${high}`))];
  return [
    ...(registers.length === 0 ? [] : [`Values of ${printable(registers.join(', '), CALLS_MOST)} do not count.`]),
    ...(code.length === 0
      ? []
      : [
          `Ignored: ${printable(code.join(', '), CALLS_MOST)}: ${counted(instructionsA, 'instruction')} of A and ${group(instructionsB)} of B.`,
        ]),
    ...(callsKnown || functions.length === 0
      ? []
      : ['The calls of a trace cannot be found, so only the own instructions of ignored functions were left out.']),
  ];
}

function notComparedText(of: PathElements, count: number): string {
  return of === 'instructions'
    ? `The effects of ${counted(count, 'aligned instruction')} could not be compared.`
    : `${countedElements(of, count)} of one trace were not compared, because the other trace does not show that part of the run.`;
}

function lines(all: readonly string[]): string {
  return all.map((line) => `${line}\n`).join('');
}
