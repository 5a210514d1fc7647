/**
 * Progress of expanding, indexing and exporting on stderr: one line rewritten in place on a terminal; elsewhere a line for every tenth, once it
 * has taken a few seconds, so that logs stay short.
 */
import type { Writable } from 'node:stream';
import type { ExpandProgress, Progress } from '../../shared/requests/requests.ts';
import { bytes, wholeDuration } from './print/numbers.ts';

export interface ProgressLine {
  /** `what` is done, where it is neither expanding nor indexing. */
  update(progress: Progress | ExpandProgress, what?: string): void;
  /** Takes the line away, before anything else is written to the terminal. */
  clear(): void;
}

/** `now` tells milliseconds. */
export function createProgressLine(
  stream: Writable & { readonly isTTY?: boolean },
  quiet: boolean,
  now: () => number = () => performance.now(),
): ProgressLine {
  const started = now();
  /** On a terminal the time from which on, elsewhere the tenth with which the next line is due. */
  let next = 0;
  let shown = false;
  let doing = '';
  if (quiet) return { update: () => undefined, clear: () => undefined };
  return {
    update(progress, what = 'expandedBytes' in progress ? 'expanding' : 'indexing') {
      const elapsed = now() - started;
      if (what !== doing) next = 0;
      doing = what;
      if (stream.isTTY) {
        if (elapsed < next) return;
        next = elapsed + TERMINAL_PAUSE;
        shown = true;
        stream.write(`\r\x1b[K${describe(progress, what)}`);
        return;
      }
      const tenth = Math.floor((10 * progress.bytes) / Math.max(1, progress.totalBytes));
      if (elapsed > LOG_AFTER && tenth >= next) {
        next = tenth + 1;
        stream.write(`${describe(progress, what)}\n`);
      }
    },
    clear() {
      if (shown) stream.write('\r\x1b[K');
      shown = false;
    },
  };
}

/** Milliseconds. */
const TERMINAL_PAUSE = 100;
const LOG_AFTER = 3000;

function describe(progress: Progress | ExpandProgress, what: string): string {
  const { bytes: done, totalBytes, bytesPerSecond, secondsLeft } = progress;
  const percent = totalBytes === 0 ? 100 : Math.floor((100 * done) / totalBytes);
  const rate = bytesPerSecond > 0 ? `, ${bytes(bytesPerSecond)}/s` : '';
  const left = secondsLeft === null ? '' : `, ${wholeDuration(secondsLeft)} left`;
  const soFar = 'expandedBytes' in progress ? `, ${bytes(progress.expandedBytes)} so far` : '';
  return `${what}: ${percent} % of ${bytes(totalBytes)}${soFar}${rate}${left}`;
}
