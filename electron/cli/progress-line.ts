/**
 * Progress of indexing on stderr: one line rewritten in place on a terminal; elsewhere a line for every tenth, once it
 * has taken a few seconds, so that logs stay short.
 */
import type { Writable } from 'node:stream';
import type { Progress } from '../../shared/api.ts';
import { bytes, duration } from './numbers.ts';

export interface ProgressLine {
  update(progress: Progress): void;
  /** Takes the line away, before anything else is written to the terminal. */
  clear(): void;
}

export function createProgressLine(stream: Writable & { readonly isTTY?: boolean }, quiet: boolean): ProgressLine {
  const started = performance.now();
  let next = 0;
  let shown = false;
  if (quiet) return { update: () => undefined, clear: () => undefined };
  return {
    update(progress) {
      const elapsed = performance.now() - started;
      if (stream.isTTY) {
        if (elapsed < next) return;
        next = elapsed + TERMINAL_PAUSE;
        shown = true;
        stream.write(`\r\x1b[K${describe(progress)}`);
      } else if (elapsed > LOG_AFTER && progress.bytes >= next * progress.totalBytes) {
        next = Math.floor((10 * progress.bytes) / progress.totalBytes) / 10 + 0.1;
        stream.write(`${describe(progress)}\n`);
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

function describe({ bytes: done, totalBytes, bytesPerSecond, secondsLeft }: Progress): string {
  const percent = totalBytes === 0 ? 100 : Math.floor((100 * done) / totalBytes);
  const left = secondsLeft === null ? '' : `, ${duration(secondsLeft)} left`;
  return `indexing: ${percent} % of ${bytes(totalBytes)}, ${bytes(bytesPerSecond)}/s${left}`;
}
