// Runs a program in this one's place: its standard streams, signals and exit code pass straight through.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** For the C library of Linux, which keeps what threads free in an arena per thread: two arenas are enough and save some 30 MB. */
export const MEMORY = { MALLOC_ARENA_MAX: '2' };

/**
 * Ends this process with the program's exit code, 128 + the signal's number if a signal ended it.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 */
export function follow(program, args, options = {}) {
  const env = { ...MEMORY, ...process.env, ...options.env };
  const child = spawn(program, args, { ...options, env, stdio: 'inherit' });
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  process.on('SIGHUP', () => child.kill('SIGHUP'));
  // A terminal sends Ctrl-C to the whole group, `kill` to this process alone. As another signal it reaches the child
  // either way and never counts as a second Ctrl-C, which ends programs less tidily.
  process.on('SIGINT', () => child.kill('SIGTERM'));
  child.on('error', (error) => {
    process.stderr.write(`tracebench: ${program} could not be started: ${error.message}\n`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0)));
}
