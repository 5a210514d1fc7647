// Runs a program as its own process and measures it from outside: wall time, output, peak memory.
import { spawn } from 'node:child_process';
import { openSync, closeSync, readFileSync } from 'node:fs';
import { MEMORY } from '../../build/follow.mjs';

export interface Measured {
  readonly seconds: number;
  readonly output: string;
  /** Peak resident memory, including file pages; absent without /proc. */
  readonly peakRssBytes?: number;
  /** Peak memory not backed by files, which is what the program costs the machine. */
  readonly peakPrivateBytes?: number;
}

const SAMPLE_MILLISECONDS = 20;

/** Fails if the program fails: the time of a failure is worthless. */
export async function measure(program: string, args: readonly string[], keepOutput: boolean): Promise<Measured> {
  const nowhere = openSync('/dev/null', 'w');
  const started = performance.now();
  // With the flags of the tracebench command (build/follow.mjs).
  const env = { ...MEMORY, ...process.env };
  const child = spawn(program, args, { env, stdio: ['ignore', keepOutput ? 'pipe' : nowhere, 'pipe'] });
  const peak = { rss: 0, private: 0 };
  const watch = setInterval(() => sampleMemory(child.pid, peak), SAMPLE_MILLISECONDS);
  let output = '';
  let complaints = '';
  child.stdout?.on('data', (data: Buffer) => (output += data.toString()));
  child.stderr?.on('data', (data: Buffer) => (complaints += data.toString()));
  let seconds = 0;
  child.once('exit', () => (seconds = (performance.now() - started) / 1000));
  try {
    const code = await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${String(code)}: ${complaints.trim()}`);
  } finally {
    clearInterval(watch);
    closeSync(nowhere);
  }
  return {
    seconds,
    output,
    ...(peak.rss > 0 && { peakRssBytes: peak.rss, peakPrivateBytes: peak.private }),
  };
}

/** Pages of a mapped file are not private: they belong to the page cache, which drops them for other needs. */
function sampleMemory(pid: number | undefined, peak: { rss: number; private: number }): void {
  if (pid === undefined || process.platform !== 'linux') return;
  let status: string;
  try {
    status = readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch (error) {
    // The process has ended between two samples.
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) return;
    throw error;
  }
  const bytes = (name: string): number =>
    1024 * Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);
  peak.rss = Math.max(peak.rss, bytes('VmHWM'));
  peak.private = Math.max(peak.private, bytes('RssAnon') + bytes('RssShmem'));
}
