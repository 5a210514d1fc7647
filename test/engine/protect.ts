/** Makes files and folders read-only, also for root if the file system supports immutable files. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const isRoot = process.getuid?.() === 0;

/** Undefined, or the reason why nothing can be protected here. */
export const noProtection: string | undefined =
  process.platform === 'win32' || (isRoot && !canBeImmutable())
    ? 'needs a user other than root, or chattr +i'
    : undefined;

export function protect(name: string): void {
  if (isRoot) immutable(name, true);
  else fs.chmodSync(name, fs.statSync(name).isDirectory() ? 0o555 : 0o444);
}

export function release(name: string): void {
  if (isRoot) immutable(name, false);
  else fs.chmodSync(name, 0o755);
}

function immutable(name: string, on: boolean): boolean {
  return spawnSync('chattr', [on ? '+i' : '-i', name]).status === 0;
}

function canBeImmutable(): boolean {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tracebench-immutable-'));
  const can = immutable(folder, true);
  immutable(folder, false);
  fs.rmSync(folder, { recursive: true });
  return can;
}
