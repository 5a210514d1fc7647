/**
 * A file truncated under its map gives an error and leaves the process alive, on every thread, and every other fault still ends the
 * process. Each case is a program of its own, so that the test survives its death.
 */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { alignedBuffer, openSource } from '../../electron/engine/platform/source.ts';
import { noMap } from './no-map.ts';

const posix = process.platform !== 'win32';
const reason = 'Windows does not let a mapped file be cut short and has no signals';
const FAILED = 'FILE: the file became shorter while it was open, at byte 1000100; open it again';
let folder = '';
let file = '';

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tracebench-faults-'));
  file = path.join(folder, 'trace');
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
beforeEach(({ skip }) => {
  skip(noMap !== undefined, noMap);
  fs.writeFileSync(file, Buffer.alloc(4 * 2 ** 20, 'trace'));
});

it('is survived in this process', ({ skip }) => {
  skip(!posix, reason);
  const result = openSource(file, 'mapped');
  if (!result.ok) throw new Error(result.error.message);
  fs.truncateSync(file, 1_000_100);
  const target = alignedBuffer(65_536);
  expect(result.value.read(2 ** 20, target, 0, 65_536)).toMatchObject({ ok: false, error: { code: 'shrunk' } });
  expect(result.value.read(0, target, 0, 65_536)).toEqual({ ok: true, value: 65_536 });
  result.value.close();
});

it('is survived on the main thread and in four reading workers at once', ({ skip }) => {
  skip(!posix, reason);
  const { status, signal, stdout } = run('cut.ts', 'read');
  expect({ status, signal }).toEqual({ status: 0, signal: null });
  const report = JSON.parse(stdout) as { main: string; workers: string[]; intact: unknown; changed: string };
  // 15 runs of 65,536 bytes are whole; the sixteenth, at 983,040, contains the cut.
  expect(report).toEqual({
    main: `shrunk 983040 ${FAILED}`,
    workers: [expect.any(String), expect.any(String), expect.any(String), expect.any(String)],
    intact: { ok: true, value: 65_536 },
    changed: 'shrunk',
  });
  // The workers were at any place after the cut when it came.
  for (const failure of report.workers) {
    const [code, offset, ...message] = failure.split(' ');
    expect([code, message.join(' ')]).toEqual(['shrunk', FAILED]);
    expect(Number(offset)).toBeGreaterThanOrEqual(983_040);
  }
});

it('releases files that workers leave open, and the guard still works', ({ skip }) => {
  skip(process.platform !== 'linux', 'only Linux lists the maps of a process in a file');
  const { status, signal, stdout } = run('cut.ts', 'leave');
  expect({ status, signal }).toEqual({ status: 0, signal: null });
  expect(JSON.parse(stdout)).toEqual({
    left: 0,
    open: 0,
    guardKept: true,
    main: 'shrunk 0 FILE: the file became shorter while it was open, at byte 0; open it again',
  });
});

describe('a foreign fault', () => {
  it.for([
    ['SIGSEGV', 'SIGSEGV'],
    ['SIGBUS', 'SIGBUS'],
    ['another map', 'SIGBUS'],
  ])('still ends the process: %s', ([fault = '', expected], { skip }) => {
    skip(!posix, reason);
    const { signal, stdout } = run('die.ts', fault);
    expect({ signal, stdout }).toEqual({ signal: expected, stdout: '' });
  });

  it('is still an error of WebAssembly', () => {
    const { status, stdout } = run('die.ts', 'WebAssembly');
    expect({ status, stdout }).toEqual({
      status: 0,
      stdout: 'RuntimeError: memory access out of bounds\nworker: RuntimeError: memory access out of bounds\nalive\n',
    });
  });
});

function run(program: string, ...rest: string[]): { status: number | null; signal: string | null; stdout: string } {
  const fixture = path.join(import.meta.dirname, 'fixtures', program);
  const result = spawnSync(process.execPath, [fixture, file, ...rest], { encoding: 'utf8', timeout: 200_000 });
  if (result.status !== 0 && result.signal === null) throw new Error(result.stderr);
  return result;
}
