/** Surroundings of one run of the command line: those of its own process, or of one that left its command to the session. */
import type { EventEmitter } from 'node:events';
import type { Writable } from 'node:stream';

/** A stream of text, perhaps to a terminal. */
export type TextStream = Writable & {
  readonly isTTY?: boolean;
  readonly columns?: number | undefined;
};

export interface Surroundings {
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  /** True if standard output shows colours. */
  readonly colour: boolean;
  /** Emits SIGINT, SIGTERM and SIGHUP. */
  readonly signals: Pick<EventEmitter, 'on' | 'off'>;
  /** Ends the process at once. */
  exit(code: number): void;
}

/** Those of this process. A terminal shows colours unless the user wants none. */
export function ownSurroundings(): Surroundings {
  const { stdout, stderr, env } = process;
  return {
    stdout,
    stderr,
    colour: stdout.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb',
    signals: process,
    exit: (code) => process.exit(code),
  };
}
