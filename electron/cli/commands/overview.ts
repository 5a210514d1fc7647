/** `overview`: records per kind over time as numbers, as characters on the terminal, or drawn to a file. */
import type { Overview } from '../../../shared/requests/requests.ts';
import { trackOf } from '../../../shared/report/time-tracks.ts';
import { ENDIANS } from '../../../shared/requests/watches.ts';
import { fail, ok } from '../../../shared/base/result.ts';
import { cells } from '../../../shared/requests/schema.ts';
import { command } from '../command.ts';
import { drawOptions, figurePlace, writeFigure } from '../figure-file.ts';
import { group, recordSpan } from '../../../shared/base/numbers.ts';
import { number, oneOf, recordNumber } from '../options/options.ts';
import { CPU, missing } from '../options/state-at.ts';
import { TRACK, tracksOf } from '../options/tracks.ts';
import { withTrace } from '../trace.ts';

export const overview = command({
  name: 'overview',
  text: 'Records per kind over time',
  notes: [
    '--json prints {from, to, columns, edges, kinds, counts: [[one number per kind] per column], bad: [..]}: column c contains the',
    'records edges[c] <= n < edges[c + 1]. A long range may have fewer columns than requested.',
    'An output file that ends in .svg or .png becomes a figure. Its tracks have the names that the page shows, or those of registers and',
    'memory: --track phases --track depth --track r0 --track 0x1000-0x1003.',
    'Example: tracebench overview TRACE --image program.elf -o overview.svg --track phases --track function --track sp',
  ].join('\n'),
  trace: 'needed',
  options: {
    columns: number('W', cells, 'columns of records, 64 by default'),
    from: recordNumber('the first record, 0 by default'),
    to: recordNumber('the record after the last one, all by default'),
    track: TRACK,
    cpu: CPU('of tracks about functions and registers; by default the first one in the trace'),
    endian: oneOf('ORDER', 'byte order of tracks of memory: little or big; by default that of the trace', ENDIANS),
    ...drawOptions,
  },
  async run(context, { columns, from, to, output, track = [], cpu, endian, ...look }) {
    if (from !== undefined && to !== undefined && from >= to) return fail('usage', '--from must be less than --to');
    if (output !== undefined && columns !== undefined)
      return fail('usage', 'overview: a figure chooses its own columns; leave out --columns');
    if (output === undefined && (track.length > 0 || cpu !== undefined || endian !== undefined))
      return missing(context, '--track, --cpu and --endian are about a figure; name its file with -o FILE.svg');
    const form = output === undefined ? undefined : await figurePlace(context, output);
    if (form?.ok === false) return form;
    return withTrace(context, async (trace) => {
      const indexed = await trace.index();
      if (!indexed.ok) return indexed;
      const range = { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
      if (form && output !== undefined) {
        const tracks = await tracksOf(context, trace, track, cpu);
        if (!tracks.ok) return tracks;
        const isBig = (endian ?? trace.opened.format.options['endian']) === 'big';
        return writeFigure(
          context,
          trace,
          {
            figure: 'overview',
            ...range,
            ...(track.length > 0 && { tracks: tracks.value }),
            ...(cpu !== undefined && { cpu }),
            ...(isBig && tracks.value.some((id) => trackOf(id)?.kind === 'memory') && { bigEndian: true }),
          },
          { ...look, path: output, form: form.value },
        );
      }
      const answer = await trace.request('overview', { trace: trace.id, ...range, columns: columns ?? COLUMNS });
      if (!answer.ok) return answer;
      const { common, out } = context;
      await (common.json ? out.json(document(answer.value)) : out.write(sketch(answer.value)));
      return ok(undefined);
    });
  },
});

const COLUMNS = 64;

function document({ from, to, columns, edges, kinds, counts, bad }: Overview) {
  return {
    from,
    to,
    columns,
    edges: [...edges],
    kinds,
    counts: Array.from({ length: columns }, (_, column) => [
      ...counts.subarray(column * kinds.length, (column + 1) * kinds.length),
    ]),
    bad: [...bad],
  };
}

const SHADES = ' ▁▂▃▄▅▆▇█';

/** Returns one line per kind; the height shows its share of the records in a column. */
function sketch({ from, to, columns, kinds, counts, bad }: Overview): string {
  const width = kinds.reduce((most, kind) => Math.max(most, kind.length), BAD.length);
  const totals = Array.from({ length: columns }, (_, column) =>
    counts.subarray(column * kinds.length, (column + 1) * kinds.length).reduce((sum, count) => sum + count, 0),
  );
  const lines = kinds.map((kind, at) => {
    const own = totals.map((_, column) => counts[column * kinds.length + at]!);
    const shades = own.map((its, column) => shade(its, totals[column]!)).join('');
    return `${kind.padEnd(width)} │${shades}│ ${group(own.reduce((sum, its) => sum + its, 0))}`;
  });
  const wrong = bad.reduce((sum, its) => sum + its, 0);
  const most = bad.reduce((all, its) => Math.max(all, its), 0);
  if (wrong > 0)
    lines.push(`${BAD.padEnd(width)} │${[...bad].map((its) => shade(its, most)).join('')}│ ${group(wrong)}`);
  return `${lines.join('\n')}\n${' '.repeat(width)}  ${recordSpan(from, to)}\n`;
}

const BAD = 'malformed';

function shade(count: number, of: number): string {
  return count === 0 ? SHADES.charAt(0) : SHADES.charAt(1 + Math.round(((SHADES.length - 2) * count) / of));
}
