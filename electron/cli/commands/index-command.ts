/** `index`: builds the index, so that other commands answer at once. */
import type { IndexReport } from '../../../shared/requests/requests.ts';
import { ok } from '../../../shared/base/result.ts';
import { command } from '../command.ts';
import { bytes, group, timeTaken } from '../../../shared/base/numbers.ts';
import { flag } from '../options/options.ts';
import { facts } from '../print/table.ts';
import { withTrace } from '../trace.ts';

export const buildIndex = command({
  name: 'index',
  text: 'Build the index of a trace, or continue to build it',
  trace: 'needed',
  decodes: true,
  options: { force: flag('rebuild an existing index') },
  run: (context, { force = false }) =>
    withTrace(context, async (trace) => {
      const report = await trace.index({ rebuild: force, flow: true });
      if (!report.ok) return report;
      const { common, out } = context;
      await (common.json ? out.json(inOrder(report.value)) : out.write(describe(report.value, out.colour)));
      return ok(undefined);
    }),
});

function inOrder(report: IndexReport): IndexReport {
  const { records, bytes, seconds, bytesPerSecond, indexBytes, peakRssBytes, jobs, reader, complete, built } = report;
  const { flowSeconds } = report;
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
  };
}

function describe(report: IndexReport, colour: boolean): string {
  const share = report.bytes > 0 ? ` (${((100 * report.indexBytes) / report.bytes).toFixed(1)} % of the trace)` : '';
  return facts(
    [
      ['records', group(report.records)],
      ['trace', bytes(report.bytes)],
      ['index', `${bytes(report.indexBytes)}${share}${report.built ? '' : ', existed already'}`],
      ['time', `${timeTaken(report.seconds)}, ${bytes(report.bytesPerSecond)}/s`],
      ['calls', report.flowSeconds === undefined ? undefined : `found in ${timeTaken(report.flowSeconds)} more`],
      ['memory', `${bytes(report.peakRssBytes)} at most`],
      ['threads', `${report.jobs}, ${report.reader === 'mapped' ? 'file mapped into memory' : 'file read in pieces'}`],
    ],
    colour,
  );
}
