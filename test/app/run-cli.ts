// Runs the real command line as its own process, with an index folder of its own.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export const CLI = fileURLToPath(new URL('../../electron/cli/main.ts', import.meta.url));

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Settings {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export async function runCli(args: readonly string[], settings: Settings = {}): Promise<CliResult> {
  return finish(startCli(args, settings));
}

/** Starts it and leaves reading and signals to the caller. */
export function startCli(args: readonly string[], { cwd, env: more }: Settings = {}): ChildProcess {
  const env = { ...process.env, NO_COLOR: '1', ...more };
  return spawn(process.execPath, [CLI, ...args], {
    ...(cwd !== undefined && { cwd }),
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Without the line which says that files are read without a memory map: where the addon could not be built, that is so. */
export function withoutMapNotice(stderr: string): string {
  return stderr.replaceAll(/^tracebench: .*: the file is read without a memory map, which is slower: .*\n/gm, '');
}

/** Reads all that it prints until it ends. */
export async function finish(child: ChildProcess): Promise<CliResult> {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}
