/** Shows the progress of a search through records as bytes of the trace. */
import type { RecordNumber } from '../../../shared/base/units.ts';
import type { Context } from '../command.ts';

export interface SearchedRange {
  readonly from: RecordNumber;
  readonly to: RecordNumber;
  /** True if the search starts at the end. */
  readonly newest: boolean;
}

/** Returns a listener for the events of a search. It converts records to bytes as if all records were equally long. */
export function searchProgress(
  { progress }: Pick<Context, 'progress'>,
  fileBytes: number,
  { from, to, newest }: SearchedRange,
  what = 'searching',
): (event: { readonly at: RecordNumber }) => void {
  const started = performance.now();
  return ({ at }) => {
    const share = Math.min(1, Math.max(0, (newest ? to - at : at - from) / Math.max(1, to - from)));
    const seconds = (performance.now() - started) / 1000;
    const bytes = Math.round(fileBytes * share);
    progress.update(
      {
        bytes,
        totalBytes: fileBytes,
        records: at,
        bytesPerSecond: seconds > 0 ? bytes / seconds : 0,
        secondsLeft: share > 0 ? (seconds * (1 - share)) / share : null,
      },
      what,
    );
  };
}

/** Returns a listener for the events of walks through whole traces, one after the other. */
export function walkProgress(
  context: Pick<Context, 'progress'>,
  fileBytes: number,
  what: string,
): (event: { readonly at: RecordNumber; readonly to: RecordNumber }) => void {
  let to = 0;
  let show: ReturnType<typeof searchProgress> | undefined;
  return (event) => {
    if (event.to !== to || show === undefined) {
      ({ to } = event);
      show = searchProgress(context, fileBytes, { from: 0, to, newest: false }, what);
    }
    show(event);
  };
}
