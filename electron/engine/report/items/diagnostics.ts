/** Report part that lists the diagnostics of a trace. */
import { DIAGNOSTICS_NAME } from '../../../../present/text/part-names.ts';
import { group } from '../../../../shared/base/numbers.ts';
import type { DiagnosticGroup } from '../../../../shared/requests/requests.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { diagnostics } from '../../queries/info/diagnostics.ts';
import type { Trace } from '../../trace.ts';
import type { Block, Row } from '../blocks.ts';
import type { Item } from '../document.ts';
import { sourceOf } from '../sources.ts';
import { visible } from '../../../../shared/base/visible.ts';
import { line } from '../words.ts';

/** Maximum number of shapes shown per code, most frequent first. */
const MOST_SHAPES = 5;
const SAMPLE = 80;

export function makeDiagnostics(trace: Trace): Result<Item> {
  const found = diagnostics(trace);
  if (!found.ok) return found;
  const source = sourceOf(trace, 'diagnostics', {});
  if (!source.ok) return source;
  const groups = found.value.groups.map((each) => ({ ...each, shapes: each.shapes.slice(0, MOST_SHAPES) }));
  return ok({
    kind: 'diagnostics',
    title: DIAGNOSTICS_NAME,
    sources: [source.value],
    data: { groups },
  });
}

export function diagnosticsBlocks(groups: readonly DiagnosticGroup[]): Block[] {
  if (groups.length === 0) {
    return [{ block: 'say', text: 'No problems found: all records conform to their format.' }];
  }
  return [
    {
      block: 'table',
      caption: 'Problems, each with the forms of input that cause it',
      columns: [
        { title: 'Problem' },
        { title: 'Count', right: true },
        { title: 'First byte', right: true },
        { title: 'First record', right: true },
        { title: 'Starts with' },
      ],
      rows: groups.flatMap(rowsOf),
    },
  ];
}

function rowsOf({ text, count, firstOffset, firstRecord, shapes }: DiagnosticGroup): Row[] {
  const [only] = shapes;
  const isAlone = shapes.length === 1 && only?.shape === '';
  return [
    {
      cells: [
        visible(text),
        group(count),
        group(firstOffset),
        group(firstRecord),
        isAlone ? sampleOf(only.sample) : '',
      ],
    },
    ...(isAlone ? [] : shapes).map((shape): Row => ({
      cells: [
        { text: shape.shape === '' ? '(other)' : line(shape.shape, SAMPLE), code: shape.shape !== '' },
        group(shape.count),
        group(shape.firstOffset),
        group(shape.firstRecord),
        sampleOf(shape.sample),
      ],
      mark: 'effect',
    })),
  ];
}

function sampleOf(sample: string) {
  return { text: line(sample, SAMPLE), code: true, foreign: true };
}
