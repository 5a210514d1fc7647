/** `index`: builds the index and prepares the answers about the whole trace, so that other commands answer at once. */
import type { IndexReport } from '../../../shared/requests/requests.ts';
import { ok } from '../../../shared/base/result.ts';
import { command } from '../command.ts';
import { bytes, group, timeTaken } from '../../../shared/base/numbers.ts';
import { flag } from '../options/options.ts';
import { prepareAnswers, type Prepared } from '../prepare-answers.ts';
import { facts } from '../print/table.ts';
import { withTrace } from '../trace.ts';

export const buildIndex = command({
  name: 'index',
  text: 'Build the index of a trace, or continue to build it',
  notes: [
    'Afterwards, answers about the whole trace are prepared and kept in the index: calls, loops, branches,',
    'the executed path, the heatmap, the pages, and the code of large program images.',
    '--bare leaves them to the first question about each, which then takes up to a second per gigabyte.',
  ].join('\n'),
  trace: 'needed',
  decodes: true,
  options: {
    force: flag('rebuild an existing index'),
    bare: flag('only the index: prepare no answers about the whole trace'),
  },
  run: (context, { force = false, bare = false }) =>
    withTrace(context, async (trace) => {
      const report = await trace.index({ rebuild: force });
      if (!report.ok) return report;
      const prepared = bare ? ok(undefined) : await prepareAnswers(context, trace, report.value);
      if (!prepared.ok) return prepared;
      const { common, out } = context;
      const done = { ...report.value, prepared: prepared.value };
      await (common.json ? out.json(inOrder(done)) : out.write(describe(done, out.colour)));
      return ok(undefined);
    }),
});

interface Done extends IndexReport {
  readonly prepared: Prepared | undefined;
}

function inOrder(report: Done): object {
  const { records, bytes, seconds, bytesPerSecond, indexBytes, peakRssBytes, jobs, reader, complete, built } = report;
  const { flowSeconds, seconds: preparedSeconds } = report.prepared ?? {};
  return {
    records,
    bytes,
    seconds,
    bytesPerSecond,
    indexBytes,
    peakRssBytes,
    jobs,
    reader,
    complete,
    built,
    ...(flowSeconds === undefined ? {} : { flowSeconds }),
    ...(preparedSeconds === undefined ? {} : { preparedSeconds }),
  };
}

function describe(report: Done, colour: boolean): string {
  const share = report.bytes > 0 ? ` (${((100 * report.indexBytes) / report.bytes).toFixed(1)} % of the trace)` : '';
  return facts(
    [
      ['records', group(report.records)],
      ['trace', bytes(report.bytes)],
      ['index', `${bytes(report.indexBytes)}${share}${report.built ? '' : ', existed already'}`],
      ['time', `${timeTaken(report.seconds)}, ${bytes(report.bytesPerSecond)}/s`],
      ['answers', report.prepared && `about the whole trace prepared in ${timeTaken(report.prepared.seconds)} more`],
      ['memory', `${bytes(report.peakRssBytes)} at most`],
      ['threads', `${report.jobs}, ${report.reader === 'mapped' ? 'file mapped into memory' : 'file read in pieces'}`],
    ],
    colour,
  );
}
