/**
 * Progress of long work on stderr. A terminal has one line that is rewritten in place. A log has one line for every tenth, starting
 * after a few seconds, so that it stays short.
 */
import { basename } from 'node:path';
import type { Writable } from 'node:stream';
import {
  IMAGE_PARTS,
  type ExpandProgress,
  type ImageProgress,
  type Progress,
} from '../../../shared/requests/requests.ts';
import { bytes, timeLeft } from '../../../shared/base/numbers.ts';
import { visible } from '../../../shared/base/visible.ts';

export interface ProgressLine {
  /** `what` names the work if it is none of expanding, indexing, waiting and reading an image. */
  update(progress: Progress | ExpandProgress | ImageProgress, what?: string): void;
  /** Erases the line; call it before anything else is written to the terminal. */
  clear(): void;
}

/** `now` returns milliseconds. */
export function createProgressLine(
  stream: Writable & { readonly isTTY?: boolean },
  quiet: boolean,
  now: () => number = () => performance.now(),
): ProgressLine {
  const started = now();
  /** When the next line is due: a time on a terminal, a tenth of the work in a log. */
  let next = 0;
  let shown = false;
  let doing = '';
  if (quiet) return { update: () => undefined, clear: () => undefined };
  return {
    update(progress, what = workOf(progress)) {
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

/** In milliseconds. */
const TERMINAL_PAUSE = 100;
const LOG_AFTER = 3000;

function workOf(progress: Progress | ExpandProgress | ImageProgress): string {
  if ('image' in progress) return `reading ${visible(basename(progress.image))}, ${IMAGE_PARTS[progress.part]}`;
  if ('expandedBytes' in progress) return 'expanding';
  return progress.waitsFor === undefined
    ? 'indexing'
    : `waiting for ${progress.waitsFor}, which is indexing this trace`;
}

function describe(progress: Progress | ExpandProgress | ImageProgress, what: string): string {
  const { bytes: done, totalBytes, bytesPerSecond, secondsLeft } = progress;
  if ('image' in progress && totalBytes === 0) return what;
  const percent = totalBytes === 0 ? 100 : Math.floor((100 * done) / totalBytes);
  const rate = bytesPerSecond > 0 ? `, ${bytes(bytesPerSecond)}/s` : '';
  const left = secondsLeft === null ? '' : `, ${timeLeft(secondsLeft)} left`;
  const soFar = 'expandedBytes' in progress ? `, ${bytes(progress.expandedBytes)} so far` : '';
  return `${what}: ${percent} % of ${bytes(totalBytes)}${soFar}${rate}${left}`;
}
