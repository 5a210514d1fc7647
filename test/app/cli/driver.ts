// The command line as scripts use it, run within the test's process on the sample traces, in a folder per test file.
import { mkdtempSync, readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { runInside, type CliResult } from '../run-cli.ts';

const samples = fileURLToPath(new URL('../../samples', import.meta.url));
export const BYU = join(samples, 'byu6', 'complete', 'trace.byu');
export const CUT = join(samples, 'byu6', 'cut-tail', 'trace.byu');
export const BTM = join(samples, 'btm', 'cycles-between', 'trace.csv');
export const TARMAC = join(samples, 'tarmac', 'arm-sort', 'trace.txt');
export const PAGE = fileURLToPath(new URL('../../../dist/page/index.html', import.meta.url));

/** For a test's files, and for the indexes of `cli`, `json` and `lines`; each test file begins with an empty one (each-file.setup.ts). */
export const folder = mkdtempSync(join(tmpdir(), 'tracebench-cli-'));

export interface Golden {
  readonly n: number;
  readonly offset: number;
  readonly bytes: number;
  readonly kind: string;
  readonly native: string;
  readonly address: number;
  readonly size: number;
}

/** The records of a sample, from its golden. */
export function golden(trace: string): Golden[] {
  const text = readFileSync(join(dirname(trace), 'golden.txt'), 'utf8');
  return [...text.matchAll(/^(\d+) @(\d+)\+(\d+) (\S+) (\S+)(.*)$/gm)].map(
    ([, n, offset, bytes, kind, native, fields = '']) => ({
      n: Number(n),
      offset: Number(offset),
      bytes: Number(bytes),
      kind: kind ?? '',
      native: native ?? '',
      address: Number(/ address=(\S+)/.exec(fields)?.[1]),
      size: Number(/ size=(\S+)/.exec(fields)?.[1] ?? 1),
    }),
  );
}

export function traceOf(sample: string): string {
  const name = readdirSync(join(samples, sample)).find((file) => file.startsWith('trace.'));
  return join(samples, sample, name ?? 'trace');
}

export function tally(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

export function hex(value: number): string {
  return `0x${value.toString(16)}`;
}

export function own(): string[] {
  return ['--index-dir', join(folder, 'index')];
}

export function cli(args: readonly string[]): Promise<CliResult> {
  const [command = '', ...rest] = args;
  const plain = command === '' || command === 'help' || command.startsWith('-');
  return runInside(plain ? args : [command, '--quiet', ...own(), ...rest]);
}

/** The JSON document that a command prints with --json. */
export async function json(args: readonly string[]): Promise<unknown> {
  return JSON.parse(await printed(args));
}

export async function lines(args: readonly string[]): Promise<Record<string, unknown>[]> {
  const text = await printed(args);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function printed(args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runInside([...args, '--json', '--quiet', ...own()]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout === '' || stdout.endsWith('\n')).toBe(true);
  return stdout;
}
